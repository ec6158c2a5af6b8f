//! The resident process: one process per user that keeps the model loaded and indexes open, so that
//! ten agents and scripts share one copy.
//!
//! A query starts it, and everything it does can be done without it: if anything goes wrong in
//! talking to it, that is not an error, and the caller does the work in its own process. Systems
//! without Unix sockets always work that way.

mod status;

#[cfg(not(unix))]
mod absent;
#[cfg(unix)]
mod client;
#[cfg(unix)]
mod job;
#[cfg(unix)]
mod message;
#[cfg(unix)]
mod server;
#[cfg(unix)]
mod socket;

#[cfg(not(unix))]
pub use absent::{answer, detach, embed, job_of, release, serve, status, stop};
#[cfg(unix)]
pub(crate) use client::{answer, embed, job_of, release, status, stop};
#[cfg(unix)]
pub(crate) use server::{detach, serve};
pub(crate) use status::{Job, JobStatus, Status};
