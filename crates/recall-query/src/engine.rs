//! Answers queries, and keeps indexes open and models loaded for the next one.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use recall_embed::Embedder;
use recall_index::{Analyzer, Manifest, ModelRecord, Snapshot};

use crate::answer::{Answer, Coverage};
use crate::degraded::Degraded;
use crate::error::QueryError;
use crate::hits::TextBudget;
use crate::models::{Models, lock};
use crate::query::{Mode, Query, Request};
use crate::search::Searcher;
use crate::{pointers, stale};

/// Maximum number of indexes kept open; beyond it, the least recently queried one is closed.
const INDEXES: usize = 8;

/// Answers queries from any thread. It keeps indexes open and models loaded between queries, so
/// keep one engine for as long as queries come.
///
/// Each query is answered from the generation that is current at that moment: an index that was
/// written since the last query is opened again.
#[derive(Default)]
pub struct Engine {
    models: Models,
    analyzer: Arc<Analyzer>,
    /// The most recently queried one comes last.
    indexes: Mutex<Vec<Arc<OpenIndex>>>,
}

/// An index and the generation of it opened last.
struct OpenIndex {
    folder: PathBuf,
    opened: Mutex<Option<(String, Arc<Snapshot>)>>,
}

impl Engine {
    /// Creates an engine with nothing opened or loaded. Models are looked up in the user's model
    /// folder ([`recall_embed::Home::from_env`]).
    pub fn new() -> Self {
        Self::default()
    }

    /// Answers a query.
    ///
    /// # Errors
    /// Those of [`Query::request`] and [`Engine::searcher`], [`QueryError::OtherModel`], and
    /// [`QueryError::Index`] where the index is damaged.
    pub fn answer(&self, query: &Query) -> Result<Answer, QueryError> {
        self.answer_request(query, &query.request()?)
    }

    /// Answers a query that its caller has already parsed.
    ///
    /// # Errors
    /// Those of [`Engine::answer`] but for [`QueryError::Condition`].
    pub fn answer_request(&self, query: &Query, request: &Request) -> Result<Answer, QueryError> {
        let started = Instant::now();
        let snapshot = self.snapshot(&query.folder)?;
        refuse_other_model(&snapshot, query.model.as_deref())?;
        let searcher = if request.needs_model() {
            self.with_vectors(snapshot, request.mode, query.fast)?
        } else {
            self.without_vectors(snapshot, request.mode)
        };
        let ranking = searcher.rank(request)?;
        let threshold = searcher.threshold();
        let shown: Vec<_> = ranking
            .documents
            .iter()
            .filter(|d| query.show_weak || d.relevance >= threshold)
            .take(query.limit)
            .collect();
        let budget = TextBudget { whole: query.budget, full: query.full };
        let mut hits = searcher.hits(&ranking, &shown, budget)?;
        if query.verify {
            stale::verify(searcher.snapshot(), &mut hits)?;
        }
        Ok(Answer {
            query: query.text.clone(),
            mode: searcher.mode(),
            degraded: searcher.degraded().cloned(),
            nothing_relevant: !ranking.documents.iter().any(|d| d.relevance >= threshold),
            threshold,
            coverage: Coverage::of(searcher.snapshot().manifest(), ranking.allowed),
            took_ms: started.elapsed().as_secs_f64() * 1000.0,
            pointers: pointers::naming(searcher.snapshot(), &hits),
            hits,
        })
    }

    /// Opens a searcher of the index in `folder` in `mode`, for evaluation, explanations, or any
    /// use that needs every candidate instead of an answer. It stays with the generation that is
    /// current now. In hybrid mode a vector side that cannot be used is left out, and
    /// [`Searcher::degraded`] says why.
    ///
    /// # Errors
    /// [`QueryError::Index`] if the index cannot be opened, [`QueryError::NoVectors`] if `mode` is
    /// vectors alone and they cannot be used.
    pub fn searcher(&self, folder: &Path, mode: Mode) -> Result<Searcher, QueryError> {
        let snapshot = self.snapshot(folder)?;
        match mode {
            Mode::Keyword => Ok(self.without_vectors(snapshot, mode)),
            _ => self.with_vectors(snapshot, mode, false),
        }
    }

    /// Opens the current generation of the index in `folder`, at most once while it is current.
    ///
    /// # Errors
    /// [`QueryError::Index`].
    pub fn snapshot(&self, folder: &Path) -> Result<Arc<Snapshot>, QueryError> {
        let index = self.index(folder);
        let mut opened = lock(&index.opened);
        // Read before the index is opened: a commit in between costs one more opening, and never
        // makes an older generation pass for a newer one.
        let identity = Manifest::identity(folder).ok();
        if let (Some((known, snapshot)), Some(identity)) = (&*opened, &identity)
            && known == identity
        {
            return Ok(snapshot.clone());
        }
        *opened = None;
        let snapshot = Arc::new(Snapshot::open(folder)?);
        // An index that could not be opened is tried again the next time.
        if snapshot.vectors().is_ok() {
            *opened = identity.map(|identity| (identity, snapshot.clone()));
        }
        Ok(snapshot)
    }

    /// Loads the model of the index in `folder` for later queries.
    ///
    /// # Errors
    /// [`QueryError::Index`], and [`QueryError::NoVectors`] if the model cannot be used.
    pub fn load(&self, folder: &Path) -> Result<(), QueryError> {
        let snapshot = self.snapshot(folder)?;
        self.embedder(&snapshot, false).map(|_| ()).map_err(QueryError::NoVectors)
    }

    /// Returns the models of this engine.
    pub fn models(&self) -> &Models {
        &self.models
    }

    /// Returns the folder and generation of each open index.
    pub fn open_indexes(&self) -> Vec<(PathBuf, u64)> {
        let generation = |index: &Arc<OpenIndex>| {
            let opened = index.opened.try_lock().ok()?;
            let (_, snapshot) = opened.as_ref()?;
            Some((index.folder.clone(), snapshot.manifest().generation))
        };
        lock(&self.indexes).iter().filter_map(generation).collect()
    }

    fn index(&self, folder: &Path) -> Arc<OpenIndex> {
        let mut indexes = lock(&self.indexes);
        let known = indexes.iter().position(|index| index.folder == folder);
        let index = match known {
            Some(at) => indexes.remove(at),
            None => Arc::new(OpenIndex { folder: folder.to_owned(), opened: Mutex::default() }),
        };
        indexes.push(index.clone());
        let excess = indexes.len().saturating_sub(INDEXES);
        indexes.drain(..excess);
        index
    }

    fn without_vectors(&self, snapshot: Arc<Snapshot>, mode: Mode) -> Searcher {
        Searcher::new(snapshot, None, self.analyzer.clone(), mode, None)
    }

    /// Creates a searcher with its vector side. With `fast`, a model that is not loaded yet counts
    /// as one that cannot be used.
    fn with_vectors(
        &self,
        snapshot: Arc<Snapshot>,
        mode: Mode,
        fast: bool,
    ) -> Result<Searcher, QueryError> {
        let (embedder, mode, degraded) = match self.embedder(&snapshot, fast) {
            Ok(embedder) => (Some(embedder), mode, behind(snapshot.manifest())),
            Err(why) if mode == Mode::Vector => return Err(QueryError::NoVectors(why)),
            Err(why) => (None, Mode::Keyword, Some(why)),
        };
        Ok(Searcher::new(snapshot, embedder, self.analyzer.clone(), mode, degraded))
    }

    fn embedder(&self, snapshot: &Snapshot, fast: bool) -> Result<Arc<Embedder>, Degraded> {
        let vectors = snapshot.vectors().map_err(|e| Degraded::Unreadable(e.to_string()))?;
        let record = snapshot.manifest().model.as_ref();
        let (Some(record), Some(false)) = (record, vectors.map(|v| v.is_empty())) else {
            return Err(Degraded::NoVectors);
        };
        if fast {
            self.models.loaded(record).ok_or(Degraded::NotLoaded)
        } else {
            self.models.load(record)
        }
    }
}

fn refuse_other_model(snapshot: &Snapshot, asked: Option<&str>) -> Result<(), QueryError> {
    let index = snapshot.manifest().model.as_ref().map(|model: &ModelRecord| model.id.clone());
    match asked {
        Some(asked) if index.as_deref() != Some(asked) => {
            Err(QueryError::OtherModel { index, asked: asked.to_owned() })
        }
        _ => Ok(()),
    }
}

/// Returns the note that an answer carries while chunks still lack vectors.
fn behind(manifest: &Manifest) -> Option<Degraded> {
    let (missing, chunks) = (manifest.counts.missing_vectors(), manifest.counts.chunks);
    (missing > 0).then_some(Degraded::Behind { missing, chunks })
}
