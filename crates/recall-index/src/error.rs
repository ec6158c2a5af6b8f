//! What can go wrong with an index, as data.

use std::error::Error;
use std::io;
use std::path::{Path, PathBuf};

/// A failure of the store; what helps is for the program to say.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// The operating system refused.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was tried, as a verb: `read`, `write`, `lock`.
        action: &'static str,
        /// On which file or folder.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// There is no index in the folder.
    #[error("no index in {}", .0.display())]
    Missing(PathBuf),
    /// A file of the index is not what was written.
    #[error("index file {} is damaged: {detail}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// How it differs.
        detail: String,
    },
    /// The index was written in another format.
    #[error("the index in {} has format {found}, this program reads format {expected}", path.display())]
    OtherFormat {
        /// The index folder.
        path: PathBuf,
        /// Format found.
        found: u32,
        /// Format expected.
        expected: u32,
    },
    /// The index was made with another model.
    #[error("the index was made with model {index} and cannot be used with {asked}")]
    OtherModel {
        /// Id and checksum in the manifest.
        index: String,
        /// Id and checksum at hand.
        asked: String,
    },
    /// Another process is writing.
    #[error("another process is writing the index in {}: {holder}", path.display())]
    Locked {
        /// The index folder.
        path: PathBuf,
        /// What the lock file says of its holder.
        holder: String,
    },
    /// A vector that no search can use.
    #[error("the model gave a vector that is not finite or has no length for: {text}")]
    BadVector {
        /// The beginning of the text.
        text: String,
    },
    /// No vector could be made of a text: what failed is what makes vectors, not the index.
    #[error(transparent)]
    Embedding {
        /// Its own error.
        source: Box<dyn Error + Send + Sync>,
    },
    /// The keyword engine failed.
    #[error("keyword index in {}: {detail}", path.display())]
    Keyword {
        /// The folder of the keyword index.
        path: PathBuf,
        /// The engine's own words.
        detail: String,
    },
    /// The vector engine failed.
    #[error("vector index {}: {detail}", path.display())]
    Vector {
        /// The file or folder.
        path: PathBuf,
        /// The engine's own words.
        detail: String,
    },
    /// The work was interrupted; what is committed stays.
    #[error("interrupted; what was committed is kept")]
    Interrupted,
}

impl IndexError {
    /// The failure of what makes vectors, for `map_err`.
    pub fn embedding(source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::Embedding { source: source.into() }
    }
}

/// An I/O failure with its action and path.
pub(crate) fn io_error(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> IndexError {
    let path = path.to_owned();
    move |source| IndexError::Io { action, path, source }
}
