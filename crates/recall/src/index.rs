//! `recall index`: the disk, brought into an index.

mod model;
mod plan;
mod report;
mod work;

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use recall_index::{Indexer, Manifest, Summary};

use crate::bars::Bars;
use crate::failure::Failure;
use crate::flags::{Flags, IndexFlags};
use crate::{resident, stop};
pub use model::Model;
pub use report::problems;
pub use work::Work;

/// Runs `recall index`.
pub fn run(flags: &Flags, options: &IndexFlags) -> Result<u8, Failure> {
    let started = Instant::now();
    let mut work = Work::new(flags, &options.paths, &options.reading)?;
    work.options.optimize = options.optimize;
    let (stop, bars) = (stop::flag(), Bars::new());
    if options.dry_run {
        return plan::dry_run(&work, options.json, &bars);
    }
    let model = Model::find(flags, &options.reading, &work, options.rebuild)?;
    let was_busy = resident::release(&work.folder);
    let mut indexer = model.open(&work, options.rebuild)?;
    if options.rebuild && work.paths.is_empty() && indexer.manifest().roots.is_empty() {
        return Err(Failure::usage_hint(
            format!("which folders {} was made of is not known", work.folder.display()),
            "name them: recall index --rebuild FOLDER",
        ));
    }
    let progress = |step| bars.step(step);
    let measure = |text: &str| model.measure(text);
    let summary = indexer.update(&work.paths, &work.options, &measure, &progress, stop);
    bars.clear();
    let mut summary = summary?;
    let searchable = started.elapsed();
    let background = options.background || was_busy && options.reading.keyword_only;
    let vectors = Vectors { model: &model, work: &work, background, bars: &bars, stop };
    let (manifest, no_vectors) = vectors.make(indexer, &mut summary)?;
    let report = report::Report {
        folder: &work.folder,
        summary: &summary,
        manifest: &manifest,
        searchable_seconds: searchable.as_secs_f64(),
        seconds: started.elapsed().as_secs_f64(),
        no_vectors,
    };
    report.print(options.json)?;
    Ok(0)
}

/// The second half of a run: here, or in the background.
struct Vectors<'a> {
    model: &'a Model,
    work: &'a Work,
    background: bool,
    bars: &'a Bars,
    stop: &'a AtomicBool,
}

impl Vectors<'_> {
    /// Makes the vectors or has them made; the index as it is then, and why vectors are missing.
    fn make(
        &self,
        mut indexer: Indexer,
        summary: &mut Summary,
    ) -> Result<(Manifest, Option<String>), Failure> {
        if self.background && summary.pending > 0 {
            let manifest = indexer.manifest().clone();
            // Whoever makes them needs the writer's lock.
            drop(indexer);
            if self.model.hand_over(&self.work.folder, self.work.options.optimize) {
                let why = "the rest is made in the background; see: recall status";
                return Ok((manifest, Some(why.to_owned())));
            }
            indexer = self.model.open(self.work, false)?;
        }
        let progress = |step| self.bars.step(step);
        let optimize = self.work.options.optimize;
        let made = self.model.embed(&mut indexer, optimize, summary, &progress, self.stop);
        self.bars.clear();
        Ok((indexer.manifest().clone(), made?))
    }
}

/// Indexes `paths` into `folder` with the default options, as the demo and repairs do.
pub fn quietly(flags: &Flags, folder: PathBuf, options: &IndexFlags) -> Result<u8, Failure> {
    let flags =
        Flags { index: Some(folder), offline: flags.offline, command: crate::Command::Demo };
    run(&flags, options)
}
