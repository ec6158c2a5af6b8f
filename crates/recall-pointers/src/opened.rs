//! The note or runbook behind a line, whole.

use std::io;
use std::path::PathBuf;

use crate::memory::Memory;
use crate::selector::{SelectError, Selected, select};
use crate::target::{Target, follow};

/// A file that a line points to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opened {
    /// The namespace of the line.
    pub namespace: String,
    /// The file, with every link on the way resolved.
    pub path: PathBuf,
    /// The line that points to it, counted from 1.
    pub line: usize,
    /// Every byte of the file.
    pub bytes: Vec<u8>,
}

/// Why there is nothing to open.
#[derive(Debug, thiserror::Error)]
pub enum OpenLineError {
    /// The name does not mean one line.
    #[error(transparent)]
    Select(#[from] SelectError),
    /// The line has no link.
    #[error("line {line} points to no file")]
    NoLink {
        /// The line.
        line: usize,
    },
    /// The line points to the web.
    #[error("line {line} points to {address}, which is not a file")]
    Web {
        /// The line.
        line: usize,
        /// The address.
        address: String,
    },
    /// The file is not there.
    #[error("line {line} points to {}, which is not there", path.display())]
    Missing {
        /// The line.
        line: usize,
        /// The file.
        path: PathBuf,
    },
    /// The file is neither in the memory folder nor in the project.
    #[error("line {line} points to {}, which is outside the project", path.display())]
    Outside {
        /// The line.
        line: usize,
        /// The file.
        path: PathBuf,
    },
    /// The file belongs to the memory of another namespace.
    #[error("line {line} points to {}, in the memory of `{owner}`", path.display())]
    OtherNamespace {
        /// The line.
        line: usize,
        /// The file.
        path: PathBuf,
        /// Whose it is.
        owner: String,
    },
    /// The file cannot be read.
    #[error("cannot read {}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

/// Reads the file that the line named `name` points to, byte for byte. See the errors for what
/// is refused: what lies outside the project or in another namespace is not shown.
///
/// # Errors
///
/// [`OpenLineError`].
pub fn open(memory: &Memory, name: &str) -> Result<Opened, OpenLineError> {
    let line = select(memory, name)?;
    let path = file_behind(memory, line)?;
    let bytes = std::fs::read(&path)
        .map_err(|source| OpenLineError::Read { path: path.clone(), source })?;
    let namespace = line.folder.namespace.clone();
    Ok(Opened { namespace, path, line: line.statement.line, bytes })
}

fn file_behind(memory: &Memory, selected: Selected<'_>) -> Result<PathBuf, OpenLineError> {
    let line = selected.statement.line;
    let targets = selected.statement.links.iter().map(|link| follow(selected.folder, &link.target));
    let target = targets.min_by_key(|target| target.file().is_none());
    match target.ok_or(OpenLineError::NoLink { line })? {
        Target::Elsewhere(address) => Err(OpenLineError::Web { line, address }),
        Target::Missing(path) => Err(OpenLineError::Missing { line, path }),
        Target::Outside(path) => Err(OpenLineError::Outside { line, path }),
        Target::File(path) => {
            let owner = memory.owner(&path).map(|owner| owner.namespace.clone());
            match owner.filter(|owner| *owner != selected.folder.namespace) {
                Some(owner) => Err(OpenLineError::OtherNamespace { line, path, owner }),
                None => Ok(path),
            }
        }
    }
}

impl OpenLineError {
    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Select(error) => error.hint(),
            Self::NoLink { .. } => "the line says all there is",
            Self::Web { .. } => "open the address in a browser",
            Self::Missing { .. } => "correct the link, or write the file",
            Self::Outside { .. } => "copy the file into the project and link to the copy",
            Self::OtherNamespace { .. } => "open it from its own folder",
            Self::Read { .. } => "check that it is a file, and its permissions",
        }
    }
}
