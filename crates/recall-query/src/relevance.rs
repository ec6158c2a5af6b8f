//! Relevance: the estimated probability that a document answers a question, comparable between
//! questions and collections. Pure.
//!
//! It is made of two probabilities: that the document is on the topic, and that it answers, being on
//! the topic. Both are logistic regressions over a handful of features of both retrievers, fitted on
//! labelled sets and on the questions of each set asked of all the others (Platt scaling with more
//! than one score). `quality/fit.py` fits the constants, measures them on sets that the fit has not
//! seen and writes `constants.rs`; method and figures are in `quality/README.md`. Relevance does not
//! depend on how many hits are asked for.
//!
//! Two features make collections and questions comparable. Collection size: the best of 5,000
//! documents is nearer by chance than the best of 50. Cohort mean: a question that is near to
//! paragraphs of any kind is near to those of this collection without being answered by them (the
//! z-norm of speaker verification, against a fixed cohort).

mod coefficients;
mod constants;

use std::collections::BTreeMap;

use crate::features::{Features, QueryFeatures};
use coefficients::{AnswerCoefficients, Case, TopicCoefficients};
use constants::CONSTANTS;

/// The settings of the relevance model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RelevanceModel {
    /// Below this relevance nothing counts as an answer.
    pub threshold: f32,
}

impl Default for RelevanceModel {
    fn default() -> Self {
        Self { threshold: CONSTANTS.threshold }
    }
}

impl RelevanceModel {
    /// The settings stored with an index, or the defaults.
    pub fn from_settings(settings: &BTreeMap<String, f64>) -> Self {
        let threshold = settings.get("relevance.threshold").map(|v| *v as f32);
        Self { threshold: threshold.unwrap_or(Self::default().threshold) }
    }
}

/// How far a document is ahead of the others for one question, or behind them.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Margins {
    /// Its fused score minus the best of the others.
    pub score_gap: f32,
    /// Its cosine minus the best of the others, in standard deviations.
    pub cosine_gap: f32,
    /// Its keyword score minus the best of the others.
    pub keyword_gap: f32,
    /// How many documents have a higher keyword score.
    pub keyword_rank: usize,
}

/// The best and second best of some values, to tell each one's gap to the best of the others.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TopTwo {
    first: f32,
    second: f32,
}

impl TopTwo {
    /// The two highest of `values`; `floor` stands for those that are missing.
    pub fn of(values: impl Iterator<Item = f32>, floor: f32) -> Self {
        let start = Self { first: floor, second: floor };
        values.fold(start, |top_two, value| {
            if value > top_two.first {
                Self { first: value, second: top_two.first }
            } else {
                Self { second: top_two.second.max(value), ..top_two }
            }
        })
    }

    /// `value` minus the best of the others.
    pub fn gap(&self, value: f32) -> f32 {
        value - if value >= self.first { self.second } else { self.first }
    }
}

/// Estimated probability that a document answers the question, in [0, 1]. `cross_language`: it is
/// written in another language than the question, so that words it lacks say nothing.
pub fn relevance(
    query: &QueryFeatures,
    features: &Features,
    margins: &Margins,
    cross_language: bool,
) -> f32 {
    let has_words = !query.term_limits.is_empty();
    let case = match (features.cosine, cross_language) {
        (Some(_), false) if has_words => &CONSTANTS.hybrid_same_language,
        (Some(_), true) if has_words => &CONSTANTS.hybrid_cross_language,
        (Some(_), false) => &CONSTANTS.vector_same_language,
        (Some(_), true) => &CONSTANTS.vector_cross_language,
        (None, _) if features.bm25 > 0.0 => &CONSTANTS.keyword,
        (None, _) => return exact_at_least_half(features, 0.0),
    };
    let Case { topic, answer } = case;
    let topic = logistic(topic_logit(topic, query, features));
    let answer = logistic(answer_logit(answer, query, margins));
    exact_at_least_half(features, combined(topic, answer))
}

/// A document that holds the very token or phrase that was asked for: that alone is better than even
/// odds.
fn exact_at_least_half(features: &Features, relevance: f32) -> f32 {
    if features.exact { 0.5 + 0.5 * relevance } else { relevance }
}

/// Relevance from both probabilities. Which documents are answers depends on the topic alone: an
/// uncertain order among several that are on the topic is no reason to be silent.
fn combined(topic: f32, answer: f32) -> f32 {
    let threshold = CONSTANTS.threshold;
    if topic < 0.5 {
        2.0 * threshold * topic
    } else {
        threshold + (1.0 - threshold) * (2.0 * topic - 1.0) * answer
    }
}

/// Log-odds that a document is on the topic.
fn topic_logit(of: &TopicCoefficients, query: &QueryFeatures, features: &Features) -> f32 {
    of.cosine * features.cosine.unwrap_or(0.0)
        + of.collection_size * collection_size(query)
        + of.cohort_mean * cohort_mean(query)
        + of.coverage * features.coverage(query)
        + of.words_held * (features.words_held(query) as f32).ln_1p()
        + of.intercept
}

/// Log-odds that a document on the topic answers.
fn answer_logit(of: &AnswerCoefficients, query: &QueryFeatures, margins: &Margins) -> f32 {
    let score_gap_max = CONSTANTS.score_gap_max;
    let cosine_gap_max = CONSTANTS.cosine_gap_max;
    two_slopes(margins.score_gap, of.score_ahead, of.score_behind, score_gap_max)
        + two_slopes(margins.cosine_gap, of.cosine_ahead, of.cosine_behind, cosine_gap_max)
        + of.keyword_gap * margins.keyword_gap
        + of.collection_size * collection_size(query)
        + of.intercept
}

/// A gap to the best of the others, bounded by `max`: one slope ahead of them, another behind them.
fn two_slopes(gap: f32, ahead: f32, behind: f32, max: f32) -> f32 {
    ahead * gap.clamp(0.0, max) + behind * gap.clamp(-max, 0.0)
}

/// The question's cohort mean, no less than that of most questions.
fn cohort_mean(query: &QueryFeatures) -> f32 {
    query.cohort_mean.max(CONSTANTS.cohort_mean_min)
}

/// Logarithm of how many documents were searched: among more of them the first is nearer by chance
/// and less often the right one.
fn collection_size(query: &QueryFeatures) -> f32 {
    let (min, max) = (CONSTANTS.collection_size_min, CONSTANTS.collection_size_max);
    (query.searched as f32).clamp(min, max).ln()
}

fn logistic(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_to_the_best_of_the_others() {
        let top_two = TopTwo::of([1.0, 5.0, 3.0].into_iter(), 0.0);
        assert_eq!(top_two.gap(5.0), 2.0);
        assert_eq!(top_two.gap(3.0), -2.0);
        assert_eq!(TopTwo::of([5.0].into_iter(), 0.0).gap(5.0), 5.0);
        assert_eq!(TopTwo::of([5.0, 5.0].into_iter(), 0.0).gap(5.0), 0.0);
    }

    #[test]
    fn what_is_an_answer_depends_on_the_topic_and_how_sure_on_both() {
        for answer in [0.0, 0.5, 1.0] {
            let threshold = CONSTANTS.threshold;
            assert_eq!(combined(0.5, answer), threshold);
            assert!(combined(0.49, answer) < threshold && combined(0.51, answer) >= threshold);
            assert_eq!(combined(0.0, answer), 0.0);
        }
        assert_eq!(combined(1.0, 1.0), 1.0);
        assert!(combined(0.9, 0.2) < combined(0.9, 0.8) && combined(0.7, 0.8) < combined(0.9, 0.8));
    }

    #[test]
    fn a_near_document_says_less_in_a_large_corpus_and_for_a_common_question() {
        let relevance_of = |searched, cohort_mean, cross_language| {
            let query = QueryFeatures {
                term_limits: vec![5.0],
                identifiers: vec![false],
                searched,
                cohort_mean,
                has_vector: true,
                ..QueryFeatures::default()
            };
            let features = Features { cosine: Some(0.42), ..Features::default() };
            relevance(&query, &features, &Margins::default(), cross_language)
        };
        assert!(relevance_of(50, 0.05, true) > relevance_of(1000, 0.05, true));
        assert!(relevance_of(50, 0.05, true) > relevance_of(50, 0.12, true));
        assert_eq!(
            relevance_of(50, -0.08, true),
            relevance_of(50, CONSTANTS.cohort_mean_min, true)
        );
        // The word that it lacks counts against it only in the question's own language.
        assert!(relevance_of(50, 0.05, true) > relevance_of(50, 0.05, false));
    }

    #[test]
    fn a_document_that_shares_nothing_is_not_relevant() {
        let query = QueryFeatures { has_vector: true, ..QueryFeatures::default() };
        let features = Features { cosine: Some(0.0), ..Features::default() };
        assert!(relevance(&query, &features, &Margins::default(), false) < 0.01);
        let none =
            relevance(&QueryFeatures::default(), &Features::default(), &Margins::default(), false);
        assert_eq!(none, 0.0);
    }

    #[test]
    fn the_shipped_constants_give_these_relevances() {
        let query = |has_words: bool| QueryFeatures {
            term_limits: if has_words { vec![5.0, 3.0, 2.0] } else { Vec::new() },
            identifiers: if has_words { vec![false; 3] } else { Vec::new() },
            searched: 340,
            cohort_mean: 0.06,
            ..QueryFeatures::default()
        };
        let ahead = Margins { score_gap: 0.9, cosine_gap: 0.7, keyword_gap: 0.08, keyword_rank: 0 };
        let behind =
            Margins { score_gap: -1.4, cosine_gap: -0.4, keyword_gap: -0.05, keyword_rank: 1 };
        // Cosine, whether the question has words, whether it is in another language; the relevance
        // ahead of the others and behind them.
        let cases = [
            (Some(0.45), true, false, [0.506135, 0.204341]),
            (Some(0.45), true, true, [0.710632, 0.263491]),
            (Some(0.45), false, false, [0.585423, 0.204893]),
            (Some(0.45), false, true, [0.709164, 0.248637]),
            (Some(0.25), true, false, [0.061935, 0.061935]),
            (None, true, false, [0.555054, 0.296212]),
        ];
        for (cosine, has_words, cross_language, expected) in cases {
            let contributions = vec![3.0, 1.0, 0.0];
            let features = Features { bm25: 4.0, contributions, cosine, exact: false };
            for (margins, expected) in [ahead, behind].iter().zip(expected) {
                let found = relevance(&query(has_words), &features, margins, cross_language);
                assert!((found - expected).abs() < 1e-6, "{found} for {cosine:?} {margins:?}");
            }
        }
    }
}
