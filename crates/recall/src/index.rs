//! `recall index`: brings an index up to date with the files on disk.

mod plan;
mod report;
mod work;

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use recall_index::{Manifest, Summary};
use recall_query::{Builder, Built, Words};

use crate::bars::Bars;
use crate::failure::Failure;
use crate::flags::{Flags, IndexFlags};
use crate::resident::{self, Job};
use crate::{hint, index_folder, stop};
pub(crate) use report::problems;
pub(crate) use work::Work;

/// Runs `recall index`.
pub(crate) fn run(flags: &Flags, options: &IndexFlags) -> Result<u8, Failure> {
    let mut work = Work::new(flags.index.as_deref(), &options.paths, &options.reading)?;
    work.options.optimize = options.optimize;
    work.settings.rebuild = options.rebuild;
    if options.dry_run {
        return plan::dry_run(&work, options.json, &Bars::new());
    }
    Run { work: &work, background: options.background, json: options.json }.run(flags.offline)?;
    Ok(0)
}

/// Brings the index of `work` up to date, keywords and vectors, and reports what was done.
pub(crate) fn update(work: &Work, offline: bool) -> Result<(), Failure> {
    Run { work, background: false, json: false }.run(offline)
}

/// One run of `recall index`.
struct Run<'a> {
    work: &'a Work,
    background: bool,
    json: bool,
}

impl Run<'_> {
    fn run(&self, offline: bool) -> Result<(), Failure> {
        let started = Instant::now();
        let (work, stop, bars) = (self.work, stop::flag(), Bars::new());
        let builder = work.builder(offline)?;
        let was_busy = resident::release(&work.folder);
        let words = builder.update(&work.paths, &work.options, &|step| bars.step(step), stop);
        bars.clear();
        let words = words?;
        tell_recut(&words);
        let searchable = started.elapsed();
        let background = self.background || was_busy && work.settings.keyword_only;
        let (summary, manifest, no_vectors) = if background && words.summary.pending > 0 {
            self.in_background(&builder, words, &bars, stop)?
        } else {
            self.here(&builder, words, &bars, stop)?
        };
        self.report(&summary, &manifest, no_vectors, searchable, started.elapsed())
    }

    /// Makes the vectors in this process. Returns what was done, the resulting manifest, and why
    /// vectors are missing, if any are.
    fn here(
        &self,
        builder: &Builder,
        words: Words,
        bars: &Bars,
        stop: &AtomicBool,
    ) -> Result<(Summary, Manifest, Option<String>), Failure> {
        let optimize = self.work.options.optimize;
        let built = builder.embed(words, optimize, &|step| bars.step(step), stop);
        bars.clear();
        let Built { summary, manifest, no_vectors } = built?;
        Ok((summary, manifest, no_vectors.as_ref().map(hint::no_vectors)))
    }

    /// Has the resident process make the vectors, or makes them here if it declines.
    fn in_background(
        &self,
        builder: &Builder,
        words: Words,
        bars: &Bars,
        stop: &AtomicBool,
    ) -> Result<(Summary, Manifest, Option<String>), Failure> {
        // The process that makes the vectors needs the writer's lock.
        let (summary, manifest) = words.release();
        if hand_over(self.work, builder, self.work.options.optimize) {
            let why = "the rest are being made in the background; see: recall status";
            return Ok((summary, manifest, Some(why.to_owned())));
        }
        self.here(builder, builder.reopen(summary)?, bars, stop)
    }

    fn report(
        &self,
        summary: &Summary,
        manifest: &Manifest,
        no_vectors: Option<String>,
        searchable: Duration,
        all: Duration,
    ) -> Result<(), Failure> {
        let report = report::Report {
            folder: &self.work.folder,
            summary,
            manifest,
            searchable_seconds: searchable.as_secs_f64(),
            seconds: all.as_secs_f64(),
            no_vectors,
        };
        report.print(self.json)
    }
}

/// Tells the user that all documents were split into chunks again, which takes longer than
/// expected.
pub(crate) fn tell_recut(words: &Words) {
    if words.recut {
        eprintln!("the model is installed now: all documents were split again by its tokens");
    }
}

/// Asks the resident process to make the vectors that an index lacks. Returns whether it accepted.
pub(crate) fn hand_over(work: &Work, builder: &Builder, optimize: bool) -> bool {
    let (folder, threads) = (index_folder::real(&work.folder), work.settings.threads);
    let job = |model| Job { folder, model, threads, optimize };
    builder.model_record().is_some_and(|model| resident::embed(job(model)))
}
