//! No resident process: there are no Unix sockets here, so every caller helps itself.

use std::path::Path;
use std::time::Duration;

use recall_query::{Answer, Query};

use super::status::{Job, JobStatus, OtherBuild, Status};
use crate::failure::Failure;

/// Nobody answers.
pub fn answer(_: &Query) -> Option<Answer> {
    None
}

/// Nobody takes a job on.
pub fn embed(_: Job) -> bool {
    false
}

/// Nobody writes.
pub fn release(_: &Path) -> bool {
    false
}

/// Nobody makes vectors.
pub fn job_of(_: &Path) -> Option<JobStatus> {
    None
}

/// There is none.
pub fn status() -> Option<Result<Status, OtherBuild>> {
    None
}

/// There is none.
pub fn stop(_: Duration) -> bool {
    false
}

/// Nothing to leave behind.
pub fn detach() {}

/// Cannot be.
pub fn serve(_: Option<Duration>, _: Duration) -> Result<bool, Failure> {
    Err(Failure::usage("this system has no Unix sockets; questions are answered without it"))
}
