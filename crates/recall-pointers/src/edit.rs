//! One edit of one line in one file: shown first, then written.

mod line_diff;

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::atomic_file;
use crate::folder::Folder;
use crate::refusal::Refusal;

/// What an edit does to the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// A line is new.
    Add,
    /// A line says something else.
    Replace,
    /// A line is gone.
    Remove,
    /// A line has a new date.
    Touch,
}

/// An edit that was checked and not yet written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Edit {
    /// The namespace of the folder.
    pub namespace: String,
    /// The file.
    pub path: PathBuf,
    /// What it does.
    pub action: Action,
    /// The line, counted from 1: for a new line, the one that it becomes.
    pub line: usize,
    /// What the line says now; `None` for a new one.
    pub old: Option<String>,
    /// What it will say; `None` when it goes.
    pub new: Option<String>,
    /// The change as a unified diff.
    pub diff: String,
    #[serde(skip)]
    real_path: PathBuf,
    #[serde(skip)]
    before: Vec<u8>,
    #[serde(skip)]
    after: Vec<u8>,
}

/// Why an edit could not be written. The file is as it was.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The file changed after the edit was made.
    #[error("{} changed in the meantime", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// The file cannot be read or written.
    #[error("cannot write {}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

impl WriteError {
    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Changed { .. } => "run the command again on the file as it is now",
            Self::Io { .. } => "check the permissions of its folder and the room on the disk",
        }
    }
}

/// What an edit does to which line.
pub(crate) struct Change {
    pub action: Action,
    pub line: usize,
    pub old: Option<String>,
    pub new: Option<String>,
}

impl Edit {
    /// An edit of `path`, which must lie in `folder`, also when links on the way are resolved.
    pub(crate) fn of(
        folder: &Folder,
        path: &Path,
        change: Change,
        before: Vec<u8>,
        after: Vec<u8>,
    ) -> Result<Self, Refusal> {
        let inside = path.canonicalize().ok().filter(|real| real.starts_with(&folder.real_path));
        let outside = || Refusal::OutsideFolder { path: path.to_owned() };
        let real_path = inside.ok_or_else(outside)?;
        let Change { action, line, old, new } = change;
        Ok(Self {
            namespace: folder.namespace.clone(),
            path: path.to_owned(),
            action,
            line,
            old,
            new,
            diff: diff(path, &before, &after),
            real_path,
            before,
            after,
        })
    }

    /// The bytes of the file after the edit.
    pub fn after(&self) -> &[u8] {
        &self.after
    }

    /// Writes the file, whole or not at all, with the permissions that it has. A link to the file
    /// stays a link.
    ///
    /// # Errors
    ///
    /// [`WriteError`]; the file is then as it was.
    pub fn write(&self) -> Result<(), WriteError> {
        let failed = |source| WriteError::Io { path: self.path.clone(), source };
        if std::fs::read(&self.real_path).map_err(failed)? != self.before {
            return Err(WriteError::Changed { path: self.path.clone() });
        }
        atomic_file::replace(&self.real_path, &self.after).map_err(failed)
    }
}

fn diff(path: &Path, before: &[u8], after: &[u8]) -> String {
    let (before, after) = (String::from_utf8_lossy(before), String::from_utf8_lossy(after));
    line_diff::line_diff(&path.display().to_string(), &before, &after)
}

impl fmt::Display for Edit {
    /// What the edit does, then the diff.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (path, line) = (self.path.display(), self.line);
        match (self.action, &self.old) {
            (Action::Add, _) => writeln!(f, "{path}:{line}: a new line")?,
            (Action::Replace, Some(old)) => writeln!(f, "{path}:{line}: replaces: {old}")?,
            (Action::Replace, None) => writeln!(f, "{path}:{line}: replaced")?,
            (Action::Remove, _) => writeln!(f, "{path}:{line}: removed")?,
            (Action::Touch, _) => writeln!(f, "{path}:{line}: checked today")?,
        }
        f.write_str(&self.diff)
    }
}
