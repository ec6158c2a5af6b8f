//! How likely a document is to answer a question: the same for every question and corpus. Pure.
//!
//! `relevance = P(the document is on the topic) × P(it answers, being on the topic)`: two logistic
//! regressions over a handful of values of both arms, fitted on labelled sets and on the questions of
//! each set asked of all the others (Platt's scaling of the evidence; method and held-out figures in
//! `benches/quality.md`). No value depends on how many hits are asked for. How many documents were
//! searched is one of the values: the best of 5,000 is less often right than the best of 50 with the
//! same lead.

use std::collections::BTreeMap;

use crate::evidence::{Evidence, QueryEvidence};

/// The judge's settings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Judge {
    /// Below this relevance nothing counts as an answer.
    pub threshold: f32,
}

impl Default for Judge {
    fn default() -> Self {
        Self { threshold: 0.13 }
    }
}

impl Judge {
    /// The settings stored with an index, or the defaults.
    pub fn from_settings(settings: &BTreeMap<String, f64>) -> Self {
        let threshold = settings.get("relevance.threshold").map(|v| *v as f32);
        Self { threshold: threshold.unwrap_or(Self::default().threshold) }
    }
}

/// How a document stands beside the others for one question.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Standing {
    /// Its fused score minus the best of the others.
    pub score_gap: f32,
    /// Its cosine minus the best of the others, in standard deviations.
    pub cosine_gap: f32,
    /// Its keyword evidence minus the best of the others.
    pub keyword_gap: f32,
    /// Documents with more keyword evidence.
    pub keyword_rank: usize,
}

/// The best and second best of some values, to tell each one's gap to the best of the others.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Leaders {
    first: f32,
    second: f32,
}

impl Leaders {
    /// The leaders among `values`; `floor` stands for those that are missing.
    pub fn of(values: impl Iterator<Item = f32>, floor: f32) -> Self {
        let start = Self { first: floor, second: floor };
        values.fold(start, |leaders, value| {
            if value > leaders.first {
                Self { first: value, second: leaders.first }
            } else {
                Self { second: leaders.second.max(value), ..leaders }
            }
        })
    }

    /// `value` minus the best of the others.
    pub fn gap(&self, value: f32) -> f32 {
        value - if value >= self.first { self.second } else { self.first }
    }
}

/// Gaps beyond this many units say no more.
const GAP_MAX: f32 = 4.0;
/// The same where only vectors speak: a question of no words at all may stand out by chance.
const COSINE_GAP_MAX: f32 = 2.0;
/// Sizes of corpora that the fit has seen; beyond them nothing is extrapolated.
const SEARCHED: (f32, f32) = (50.0, 5000.0);

/// Estimated probability that a document answers the question, in [0, 1]. `foreign`: it is written in
/// another language than the question, so that words it lacks say nothing.
pub fn relevance(
    query: &QueryEvidence,
    evidence: &Evidence,
    standing: &Standing,
    foreign: bool,
) -> f32 {
    let words = !query.term_limits.is_empty();
    let (topic, right) = match evidence.cosine {
        Some(cosine) if foreign => foreign_language(standing, cosine),
        Some(cosine) if words => hybrid(query, evidence, standing, cosine),
        Some(cosine) => vector(query, standing, cosine),
        None => keyword(query, evidence, standing),
    };
    let relevance = logistic(topic) * logistic(right);
    // It holds the very token or phrase that was asked for: that alone is better than even odds.
    if evidence.exact { 0.5 + 0.5 * relevance } else { relevance }
}

/// The logits of both factors from both arms.
fn hybrid(
    query: &QueryEvidence,
    evidence: &Evidence,
    standing: &Standing,
    cosine: f32,
) -> (f32, f32) {
    let topic = -12.3 + 22.2 * cosine + 10.0 * evidence.coverage(query);
    let gap = lead(standing.score_gap, 0.67, 0.45, GAP_MAX);
    (topic, 3.7 + gap - 0.65 * rivals(query))
}

/// The logits of both factors from vectors alone.
fn vector(query: &QueryEvidence, standing: &Standing, cosine: f32) -> (f32, f32) {
    let gap = lead(standing.cosine_gap, 1.11, 0.84, COSINE_GAP_MAX);
    (-11.6 + 27.2 * cosine, 2.17 + gap - 0.45 * rivals(query))
}

/// The logits of both factors where question and document are in two languages: fitted on such
/// pairs, then held back, since silence is better than a wrong neighbour.
fn foreign_language(standing: &Standing, cosine: f32) -> (f32, f32) {
    let gap = lead(standing.cosine_gap, 0.65, 3.0, COSINE_GAP_MAX);
    (-10.0 + 24.0 * cosine, 1.5 + gap)
}

/// The logits of both factors from words alone.
fn keyword(query: &QueryEvidence, evidence: &Evidence, standing: &Standing) -> (f32, f32) {
    if evidence.bm25 <= 0.0 {
        return (f32::NEG_INFINITY, f32::NEG_INFINITY);
    }
    let held = (evidence.words_held(query) as f32).ln_1p();
    let topic = -7.29 + 10.99 * evidence.coverage(query) + 2.26 * held;
    (topic, 1.7 + 7.1 * standing.keyword_gap - 0.35 * rivals(query))
}

/// What a gap to the best of the others says: ahead of them and behind them are two slopes.
fn lead(gap: f32, ahead: f32, behind: f32, most: f32) -> f32 {
    ahead * gap.clamp(0.0, most) + behind * gap.clamp(-most, 0.0)
}

/// Among more documents the first is less often the right one: logarithm of how many were searched.
fn rivals(query: &QueryEvidence) -> f32 {
    (query.searched as f32).clamp(SEARCHED.0, SEARCHED.1).ln()
}

fn logistic(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_to_the_best_of_the_others() {
        let leaders = Leaders::of([1.0, 5.0, 3.0].into_iter(), 0.0);
        assert_eq!(leaders.gap(5.0), 2.0);
        assert_eq!(leaders.gap(3.0), -2.0);
        assert_eq!(Leaders::of([5.0].into_iter(), 0.0).gap(5.0), 5.0);
        assert_eq!(Leaders::of([5.0, 5.0].into_iter(), 0.0).gap(5.0), 0.0);
    }

    #[test]
    fn no_evidence_is_no_relevance() {
        let query = QueryEvidence { has_vector: true, ..QueryEvidence::default() };
        let evidence = Evidence { cosine: Some(0.0), ..Evidence::default() };
        assert!(relevance(&query, &evidence, &Standing::default(), false) < 0.01);
        let none =
            relevance(&QueryEvidence::default(), &Evidence::default(), &Standing::default(), false);
        assert_eq!(none, 0.0);
    }
}
