//! A folder of files beside an index of them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use recall_index::{
    Analyzer, ChunkSettings, EntryId, IndexError, IndexOptions, Indexer, ModelRecord, Snapshot,
    Summary, estimated_tokens, terms,
};
use recall_sources::Globs;

/// Length of the vectors.
pub(crate) const DIMS: usize = 8;

pub(crate) struct Corpus {
    folder: tempfile::TempDir,
}

impl Corpus {
    /// An indexed folder with these files (path and content).
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let corpus = Self { folder: tempfile::tempdir().unwrap() };
        fs::create_dir(corpus.root()).unwrap();
        files.iter().for_each(|(name, text)| corpus.write(name, text));
        corpus.update();
        corpus
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("notes")
    }

    pub(crate) fn index(&self) -> PathBuf {
        self.folder.path().join("index")
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.root().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn remove(&self, name: &str) {
        fs::remove_file(self.root().join(name)).unwrap();
    }

    pub(crate) fn indexer(&self) -> Result<Indexer, IndexError> {
        let settings = ChunkSettings { tokens: 40, overlap: 0 };
        let mut indexer = Indexer::open(&self.index(), settings, false)?;
        let model = ModelRecord { id: "none".into(), checksum: "none".into(), dims: DIMS };
        indexer.set_model(&model)?;
        Ok(indexer)
    }

    pub(crate) fn update(&self) -> Summary {
        self.update_with(false)
    }

    /// Brings the index up to date; `optimize` merges everything.
    pub(crate) fn update_with(&self, optimize: bool) -> Summary {
        let options = IndexOptions { optimize, ..options() };
        let stop = AtomicBool::new(false);
        let mut indexer = self.indexer().unwrap();
        let roots = [self.root()];
        indexer.update(&roots, &options, &estimated_tokens, &|_| {}, &stop).unwrap()
    }

    pub(crate) fn snapshot(&self) -> Snapshot {
        Snapshot::open(&self.index()).unwrap()
    }
}

pub(crate) fn options() -> IndexOptions {
    let mut options = IndexOptions::default();
    options.read.whole = Globs::new(Globs::RUNBOOKS).unwrap();
    options
}

/// Every file below a folder with its bytes.
pub(crate) fn bytes_in(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut out = BTreeMap::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.path() {
            path if path.is_dir() => out.extend(bytes_in(&path)),
            path => {
                out.insert(path.clone(), fs::read(&path).unwrap());
            }
        }
    }
    out
}

/// The paths of entries, in their order.
pub(crate) fn paths(snapshot: &Snapshot, entries: &[EntryId]) -> Vec<String> {
    let names = snapshot.keyword().ids_and_paths(entries).unwrap();
    names.into_iter().map(|(_, path)| path).collect()
}

/// The paths of what a question finds by its words, best first.
pub(crate) fn found(snapshot: &Snapshot, question: &str) -> Vec<String> {
    let terms = terms(question, &Analyzer::default());
    let found = snapshot.keyword().search(&terms, None, 100).unwrap();
    paths(snapshot, &found.into_iter().map(|(id, _)| id).collect::<Vec<_>>())
}
