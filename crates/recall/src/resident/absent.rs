//! No resident process: there are no Unix sockets here, so every caller helps itself.

use std::path::Path;
use std::time::Duration;

use recall_query::{Answer, Query};

use super::status::{Job, JobStatus, OtherBuild, Status};
use crate::failure::Failure;

/// Always `None`.
pub fn answer(_: &Query) -> Option<Answer> {
    None
}

/// Always `false`: no background jobs here.
pub fn embed(_: Job) -> bool {
    false
}

/// Always `false`: nothing writes in the background.
pub fn release(_: &Path) -> bool {
    false
}

/// Always `None`: no background jobs here.
pub fn job_of(_: &Path) -> Option<JobStatus> {
    None
}

/// Always the answer for "not running".
pub fn status() -> Option<Result<Status, OtherBuild>> {
    None
}

/// Always the answer for "not running".
pub fn stop(_: Duration) -> bool {
    false
}

/// Does nothing.
pub fn detach() {}

/// Always an error: this system has no Unix sockets.
pub fn serve(_: Option<Duration>, _: Duration) -> Result<bool, Failure> {
    Err(Failure::usage("this system has no Unix sockets; questions are answered without it"))
}
