//! `recall tune`: fits an index's settings on labelled questions, and keeps them if they help on
//! held-out ones.

use std::path::Path;

use recall_eval::queries::Query;
use recall_eval::tune::{self, FOLDS, LEAST, Proposal, SETTINGS, Sample};
use recall_index::{Indexer, Snapshot};
use recall_query::fuse::FusionWeights;
use recall_query::{Engine, Mode};
use serde_json::json;

use crate::bars::Bars;
use crate::eval::PROBLEMS_SHOWN;
use crate::eval::labelled::{self, Labelled};
use crate::eval::runner::Runner;
use crate::failure::Failure;
use crate::flags::{Flags, TuneFlags};
use crate::index_folder;
use crate::print::{harmless, out};

/// Result of a fit: the proposed settings, notes for the user, and whether anything was stored.
struct Fit {
    proposals: Vec<Proposal>,
    notes: Vec<String>,
    stored: bool,
}

/// Runs `recall tune`.
pub(crate) fn run(flags: &Flags, options: &TuneFlags) -> Result<u8, Failure> {
    if options.reset {
        return reset(&index_folder::to_read(flags.index.as_deref())?);
    }
    let labelled = Labelled::load(&options.labels, false)?;
    let folder = labelled::index(flags, &options.labels, false)?;
    let mut fit = fit(&folder, &labelled, options)?;
    if !options.dry_run && fit.proposals.iter().any(|p| p.helps) {
        store(&folder, &fit.proposals)?;
        fit.stored = true;
    }
    out(&if options.json { fit.json() } else { harmless(&fit.text(options.dry_run)) })?;
    Ok(0)
}

fn fit(folder: &Path, labelled: &Labelled, options: &TuneFlags) -> Result<Fit, Failure> {
    // With keywords alone there is only one weight, which changes nothing.
    let searcher = Engine::new().searcher(folder, Mode::Vector)?;
    let mut notes = labelled.notes(PROBLEMS_SHOWN);
    notes.extend(labelled.unknown_documents(searcher.snapshot())?);
    let field = options.labels.filter_field.as_deref();
    let samples = samples(&Runner { searcher: &searcher, labelled, field }, labelled)?;
    let now = *searcher.weights();
    let weights = tune::weights(&samples, &now);
    let kept = match &weights {
        Some(found) if found.helps => FusionWeights { keyword: found.fitted as f32, vector: 1.0 },
        _ => now,
    };
    let threshold = tune::threshold(&samples, &kept, searcher.threshold());
    if weights.is_none() {
        notes.push(format!("fewer than {LEAST} answerable questions: the weights stay"));
    }
    if threshold.is_none() {
        notes.push(format!(
            "the threshold stays: it needs {LEAST} answerable questions and {LEAST} that nothing answers"
        ));
    }
    Ok(Fit { proposals: weights.into_iter().chain(threshold).collect(), notes, stored: false })
}

fn samples(runner: &Runner<'_>, labelled: &Labelled) -> Result<Vec<Sample>, Failure> {
    let sets = [&labelled.queries, &labelled.unanswerable, &labelled.off_topic];
    let total = sets.iter().map(|set| set.len()).sum::<usize>() as u64;
    let bars = Bars::new();
    let mut samples = Vec::new();
    let mut ask = |query: &Query, is_answerable: bool| -> Result<(), Failure> {
        let (ranking, _) = runner.rank(query, Mode::Hybrid)?;
        let grades = labelled.qrels.get(&query.id).filter(|_| is_answerable).cloned();
        samples.push(Sample { query: query.id.clone(), ranking, grades });
        bars.questions(samples.len() as u64, total);
        Ok(())
    };
    for (kind, set) in sets.into_iter().enumerate() {
        set.iter().try_for_each(|query| ask(query, kind == 0))?;
    }
    bars.clear();
    Ok(samples)
}

fn store(folder: &Path, proposals: &[Proposal]) -> Result<(), Failure> {
    change(folder, |settings| tune::applied(settings, &proposals.iter().collect::<Vec<_>>()))
}

fn reset(folder: &Path) -> Result<u8, Failure> {
    change(folder, |settings| {
        let own = |name: &&String| !SETTINGS.contains(&name.as_str());
        settings.keys().filter(own).map(|name| (name.clone(), settings[name])).collect()
    })?;
    out("the index has its default weights and threshold again\n")?;
    Ok(0)
}

type Settings = std::collections::BTreeMap<String, f64>;

fn change(folder: &Path, new: impl FnOnce(&Settings) -> Settings) -> Result<(), Failure> {
    let manifest = Snapshot::open(folder)?.manifest().clone();
    let mut indexer = Indexer::open(folder, manifest.chunks, manifest.measured)?;
    let settings = new(&indexer.manifest().settings);
    Ok(indexer.set_settings(settings)?)
}

impl Fit {
    fn json(&self) -> String {
        let value = json!({
            "settings": self.proposals, "folds": FOLDS, "stored": self.stored, "notes": self.notes,
        });
        format!("{value}\n")
    }

    fn text(&self, dry_run: bool) -> String {
        let mut text: String = self.notes.iter().map(|note| format!("note: {note}\n")).collect();
        text.push_str(&format!(
            "{:<20} {:>6} {:>6}  {:<8} {:>7} {:>7} {:>7}\n",
            "setting", "now", "fitted", "held out", "before", "after", "p"
        ));
        for p in &self.proposals {
            text.push_str(&format!(
                "{:<20} {:>6} {:>6}  {:<8} {:>7.4} {:>7.4} {:>7.4}  {}\n",
                p.setting,
                rounded(p.now),
                rounded(p.fitted),
                p.metric,
                p.before,
                p.after,
                p.p,
                if p.helps { "helps" } else { "stays as it is" },
            ));
        }
        let helps = self.proposals.iter().any(|p| p.helps);
        text.push_str(match (helps, dry_run) {
            (false, _) => "nothing helps on held-out questions; the index is as it was\n",
            (true, true) => "not stored (--dry-run)\n",
            (true, false) => "stored with the index; `recall tune --reset` takes it back\n",
        });
        text
    }
}

fn rounded(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}
