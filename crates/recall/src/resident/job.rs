//! Makes vectors in the background: one index at a time, while the others wait.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

use recall_index::{IndexError, IndexProgress};
use recall_query::{BuildError, Engine, embed_missing};

use super::status::{Job, JobStatus};
use crate::failure::Failure;

/// The jobs of the resident process.
#[derive(Default)]
pub(super) struct Jobs {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// A thread does the jobs, one after another; it is gone when this is false.
    has_worker: bool,
    waiting: VecDeque<Job>,
    running: Option<Running>,
    failed: Option<JobStatus>,
}

struct Running {
    stop: Arc<AtomicBool>,
    since: Instant,
    status: JobStatus,
}

impl Jobs {
    /// Queues a job, replacing one for the same index; a separate thread does it. Returns `false` if
    /// that thread cannot be started.
    pub(super) fn add(self: &Arc<Self>, job: Job, engine: &Arc<Engine>) -> bool {
        let mut state = self.lock();
        state.waiting.retain(|other| other.folder != job.folder);
        state.waiting.push_back(job);
        if !state.has_worker {
            let (jobs, engine) = (self.clone(), engine.clone());
            // It waits for the lock before it looks for a job.
            state.has_worker = thread::Builder::new().spawn(move || jobs.work(&engine)).is_ok();
        }
        if !state.has_worker {
            state.waiting.clear();
        }
        state.has_worker
    }

    /// Whether no job is running or waiting.
    pub(super) fn is_empty(&self) -> bool {
        let state = self.lock();
        state.waiting.is_empty() && state.running.is_none()
    }

    /// Stops the work on one index, or on all of them if `folder` is `None`, and waits until it is
    /// no longer written. Returns whether there was any.
    pub(super) fn release(&self, folder: Option<&Path>) -> bool {
        let is_meant = |other: &Path| folder.is_none_or(|folder| folder == other);
        let mut state = self.lock();
        let before = state.waiting.len();
        state.waiting.retain(|job| !is_meant(&job.folder));
        let mut had_any = before > state.waiting.len();
        while let Some(running) = state.running.as_ref().filter(|r| is_meant(&r.status.folder)) {
            had_any = true;
            running.stop.store(true, Ordering::Relaxed);
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        had_any
    }

    /// Returns the status of each job: the running one, those waiting, and the last one that
    /// failed.
    pub(super) fn status(&self) -> Vec<JobStatus> {
        let state = self.lock();
        let waiting = state.waiting.iter().map(|job| JobStatus::new(&job.folder));
        let running = state.running.as_ref().map(|running| running.status.clone());
        running.into_iter().chain(waiting).chain(state.failed.clone()).collect()
    }

    /// Does jobs until none are left.
    fn work(&self, engine: &Engine) {
        while let Some((job, stop)) = self.next() {
            let status = |step| self.step(step);
            // A panic in a library must not leave a job that is marked as running for ever.
            let work = || {
                let Job { folder, model, threads, optimize } = &job;
                embed_missing(engine.models(), folder, model, *threads, *optimize, &status, &stop)
            };
            let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
            let failed = match result {
                Ok(Ok(())) => None,
                // Another process writes this index now, and embeds it or hands the job back.
                _ if stop.load(Ordering::Relaxed) => None,
                Ok(Err(BuildError::Index(IndexError::Locked { .. }))) => None,
                Ok(Err(error)) => Some(Failure::from(error).to_string()),
                Err(_) => Some("an internal error in recall".to_owned()),
            };
            let mut state = self.lock();
            let status = state.running.take().map(|running| running.status);
            if failed.is_some() {
                eprintln!("vectors of {}: {failed:?}", job.folder.display());
                state.failed = status.map(|status| JobStatus { failed, ..status });
            }
            drop(state);
            self.changed.notify_all();
        }
    }

    fn next(&self) -> Option<(Job, Arc<AtomicBool>)> {
        let mut state = self.lock();
        let Some(job) = state.waiting.pop_front() else {
            state.has_worker = false;
            return None;
        };
        let stop = Arc::new(AtomicBool::new(false));
        let status = JobStatus::new(&job.folder);
        state.failed = None;
        state.running = Some(Running { stop: stop.clone(), since: Instant::now(), status });
        Some((job, stop))
    }

    fn step(&self, step: IndexProgress) {
        let IndexProgress::Embed { done, total, tokens } = step else { return };
        let mut state = self.lock();
        let Some(running) = &mut state.running else { return };
        let seconds = running.since.elapsed().as_secs_f64();
        running.status.done = done;
        running.status.total = total;
        running.status.tokens_per_second = tokens as f64 / seconds;
        running.status.seconds_left =
            (done > 0).then(|| seconds * (total - done) as f64 / done as f64);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
