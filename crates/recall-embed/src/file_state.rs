//! A file this crate needs, and how it is.

use std::path::PathBuf;

use crate::checksum::Checksum;
use crate::error::{Damage, EmbedError};

/// A file this crate needs, and how it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileState {
    /// The file.
    pub path: PathBuf,
    /// Its state.
    pub state: State,
}

/// How a file is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// Byte for byte what was installed.
    Good,
    /// Not what was installed.
    Damaged(Damage),
    /// Not there.
    Missing,
    /// Given by the user (`RECALL_ORT`, `ORT_DYLIB_PATH`): there is nothing to compare with.
    Own,
}

impl FileState {
    /// How the file at `path` compares with its checksum, all of it read.
    pub(crate) fn of(path: PathBuf, checksum: &Checksum) -> FileState {
        let state = match checksum.check(&path) {
            Ok(()) => State::Good,
            Err(EmbedError::Damaged { why: Damage::Missing, .. }) => State::Missing,
            Err(EmbedError::Damaged { why, .. }) => State::Damaged(why),
            Err(_) => State::Damaged(Damage::Unreadable),
        };
        FileState { path, state }
    }
}
