//! Measures one search mode on labelled questions. Pure.

use std::collections::{BTreeMap, HashSet};

use crate::calibration::Calibration;
use crate::metrics::{Judged, Metric};
use crate::qrels::{Grades, Qrels};
use crate::queries::Query;
use crate::run::Run;
use crate::statistics::{auroc, auroc_interval, interval, mean, percentile};
use recall_query::{Mode, Ranked};

/// Outcome of one question.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// Id of the question.
    pub query: String,
    /// Ranked documents, best first, each named as the labels name it.
    pub ranking: Vec<String>,
    /// Relevance of the first hit, in [0, 1]; `None` without a hit.
    pub first: Option<f64>,
    /// The highest relevance, which decides whether the question is answered or refused; 0 without
    /// a hit.
    pub top: f64,
    /// Seconds from the question's text to its ranking.
    pub seconds: f64,
}

impl Outcome {
    /// Records the outcome of `query`, whose labels are `grades`.
    pub fn new(query: &Query, grades: &Grades, documents: &[Ranked], seconds: f64) -> Self {
        Self {
            query: query.id.clone(),
            ranking: label_names(documents, grades),
            first: documents.first().map(|d| f64::from(d.relevance)),
            top: documents.iter().map(|d| f64::from(d.relevance)).fold(0.0, f64::max),
            seconds,
        }
    }
}

/// Returns the documents under the names that the labels use: a file named in the labels counts
/// once, however many of its documents are found.
pub fn label_names(documents: &[Ranked], grades: &Grades) -> Vec<String> {
    without_repeats(documents.iter().map(|d| label_name(&d.id, &d.path, grades)))
}

/// Returns the id of a document, or its path if that is how the labels name it.
fn label_name<'a>(id: &'a str, path: &'a str, grades: &Grades) -> &'a str {
    if !grades.contains_key(id) && grades.contains_key(path) { path } else { id }
}

fn without_repeats<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut seen = HashSet::new();
    names.filter(|name| seen.insert(*name)).map(str::to_owned).collect()
}

/// Outcomes of all questions in one mode.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Outcomes {
    /// Questions that have labels.
    pub answerable: Vec<Outcome>,
    /// Questions about the corpus that nothing in it answers.
    pub unanswerable: Vec<Outcome>,
    /// Questions about another corpus.
    pub off_topic: Vec<Outcome>,
}

impl Outcomes {
    /// Returns the rankings of the questions that have labels.
    pub fn run(&self) -> Run {
        self.answerable.iter().map(|o| (o.query.clone(), o.ranking.clone())).collect()
    }
}

/// The rankings of one mode or run with their grades, by query id: one for every labelled question.
pub type Judgements = BTreeMap<String, Judged>;

/// Looks up the grades of a run; a question missing from it counts as an empty ranking.
pub fn judge(run: &Run, qrels: &Qrels) -> Judgements {
    let judged = |(query, grades): (&String, &Grades)| {
        let ranking = run.get(query).map(Vec::as_slice).unwrap_or_default();
        (query.clone(), Judged::new(ranking.iter().map(String::as_str), grades))
    };
    qrels.iter().map(judged).collect()
}

/// One figure of a report.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// Its name, as in JSON.
    pub name: String,
    /// The number.
    pub value: f64,
    /// 95 % confidence interval, if the questions are a sample of more.
    pub interval: Option<(f64, f64)>,
}

impl Figure {
    fn bare(name: &str, value: f64) -> Self {
        Self { name: name.to_owned(), value, interval: None }
    }

    fn mean(name: impl Into<String>, values: &[f64]) -> Self {
        Self { name: name.into(), value: mean(values), interval: Some(interval(values)) }
    }
}

/// One mode, measured.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// The mode.
    pub mode: Mode,
    /// The ranking of every labelled question, with grades.
    pub judged: Judgements,
    /// The figures, in the order they are shown.
    pub figures: Vec<Figure>,
    /// Calibration of the relevance of first hits, over answerable and unanswerable questions;
    /// off-topic ones are left out.
    pub calibration: Calibration,
}

impl Measured {
    /// Measures a mode; hits whose relevance is below `threshold` are not answers.
    pub fn new(mode: Mode, outcomes: &Outcomes, qrels: &Qrels, threshold: f64) -> Self {
        let judged = judge(&outcomes.run(), qrels);
        let calibration = Calibration::of(&first_hits(outcomes, &judged));
        let mut figures = quality(&judged);
        figures.extend(honesty(outcomes, &judged, threshold));
        figures.push(Figure::bare("ece", calibration.error));
        figures.extend(speed(outcomes));
        Self { mode, judged, figures, calibration }
    }

    /// Returns the mean of a metric.
    pub fn mean(&self, metric: Metric) -> f64 {
        mean(&values(&self.judged, metric))
    }
}

/// Returns a metric of every question, in order of query id.
pub fn values(judged: &Judgements, metric: Metric) -> Vec<f64> {
    judged.values().map(|judged| metric.of(judged)).collect()
}

fn quality(judged: &Judgements) -> Vec<Figure> {
    let figure = |metric: Metric| Figure::mean(metric.to_string(), &values(judged, metric));
    Metric::ALL.into_iter().map(figure).collect()
}

fn first_hits(outcomes: &Outcomes, judged: &Judgements) -> Vec<(f64, bool)> {
    let right = |o: &Outcome| judged.get(&o.query).and_then(Judged::first_is_right);
    let answerable = outcomes.answerable.iter().filter_map(|o| Some((o.first?, right(o)?)));
    let unanswerable = outcomes.unanswerable.iter().filter_map(|o| Some((o.first?, false)));
    answerable.chain(unanswerable).collect()
}

/// Measures whether the mode answers what can be answered and refuses the rest.
fn honesty(outcomes: &Outcomes, judged: &Judgements, threshold: f64) -> Vec<Figure> {
    let tops = |outcomes: &[Outcome]| outcomes.iter().map(|o| o.top).collect::<Vec<_>>();
    let share = |yes: &dyn Fn(f64) -> bool, tops: &[f64]| -> Vec<f64> {
        tops.iter().map(|top| f64::from(u8::from(yes(*top)))).collect()
    };
    let has_answer = |o: &&Outcome| judged.get(&o.query).is_some_and(Judged::has_answer);
    let high: Vec<f64> = outcomes.answerable.iter().filter(has_answer).map(|o| o.top).collect();
    let refused = share(&|top| top < threshold, &high);
    let mut figures = vec![Figure::mean("false_silences", &refused)];
    for (answers, area, asked) in [
        ("false_answers", "auroc", &outcomes.unanswerable),
        ("off_topic_answers", "off_topic_auroc", &outcomes.off_topic),
    ] {
        let low = tops(asked);
        if let Some(value) = auroc(&high, &low) {
            figures.push(Figure::mean(answers, &share(&|top| top >= threshold, &low)));
            let interval = auroc_interval(&high, &low);
            figures.push(Figure { name: area.to_owned(), value, interval });
        }
    }
    figures
}

fn speed(outcomes: &Outcomes) -> Vec<Figure> {
    let all = [&outcomes.answerable, &outcomes.unanswerable, &outcomes.off_topic];
    let ms: Vec<f64> = all.into_iter().flatten().map(|o| o.seconds * 1000.0).collect();
    let total: f64 = ms.iter().sum();
    let rate = if total > 0.0 { ms.len() as f64 * 1000.0 / total } else { 0.0 };
    vec![
        Figure::bare("queries_per_second", rate),
        Figure::bare("latency_p50_ms", percentile(&ms, 0.5)),
        Figure::bare("latency_p95_ms", percentile(&ms, 0.95)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(query: &str, ranking: &str, top: f64) -> Outcome {
        let ranking = ranking.split_whitespace().map(str::to_owned).collect();
        Outcome { query: query.into(), ranking, first: Some(top), top, seconds: 0.004 }
    }

    fn qrels(text: &str) -> Qrels {
        super::super::qrels::parse(text).value
    }

    #[track_caller]
    fn check(measured: &Measured, name: &str, expected: f64) {
        let figure = measured.figures.iter().find(|f| f.name == name);
        let value = figure.unwrap_or_else(|| panic!("no {name}")).value;
        assert!((value - expected).abs() < 1e-9, "{name}: {value} instead of {expected}");
    }

    #[test]
    fn refusals_and_answers_are_counted() {
        let outcomes = Outcomes {
            answerable: vec![outcome("a", "x y", 0.9), outcome("b", "y x", 0.05)],
            unanswerable: vec![outcome("u", "x", 0.5), outcome("v", "", 0.0)],
            off_topic: Vec::new(),
        };
        let labels = qrels("a 0 x 1\nb 0 x 1\n");
        let measured = Measured::new(Mode::Hybrid, &outcomes, &labels, 0.12);
        check(&measured, "success@1", 0.5);
        check(&measured, "mrr@10", 0.75);
        check(&measured, "false_silences", 0.5);
        check(&measured, "false_answers", 0.5);
        check(&measured, "auroc", 0.75);
        check(&measured, "queries_per_second", 250.0);
        check(&measured, "latency_p95_ms", 4.0);
        assert!(!measured.figures.iter().any(|f| f.name.starts_with("off_topic")));
    }

    #[test]
    fn a_question_that_was_not_ranked_counts_as_zero() {
        let run: Run = [("a".to_owned(), vec!["x".to_owned()])].into();
        let judged = judge(&run, &qrels("a 0 x 1\nb 0 x 1\nc 0 x 0\n"));
        assert_eq!(values(&judged, Metric::Success(1)), [1.0, 0.0, 0.0]);
    }

    #[test]
    fn documents_are_found_by_id_or_path_and_files_once() {
        let grades: Grades = [("notes/a.md".to_owned(), 1), ("T-1".to_owned(), 1)].into();
        assert_eq!(label_name("T-1", "tickets.csv", &grades), "T-1");
        assert_eq!(label_name("2024-01-01", "notes/a.md", &grades), "notes/a.md");
        assert_eq!(label_name("T-2", "tickets.csv", &grades), "T-2");
        assert_eq!(without_repeats(["a", "b", "a"].into_iter()), ["a", "b"]);
    }
}
