//! Stubs for systems without Unix sockets, where there is no resident process and every caller does
//! its own work.

use std::path::Path;
use std::time::Duration;

use recall_query::{Answer, Query};

use super::status::{Job, JobStatus, OtherBuild, Status};
use crate::failure::Failure;

/// Returns `None`: the caller answers itself.
pub(crate) fn answer(_: &Query) -> Option<Answer> {
    None
}

/// Returns `false`: the caller makes the vectors itself.
pub(crate) fn embed(_: Job) -> bool {
    false
}

/// Returns `false`: no resident process is writing the index.
pub(crate) fn release(_: &Path) -> bool {
    false
}

/// Returns `None`: no vectors are made in the background.
pub(crate) fn job_of(_: &Path) -> Option<JobStatus> {
    None
}

/// Returns `None`: there is no resident process.
pub(crate) fn status() -> Option<Result<Status, OtherBuild>> {
    None
}

/// Returns `None`: there is no resident process to stop.
pub(crate) fn stop(_: Duration) -> Option<bool> {
    None
}

/// Does nothing: there is no terminal session to leave.
pub(crate) fn detach() {}

/// Fails: the resident process needs Unix sockets.
pub(crate) fn serve(_: Option<Duration>, _: Duration) -> Result<bool, Failure> {
    Err(Failure::usage("this system has no Unix sockets; questions are answered without it"))
}
