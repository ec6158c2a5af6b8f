//! A memory folder written for one test.

use std::fs;
use std::path::{Path, PathBuf};

use jiff::civil::{Date, date};
use recall_pointers::{FolderSpec, HeadingWords, Limits, Lint, Memory, Report, Rules};

/// The day on which all tests run.
pub(crate) const TODAY: Date = date(2026, 11, 29);

/// A project folder with a memory folder `memory` in it.
pub(crate) struct Fixture {
    pub dir: tempfile::TempDir,
}

impl Fixture {
    /// Writes files at these paths from the project's root.
    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        let fixture = Self { dir: tempfile::tempdir().unwrap() };
        for (path, text) in files {
            fixture.write(path, text.as_bytes());
        }
        fixture
    }

    pub(crate) fn write(&self, path: &str, bytes: &[u8]) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.dir.path().join(path)
    }

    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap()
    }

    pub(crate) fn spec(&self, namespace: &str, folder: &str) -> FolderSpec {
        FolderSpec {
            namespace: namespace.to_owned(),
            path: self.path(folder),
            root: Some(self.dir.path().to_owned()),
        }
    }

    pub(crate) fn memory(&self) -> Memory {
        Memory::open(&[self.spec("project", "memory")], &HeadingWords::default()).unwrap()
    }

    /// The findings as `path:line: message`, with paths from the project's root.
    pub(crate) fn findings(&self) -> Vec<String> {
        self.shown(&lint(&self.memory(), false))
    }

    pub(crate) fn shown(&self, report: &Report) -> Vec<String> {
        let root = format!("{}/", self.dir.path().display());
        let line = |text: String| text.lines().next().unwrap_or_default().replace(&root, "");
        report.findings.iter().map(|finding| line(finding.to_string())).collect()
    }
}

/// The linter as the program calls it; runbooks are kept whole.
pub(crate) fn lint(memory: &Memory, git: bool) -> Report {
    let keeps_whole = |path: &Path, _: &[u8]| path.iter().any(|part| part == "runbooks");
    let limits = Limits::default();
    recall_pointers::check(memory, &Lint { today: TODAY, limits, keeps_whole: &keeps_whole, git })
}

pub(crate) fn rules() -> Rules {
    Rules { today: TODAY, limits: Limits::default(), words: HeadingWords::default() }
}
