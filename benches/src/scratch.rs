//! The temporary folder of a run, the generator of its texts, and what it says on a terminal.

use std::path::PathBuf;

use indicatif::ProgressBar;
use recall_index::IndexProgress;
use tempfile::TempDir;

use crate::chat::Generator;
use crate::outcome::Outcome;

/// The inputs of everything that builds an index for a run.
pub(crate) struct Scratch {
    root: TempDir,
    pub generator: Generator,
    bar: ProgressBar,
}

impl Scratch {
    pub(crate) fn new(bar: ProgressBar) -> Outcome<Self> {
        let root = tempfile::Builder::new().prefix("recall-benches-").tempdir()?;
        Ok(Self { root, generator: Generator::new(), bar })
    }

    /// Says what is being done, on a terminal.
    pub(crate) fn say(&self, what: impl Into<String>) {
        self.bar.set_message(what.into());
        self.bar.tick();
    }

    /// Says how far an indexing run is, on a terminal.
    pub(crate) fn step(&self, step: IndexProgress) {
        match step {
            IndexProgress::Read { documents, .. } => {
                self.bar.set_message(format!("{documents} documents"))
            }
            IndexProgress::Embed { done, total, .. } => {
                self.bar.set_message(format!("{done}/{total} vectors"))
            }
            IndexProgress::Graph { done, total } => {
                self.bar.set_message(format!("{done}/{total} in a graph"))
            }
            IndexProgress::Scan { .. } | IndexProgress::Searchable => {}
        }
    }

    /// Path of a new folder or file, gone at the end; nothing is there yet.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }
}
