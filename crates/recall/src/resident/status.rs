//! Background jobs of the resident process, and its status.

use std::path::{Path, PathBuf};

use recall_index::ModelRecord;
use serde::{Deserialize, Serialize};

/// Vectors to make.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Job {
    /// The index, by its one name.
    pub folder: PathBuf,
    /// The model that makes them.
    pub model: ModelRecord,
    /// Threads; without a wish all but one, which is for questions.
    pub threads: Option<usize>,
    /// Merge all segments at the end.
    pub optimize: bool,
}

/// How far it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct JobStatus {
    /// The index.
    pub folder: PathBuf,
    /// Texts that have a vector now.
    pub done: u64,
    /// Texts that had none; 0 if it has not begun.
    pub total: u64,
    /// ModelTokenizer a second.
    pub tokens_per_second: f64,
    /// Seconds until it is done, if that can be told.
    pub seconds_left: Option<f64>,
    /// Why it ended before it was done.
    pub failed: Option<String>,
}

impl JobStatus {
    /// A job that has not begun.
    pub(crate) fn new(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            done: 0,
            total: 0,
            tokens_per_second: 0.0,
            seconds_left: None,
            failed: None,
        }
    }
}

/// How the resident process is.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Status {
    /// Process id.
    pub process: u32,
    /// Version of the program.
    pub version: String,
    /// When it began, RFC 3339.
    pub since: String,
    /// Where it listens.
    pub socket: PathBuf,
    /// Questions answered.
    pub answered: u64,
    /// Callers that are being served.
    pub callers: usize,
    /// Open indexes with their generations.
    pub indexes: Vec<(PathBuf, u64)>,
    /// Loaded models.
    pub models: Vec<String>,
    /// Vectors that are being made, or waiting to be.
    pub jobs: Vec<JobStatus>,
}

/// The resident process is another build, which speaks another language.
#[derive(Debug)]
pub(crate) struct OtherBuild;
