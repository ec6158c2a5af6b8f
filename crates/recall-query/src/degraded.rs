//! Reasons why an answer searched less than was asked for.

use std::sync::Arc;

use recall_embed::EmbedError;
use serde::{Deserialize, Serialize};

/// Reason why the vector side of an answer is missing or incomplete.
#[derive(Debug, Clone, Serialize, Deserialize, thiserror::Error)]
pub enum Degraded {
    /// The index has no vectors.
    #[error("the index has no vectors yet")]
    NoVectors,
    /// Some chunks have no vector; the rest was searched.
    #[error("{missing} of {chunks} chunks have no vector yet")]
    Behind {
        /// Chunks without a vector.
        missing: u64,
        /// Chunks in the index.
        chunks: u64,
    },
    /// The vectors of the index cannot be read.
    #[error("{0}")]
    Unreadable(String),
    /// There was no time to wait for the model.
    #[error("the model is not loaded yet")]
    NotLoaded,
    /// The model on this machine is not the one that made the index.
    #[error("the installed model {0} is not the one the index was made with")]
    OtherModel(String),
    /// The model cannot be used. This is not serialized: other processes meet the error themselves.
    #[serde(skip)]
    #[error("{0}")]
    Model(Arc<EmbedError>),
}
