//! A few notes and their index, words only.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use recall_query::{BuildSettings, Builder, Built};

/// A temporary folder of notes with an index beside it.
pub(crate) struct Notes {
    folder: tempfile::TempDir,
}

impl Notes {
    pub(crate) fn new(notes: &[(&str, &str)]) -> Self {
        let notes_of = Self { folder: tempfile::tempdir().expect("a temporary folder") };
        notes.iter().for_each(|(name, text)| notes_of.write(name, text));
        notes_of.build();
        notes_of
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.root().join(name);
        std::fs::create_dir_all(path.parent().expect("a file is in a folder")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    }

    pub(crate) fn build(&self) -> Built {
        let settings = BuildSettings { keyword_only: true, ..BuildSettings::default() };
        let builder = Builder::new(self.index(), settings, &Builder::installed);
        let builder = builder.expect("the default model is in the catalogue");
        let stop = AtomicBool::new(false);
        let built = builder.build(&[self.root()], &Default::default(), &|_| {}, &stop);
        built.expect("the notes can be indexed")
    }

    pub(crate) fn index(&self) -> PathBuf {
        self.folder.path().join("index")
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("notes")
    }
}
