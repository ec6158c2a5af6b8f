//! A folder of small notes, tickets and runbooks that tests edit.

use std::fs;
use std::path::{Path, PathBuf};

/// A temporary folder that is indexed.
pub(crate) struct Corpus {
    folder: tempfile::TempDir,
}

impl Corpus {
    /// An empty folder.
    pub(crate) fn empty() -> Self {
        Self { folder: tempfile::tempdir().expect("a temporary folder") }
    }

    /// A folder of `count` notes on as many subjects.
    pub(crate) fn notes(count: usize) -> Self {
        let corpus = Self::empty();
        for number in 0..count {
            corpus.write(&format!("note-{number:03}.md"), &note(number, 0));
        }
        corpus
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn index(&self) -> PathBuf {
        self.path().join(".recall")
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().expect("a file is in a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }

    pub(crate) fn remove(&self, name: &str) {
        fs::remove_file(self.path().join(name)).expect("the file was there");
    }
}

/// A note with words of its own, and a version that is part of its text.
pub(crate) fn note(number: usize, version: usize) -> String {
    let subject = SUBJECTS[number % SUBJECTS.len()];
    format!(
        "# {subject} {number}\n\nThe {subject} of site {number} was changed in revision R{number}-{version}. \
         Ask for TICKET-{number:04} before you touch it again.\n"
    )
}

const SUBJECTS: [&str; 8] = [
    "water pump",
    "night train",
    "bread oven",
    "garden fence",
    "radio mast",
    "ferry ramp",
    "school roof",
    "street lamp",
];

/// A small generator of numbers with a fixed seed: xorshift64.
pub(crate) struct Seeded(u64);

impl Seeded {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.max(1))
    }

    /// A number below `bound`.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }
}
