//! The model of a run: on this machine, or why not.

use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use recall_embed::{EmbedError, Embedder, Home, Installed, ModelCatalogue, ModelTokenizer};
use recall_index::{
    ChunkSettings, IndexError, Indexer, Manifest, ModelRecord, OnProgress, Summary,
    estimated_tokens,
};

use super::work::Work;
use crate::config::Config;
use crate::failure::Failure;
use crate::flags::{Flags, ReadingFlags};
use crate::resident::{self, Job};
use crate::{hint, model, place};

/// Tokens of a model's limit that are left for a chunk's title and headings.
const CONTEXT_TOKENS: usize = 72;
/// How long another writer is waited for: longer than a watcher takes for a few files.
const LOCK_PATIENCE: Duration = Duration::from_secs(5);
/// Between two attempts.
const LOCK_TICK: Duration = Duration::from_millis(50);

/// A model, loaded when it is needed.
pub struct Model {
    home: Home,
    row: recall_embed::ModelSpec,
    installed: Result<Installed, EmbedError>,
    tokens: Option<ModelTokenizer>,
    embedder: OnceLock<Result<Embedder, EmbedError>>,
    keyword_only: bool,
    threads: Option<usize>,
}

impl Model {
    /// The model asked for, else that of the index, else the default one; fetched if need be.
    pub fn find(
        flags: &Flags,
        reading: &ReadingFlags,
        work: &Work,
        rebuild: bool,
    ) -> Result<Self, Failure> {
        let home = Home::from_env();
        let own = work.manifest.as_ref().and_then(|m| m.model.as_ref()).map(|m| m.id.clone());
        let asked = reading.model.clone().or_else(|| work.config.model.clone());
        let id = if rebuild { asked.or(own) } else { reading.model.clone().or(own).or(asked) };
        let row = model::find(&ModelCatalogue::of(&home)?, id.as_deref())?.clone();
        let installed = if reading.keyword_only {
            recall_embed::installed(&home, &row)
        } else {
            model::fetch(&home, &row, flags.offline)
        };
        let tokens =
            installed.as_ref().ok().and_then(|installed| ModelTokenizer::load(installed).ok());
        let (keyword_only, threads) = (reading.keyword_only, reading.threads);
        let embedder = OnceLock::new();
        Ok(Self { home, row, installed, tokens, embedder, keyword_only, threads })
    }

    /// Where the tokens of a text begin; estimated without a model.
    pub fn measure(&self, text: &str) -> Vec<usize> {
        self.tokens.as_ref().map_or_else(|| estimated_tokens(text), |tokens| tokens.starts(text))
    }

    /// The index of `work`, begun anew where the model's tokens or another model ask for it. Who
    /// watches it lets go of it in a moment, so that long it is waited for.
    pub fn open(&self, work: &Work, rebuild: bool) -> Result<Indexer, Failure> {
        let since = Instant::now();
        loop {
            match self.open_now(work, rebuild) {
                Err(Failure::Index(IndexError::Locked { .. }))
                    if since.elapsed() < LOCK_PATIENCE =>
                {
                    std::thread::sleep(LOCK_TICK);
                }
                opened => return opened,
            }
        }
    }

    fn open_now(&self, work: &Work, rebuild: bool) -> Result<Indexer, Failure> {
        let folder = &work.folder;
        let chunks = self.chunks(&work.config);
        let measured = self.installed.is_ok();
        let estimated = |i: &Indexer| !i.manifest().measured && i.manifest().generation > 0;
        let mut indexer = if rebuild {
            Indexer::rebuild(folder, chunks, measured)?
        } else {
            Indexer::open(folder, chunks, measured)?
        };
        if measured && estimated(&indexer) {
            drop(indexer);
            eprintln!("the model is here now: cutting all documents by its tokens");
            indexer = Indexer::rebuild(folder, chunks, measured)?;
        }
        if let Some(record) = self.record() {
            let other = indexer.manifest().model.as_ref().is_some_and(|own| *own != record);
            if other && rebuild {
                indexer.drop_vectors();
            }
            if !self.keyword_only || indexer.manifest().model.is_some() {
                indexer.set_model(&record)?;
            }
        }
        Ok(indexer)
    }

    /// Embeds what has no vector; without a model says why not.
    pub fn embed(
        &self,
        indexer: &mut Indexer,
        optimize: bool,
        summary: &mut Summary,
        progress: &OnProgress<'_>,
        stop: &AtomicBool,
    ) -> Result<Option<String>, Failure> {
        if self.keyword_only {
            return Ok((summary.pending > 0).then(|| "left for later (--keyword-only)".to_owned()));
        }
        let installed = match &self.installed {
            Ok(installed) => installed,
            Err(error) => return Ok(Some(told(error))),
        };
        if summary.pending > 0 {
            match self.embedder.get_or_init(|| self.load(installed)) {
                Ok(embedder) => {
                    let (dims, vectors) = (embedder.dims(), model::vectors_of(embedder));
                    summary.embedded = indexer.embed(dims, &vectors, progress, stop)?;
                }
                Err(error) => return Ok(Some(told(error))),
            }
        }
        indexer.merge_vectors(optimize, progress)?;
        summary.pending = pending(indexer.manifest());
        Ok(None)
    }

    /// Hands the vectors that the index in `folder` lacks to the resident process. Whether it took
    /// them on.
    pub fn hand_over(&self, folder: &Path, optimize: bool) -> bool {
        let job =
            |model| Job { folder: place::real(folder), model, threads: self.threads, optimize };
        self.record().is_some_and(|model| resident::embed(job(model)))
    }

    fn load(&self, installed: &Installed) -> Result<Embedder, EmbedError> {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let threads = self.threads.unwrap_or(cores).clamp(1, 64);
        Embedder::load(&self.home, installed, threads)
    }

    fn record(&self) -> Option<ModelRecord> {
        self.installed.as_ref().ok().map(|installed| ModelRecord {
            id: self.row.id.clone(),
            checksum: installed.fingerprint(),
            dims: self.row.dims,
        })
    }

    fn chunks(&self, config: &Config) -> ChunkSettings {
        let default = ChunkSettings::default();
        let room = self.row.max_tokens.saturating_sub(CONTEXT_TOKENS).max(16);
        let tokens = config.chunks.tokens.unwrap_or(default.tokens).clamp(16, room);
        let overlap = config.chunks.overlap.unwrap_or(default.overlap).min(tokens / 2);
        ChunkSettings { tokens, overlap }
    }
}

/// Texts without a vector.
pub fn pending(manifest: &Manifest) -> u64 {
    manifest.counts.missing_vectors()
}

fn told(error: &EmbedError) -> String {
    format!("{error}; {}", hint::embed(error))
}
