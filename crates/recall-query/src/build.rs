//! Making an index: its words first, then the vectors that are missing.

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

/// Tokens of a model's limit that are left for a chunk's title and headings.
const CONTEXT_TOKENS: usize = 72;
/// How long another writer is waited for: longer than a watcher takes for a few files.
const LOCK_PATIENCE: Duration = Duration::from_secs(5);
/// Between two attempts to take its lock.
const LOCK_TICK: Duration = Duration::from_millis(50);
/// Chunks that are not worth loading another copy of a model for.
const FEW: u64 = 256;

/// Why an index could not be made or brought up to date.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// The index cannot be read or written.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// The catalogue of models is damaged, or does not have the model that was asked for.
    #[error(transparent)]
    Embed(#[from] EmbedError),
    /// The model that the index was made with cannot be used.
    #[error("{0}")]
    Model(Degraded),
    /// An index is to be made anew from what it was made of, and that is not known.
    #[error("it is not known which folders {} was made from", folder.display())]
    UnknownRoots {
        /// The index.
        folder: PathBuf,
    },
}

/// How an index is made. Every value may be left to recall.
#[derive(Debug, Clone, Default)]
pub struct BuildSettings {
    /// The model, by its id in the catalogue; without one that of the index.
    pub model: Option<String>,
    /// The model of an index that has none yet; without one recall's default.
    pub model_if_new: Option<String>,
    /// Begin anew; vectors of unchanged texts are kept while the model stays.
    pub rebuild: bool,
    /// Make no vectors now.
    pub keyword_only: bool,
    /// Threads for embedding, 1 to 64; without a wish one for each processor.
    pub threads: Option<usize>,
    /// Tokens of a chunk at the most, 16 up to what the model reads; 0 overlap is allowed.
    pub chunk_tokens: Option<usize>,
    /// Tokens that a chunk repeats of the one before it, up to half of it.
    pub chunk_overlap: Option<usize>,
}

/// Makes one index and brings it up to date.
pub struct Builder {
    folder: PathBuf,
    settings: BuildSettings,
    home: Home,
    spec: ModelSpec,
    installed: Result<Installed, Arc<EmbedError>>,
    tokenizer: Option<ModelTokenizer>,
    /// Loaded when it is needed, once.
    embedder: OnceLock<Result<Embedder, Arc<EmbedError>>>,
}

/// An index whose words can be searched. It holds the writer's lock until it is dropped or finished.
pub struct Words {
    indexer: Indexer,
    /// What the run did.
    pub summary: Summary,
    /// The index was cut by an estimate of tokens, and was made anew with the model's own.
    pub recut: bool,
}

/// What came of a run.
#[derive(Debug)]
pub struct Built {
    /// What it did.
    pub summary: Summary,
    /// The index as it is now.
    pub manifest: Manifest,
    /// Why chunks are without a vector, if any are.
    pub no_vectors: Option<NoVectors>,
}

/// Why a run made no vectors.
#[derive(Debug, Clone)]
pub enum NoVectors {
    /// They were left for later.
    Later,
    /// The model cannot be used.
    Model(Arc<EmbedError>),
}

impl Builder {
    /// A builder of the index in `folder`. The model is what `find` makes of its row in the catalogue,
    /// which may take the time to fetch it; [`installed`](Self::installed) finds what is on this
    /// machine and fetches nothing. Without a model the index is made without vectors.
    ///
    /// # Errors
    /// [`BuildError::Embed`] if no model has the id that was asked for.
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

    /// The model as it is on this machine: what [`Builder::new`] takes to find one without fetching it.
    ///
    /// # Errors
    /// [`EmbedError::NotInstalled`], [`EmbedError::Damaged`].
    pub fn installed(home: &Home, spec: &ModelSpec) -> Result<Installed, EmbedError> {
        recall_embed::installed(home, spec)
    }

    /// Brings the index up to date with `roots` (those of the last run, if there are none), words and
    /// vectors. `on_progress` is called from several threads; `stop` interrupts between two batches.
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

    /// The first half of [`Builder::build`]: after it the words can be searched. Another writer is
    /// waited for a few seconds.
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

    /// The second half of [`Builder::build`]: vectors for the chunks that have none, then few large
    /// segments made of many small ones; all of them merged into one with `optimize`.
    ///
    /// # Errors
    /// [`BuildError::Index`]. That the model cannot be used is no error but [`Built::no_vectors`].
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

    /// The index again, after its lock was given up: what is left to do of a run that did `summary`.
    ///
    /// # Errors
    /// [`BuildError::Index`].
    pub fn reopen(&self, summary: Summary) -> Result<Words, BuildError> {
        let (indexer, recut) = self.open_waiting(false)?;
        Ok(Words { indexer, summary, recut })
    }

    /// The model that makes the vectors, if it is on this machine.
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

    /// The index to write, and whether it had to be begun anew for the model's tokens.
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

    /// Where the tokens of a text begin; estimated without a model.
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
    /// Gives up the writer's lock. Returns what the run did and the index as it is now.
    pub fn release(self) -> (Summary, Manifest) {
        (self.summary, self.indexer.manifest().clone())
    }
}

/// Makes the vectors that the index in `folder` lacks with the model that it was made with. Few are
/// made with the copy of the model that answers questions, which go first; for many another copy is
/// loaded, on `threads` sessions (without a wish, one for each processor but one).
///
/// # Errors
/// [`BuildError::Index`], and [`BuildError::Model`] if the model is not here or is another one.
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

/// Embeds what has no vector. Returns how many texts that was.
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

/// The model asked for, else that of the index, else the one for new indexes. An index that is made
/// anew may change its model.
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
