//! `recall eval`: measures the quality and speed of answers on labelled questions.

pub(crate) mod labelled;
pub(crate) mod runner;

use std::path::Path;

use recall_eval::chart;
use recall_eval::comparison::Comparison;
use recall_eval::contrast::{self, Contrast};
use recall_eval::label_file::{self, Problem};
use recall_eval::measure::{Judgements, Measured, Outcomes, judge};
use recall_eval::metrics::Metric;
use recall_eval::report::{Groups, Misses, Report, name};
use recall_eval::run::{self, Run};
use recall_query::{Engine, Mode, Searcher};

use crate::conditions::mode;
use crate::failure::Failure;
use crate::flags::{EvalFlags, Flags, ModeFlag};
use crate::hint;
use crate::print::{harmless, out};
use labelled::Labelled;
use runner::Runner;

/// Number of problems of one kind that are listed one by one.
pub(crate) const PROBLEMS_SHOWN: usize = 10;

/// Runs `recall eval`.
pub(crate) fn run(flags: &Flags, options: &EvalFlags) -> Result<u8, Failure> {
    let floor =
        options.fail_under.iter().map(|text| Floor::parse(text)).collect::<Result<Vec<_>, _>>()?;
    let labelled = Labelled::load(&options.labels, !options.compare.is_empty())?;
    if let [a, b] = options.compare.as_slice() {
        return compare(&labelled, a, b, options.json);
    }
    let keyword_only = options.mode == [ModeFlag::Keyword];
    let folder = labelled::index(flags, &options.labels, keyword_only)?;
    let measured = measure(&folder, labelled, options)?;
    if let Some(path) = &options.report {
        std::fs::write(path, chart::page(&measured)).map_err(Failure::io("write", path))?;
    }
    if options.json {
        out(&format!("{}\n", measured.json()))?;
    } else {
        out(&harmless(&measured.text()))?;
    }
    floor.iter().try_for_each(|floor| floor.hold(&measured))?;
    Ok(0)
}

/// Opens a searcher and chooses the modes to measure. Without vectors only keywords are measured,
/// unless more was asked for.
fn searcher(folder: &Path, options: &EvalFlags) -> Result<(Searcher, Vec<Mode>), Failure> {
    let named: Vec<Mode> = options.mode.iter().map(|flag| mode(*flag)).collect();
    let mut asked = vec![Mode::Keyword, Mode::Vector, Mode::Hybrid];
    asked.retain(|mode| named.is_empty() || named.contains(mode));
    let strict = !named.is_empty() || !options.fail_under.is_empty();
    let needed = match asked.as_slice() {
        [Mode::Keyword] => Mode::Keyword,
        // Asking for vectors alone makes a missing model an error.
        _ if strict => Mode::Vector,
        _ => Mode::Hybrid,
    };
    let searcher = Engine::new().searcher(folder, needed)?;
    if searcher.embedder().is_none() {
        asked = vec![Mode::Keyword];
    }
    Ok((searcher, asked))
}

fn measure(folder: &Path, mut labelled: Labelled, options: &EvalFlags) -> Result<Report, Failure> {
    let (searcher, modes) = searcher(folder, options)?;
    let snapshot = searcher.snapshot();
    let mut notes = labelled.notes(PROBLEMS_SHOWN);
    notes.extend(labelled.unknown_documents(snapshot)?);
    notes.extend(searcher.degraded().map(hint::degraded));
    if let Some(limit) = options.limit {
        labelled.keep_first(limit);
    }
    let field = options.labels.filter_field.as_deref();
    notes.extend(field.and_then(|field| labelled.without_field(field)));
    let outcomes = Runner { searcher: &searcher, labelled: &labelled, field }.ask(&modes)?;
    if let Some(path) = &options.run_out {
        write_runs(path, &outcomes)?;
    }
    let threshold = f64::from(searcher.threshold());
    let measured: Vec<Measured> = outcomes
        .iter()
        .map(|(mode, outcomes)| Measured::new(*mode, outcomes, &labelled.qrels, threshold))
        .collect();
    Ok(Report {
        dataset: labelled.name.clone(),
        model: searcher.embedder().map(|e| e.model().id.clone()),
        documents: snapshot.manifest().counts.documents,
        queries: labelled.qrels.len(),
        unanswerable: labelled.unanswerable.len(),
        off_topic: labelled.off_topic.len(),
        threshold: searcher.threshold(),
        contrasts: contrasts(&measured),
        groups: options.by.as_ref().map(|field| groups(field, &measured, &labelled)),
        misses: options.misses.then(|| misses(&measured, &labelled)).transpose()?,
        modes: measured,
        notes,
    })
}

fn judged(measured: &[Measured], mode: Mode) -> Option<&Judgements> {
    measured.iter().find(|m| m.mode == mode).map(|m| &m.judged)
}

fn contrasts(measured: &[Measured]) -> Vec<(Mode, Vec<Contrast>)> {
    let Some(hybrid) = judged(measured, Mode::Hybrid) else { return Vec::new() };
    let against = |mode: Mode| {
        let retriever = judged(measured, mode)?;
        Some((mode, Metric::ALL.map(|metric| Contrast::new(metric, hybrid, retriever)).to_vec()))
    };
    [Mode::Keyword, Mode::Vector].into_iter().filter_map(against).collect()
}

fn groups(field: &str, measured: &[Measured], labelled: &Labelled) -> Groups {
    let tag = |query: &str| {
        let query = labelled.queries.iter().find(|q| q.id == query);
        query.and_then(|q| q.metadata.get(field)).cloned().unwrap_or_default()
    };
    Groups::new(field, measured, &tag)
}

fn misses(measured: &[Measured], labelled: &Labelled) -> Result<Misses, Failure> {
    let retrievers = (judged(measured, Mode::Keyword), judged(measured, Mode::Vector));
    let (Some(keyword), Some(vector)) = retrievers else {
        return Err(Failure::usage("--misses needs both the keyword and the vector mode"));
    };
    let only = |a: &Judgements, b: &Judgements| {
        let finds = contrast::found_only_by(a, b).into_iter();
        finds.map(|find| (find.clone(), labelled.text(&find.query))).collect()
    };
    Ok(Misses { only_vector: only(vector, keyword), only_keyword: only(keyword, vector) })
}

/// Writes one mode to the file as named, or several modes to a file each, such as
/// `run.keyword.txt`.
fn write_runs(path: &Path, outcomes: &[(Mode, Outcomes)]) -> Result<(), Failure> {
    for (mode, of_mode) in outcomes {
        let path = if outcomes.len() == 1 { path.to_owned() } else { beside(path, name(*mode)) };
        let text = run::format(&of_mode.run(), &format!("recall-{}", name(*mode)));
        std::fs::write(&path, text).map_err(Failure::io("write", path))?;
    }
    Ok(())
}

fn beside(path: &Path, mode: &str) -> std::path::PathBuf {
    match path.extension() {
        Some(end) => path.with_extension(format!("{mode}.{}", end.to_string_lossy())),
        None => path.with_extension(mode),
    }
}

fn compare(labelled: &Labelled, a: &Path, b: &Path, json: bool) -> Result<u8, Failure> {
    let mut notes = labelled.notes(PROBLEMS_SHOWN);
    let mut load = |path: &Path| -> Result<Judgements, Failure> {
        let mut problems = Vec::new();
        let run = label_file::read(path, run::parse, Run::is_empty, "ranking", &mut problems)?;
        notes.extend(listed(&problems, PROBLEMS_SHOWN));
        let missing = labelled.qrels.keys().filter(|query| !run.contains_key(*query)).count();
        if missing > 0 {
            notes.push(format!(
                "{}: {missing} labelled questions missing, which count as 0",
                path.display()
            ));
        }
        Ok(judge(&run, &labelled.qrels))
    };
    let (judged_a, judged_b) = (load(a)?, load(b)?);
    let changes = contrast::changes(Metric::Ndcg(10), &judged_a, &judged_b);
    let comparison = Comparison {
        a: a.display().to_string(),
        b: b.display().to_string(),
        contrasts: Metric::ALL.map(|m| Contrast::new(m, &judged_a, &judged_b)).to_vec(),
        changes: changes.into_iter().map(|c| (c.clone(), labelled.text(&c.query))).collect(),
        notes,
    };
    let text = if json { format!("{}\n", comparison.json()) } else { harmless(&comparison.text()) };
    out(&text)?;
    Ok(0)
}

/// Lists problems one by one, then how many more there are.
fn listed(problems: &[Problem], shown: usize) -> Vec<String> {
    let mut out: Vec<String> = problems.iter().take(shown).map(ToString::to_string).collect();
    if problems.len() > shown {
        out.push(format!("and {} more lines with problems", problems.len() - shown));
    }
    out
}

/// The lowest value that a metric may have (`--fail-under`).
struct Floor {
    metric: Metric,
    value: f64,
}

impl Floor {
    fn parse(text: &str) -> Result<Self, Failure> {
        let wrong = |why: String| Failure::usage_hint(why, "for example: --fail-under ndcg@10=0.6");
        let (metric, value) =
            text.split_once('=').ok_or_else(|| wrong(format!("`{text}` is not METRIC=VALUE")))?;
        let metric = metric
            .trim()
            .parse()
            .map_err(|e: recall_eval::metrics::UnknownMetric| wrong(e.to_string()))?;
        let value = value.trim().parse().ok().filter(|v| (0.0..=1.0).contains(v));
        let value =
            value.ok_or_else(|| wrong(format!("`{text}`: the value must be between 0 and 1")))?;
        Ok(Self { metric, value })
    }

    /// Fails if hybrid is below the floor, or, if hybrid was not measured, any mode that was.
    fn hold(&self, report: &Report) -> Result<(), Failure> {
        let hybrid = report.modes.iter().any(|m| m.mode == Mode::Hybrid);
        let held = report.modes.iter().filter(|m| !hybrid || m.mode == Mode::Hybrid);
        for measured in held {
            let got = measured.mean(self.metric);
            if got < self.value {
                let (mode, metric) = (name(measured.mode), self.metric.to_string());
                return Err(Failure::Below { mode, metric, got, floor: self.value });
            }
        }
        Ok(())
    }
}
