//! Builds an index: keywords first, then the vectors that are missing.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use recall_embed::{
    EmbedError, Embedder, Home, Installed, ModelCatalogue, ModelSpec, ModelTokenizer,
};
use recall_index::{
    ChunkSettings, IndexError, IndexOptions, Indexer, Manifest, ModelRecord, OnProgress, Summary,
    estimated_tokens,
};

use crate::degraded::Degraded;
use crate::models::Models;

/// Tokens of the model's limit that are reserved for a chunk's title and headings.
const CONTEXT_TOKENS: usize = 72;
/// How long to wait for another writer: longer than a watcher takes for a few files.
const LOCK_PATIENCE: Duration = Duration::from_secs(5);
/// Interval between attempts to take the writer's lock.
const LOCK_TICK: Duration = Duration::from_millis(50);
/// Number of chunks up to which loading another copy of the model does not pay.
const FEW: u64 = 256;

/// Reason why an index could not be built or brought up to date.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// The index cannot be read or written.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// The catalogue of models is damaged, or lacks the requested model.
    #[error(transparent)]
    Embed(#[from] EmbedError),
    /// The model that made the index cannot be used.
    #[error("{0}")]
    Model(Degraded),
    /// The index must be rebuilt from the folders it was made from, and those are not known.
    #[error("it is not known which folders {} was made from", folder.display())]
    UnknownRoots {
        /// The index folder.
        folder: PathBuf,
    },
}

/// Settings for building an index. Every one has a default.
#[derive(Debug, Clone, Default)]
pub struct BuildSettings {
    /// Id of the model in the catalogue; by default the index's own.
    pub model: Option<String>,
    /// Id of the model for an index that has none yet; by default [`recall_embed::DEFAULT_MODEL`].
    pub model_if_new: Option<String>,
    /// Rebuild from scratch; vectors of unchanged texts are kept if the model stays the same.
    pub rebuild: bool,
    /// Make no vectors now.
    pub keyword_only: bool,
    /// Threads for embedding, 1 to 64; by default one per processor.
    pub threads: Option<usize>,
    /// Maximum tokens of a chunk, from 16 up to what the model reads.
    pub chunk_tokens: Option<usize>,
    /// Tokens that a chunk repeats from the one before it, from 0 up to half a chunk.
    pub chunk_overlap: Option<usize>,
}

/// Builds one index and brings it up to date.
pub struct Builder {
    folder: PathBuf,
    settings: BuildSettings,
    home: Home,
    spec: ModelSpec,
    installed: Result<Installed, Arc<EmbedError>>,
    tokenizer: Option<ModelTokenizer>,
    /// Loaded once, when it is first needed.
    embedder: OnceLock<Result<Embedder, Arc<EmbedError>>>,
}

/// An index whose keywords can be searched but whose vectors may be missing. It holds the writer's
/// lock until it is dropped, released or embedded.
pub struct Words {
    indexer: Indexer,
    /// Counts and problems of the run.
    pub summary: Summary,
    /// Whether the index was rebuilt with the model's own tokens because its chunks had been cut by
    /// an estimate.
    pub recut: bool,
}

/// Result of a run.
#[derive(Debug)]
pub struct Built {
    /// Counts and problems of the run.
    pub summary: Summary,
    /// The index as it is now.
    pub manifest: Manifest,
    /// Why chunks lack a vector, if any do.
    pub no_vectors: Option<NoVectors>,
}

/// Reason why a run made no vectors.
#[derive(Debug, Clone)]
pub enum NoVectors {
    /// They were left for later.
    Later,
    /// The model cannot be used.
    Model(Arc<EmbedError>),
}

impl Builder {
    /// Creates a builder of the index in `folder`. `find` locates the model of a catalogue row, and
    /// may take the time to fetch it; [`installed`](Self::installed) finds what is on this machine
    /// and fetches nothing. Without a model the index is built without vectors.
    ///
    /// # Errors
    /// [`BuildError::Embed`] if no model has the requested id.
    pub fn new(
        folder: impl Into<PathBuf>,
        settings: BuildSettings,
        find: &dyn Fn(&Home, &ModelSpec) -> Result<Installed, EmbedError>,
    ) -> Result<Self, BuildError> {
        let (folder, home) = (folder.into(), Home::from_env());
        let catalogue = ModelCatalogue::of(&home)?;
        let id = model_id(&folder, &settings);
        let id = id.as_deref().unwrap_or(recall_embed::DEFAULT_MODEL);
        let spec = catalogue.find(id)?.clone();
        let find = if settings.keyword_only { &Self::installed } else { find };
        let installed = find(&home, &spec).map_err(Arc::new);
        let tokenizer = installed.as_ref().ok().and_then(|i| ModelTokenizer::load(i).ok());
        let embedder = OnceLock::new();
        Ok(Self { folder, settings, home, spec, installed, tokenizer, embedder })
    }

    /// Finds the model on this machine: pass it to [`Builder::new`] to fetch nothing.
    ///
    /// # Errors
    /// [`EmbedError::NotInstalled`], [`EmbedError::Damaged`].
    pub fn installed(home: &Home, spec: &ModelSpec) -> Result<Installed, EmbedError> {
        recall_embed::installed(home, spec)
    }

    /// Brings the index up to date with `roots` (if empty, those of the last run), keywords and
    /// vectors. `on_progress` is called from several threads; `stop` interrupts between two
    /// batches.
    ///
    /// # Errors
    /// Those of [`Builder::update`] and [`Builder::embed`].
    pub fn build(
        &self,
        roots: &[PathBuf],
        options: &IndexOptions,
        on_progress: &OnProgress<'_>,
        stop: &AtomicBool,
    ) -> Result<Built, BuildError> {
        let words = self.update(roots, options, on_progress, stop)?;
        self.embed(words, options.optimize, on_progress, stop)
    }

    /// Runs the first half of [`Builder::build`], after which keywords can be searched. Waits a few
    /// seconds for another writer.
    ///
    /// # Errors
    /// [`BuildError::UnknownRoots`], and [`BuildError::Index`]: another process writes, the index is
    /// of another model, it is damaged, the disk refuses, or `stop` was set.
    pub fn update(
        &self,
        roots: &[PathBuf],
        options: &IndexOptions,
        on_progress: &OnProgress<'_>,
        stop: &AtomicBool,
    ) -> Result<Words, BuildError> {
        let (mut indexer, recut) = self.open_waiting(self.settings.rebuild)?;
        if self.settings.rebuild && roots.is_empty() && indexer.manifest().roots.is_empty() {
            return Err(BuildError::UnknownRoots { folder: self.folder.clone() });
        }
        let token_offsets = |text: &str| self.token_offsets(text);
        let summary = indexer.update(roots, options, &token_offsets, on_progress, stop)?;
        Ok(Words { indexer, summary, recut })
    }

    /// Runs the second half of [`Builder::build`]: makes vectors for the chunks that have none,
    /// then merges small segments into a few large ones, or all of them into one with `optimize`.
    ///
    /// # Errors
    /// [`BuildError::Index`]. A model that cannot be used is not an error: see
    /// [`Built::no_vectors`].
    pub fn embed(
        &self,
        mut words: Words,
        optimize: bool,
        on_progress: &OnProgress<'_>,
        stop: &AtomicBool,
    ) -> Result<Built, BuildError> {
        let no_vectors = self.make_vectors(&mut words, optimize, on_progress, stop)?;
        let Words { indexer, summary, .. } = words;
        Ok(Built { summary, manifest: indexer.manifest().clone(), no_vectors })
    }

    /// Opens the index again after its lock was released, to finish the run that did `summary`.
    ///
    /// # Errors
    /// [`BuildError::Index`].
    pub fn reopen(&self, summary: Summary) -> Result<Words, BuildError> {
        let (indexer, recut) = self.open_waiting(false)?;
        Ok(Words { indexer, summary, recut })
    }

    /// Returns the record of the model that makes the vectors, if it is on this machine.
    pub fn model_record(&self) -> Option<ModelRecord> {
        self.installed.as_ref().ok().map(|installed| ModelRecord {
            id: self.spec.id.clone(),
            checksum: installed.fingerprint(),
            dims: self.spec.dims,
        })
    }

    fn make_vectors(
        &self,
        words: &mut Words,
        optimize: bool,
        on_progress: &OnProgress<'_>,
        stop: &AtomicBool,
    ) -> Result<Option<NoVectors>, BuildError> {
        let Words { indexer, summary, .. } = words;
        if self.settings.keyword_only {
            return Ok((summary.pending > 0).then_some(NoVectors::Later));
        }
        let installed = match &self.installed {
            Ok(installed) => installed,
            Err(error) => return Ok(Some(NoVectors::Model(error.clone()))),
        };
        if summary.pending > 0 {
            match self.embedder.get_or_init(|| self.load(installed)) {
                Ok(embedder) => summary.embedded = embed(indexer, embedder, on_progress, stop)?,
                Err(error) => return Ok(Some(NoVectors::Model(error.clone()))),
            }
        }
        indexer.merge_vectors(optimize, on_progress)?;
        summary.pending = indexer.manifest().counts.missing_vectors();
        Ok(None)
    }

    fn open_waiting(&self, rebuild: bool) -> Result<(Indexer, bool), BuildError> {
        let since = Instant::now();
        loop {
            match self.open(rebuild) {
                Err(IndexError::Locked { .. }) if since.elapsed() < LOCK_PATIENCE => {
                    std::thread::sleep(LOCK_TICK);
                }
                opened => return Ok(opened?),
            }
        }
    }

    /// Opens the index for writing. Returns it and whether it had to be rebuilt with the model's
    /// tokens.
    fn open(&self, rebuild: bool) -> Result<(Indexer, bool), IndexError> {
        let (chunks, measured) = (self.chunks(), self.installed.is_ok());
        let estimated = |i: &Indexer| !i.manifest().measured && i.manifest().generation > 0;
        let mut indexer = if rebuild {
            Indexer::rebuild(&self.folder, chunks, measured)?
        } else {
            Indexer::open(&self.folder, chunks, measured)?
        };
        let recut = measured && estimated(&indexer);
        if recut {
            drop(indexer);
            indexer = Indexer::rebuild(&self.folder, chunks, measured)?;
        }
        self.set_model(&mut indexer, rebuild)?;
        Ok((indexer, recut))
    }

    fn set_model(&self, indexer: &mut Indexer, rebuild: bool) -> Result<(), IndexError> {
        let Some(record) = self.model_record() else { return Ok(()) };
        let other = indexer.manifest().model.as_ref().is_some_and(|own| *own != record);
        if other && rebuild {
            indexer.drop_vectors();
        }
        if !self.settings.keyword_only || indexer.manifest().model.is_some() {
            indexer.set_model(&record)?;
        }
        Ok(())
    }

    /// Returns where the tokens of a text begin; an estimate without a model.
    fn token_offsets(&self, text: &str) -> Vec<usize> {
        let known = self.tokenizer.as_ref().map(|tokenizer| tokenizer.starts(text));
        known.unwrap_or_else(|| estimated_tokens(text))
    }

    fn chunks(&self) -> ChunkSettings {
        let default = ChunkSettings::default();
        let room = self.spec.max_tokens.saturating_sub(CONTEXT_TOKENS).max(16);
        let tokens = self.settings.chunk_tokens.unwrap_or(default.tokens).clamp(16, room);
        let overlap = self.settings.chunk_overlap.unwrap_or(default.overlap).min(tokens / 2);
        ChunkSettings { tokens, overlap }
    }

    fn load(&self, installed: &Installed) -> Result<Embedder, Arc<EmbedError>> {
        let threads = self.settings.threads.unwrap_or_else(processors).clamp(1, 64);
        Embedder::load(&self.home, installed, threads).map_err(Arc::new)
    }
}

impl Words {
    /// Releases the writer's lock. Returns what the run did and the current manifest.
    pub fn release(self) -> (Summary, Manifest) {
        (self.summary, self.indexer.manifest().clone())
    }
}

/// Makes the vectors that the index in `folder` lacks, with the model that made the index. A few
/// are made with the copy of the model that answers questions, which take precedence; for many,
/// another copy is loaded, on `threads` sessions (by default one for each processor but one).
///
/// # Errors
/// [`BuildError::Index`], and [`BuildError::Model`] if the model is not installed or is a different
/// one.
pub fn embed_missing(
    models: &Models,
    folder: &Path,
    record: &ModelRecord,
    threads: Option<usize>,
    optimize: bool,
    on_progress: &OnProgress<'_>,
    stop: &AtomicBool,
) -> Result<(), BuildError> {
    let manifest = Manifest::read(folder)?;
    let embedder = if manifest.counts.missing_vectors() <= FEW {
        models.load(record)
    } else {
        let threads = threads.unwrap_or(processors().saturating_sub(1)).clamp(1, 64);
        models.load_sessions(record, threads).map(Arc::new)
    };
    let embedder = embedder.map_err(BuildError::Model)?;
    let mut indexer = Indexer::open(folder, manifest.chunks, manifest.measured)?;
    indexer.set_model(record)?;
    embed(&mut indexer, &embedder, on_progress, stop)?;
    indexer.merge_vectors(optimize, on_progress)?;
    Ok(())
}

/// Embeds the texts that have no vector. Returns how many there were.
fn embed(
    indexer: &mut Indexer,
    embedder: &Embedder,
    on_progress: &OnProgress<'_>,
    stop: &AtomicBool,
) -> Result<u64, IndexError> {
    let vectors =
        |texts: &[&str], report: &(dyn Fn(usize) + Sync)| Ok(embedder.passages(texts, report)?);
    indexer.embed(embedder.dims(), &vectors, on_progress, stop)
}

/// Returns the id of the requested model, else the index's own, else the one for new indexes. A
/// rebuilt index may change its model.
fn model_id(folder: &Path, settings: &BuildSettings) -> Option<String> {
    let manifest = Manifest::read(folder).ok();
    let own = manifest.and_then(|manifest| manifest.model).map(|model| model.id);
    let BuildSettings { model, model_if_new, rebuild, .. } = settings.clone();
    match rebuild {
        true => model.or(model_if_new).or(own),
        false => model.or(own).or(model_if_new),
    }
}

fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}
