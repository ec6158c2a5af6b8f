//! Indexes of generated messages with generated vectors, small and large, and 100 notes that change.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use recall_embed::DEFAULT_MODEL;
use recall_index::{
    ChunkSettings, IndexOptions, IndexProgress, Indexer, Manifest, ModelRecord, estimated_tokens,
};

use crate::figures::number;
use crate::outcome::Outcome;
use crate::scratch::Scratch;
use crate::synthetic::{DIMS, Synthetic};

/// Documents that a change touches, each in a file of its own.
pub(crate) const CHANGED: usize = 100;

/// An index of so many chunks.
pub(crate) struct Scaled {
    root: PathBuf,
    pub folder: PathBuf,
    vectors: Synthetic,
    /// What building it took.
    pub built: Parts,
}

/// Seconds of a run of the writer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Parts {
    /// Scan, comparison, words, commit.
    pub keyword: f64,
    /// Vectors, their graph, commits, merging.
    pub vectors: f64,
}

impl Parts {
    pub(crate) fn sum(&self) -> f64 {
        self.keyword + self.vectors
    }
}

impl Scaled {
    /// Generates `count` chunks and indexes them.
    pub(crate) fn build(scratch: &Scratch, count: usize) -> Outcome<Self> {
        scratch.say(format!("generating {} messages", number(count as f64)));
        let base = scratch.path(&format!("scaled-{count}"));
        let root = base.join("texts");
        scratch.generator.write_messages(&root, count.saturating_sub(CHANGED))?;
        scratch.generator.write_notes(&root.join("notes"), CHANGED, 0)?;
        let folder = base.join("index");
        std::fs::create_dir_all(&folder)?;
        let vectors = Synthetic::new();
        let mut out = Self { root, folder, vectors, built: Parts { keyword: 0.0, vectors: 0.0 } };
        out.built = out.update(scratch)?;
        let counts = Manifest::read(&out.folder)?.counts;
        if counts.documents as usize != count || counts.vectors != counts.chunks {
            return Err(format!("the index of {count} documents holds {counts:?}").into());
        }
        Ok(out)
    }

    /// Writes all notes anew and brings the index up to date.
    pub(crate) fn change(&self, scratch: &Scratch, edition: u64) -> Outcome<Parts> {
        scratch.generator.write_notes(&self.root.join("notes"), CHANGED, edition)?;
        self.update(scratch)
    }

    /// What `recall index` does, with generated vectors instead of the model's.
    fn update(&self, scratch: &Scratch) -> Outcome<Parts> {
        let stop = AtomicBool::new(false);
        let progress = |step: IndexProgress| scratch.step(step);
        let started = Instant::now();
        let mut indexer = Indexer::open(&self.folder, ChunkSettings::default(), false)?;
        let id = DEFAULT_MODEL.to_owned();
        indexer.set_model(&ModelRecord { id, checksum: "generated".into(), dims: DIMS })?;
        let (roots, options) = ([self.root.clone()], IndexOptions::default());
        indexer.update(&roots, &options, &estimated_tokens, &progress, &stop)?;
        let keyword = started.elapsed().as_secs_f64();
        let started = Instant::now();
        let embed = |texts: &[&str], _: &(dyn Fn(usize) + Sync)| {
            Ok(texts.iter().map(|text| self.vectors.of(text)).collect())
        };
        indexer.embed(DIMS, &embed, &progress, &stop)?;
        indexer.merge_vectors(false, &progress)?;
        Ok(Parts { keyword, vectors: started.elapsed().as_secs_f64() })
    }

    /// The generator of its vectors.
    pub(crate) fn vectors(&self) -> &Synthetic {
        &self.vectors
    }
}
