//! Answers questions, and keeps what the next one may need: opened indexes and loaded models.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use recall_embed::{EmbedError, Embedder, Home, Installed, ModelCatalogue};
use recall_index::{Analyzer, Manifest, ModelRecord, Snapshot, SourceId};
use recall_pointers::{FolderSpec, HeadingWords, Memory, PointerLine, Project, lines_naming};
use recall_query::answer::{Answer, Coverage, Hit, Hits, TextBudget, VERSION};
use recall_query::question::Question;
use recall_query::search::{Mode, Ranking, Searcher};
use recall_sources::{Kind, Source};

use crate::ask::Ask;
use crate::failure::Failure;
use crate::hint;

/// Indexes that stay open; of more, the one that was asked longest ago is closed.
const INDEXES: usize = 8;
/// Models that stay loaded.
const MODELS: usize = 2;

/// What answers, for one question or for many, from any thread.
pub struct Engine {
    home: Home,
    analyzer: Analyzer,
    /// The one that was asked last comes last, here and in `models`.
    indexes: Mutex<Vec<Arc<Index>>>,
    models: Mutex<Vec<(ModelRecord, Arc<Embedder>)>>,
}

/// An index and the generation of it that was opened last.
struct Index {
    folder: PathBuf,
    opened: Mutex<Option<(String, Arc<Snapshot>)>>,
}

/// The vector side of a question: there, or why not.
pub struct Vectors {
    /// The model, if its vectors can be used.
    pub embedder: Option<Arc<Embedder>>,
    /// Which retrievers answer.
    pub mode: Mode,
    /// Why not those that were asked for.
    pub why_not: Option<String>,
}

impl Engine {
    /// Nothing opened, nothing loaded.
    pub fn new() -> Self {
        Self {
            home: Home::from_env(),
            analyzer: Analyzer::default(),
            indexes: Mutex::default(),
            models: Mutex::default(),
        }
    }

    /// The answer to a question, from the generation that is current now.
    pub fn answer(&self, ask: &Ask) -> Result<Answer, Failure> {
        let started = Instant::now();
        let snapshot = self.snapshot(&ask.folder)?;
        refuse_other_model(&snapshot, ask.model.as_deref())?;
        let request = ask.request()?;
        let vectors = self.vectors(&snapshot, ask.mode, &request.question, ask.fast)?;
        let searcher = Searcher::new(&snapshot, vectors.embedder.as_deref(), &self.analyzer);
        let ranking = searcher.rank(&request)?;
        let threshold = searcher.threshold();
        let shown = ranking
            .documents
            .iter()
            .filter(|d| ask.show_weak || d.relevance >= threshold)
            .take(ask.limit)
            .collect::<Vec<_>>();
        let budget = TextBudget { whole: ask.budget, full: ask.full };
        let hits = Hits { snapshot: &snapshot, analyzer: &self.analyzer, budget };
        let mut hits = hits.make(&ranking, &shown)?;
        if ask.verify {
            verify(&snapshot, &mut hits)?;
        }
        Ok(Answer {
            version: VERSION,
            query: ask.text.clone(),
            mode: vectors.mode,
            degraded: vectors.why_not,
            nothing_relevant: !ranking.documents.iter().any(|d| d.relevance >= threshold),
            threshold,
            coverage: coverage(&snapshot, &ranking),
            took_ms: started.elapsed().as_secs_f64() * 1000.0,
            pointers: pointers_naming(&snapshot, &hits),
            hits,
        })
    }

    /// The current generation of the index in `folder`, opened at most once while it is current.
    pub fn snapshot(&self, folder: &Path) -> Result<Arc<Snapshot>, Failure> {
        let index = self.index(folder);
        let mut opened = lock(&index.opened);
        // Read before the index is opened: a commit in between costs one opening more, and never
        // lets an older generation pass for a newer one.
        let identity = Manifest::identity(folder).ok();
        if let (Some((known, snapshot)), Some(identity)) = (&*opened, &identity)
            && known == identity
        {
            return Ok(snapshot.clone());
        }
        *opened = None;
        let snapshot = Arc::new(Snapshot::open(folder)?);
        // What could not be opened now may be opened the next time.
        if snapshot.vectors().is_ok() {
            *opened = identity.map(|identity| (identity, snapshot.clone()));
        }
        Ok(snapshot)
    }

    /// The vector side of `snapshot` for a question in `mode`. In a hurry (`fast`), a model that is
    /// not loaded counts as one that cannot be used.
    pub fn vectors(
        &self,
        snapshot: &Snapshot,
        mode: Mode,
        question: &Question,
        fast: bool,
    ) -> Result<Vectors, Failure> {
        let words = !question.text.trim().is_empty();
        if mode == Mode::Keyword || !words {
            return Ok(Vectors { embedder: None, mode, why_not: None });
        }
        match self.embedder(snapshot, fast) {
            Ok(embedder) => {
                Ok(Vectors { embedder: Some(embedder), mode, why_not: behind(snapshot) })
            }
            Err(why) if mode == Mode::Vector => Err(Failure::usage_hint(
                format!("no vectors to search: {why}"),
                "ask with --mode keyword, or bring the vectors up to date with: recall index",
            )),
            Err(why) => Ok(Vectors { embedder: None, mode: Mode::Keyword, why_not: Some(why) }),
        }
    }

    /// Loads the model of the index in `folder`, for the questions to come.
    pub fn load(&self, folder: &Path) -> Result<(), Failure> {
        let snapshot = self.snapshot(folder)?;
        self.embedder(&snapshot, false).map(|_| ()).map_err(Failure::usage)
    }

    /// The model of an index as it is on this machine.
    pub fn installed(&self, record: &ModelRecord) -> Result<Installed, String> {
        let told = |e: EmbedError| format!("{e}; {}", hint::embed(&e));
        let catalogue = ModelCatalogue::of(&self.home).map_err(told)?;
        let model = catalogue.find(&record.id).map_err(told)?;
        let installed = recall_embed::installed(&self.home, model).map_err(told)?;
        if installed.fingerprint() != record.checksum {
            return Err(format!(
                "the model {} here is not the one the index was made with; rebuild with: recall index --rebuild",
                record.id
            ));
        }
        Ok(installed)
    }

    /// Where models live.
    pub fn home(&self) -> &Home {
        &self.home
    }

    /// The indexes that are open: folder and generation.
    pub fn open_indexes(&self) -> Vec<(PathBuf, u64)> {
        let generation = |index: &Arc<Index>| {
            let opened = index.opened.try_lock().ok()?;
            let (_, snapshot) = opened.as_ref()?;
            Some((index.folder.clone(), snapshot.manifest().generation))
        };
        lock(&self.indexes).iter().filter_map(generation).collect()
    }

    /// The models that are loaded, by id.
    pub fn loaded_models(&self) -> Vec<String> {
        let models = self.models.try_lock();
        models.map_or_else(|_| Vec::new(), |m| m.iter().map(|(r, _)| r.id.clone()).collect())
    }

    fn index(&self, folder: &Path) -> Arc<Index> {
        let mut indexes = lock(&self.indexes);
        let known = indexes.iter().position(|index| index.folder == folder);
        let index = match known {
            Some(at) => indexes.remove(at),
            None => Arc::new(Index { folder: folder.to_owned(), opened: Mutex::default() }),
        };
        indexes.push(index.clone());
        let excess = indexes.len().saturating_sub(INDEXES);
        indexes.drain(..excess);
        index
    }

    fn embedder(&self, snapshot: &Snapshot, fast: bool) -> Result<Arc<Embedder>, String> {
        let vectors = snapshot.vectors().map_err(|e| e.to_string())?;
        let record = snapshot.manifest().model.as_ref();
        let (Some(record), Some(false)) = (record, vectors.map(|v| v.is_empty())) else {
            return Err("the index has no vectors yet; make them with: recall index".to_owned());
        };
        if fast {
            self.loaded(record).ok_or_else(|| NOT_YET.to_owned())
        } else {
            self.model(record)
        }
    }

    /// The model of a record, loaded if need be; questions are what it is for.
    pub fn model(&self, record: &ModelRecord) -> Result<Arc<Embedder>, String> {
        // Held while it is being loaded, so that nobody loads it twice.
        let mut models = lock(&self.models);
        let loaded = match models.iter().position(|(known, _)| known == record) {
            Some(at) => models.remove(at),
            None => {
                let installed = self.installed(record)?;
                let embedder = Embedder::load(&self.home, &installed, 1);
                let embedder = embedder.map_err(|e| format!("{e}; {}", hint::embed(&e)))?;
                (record.clone(), Arc::new(embedder))
            }
        };
        let embedder = loaded.1.clone();
        models.push(loaded);
        let excess = models.len().saturating_sub(MODELS);
        models.drain(..excess);
        Ok(embedder)
    }

    /// The model of a record, if it is loaded already.
    fn loaded(&self, record: &ModelRecord) -> Option<Arc<Embedder>> {
        let models = self.models.try_lock().ok()?;
        models.iter().find(|(known, _)| known == record).map(|(_, embedder)| embedder.clone())
    }
}

/// Why a hurried answer has no vector side.
const NOT_YET: &str = "by keywords only (--fast): the model is not loaded yet";

/// A value behind a lock; a panic elsewhere leaves it usable, for it is only ever replaced whole.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Compares the content of the hits' files with what was indexed, and says which differ.
fn verify(snapshot: &Snapshot, hits: &mut [Hit]) -> Result<(), Failure> {
    let catalogue = snapshot.catalogue()?;
    let file = |(root, path): &SourceId| snapshot.file_of(*root, path);
    let sources = catalogue.sources().iter();
    let by_file: HashMap<PathBuf, _> =
        sources.filter_map(|source| Some((file(source.0)?, source))).collect();
    for hit in hits {
        let Some(((_, path), record)) = by_file.get(&hit.file) else { continue };
        let source = Source {
            path: path.clone(),
            absolute: hit.file.clone(),
            bytes: record.bytes,
            modified: record.modified,
            is_folder: hit.file.is_dir(),
        };
        hit.stale = match source.hash() {
            Ok(hash) if record.hash == Some(*hash.as_bytes()) => None,
            Ok(_) => Some("its file changed since it was indexed".to_owned()),
            Err(problem) => Some(format!("its file cannot be read: {}", problem.reason)),
        };
        if hit.kind == Kind::Memory.name() && hit.stale.is_none() {
            hit.stale = missing_quotes(hit);
        }
    }
    Ok(())
}

/// Paths that a memory entry quotes and that are no longer there.
fn missing_quotes(hit: &Hit) -> Option<String> {
    let project = Project::at(hit.file.parent()?).ok()?;
    let missing = project.missing_quotes(&hit.file, hit.text.as_deref()?);
    (!missing.is_empty())
        .then(|| format!("it quotes what is no longer there: {}", missing.join(", ")))
}

/// The lines of the pointer index beside the indexed roots that name a document of a hit.
fn pointers_naming(snapshot: &Snapshot, hits: &[Hit]) -> Vec<PointerLine> {
    // Paths in it start from the indexed root, in a git repository or not.
    let spec =
        |root: &PathBuf| Some(FolderSpec { root: Some(root.clone()), ..FolderSpec::upward(root)? });
    let mut specs: Vec<_> = snapshot.manifest().roots.iter().filter_map(spec).collect();
    specs.sort_by(|a, b| a.path.cmp(&b.path));
    specs.dedup_by(|a, b| a.path == b.path);
    let Ok(memory) = Memory::open(&specs, &HeadingWords::default()) else { return Vec::new() };
    let names: Vec<String> = hits
        .iter()
        .flat_map(|hit| [hit.id.clone(), hit.file.to_string_lossy().into_owned()])
        .collect();
    // A document is known by its id and by its file; a line that names it counts once.
    let mut lines = lines_naming(&memory, &names);
    lines.sort_by(|a, b| (&a.place.path, a.place.line).cmp(&(&b.place.path, b.place.line)));
    lines.dedup_by(|a, b| a.place.path == b.place.path && a.place.line == b.place.line);
    lines
}

fn refuse_other_model(snapshot: &Snapshot, asked: Option<&str>) -> Result<(), Failure> {
    let own = snapshot.manifest().model.as_ref().map(|m| m.id.clone());
    match asked {
        Some(asked) if own.as_deref() != Some(asked) => Err(Failure::usage_hint(
            format!(
                "the index was made with {}, not with {asked}",
                own.as_deref().unwrap_or("no model")
            ),
            "leave --model out to use the index's own, or rebuild with: recall index --rebuild --model ID",
        )),
        _ => Ok(()),
    }
}

/// What an answer must say while vectors are catching up.
fn behind(snapshot: &Snapshot) -> Option<String> {
    let counts = snapshot.manifest().counts;
    let missing = counts.chunks - counts.vectors;
    (missing > 0).then(|| format!("{missing} of {} chunks have no vector yet", counts.chunks))
}

/// How much of the corpus the answer is from.
fn coverage(snapshot: &Snapshot, ranking: &Ranking) -> Coverage {
    let manifest = snapshot.manifest();
    Coverage {
        generation: manifest.generation,
        documents: manifest.counts.documents,
        chunks: manifest.counts.chunks,
        vectors: manifest.counts.vectors,
        allowed: ranking.allowed,
    }
}
