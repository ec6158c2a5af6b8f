//! Why a file, a record or a folder could not be read: data, so that it can be counted and listed.

use std::io;

use serde::{Deserialize, Serialize};

/// One thing that was skipped or read only in part, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{path}{}: {reason}", line.map(|l| format!(":{l}")).unwrap_or_default())]
pub struct Problem {
    /// Relative to the indexed root.
    pub path: String,
    /// Line in the file, counted from 1, where it is known.
    pub line: Option<u64>,
    /// What is wrong.
    pub reason: Reason,
}

/// What is wrong with a file, a record or a folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case", tag = "reason", content = "detail")]
pub enum Reason {
    /// No bytes, or only white space.
    #[error("empty")]
    Empty,
    /// Not text in any encoding we know.
    #[error("binary, not text")]
    Binary,
    /// Larger than the configured limit, in bytes.
    #[error("larger than the limit ({size} bytes, limit {limit})")]
    TooLarge {
        /// Size of the file in bytes.
        size: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// The operating system refused: nothing is known of what is inside, so nothing is deleted.
    #[error("unreadable: {0}")]
    Unreadable(String),
    /// It vanished between the scan and the reading.
    #[error("vanished while reading")]
    Vanished,
    /// The pointer index is loaded whole elsewhere and never searched.
    #[error("pointer index: loaded whole, never searched")]
    PointerIndex,
    /// It is not well-formed; the text says where and how.
    #[error("malformed: {0}")]
    Malformed(String),
    /// It could not be read as its format and was read as plain text instead.
    #[error("read as plain text: {0}")]
    FellBack(String),
    /// Text was cut or left out; the text says what.
    #[error("cut: {0}")]
    Cut(String),
    /// Ids that occur more than once in one file; the text says which and how many.
    #[error("repeated id: {0}")]
    Repeated(String),
    /// So many more problems in the same file that are not listed.
    #[error("{0} more like these")]
    More(u64),
    /// Refused for safety: a link out of the root, a path trick, an archive that explodes.
    #[error("refused: {0}")]
    Refused(String),
}

impl Problem {
    /// Whether `path` (relative to the same root) is the file that this is about, or lies in that
    /// folder. `.` and an empty path are the root itself.
    pub fn covers(&self, path: &str) -> bool {
        let below = path.strip_prefix(self.path.as_str());
        matches!(self.path.as_str(), "." | "")
            || below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }
}

impl Reason {
    /// The reason behind a failed read: a [`Reason`] carried by the error, content that is not
    /// what its container says, a file that is gone, or else one that the system refuses.
    pub fn from_io(error: &io::Error) -> Self {
        use io::ErrorKind::{InvalidData, InvalidInput, NotFound, UnexpectedEof};
        if let Some(Carried(reason)) = error.get_ref().and_then(|inner| inner.downcast_ref()) {
            return reason.clone();
        }
        match error.kind() {
            NotFound => Self::Vanished,
            InvalidData | InvalidInput | UnexpectedEof => Self::Malformed(error.to_string()),
            _ => Self::Unreadable(error.to_string()),
        }
    }

    /// An error for use inside a [`std::io::Read`]; [`Reason::from_io`] gets the reason back.
    pub(crate) fn into_io(self) -> io::Error {
        io::Error::other(Carried(self))
    }

    /// Nothing is known of what the path holds now: what was indexed from it must be kept.
    pub fn keeps_what_was_indexed(&self) -> bool {
        matches!(self, Self::Unreadable(_))
    }

    /// The document was indexed all the same, though not perfectly.
    pub fn is_a_warning(&self) -> bool {
        matches!(self, Self::FellBack(_) | Self::Cut(_) | Self::Repeated(_))
    }
}

/// A reason on its way through [`std::io::Read`].
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Carried(Reason);

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(about: &str, path: &str, expected: bool) {
        let problem = Problem { path: about.to_owned(), line: None, reason: Reason::Empty };
        assert_eq!(problem.covers(path), expected, "{about:?} {path:?}");
    }

    #[test]
    fn a_problem_covers_its_file_or_all_of_its_folder() {
        for (about, path, expected) in [
            ("a/b.md", "a/b.md", true),
            ("a", "a/b.md", true),
            ("a", "a", true),
            (".", "a/b.md", true),
            ("", "a/b.md", true),
            ("a", "ab/c.md", false),
            ("a/b", "a/b.md", false),
            ("a/b.md", "a", false),
        ] {
            check(about, path, expected);
        }
    }
}
