//! How likely a document is to answer a question: the same for every question and corpus. Pure.
//!
//! `relevance = P(the document is on the topic) × P(it answers, being on the topic)`: two logistic
//! regressions over a handful of values of both arms, fitted on labelled sets and on the questions of
//! each set asked of all the others (Platt's scaling of the evidence; method and held-out figures in
//! `benches/quality.md`). No value depends on how many hits are asked for, and none on the corpus'
//! size, so a relevance means the same everywhere.

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
        Self { threshold: 0.15 }
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
        Some(cosine) => vector(standing, cosine),
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
    let topic = -13.707 + 27.173 * cosine + 9.962 * evidence.coverage(query);
    let right = -1.130
        + 0.435 * clip(standing.score_gap)
        + 1.990 * evidence.keyword_share(query).max(0.0).sqrt()
        + 0.910 * clip(standing.cosine_gap)
        - 0.552 * (standing.keyword_rank as f32).ln_1p();
    (topic, right)
}

/// The logits of both factors from vectors alone.
fn vector(standing: &Standing, cosine: f32) -> (f32, f32) {
    (-15.290 + 38.127 * cosine, -3.218 + 1.028 * clip(standing.cosine_gap) + 4.775 * cosine)
}

/// The logits of both factors where question and document are in two languages: half way between
/// [`vector`] and a fit on such pairs alone, which answers too many questions of another corpus.
fn foreign_language(standing: &Standing, cosine: f32) -> (f32, f32) {
    (-12.502 + 35.132 * cosine, -3.735 + 1.145 * clip(standing.cosine_gap) + 7.794 * cosine)
}

/// The logits of both factors from words alone.
fn keyword(query: &QueryEvidence, evidence: &Evidence, standing: &Standing) -> (f32, f32) {
    if evidence.bm25 <= 0.0 {
        return (f32::NEG_INFINITY, f32::NEG_INFINITY);
    }
    let topic = -3.225 + 11.485 * evidence.coverage(query) - 4.710 * query.unknown_share();
    let share = evidence.keyword_share(query).max(0.0).sqrt();
    (topic, -3.415 + 10.617 * standing.keyword_gap + 4.401 * share)
}

fn clip(gap: f32) -> f32 {
    gap.clamp(-GAP_MAX, GAP_MAX)
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
