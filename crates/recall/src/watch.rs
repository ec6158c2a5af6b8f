//! `recall watch`: keeps an index up to date as files change.

mod changes;

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use recall_index::{IndexError, Summary};
use recall_query::{Builder, Words};

use crate::bars::Bars;
use crate::failure::Failure;
use crate::flags::{Flags, WatchFlags};
use crate::index::{Work, hand_over, problems, tell_recut};
use crate::{hint, resident, stop};
use changes::{Changes, Watcher};

/// Interval between checks whether to stop.
const TICK: Duration = Duration::from_millis(200);
/// Delay before the next attempt to write an index that another process is writing.
const LOCK_TICK: Duration = Duration::from_millis(500);
/// Interval between full rescans while changes cannot be watched or could not be indexed.
const PERIOD: Duration = Duration::from_secs(60);

/// Runs `recall watch`, until it is interrupted.
pub(crate) fn run(flags: &Flags, options: &WatchFlags) -> Result<u8, Failure> {
    let stop = stop::flag();
    let mut watch = Watch::new(flags, options, stop)?;
    // Created before the first scan, so that no change after it is missed.
    let mut watcher = Watcher::new(&watch.work.roots(), &watch.work.folder);
    tell_state(&watcher, &watch.work.roots());
    watch.update(&Changes::All)?;
    let mut looked = Instant::now();
    loop {
        watch.check_stop()?;
        let was_blind = watcher.is_blind();
        let is_due = (was_blind || watch.has_failed) && looked.elapsed() > PERIOD;
        let changes = match watcher.next(TICK) {
            Some(changes) => changes,
            None if is_due => Changes::All,
            None => continue,
        };
        if changes.touch_settings() {
            match Watch::new(flags, options, stop) {
                Ok(renewed) => watch = renewed,
                Err(failure) => eprintln!("error: {failure}; keeping the previous settings"),
            }
        }
        if is_due && was_blind {
            watcher = Watcher::new(&watch.work.roots(), &watch.work.folder);
        }
        watch.must(&changes)?;
        looked = Instant::now();
        if watcher.is_blind() != was_blind {
            tell_state(&watcher, &watch.work.roots());
        }
    }
}

/// The watched work, and the builder that brings changes into the index.
struct Watch<'a> {
    work: Work,
    builder: Builder,
    stop: &'a AtomicBool,
    /// Whether the last changes could not be indexed.
    has_failed: bool,
}

impl<'a> Watch<'a> {
    fn new(flags: &Flags, options: &WatchFlags, stop: &'a AtomicBool) -> Result<Self, Failure> {
        let work = Work::new(flags.index.as_deref(), &options.paths, &options.reading)?;
        let builder = work.builder(flags.offline)?;
        Ok(Self { work, builder, stop, has_failed: false })
    }

    /// Updates the index, waiting for as long as another process writes it; after any other error
    /// the update is tried again later.
    fn must(&mut self, changes: &Changes) -> Result<(), Failure> {
        let mut told = false;
        self.has_failed = false;
        loop {
            match self.update(changes) {
                Ok(()) => return Ok(()),
                Err(Failure::Index(error @ IndexError::Locked { .. })) => {
                    if !std::mem::replace(&mut told, true) {
                        eprintln!("{error}; waiting");
                    }
                    let until = Instant::now() + LOCK_TICK;
                    while Instant::now() < until {
                        self.check_stop()?;
                        std::thread::sleep(TICK.min(LOCK_TICK));
                    }
                }
                Err(Failure::Index(IndexError::Interrupted)) => return self.check_stop(),
                Err(failure) => {
                    eprintln!("error: {failure}; trying again in {} s", PERIOD.as_secs());
                    self.has_failed = true;
                    return Ok(());
                }
            }
        }
    }

    fn check_stop(&self) -> Result<(), Failure> {
        match self.stop.load(Ordering::Relaxed) {
            true => Err(IndexError::Interrupted.into()),
            false => Ok(()),
        }
    }

    /// Brings changes into the index, holding the writer's lock only while writing.
    fn update(&mut self, changes: &Changes) -> Result<(), Failure> {
        let started = Instant::now();
        self.work.options.scan.only = changes.paths();
        resident::release(&self.work.folder);
        let bars = Bars::new();
        let progress = |step| bars.step(step);
        let paths = if changes.paths().is_empty() { self.work.paths.as_slice() } else { &[] };
        let words = self.builder.update(paths, &self.work.options, &progress, self.stop);
        bars.clear();
        let words = words?;
        tell_recut(&words);
        let (summary, _) = words.release();
        tell(&summary, started.elapsed());
        if summary.pending > 0 && !hand_over(&self.work, &self.builder, false) {
            self.embed(self.builder.reopen(summary)?, &bars)?;
        }
        Ok(())
    }

    /// Makes the vectors in this process.
    fn embed(&self, words: Words, bars: &Bars) -> Result<(), Failure> {
        let built = self.builder.embed(words, false, &|step| bars.step(step), self.stop);
        bars.clear();
        let built = built?;
        if let Some(why) = &built.no_vectors {
            let missing = built.summary.pending;
            eprintln!("{missing} chunks have no vector: {}", hint::no_vectors(why));
        }
        Ok(())
    }
}

/// Reports what an update did, if it did anything.
fn tell(summary: &Summary, time: Duration) {
    let (added, changed, removed) =
        (summary.sources_added, summary.sources_changed, summary.sources_removed);
    if added + changed + removed > 0 {
        let ms = time.as_millis();
        eprintln!("{added} new, {changed} changed, {removed} removed; {ms} ms");
    }
    eprint!("{}", problems(&summary.problems));
}

/// Reports what is watched, or why everything is rescanned periodically instead.
fn tell_state(watcher: &Watcher, roots: &[PathBuf]) {
    match watcher.why_blind() {
        Some(why) => eprintln!(
            "changes cannot be watched ({why}); rescanning everything every {} s",
            PERIOD.as_secs()
        ),
        None => roots.iter().for_each(|root| eprintln!("watching {}", root.display())),
    }
}
