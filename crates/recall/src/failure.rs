//! The program's errors: each says what went wrong and, where possible, gives a hint.

use std::path::PathBuf;

use recall_embed::EmbedError;
use recall_eval::label_file::EvalError;
use recall_index::IndexError;
use recall_query::{BuildError, QueryError};

use crate::hint;

/// Reason why a command failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// An index could not be read or written.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// The model or its runtime failed.
    #[error(transparent)]
    Embed(#[from] EmbedError),
    /// A file or folder outside the index could not be used.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// The action that failed, as a verb.
        action: &'static str,
        /// The path it was tried on.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// A flag or argument makes no sense.
    #[error("{message}")]
    Usage {
        /// What is wrong.
        message: String,
        /// What to do instead, if that is known.
        hint: Option<String>,
    },
    /// `recall.toml` cannot be used.
    #[error("{}: {message}", path.display())]
    Config {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        message: String,
    },
    /// The labels or questions for `recall eval` cannot be used.
    #[error(transparent)]
    Eval(#[from] EvalError),
    /// A mode scores below the required floor (`--fail-under`).
    #[error("{mode}: {metric} is {got:.4}, less than {floor}")]
    Below {
        /// The mode.
        mode: &'static str,
        /// The metric.
        metric: String,
        /// The measured value.
        got: f64,
        /// The required value.
        floor: f64,
    },
    /// Standard output was closed by its reader, which does not count as a failure.
    #[error("the reader went away")]
    Closed,
}

impl Failure {
    /// Creates a usage error without a hint.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::Usage { message: message.into(), hint: None }
    }

    /// Creates a usage error with a hint.
    pub(crate) fn usage_hint(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Usage { message: message.into(), hint: Some(hint.into()) }
    }

    /// Returns a function that wraps an I/O error with its action and path.
    pub(crate) fn io(
        action: &'static str,
        path: impl Into<PathBuf>,
    ) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { action, path, source }
    }

    /// Returns a one-line hint on what to do, if there is one.
    pub(crate) fn hint(&self) -> Option<String> {
        match self {
            Self::Index(error) => hint::index(error),
            Self::Embed(error) => Some(hint::embed(error)),
            Self::Usage { hint, .. } => hint.clone(),
            Self::Config { .. }
            | Self::Io { .. }
            | Self::Eval(_)
            | Self::Below { .. }
            | Self::Closed => None,
        }
    }

    /// Returns the exit code: 130 for an interruption, 0 for closed output, else 2.
    pub(crate) fn code(&self) -> u8 {
        match self {
            Self::Index(IndexError::Interrupted) => 130,
            Self::Closed => 0,
            _ => 2,
        }
    }
}

/// Converts an error of writing to standard output; a closed pipe is not a failure.
impl From<std::io::Error> for Failure {
    fn from(source: std::io::Error) -> Self {
        match source.kind() {
            std::io::ErrorKind::BrokenPipe => Self::Closed,
            _ => Self::Io { action: "write", path: "standard output".into(), source },
        }
    }
}

impl From<QueryError> for Failure {
    fn from(error: QueryError) -> Self {
        match error {
            QueryError::Index(error) => error.into(),
            QueryError::Embed(error) => error.into(),
            QueryError::Condition(why) => Self::usage(why.to_string()),
            QueryError::OtherModel { .. } => Self::usage_hint(
                error.to_string(),
                "leave --model out to use the index's own, or rebuild with: recall index --rebuild --model ID",
            ),
            QueryError::NoVectors(why) => Self::usage_hint(
                format!("no vectors to search: {}", hint::degraded(&why)),
                "ask with --mode keyword, or bring the vectors up to date with: recall index",
            ),
        }
    }
}

impl From<BuildError> for Failure {
    fn from(error: BuildError) -> Self {
        match error {
            BuildError::Index(error) => error.into(),
            BuildError::Embed(error) => error.into(),
            BuildError::Model(why) => Self::usage(hint::degraded(&why)),
            BuildError::UnknownRoots { .. } => {
                Self::usage_hint(error.to_string(), "name them: recall index --rebuild FOLDER")
            }
        }
    }
}
