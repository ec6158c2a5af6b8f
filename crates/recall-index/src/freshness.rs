//! Whether a file still says what was indexed from it.

use std::fs::{self, Metadata};
use std::io;
use std::path::Path;

use recall_sources::{Reason, Source};

use crate::catalogue::{SourceCatalogue, SourceRecord};
use crate::snapshot::Snapshot;

/// What became of a file since it was indexed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Freshness {
    /// It is as it was, or nothing says otherwise.
    Current,
    /// It changed after it was indexed.
    Changed,
    /// It is no longer there.
    Gone,
    /// It is there and cannot be read; the text says why.
    Unreadable(String),
}

/// How closely a file is looked at.
#[derive(Debug, Clone, Copy)]
pub enum FreshnessCheck<'a> {
    /// Its time of change against the time when the index was last written: one system call, and a
    /// file that was merely touched counts as changed.
    ModificationTime,
    /// Its content against the hash in the catalogue: reads all of it. A file that the catalogue does
    /// not know is judged by its time.
    Content(&'a SourceCatalogue),
}

impl Snapshot {
    /// Whether `file` (absolute, as [`Self::file_of`] gives it) still says what this generation
    /// indexed.
    pub fn freshness(&self, file: &Path, check: FreshnessCheck<'_>) -> Freshness {
        let known = match check {
            FreshnessCheck::ModificationTime => None,
            FreshnessCheck::Content(catalogue) => self.record_of(file, catalogue),
        };
        match known {
            Some(record) => by_content(file, record),
            None => self.by_modification_time(file),
        }
    }

    /// What the catalogue knows of a file or export folder.
    fn record_of<'a>(
        &self,
        file: &Path,
        catalogue: &'a SourceCatalogue,
    ) -> Option<&'a SourceRecord> {
        let roots = self.manifest().roots.iter().enumerate();
        let mut roots = roots.filter(|(_, root)| !root.as_os_str().is_empty());
        roots.find_map(|(number, root)| {
            let inside = file.strip_prefix(root).ok()?;
            // A root that is a file is a source by its name.
            let inside =
                if inside.as_os_str().is_empty() { file.file_name()?.as_ref() } else { inside };
            catalogue.sources().get(&(number as u32, source_path(inside)))
        })
    }

    fn by_modification_time(&self, file: &Path) -> Freshness {
        let Ok(written) = self.manifest().written.parse::<jiff::Timestamp>() else {
            return Freshness::Current;
        };
        match fs::metadata(file) {
            Ok(metadata) if modified(&metadata).is_some_and(|at| at > written) => {
                Freshness::Changed
            }
            Ok(_) => Freshness::Current,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Freshness::Gone,
            Err(error) => Freshness::Unreadable(error.to_string()),
        }
    }
}

/// A path inside a root as sources are called.
fn source_path(inside: &Path) -> String {
    let names: Vec<_> = inside.iter().map(|name| name.to_string_lossy()).collect();
    names.join("/")
}

fn modified(metadata: &Metadata) -> Option<jiff::Timestamp> {
    jiff::Timestamp::try_from(metadata.modified().ok()?).ok()
}

fn by_content(file: &Path, record: &SourceRecord) -> Freshness {
    let source = Source {
        path: String::new(),
        absolute: file.to_owned(),
        bytes: record.bytes,
        modified: record.modified,
        is_folder: file.is_dir(),
    };
    match source.hash().map_err(|problem| problem.reason) {
        Ok(hash) if record.hash == Some(*hash.as_bytes()) => Freshness::Current,
        Ok(_) => Freshness::Changed,
        Err(Reason::Vanished) => Freshness::Gone,
        Err(reason) => Freshness::Unreadable(reason.to_string()),
    }
}
