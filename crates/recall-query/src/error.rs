//! What can go wrong with a question, as data.

use recall_embed::EmbedError;
use recall_index::IndexError;
use recall_sources::Kind;
use recall_sources::document::UnknownKind;

use crate::degraded::Degraded;
use crate::when::NotADate;

/// Why a question has no answer.
#[derive(Debug, thiserror::Error)]
pub enum QueryError {
    /// The index cannot be opened or read.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// The model failed on the question.
    #[error(transparent)]
    Embed(#[from] EmbedError),
    /// A condition has a value that means nothing.
    #[error(transparent)]
    Condition(#[from] BadCondition),
    /// The question is only for an index of another model.
    #[error(
        "the index was made with {}, not with {asked}",
        index.as_deref().unwrap_or("no model")
    )]
    OtherModel {
        /// The model of the index, if it has one.
        index: Option<String>,
        /// The only one that may answer.
        asked: String,
    },
    /// Vectors alone were to answer, and they cannot.
    #[error("no vectors to search: {0}")]
    NoVectors(Degraded),
}

/// Why a condition cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadCondition {
    /// Not a date.
    #[error(transparent)]
    Date(#[from] NotADate),
    /// Not a kind.
    #[error("{0}; kinds are {names}", names = Kind::ALL.map(Kind::name).join(", "))]
    Kind(#[from] UnknownKind),
    /// Not a glob.
    #[error(transparent)]
    Path(#[from] globset::Error),
    /// No condition has this name.
    #[error("no filter is called {0}")]
    Name(String),
}
