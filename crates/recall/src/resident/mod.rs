//! The resident process: it keeps a model loaded and indexes open, so that all agents and scripts of a user
//! share one copy.
//!
//! A question starts it, and everything it does can be done without it: whatever goes wrong between
//! here and there is no error, but the sign to do the work in this process. Where there are no Unix
//! sockets, everything is done so.

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
