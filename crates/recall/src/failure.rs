//! Errors of commands, with the hint and the exit code of each.

use std::path::PathBuf;

use recall_embed::EmbedError;
use recall_eval::label_file::EvalError;
use recall_index::IndexError;
use recall_query::{BuildError, QueryError};

use crate::hint;

/// Why a command did not do its work.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// The store.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// The model or its runtime.
    #[error(transparent)]
    Embed(#[from] EmbedError),
    /// A file or folder outside the index.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// A flag or argument has no sense.
    #[error("{message}")]
    Usage {
        /// What.
        message: String,
        /// What to do instead.
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
    /// Labels or questions for `recall eval`.
    #[error(transparent)]
    Eval(#[from] EvalError),
    /// A mode is not as good as it must be.
    #[error("{mode}: {metric} is {got:.4}, less than {floor}")]
    Below {
        /// The mode.
        mode: &'static str,
        /// The metric.
        metric: String,
        /// What was measured.
        got: f64,
        /// What was asked for.
        floor: f64,
    },
    /// Standard output is closed: nobody reads any more, which is no failure.
    #[error("the reader went away")]
    Closed,
}

impl Failure {
    /// A usage error without a hint.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::Usage { message: message.into(), hint: None }
    }

    /// A usage error with a hint.
    pub(crate) fn usage_hint(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Usage { message: message.into(), hint: Some(hint.into()) }
    }

    /// An I/O failure with its action and path.
    pub(crate) fn io(
        action: &'static str,
        path: impl Into<PathBuf>,
    ) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { action, path, source }
    }

    /// One line that says what helps.
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

    /// The exit code: 130 for an interruption, else 2.
    pub(crate) fn code(&self) -> u8 {
        match self {
            Self::Index(IndexError::Interrupted) => 130,
            Self::Closed => 0,
            _ => 2,
        }
    }
}

/// Writing to standard output failed; a closed pipe is no failure.
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
