//! Jobs and status of the resident process, on every system.

use std::path::{Path, PathBuf};

use recall_index::ModelRecord;
use serde::{Deserialize, Serialize};

/// A request to make the vectors that an index lacks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Job {
    /// The index folder, as a canonical path.
    pub folder: PathBuf,
    /// The model that makes them.
    pub model: ModelRecord,
    /// Number of threads; by default all but one, which is kept for questions.
    pub threads: Option<usize>,
    /// Merge all segments at the end.
    pub optimize: bool,
}

/// Progress of a job.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct JobStatus {
    /// The index folder.
    pub folder: PathBuf,
    /// Texts that have a vector now.
    pub done: u64,
    /// Texts that lacked a vector at the start; 0 if the job has not begun.
    pub total: u64,
    /// Tokens embedded per second.
    pub tokens_per_second: f64,
    /// Estimated seconds until it is done, if that can be told.
    pub seconds_left: Option<f64>,
    /// Why it failed, if it did.
    pub failed: Option<String>,
}

impl JobStatus {
    /// Creates the status of a job that has not begun.
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

/// Status of the resident process.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Status {
    /// Process id.
    pub process: u32,
    /// Version of the program.
    pub version: String,
    /// When it started, in RFC 3339.
    pub since: String,
    /// Path of its socket.
    pub socket: PathBuf,
    /// Questions answered.
    pub answered: u64,
    /// Callers being served now.
    pub callers: usize,
    /// Open indexes with their generations.
    pub indexes: Vec<(PathBuf, u64)>,
    /// Ids of the loaded models.
    pub models: Vec<String>,
    /// Jobs that make vectors: running, waiting and last failed.
    pub jobs: Vec<JobStatus>,
}

/// The resident process is another build, whose messages differ.
#[derive(Debug)]
pub(crate) struct OtherBuild;
