//! Fits the fusion weights and the relevance threshold on labelled questions, and tests them on
//! held-out ones. Pure, and the same every time: the folds are drawn with a fixed seed.

use std::collections::BTreeMap;

use fastrand::Rng;
use serde::Serialize;

use crate::measure::label_names;
use crate::metrics::{Judged, Metric};
use crate::qrels::Grades;
use crate::statistics::{mean, paired_p};
use recall_query::fuse::FusionWeights;
use recall_query::ranking::Ranking;

const SEED: u64 = 20_261_129;
/// Number of folds; each is held out once.
pub const FOLDS: usize = 5;
/// Minimum number of questions of a kind: fewer say nothing about others.
pub const LEAST: usize = 10;
/// Minimum held-out gain: a smaller one is not worth a custom setting.
pub const MARGIN: f64 = 0.005;
/// Highest p-value at which a setting is stored: the chance of such a gain by accident.
pub const P_MAX: f64 = 0.05;
/// Keyword weights that are tried, relative to a vector weight of 1.
const KEYWORD: [f32; 10] = [0.0, 3.0, 6.0, 9.0, 12.0, 15.0, 18.0, 24.0, 32.0, 48.0];

/// One question with all its candidates.
#[derive(Debug, Clone)]
pub struct Sample {
    /// Id of the question.
    pub query: String,
    /// Its candidates.
    pub ranking: Ranking,
    /// Its labels; `None` if nothing answers it.
    pub grades: Option<Grades>,
}

/// The result of one question under one setting.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Try {
    /// nDCG@10; 0 for a question that nothing answers.
    ndcg: f64,
    /// The highest relevance.
    top: f64,
}

/// A setting before and after fitting, and its effect on held-out questions.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Proposal {
    /// Name of the setting in the index.
    pub setting: &'static str,
    /// The measure: `ndcg@10` (higher is better) or `wrong` (lower is better), the mean of the
    /// share of answerable questions refused and the share of others answered.
    pub metric: &'static str,
    /// Number of questions.
    pub questions: usize,
    /// Current value of the setting.
    pub now: f64,
    /// Value fitted on all questions.
    pub fitted: f64,
    /// The measure with the current value.
    pub before: f64,
    /// The measure on each fold with the value fitted on the other folds.
    pub after: f64,
    /// Two-sided p-value of the difference: a paired randomisation test.
    pub p: f64,
    /// Whether it helps on held-out questions, by at least [`MARGIN`] and not by chance.
    pub helps: bool,
}

/// Fits the weight of the keyword retriever, with the vector retriever's at 1. `None` with too few
/// questions.
pub fn weights(samples: &[Sample], now: &FusionWeights) -> Option<Proposal> {
    let samples: Vec<&Sample> = samples.iter().filter(|s| s.grades.is_some()).collect();
    let current = if now.vector > 0.0 { now.keyword / now.vector } else { now.keyword };
    let mut tried: Vec<f32> = KEYWORD.into_iter().filter(|w| *w != current).collect();
    // The first of equals wins: the current value, unless another is better.
    tried.insert(0, current);
    let columns: Vec<Vec<f64>> = tried
        .iter()
        .map(|keyword| FusionWeights { keyword: *keyword, vector: 1.0 })
        .map(|weights| samples.iter().map(|s| attempt(s, &weights).ndcg).collect())
        .collect();
    let fit = |inside: &[usize]| best(&columns, inside);
    let (held_out, chosen) = cross(&[samples.len()], &columns, &fit)?;
    let proposal = Proposal {
        setting: "fusion.keyword",
        metric: "ndcg@10",
        questions: samples.len(),
        now: f64::from(current),
        fitted: f64::from(tried[chosen]),
        before: mean(&columns[0]),
        after: mean(&held_out),
        p: paired_p(&held_out, &columns[0]),
        helps: false,
    };
    Some(proposal.judged())
}

/// Fits the threshold under these weights. `None` with too few questions of either kind.
pub fn threshold(samples: &[Sample], weights: &FusionWeights, now: f32) -> Option<Proposal> {
    let (answerable, others): (Vec<&Sample>, Vec<&Sample>) =
        samples.iter().partition(|s| s.grades.is_some());
    let sizes = [answerable.len(), others.len()];
    let all: Vec<&Sample> = answerable.into_iter().chain(others).collect();
    let tops: Vec<f64> = all.iter().map(|s| attempt(s, weights).top).collect();
    let mut tried: Vec<f64> = (1..100).map(|hundredth| f64::from(hundredth) / 100.0).collect();
    tried.retain(|threshold| (threshold - f64::from(now)).abs() > 1e-6);
    tried.insert(0, f64::from(now));
    // Higher means more right here, so that the best is the highest as with nDCG; each kind counts
    // half.
    let share = |kind: usize| tops.len() as f64 / (2 * sizes[kind].max(1)) as f64;
    let right = |threshold: f64| {
        let value = |(i, top): (usize, &f64)| match i < sizes[0] {
            true => share(0) * f64::from(u8::from(*top >= threshold)),
            false => share(1) * f64::from(u8::from(*top < threshold)),
        };
        tops.iter().enumerate().map(value).collect::<Vec<f64>>()
    };
    let columns: Vec<Vec<f64>> = tried.iter().map(|threshold| right(*threshold)).collect();
    let fit = |inside: &[usize]| best(&columns, inside);
    let (held_out, chosen) = cross(&sizes, &columns, &fit)?;
    let proposal = Proposal {
        setting: "relevance.threshold",
        metric: "wrong",
        questions: all.len(),
        now: f64::from(now),
        fitted: tried[chosen],
        before: 1.0 - mean(&columns[0]),
        after: 1.0 - mean(&held_out),
        p: paired_p(&held_out, &columns[0]),
        helps: false,
    };
    Some(proposal.judged())
}

impl Proposal {
    fn judged(mut self) -> Self {
        let lower = self.metric == "wrong";
        let gain = if lower { self.before - self.after } else { self.after - self.before };
        self.helps = gain >= MARGIN && self.p < P_MAX && self.fitted != self.now;
        self
    }
}

/// Returns `settings` with the helpful proposals applied.
pub fn applied(settings: &BTreeMap<String, f64>, proposals: &[&Proposal]) -> BTreeMap<String, f64> {
    let mut out = settings.clone();
    for proposal in proposals.iter().filter(|p| p.helps) {
        out.insert(proposal.setting.to_owned(), proposal.fitted);
        if proposal.setting == "fusion.keyword" {
            out.insert("fusion.vector".to_owned(), 1.0);
        }
    }
    out
}

/// Names of the settings that `recall tune` may store.
pub const SETTINGS: [&str; 3] = ["fusion.keyword", "fusion.vector", "relevance.threshold"];

fn attempt(sample: &Sample, weights: &FusionWeights) -> Try {
    let mut ranking = sample.ranking.clone();
    ranking.arrange(weights);
    ranking.estimate_relevance();
    let none = Grades::new();
    let grades = sample.grades.as_ref().unwrap_or(&none);
    let names = label_names(&ranking.documents, grades);
    let judged = Judged::new(names.iter().map(String::as_str), grades);
    let top = ranking.documents.iter().map(|d| f64::from(d.relevance)).fold(0.0, f64::max);
    Try { ndcg: Metric::Ndcg(10).of(&judged), top }
}

/// Returns the column with the highest mean over `inside`; the first of equals.
fn best(columns: &[Vec<f64>], inside: &[usize]) -> usize {
    let mean = |column: &Vec<f64>| inside.iter().map(|i| column[*i]).sum::<f64>();
    let means: Vec<f64> = columns.iter().map(mean).collect();
    let better = |best: usize, i: usize| if means[i] > means[best] + 1e-9 { i } else { best };
    (1..columns.len()).fold(0, better)
}

/// Cross-validates: returns the value of every question under the column fitted on the other folds,
/// and the column fitted on all. `sizes` is the number of questions of each consecutive kind; every
/// kind is spread evenly over the folds. `None` if there are too few of one.
fn cross(
    sizes: &[usize],
    columns: &[Vec<f64>],
    fit: &dyn Fn(&[usize]) -> usize,
) -> Option<(Vec<f64>, usize)> {
    if sizes.iter().any(|size| *size < LEAST) {
        return None;
    }
    let fold = folds(sizes);
    let all: Vec<usize> = (0..fold.len()).collect();
    let mut held_out = vec![0.0; fold.len()];
    for number in 0..FOLDS {
        let (outside, inside): (Vec<usize>, Vec<usize>) =
            all.iter().partition(|i| fold[**i] == number);
        let chosen = fit(&inside);
        outside.into_iter().for_each(|i| held_out[i] = columns[chosen][i]);
    }
    Some((held_out, fit(&all)))
}

/// Assigns each question to a fold.
fn folds(sizes: &[usize]) -> Vec<usize> {
    let mut rng = Rng::with_seed(SEED);
    let mut out = Vec::new();
    for size in sizes {
        let mut fold: Vec<usize> = (0..*size).map(|i| i % FOLDS).collect();
        rng.shuffle(&mut fold);
        out.extend(fold);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Two retrievers that disagree: `words` is what the keyword retriever likes, `meaning` the vector retriever.
    fn sample(number: usize, right: &str) -> Sample {
        use recall_query::features::{Features, QueryFeatures};
        use recall_query::ranking::Ranked;
        let query = QueryFeatures {
            term_limits: vec![10.0],
            identifiers: vec![false],
            known: vec![true],
            cosine_deviation: 0.07,
            searched: 2,
            has_vector: true,
            ..QueryFeatures::default()
        };
        let document = |key: u64, id: &str, bm25: f32, cosine: f32| {
            let features =
                Features { bm25, contributions: vec![bm25], cosine: Some(cosine), exact: false };
            Ranked::new(
                recall_index::EntryId::default(),
                key,
                (id.to_owned(), String::new()),
                features,
            )
        };
        let far = if right.is_empty() { 0.05 } else { 0.45 };
        let documents =
            vec![document(1, "words", 6.0, far - 0.03), document(2, "meaning", 5.0, far)];
        let grades = (!right.is_empty()).then(|| Grades::from([(right.to_owned(), 1)]));
        let ranking = Ranking { documents, query, ..Ranking::default() };
        Sample { query: number.to_string(), ranking, grades }
    }

    #[test]
    fn the_arm_that_is_right_gets_its_weight_and_no_arm_one_by_chance() {
        let now = FusionWeights { keyword: 1.0, vector: 1.0 };
        let words: Vec<Sample> = (0..40).map(|i| sample(i, "words")).collect();
        let found = weights(&words, &now).expect("enough questions");
        assert!(found.helps && found.fitted > 1.0 && found.after == 1.0, "{found:?}");
        let meaning: Vec<Sample> = (0..40).map(|i| sample(i, "meaning")).collect();
        let found = weights(&meaning, &now).expect("enough questions");
        assert!(!found.helps && found.fitted == 1.0, "{found:?}");
        assert_eq!(weights(&words[..LEAST - 1], &now), None);
    }

    #[test]
    fn the_threshold_parts_what_is_answered_from_what_is_not() {
        let samples: Vec<Sample> =
            (0..60).map(|i| sample(i, if i % 3 == 0 { "" } else { "meaning" })).collect();
        let default = FusionWeights::default();
        let found = threshold(&samples, &default, 0.99).expect("enough of both");
        assert!(found.helps && found.fitted < 0.99, "{found:?}");
        assert_eq!((found.before, found.after), (0.5, 0.0));
        let kept = threshold(&samples, &default, found.fitted as f32).expect("enough of both");
        assert!(!kept.helps, "{kept:?}");
        assert_eq!(threshold(&samples[..12], &default, 0.5), None);
    }

    #[test]
    fn only_what_helps_is_stored() {
        let now = FusionWeights { keyword: 1.0, vector: 1.0 };
        let words: Vec<Sample> = (0..40).map(|i| sample(i, "words")).collect();
        let found = weights(&words, &now).expect("enough questions");
        let before = BTreeMap::from([("other".to_owned(), 2.0)]);
        let after = applied(&before, &[&found]);
        assert_eq!(after["fusion.keyword"], found.fitted);
        assert_eq!((after["other"], after["fusion.vector"]), (2.0, 1.0));
        assert_eq!(applied(&before, &[&Proposal { helps: false, ..found }]), before);
    }

    proptest! {
        #[test]
        fn folds_are_even_for_every_kind(sizes in prop::collection::vec(0usize..60, 1..3)) {
            let fold = folds(&sizes);
            let mut at = 0;
            for size in sizes {
                for number in 0..FOLDS {
                    let count = fold[at..at + size].iter().filter(|f| **f == number).count();
                    prop_assert!(count == size / FOLDS || count == size / FOLDS + 1);
                }
                at += size;
            }
        }
    }
}
