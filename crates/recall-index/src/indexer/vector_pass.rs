//! Vectors for the texts that have none, in commits that cost at most half a minute each to lose, and
//! the merging of their segments.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rayon::prelude::*;
use recall_embed::Embedder;

use super::{IndexProgress, Indexer, OnProgress};
use crate::error::IndexError;
use crate::graph::ROWS_MERGED_MAX;
use crate::keyword::{EntryId, KeywordReader};
use crate::manifest::{KEYWORD, SegmentRecord};
use crate::merge::{Size, bounded, merges};
use crate::quantized::QuantizedVector;
use crate::segment::{self, Row};
use crate::vectors::Vectors;

/// Texts that are embedded between two looks at the clock.
const EMBED_TEXTS: usize = 128;
/// Time between two commits of vectors: what a crash can cost.
const COMMIT_EVERY: Duration = Duration::from_secs(30);

/// Texts in, their vectors out in the same order, as they are to be stored; tells how many tokens it
/// has done. [`Indexer::embed`] is this with a model.
pub type Embed<'a> =
    dyn Fn(&[&str], &(dyn Fn(usize) + Sync)) -> Result<Vec<Vec<f32>>, IndexError> + 'a;

impl Indexer {
    /// Embeds the texts that have no vector, newest documents first, in commits. Returns how many
    /// were embedded; interrupted by `stop`, it keeps them.
    ///
    /// # Errors
    /// [`IndexError::OtherModel`], [`IndexError::BadVector`], and those of the model and the disk.
    pub fn embed(
        &mut self,
        embedder: &Embedder,
        progress: &OnProgress<'_>,
        stop: &AtomicBool,
    ) -> Result<u64, IndexError> {
        let with_model =
            |texts: &[&str], report: &(dyn Fn(usize) + Sync)| Ok(embedder.passages(texts, report)?);
        self.embed_with(embedder.dims(), &with_model, progress, stop)
    }

    /// [`Self::embed`] with vectors of `dims` numbers from anywhere.
    pub fn embed_with(
        &mut self,
        dims: usize,
        embed: &Embed<'_>,
        progress: &OnProgress<'_>,
        stop: &AtomicBool,
    ) -> Result<u64, IndexError> {
        let keyword = KeywordReader::open(&self.folder.join(KEYWORD), &self.manifest.keyword)?;
        let pending = self.pending(&keyword)?;
        let total = pending.len() as u64;
        let (mut done, mut rows, mut last) = (0, Vec::new(), Instant::now());
        let tokens = AtomicU64::new(0);
        for batch in pending.chunks(EMBED_TEXTS) {
            if stop.load(Ordering::Relaxed) {
                break;
            }
            let texts = texts(&keyword, batch)?;
            let report = |count: usize| {
                let tokens = tokens.fetch_add(count as u64, Ordering::Relaxed) + count as u64;
                progress(IndexProgress::Embed { done, total, tokens });
            };
            let bare: Vec<&str> = texts.iter().map(|(_, text)| text.as_str()).collect();
            rows.extend(coded(&texts, embed(&bare, &report)?)?);
            done += batch.len() as u64;
            if last.elapsed() >= COMMIT_EVERY {
                self.add_vectors(dims, std::mem::take(&mut rows))?;
                last = Instant::now();
            }
        }
        if !rows.is_empty() {
            self.add_vectors(dims, rows)?;
        }
        if stop.load(Ordering::Relaxed) {
            return Err(IndexError::Interrupted);
        }
        Ok(done)
    }

    /// The texts without a vector and an entry that holds each, those of the newest documents first.
    fn pending(&mut self, keyword: &KeywordReader) -> Result<Vec<(u64, EntryId)>, IndexError> {
        let mut hashes = match self.fresh.take() {
            Some(fresh) => fresh,
            None => keyword.chunk_hashes(None)?,
        };
        if let Some(vectors) = Vectors::open_rows(&self.folder, &self.manifest, &self.verified)? {
            hashes = vectors.missing(&hashes);
        }
        keyword.newest_first(&hashes)
    }

    fn add_vectors(&mut self, dims: usize, rows: Vec<Row>) -> Result<(), IndexError> {
        let parts: Vec<Vec<Row>> = rows.chunks(ROWS_MERGED_MAX).map(<[Row]>::to_vec).collect();
        let records = segment::write(&self.folder, &mut self.manifest, dims, parts, &|_| {})?;
        self.manifest.segments.extend(records);
        self.count_vectors();
        self.commit()
    }

    /// Merges vector segments that are many or hold much that is deleted.
    pub fn merge_vectors(
        &mut self,
        all: bool,
        progress: &OnProgress<'_>,
    ) -> Result<(), IndexError> {
        let groups = self.vector_merges(all);
        let vectors = Vectors::open_rows(&self.folder, &self.manifest, &self.verified)?;
        let Some(vectors) = vectors.filter(|_| !groups.is_empty()) else { return Ok(()) };
        let live = |index: &usize| {
            let segment = &vectors.segments()[*index];
            let rows = (0..segment.rows()).filter(|row| !segment.is_deleted(*row));
            rows.map(|row| segment.row(row)).collect::<Vec<_>>()
        };
        let of_group = |group: &Vec<usize>| group.iter().flat_map(live).collect();
        let mut merged: Vec<Vec<Row>> = groups.iter().map(of_group).collect();
        merged.retain(|rows| !rows.is_empty());
        let total = merged.iter().map(Vec::len).sum::<usize>() as u64;
        let done = AtomicU64::new(0);
        let added = |count: usize| {
            let done = done.fetch_add(count as u64, Ordering::Relaxed) + count as u64;
            progress(IndexProgress::Graph { done, total });
        };
        let dims = vectors.dims();
        let records = segment::write(&self.folder, &mut self.manifest, dims, merged, &added)?;
        let gone: HashSet<usize> = groups.into_iter().flatten().collect();
        let kept = std::mem::take(&mut self.manifest.segments).into_iter().enumerate();
        let kept = kept.filter(|(index, _)| !gone.contains(index)).map(|(_, record)| record);
        self.manifest.segments = kept.chain(records).collect();
        self.count_vectors();
        self.commit()
    }

    /// Groups of vector segments to merge.
    fn vector_merges(&self, all: bool) -> Vec<Vec<usize>> {
        let size = |s: &SegmentRecord| Size { live: s.rows - s.deleted_rows, dead: s.deleted_rows };
        let sizes: Vec<Size> = self.manifest.segments.iter().map(size).collect();
        let rows: Vec<u64> = sizes.iter().map(|size| size.live).collect();
        let limit = if all { u64::MAX } else { ROWS_MERGED_MAX as u64 };
        let groups = merges(&sizes, all).into_iter();
        groups.flat_map(|group| bounded(group, &rows, limit)).collect()
    }
}

fn texts(
    keyword: &KeywordReader,
    chunks: &[(u64, EntryId)],
) -> Result<Vec<(u64, String)>, IndexError> {
    let text = |(hash, id): &(u64, EntryId)| -> Result<Option<(u64, String)>, IndexError> {
        let entry = keyword.fetch(*id)?;
        let chunk = entry.chunks.iter().find(|chunk| chunk.hash == *hash);
        Ok(chunk.map(|chunk| (*hash, entry.model_text(chunk))))
    };
    chunks.par_iter().filter_map(|chunk| text(chunk).transpose()).collect()
}

fn coded(texts: &[(u64, String)], vectors: Vec<Vec<f32>>) -> Result<Vec<Row>, IndexError> {
    let row = |((hash, text), vector): (&(u64, String), Vec<f32>)| {
        let code = QuantizedVector::new(&vector)
            .ok_or_else(|| IndexError::BadVector { text: text.chars().take(60).collect() })?;
        Ok(Row { hash: *hash, code })
    };
    texts.iter().zip(vectors).map(row).collect()
}
