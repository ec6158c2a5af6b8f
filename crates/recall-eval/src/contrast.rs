//! Compares two sets of rankings of the same questions. Pure.

use serde::Serialize;

use crate::measure::{Judgements, values};
use crate::metrics::Metric;
use crate::statistics::{mean, paired_p};

/// Number of ranks searched for a relevant document before a question counts as missed.
pub const DEPTH: usize = 10;

/// One metric of two sets of rankings, compared.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Contrast {
    /// Name of the metric.
    pub metric: String,
    /// Mean of the first set.
    pub a: f64,
    /// Mean of the second set.
    pub b: f64,
    /// `a - b`.
    pub difference: f64,
    /// Two-sided p-value of the difference: a paired randomisation test.
    pub p: f64,
    /// Number of questions that the first ranks better.
    pub wins: usize,
    /// Number of questions that the first ranks worse.
    pub losses: usize,
    /// Number of questions without a difference.
    pub ties: usize,
}

impl Contrast {
    /// Compares two rankings of the same questions by one metric.
    pub fn new(metric: Metric, a: &Judgements, b: &Judgements) -> Self {
        let (a, b) = (values(a, metric), values(b, metric));
        let count = |yes: fn(f64) -> bool| a.iter().zip(&b).filter(|(a, b)| yes(*a - *b)).count();
        Self {
            metric: metric.to_string(),
            a: mean(&a),
            b: mean(&b),
            difference: mean(&a) - mean(&b),
            p: paired_p(&a, &b),
            wins: count(|difference| difference > 0.0),
            losses: count(|difference| difference < 0.0),
            ties: count(|difference| difference == 0.0),
        }
    }
}

/// One question on which two rankings differ in quality.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Change {
    /// Id of the question.
    pub query: String,
    /// The metric of the first ranking.
    pub a: f64,
    /// The metric of the second.
    pub b: f64,
}

/// Returns the questions that differ, the greatest wins of `a` first and its greatest losses last.
pub fn changes(metric: Metric, a: &Judgements, b: &Judgements) -> Vec<Change> {
    let both = a.iter().filter_map(|(query, judged)| Some((query, judged, b.get(query)?)));
    let change =
        both.map(|(query, a, b)| Change { query: query.clone(), a: metric.of(a), b: metric.of(b) });
    let mut changes: Vec<Change> = change.filter(|c| c.a != c.b).collect();
    changes.sort_by(|x, y| (y.a - y.b).total_cmp(&(x.a - x.b)).then_with(|| x.query.cmp(&y.query)));
    changes
}

/// A question that only one of two retrievers finds a relevant document for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Find {
    /// Id of the question.
    pub query: String,
    /// Rank, from 1, of the first relevant document in the retriever that finds one.
    pub rank: usize,
}

/// Returns the questions for which `a` finds a relevant document among its first [`DEPTH`] and `b`
/// does not.
pub fn found_only_by(a: &Judgements, b: &Judgements) -> Vec<Find> {
    let find = |(query, judged): (&String, &super::metrics::Judged)| {
        let other = b.get(query)?;
        let rank = judged.first(DEPTH)?;
        other.first(DEPTH).is_none().then(|| Find { query: query.clone(), rank })
    };
    a.iter().filter_map(find).collect()
}

#[cfg(test)]
mod tests {
    use super::super::measure::judge;
    use super::super::{qrels, run};
    use super::*;

    fn judged(lines: &str) -> Judgements {
        let labels = qrels::parse("a 0 x 1\nb 0 x 1\nc 0 x 1\n").value;
        judge(&run::parse(lines).value, &labels)
    }

    #[test]
    fn wins_losses_and_misses() {
        let one = judged("a Q0 x 1 2 t\na Q0 y 2 1 t\nb Q0 y 1 2 t\nb Q0 x 2 1 t\nc Q0 x 1 1 t");
        let two = judged("a Q0 y 1 2 t\nb Q0 x 1 2 t\nc Q0 x 1 1 t");
        let contrast = Contrast::new(Metric::Mrr(10), &one, &two);
        assert_eq!((contrast.wins, contrast.losses, contrast.ties), (1, 1, 1));
        assert!((contrast.a - 2.5 / 3.0).abs() < 1e-12 && (contrast.b - 2.0 / 3.0).abs() < 1e-12);
        let order: Vec<String> =
            changes(Metric::Mrr(10), &one, &two).into_iter().map(|c| c.query).collect();
        assert_eq!(order, ["a", "b"]);
        assert_eq!(found_only_by(&one, &two), [Find { query: "a".into(), rank: 1 }]);
        assert_eq!(found_only_by(&two, &one), []);
    }
}
