//! How likely a document is to answer a question: the same for every question and corpus. Pure.
//!
//! Two probabilities make it: that the document is on the topic, and that it answers, being on the
//! topic. Both are logistic regressions over a handful of values of both arms, fitted on labelled
//! sets and on the questions of each set asked of all the others (Platt's scaling of the features).
//! `benches/judge.py` fits the constants and measures them on sets that the fit has not seen; method
//! and figures are in `benches/quality.md`. No value depends on how many hits are asked for.
//!
//! Two of the values are there to make corpora and questions alike. How many documents were searched:
//! the best of 5,000 is nearer by chance than the best of 50. And how common the question is: one that
//! is near to paragraphs of any kind is near to those of this corpus without being answered by them
//! (the z-norm of speaker verification, against a fixed cohort).

use std::collections::BTreeMap;

use crate::features::{Features, QueryFeatures};

/// The judge's settings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RelevanceModel {
    /// Below this relevance nothing counts as an answer.
    pub threshold: f32,
}

impl Default for RelevanceModel {
    fn default() -> Self {
        Self { threshold: ON_TOPIC }
    }
}

impl RelevanceModel {
    /// The settings stored with an index, or the defaults.
    pub fn from_settings(settings: &BTreeMap<String, f64>) -> Self {
        let threshold = settings.get("relevance.threshold").map(|v| *v as f32);
        Self { threshold: threshold.unwrap_or(Self::default().threshold) }
    }
}

/// How a document stands beside the others for one question.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Margins {
    /// Its fused score minus the best of the others.
    pub score_gap: f32,
    /// Its cosine minus the best of the others, in standard deviations.
    pub cosine_gap: f32,
    /// Its keyword evidence minus the best of the others.
    pub keyword_gap: f32,
    /// Documents with more keyword features.
    pub keyword_rank: usize,
}

/// The best and second best of some values, to tell each one's gap to the best of the others.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TopTwo {
    first: f32,
    second: f32,
}

impl TopTwo {
    /// The top_two among `values`; `floor` stands for those that are missing.
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

/// The relevance of a document that is as likely on the topic as not: the default threshold. Of first
/// hits that are barely beyond it about this share is right; values from 0.1 to 0.3 calibrate alike.
const ON_TOPIC: f32 = 0.2;
/// Gaps beyond this many units say no more.
const GAP_MAX: f32 = 4.0;
/// The same for gaps between cosines alone: a question of no words at all may stand out by chance.
const COSINE_GAP_MAX: f32 = 2.0;
/// Sizes of corpora between which the best of many is nearer by chance. The fit has seen 36 to 5,183
/// documents; further down its slope is that of the best of so many unrelated cosines.
const SEARCHED: (f32, f32) = (10.0, 1000.0);
/// A quarter of all questions are less common than this. To be like nothing, as nonsense is, earns no
/// credit.
const COHORT_MEAN_MIN: f32 = 0.029;

/// Estimated probability that a document answers the question, in [0, 1]. `cross_language`: it is written in
/// another language than the question, so that words it lacks say nothing.
pub fn relevance(
    query: &QueryFeatures,
    features: &Features,
    margins: &Margins,
    cross_language: bool,
) -> f32 {
    let words = !query.term_limits.is_empty();
    let (topic, right) = match features.cosine {
        Some(cosine) if words => hybrid(query, features, margins, cosine, cross_language),
        Some(cosine) => vector(query, margins, cosine, cross_language),
        None => keyword(query, features, margins),
    };
    let relevance = graded(logistic(topic), logistic(right));
    // It holds the very token or phrase that was asked for: that alone is better than even odds.
    if features.exact { 0.5 + 0.5 * relevance } else { relevance }
}

/// Relevance from both probabilities. Which documents are answers depends on the topic alone: an
/// uncertain order among several that are on the topic is no reason to be silent.
fn graded(topic: f32, right: f32) -> f32 {
    if topic < 0.5 {
        2.0 * ON_TOPIC * topic
    } else {
        ON_TOPIC + (1.0 - ON_TOPIC) * (2.0 * topic - 1.0) * right
    }
}

/// The logits of both factors from both arms. In two languages the same cosine says as much, and a
/// lead in score, which has words in it, is no measure.
fn hybrid(
    query: &QueryFeatures,
    features: &Features,
    margins: &Margins,
    cosine: f32,
    cross_language: bool,
) -> (f32, f32) {
    let (collection_size, common) = (collection_size(query), common(query));
    let near = 35.94 * cosine - 1.27 * collection_size - 32.79 * common;
    if cross_language {
        return (near - 3.16, lead(margins.cosine_gap, 2.10, 4.11, COSINE_GAP_MAX) - 0.75);
    }
    let right = lead(margins.score_gap, 1.08, 2.69, GAP_MAX) - 0.72 * collection_size + 2.76;
    (near + 7.41 * features.coverage(query) - 7.24, right)
}

/// The logits of both factors from vectors alone.
fn vector(
    query: &QueryFeatures,
    margins: &Margins,
    cosine: f32,
    cross_language: bool,
) -> (f32, f32) {
    let (collection_size, common) = (collection_size(query), common(query));
    let near = 49.02 * cosine - 1.38 * collection_size - 53.06 * common;
    if cross_language {
        return (near - 5.61, lead(margins.cosine_gap, 2.20, 4.44, COSINE_GAP_MAX) - 0.95);
    }
    let right =
        lead(margins.cosine_gap, 2.44, 8.68, COSINE_GAP_MAX) - 0.54 * collection_size + 1.68;
    (near - 8.24, right)
}

/// The logits of both factors from words alone.
fn keyword(query: &QueryFeatures, features: &Features, margins: &Margins) -> (f32, f32) {
    if features.bm25 <= 0.0 {
        return (f32::NEG_INFINITY, f32::NEG_INFINITY);
    }
    let held = (features.words_held(query) as f32).ln_1p();
    let topic = 8.75 * features.coverage(query) + 2.90 * held - 7.82;
    (topic, 14.74 * margins.keyword_gap - 0.55 * collection_size(query) + 2.17)
}

/// What a gap to the best of the others says: ahead of them and behind them are two slopes.
fn lead(gap: f32, ahead: f32, behind: f32, most: f32) -> f32 {
    ahead * gap.clamp(0.0, most) + behind * gap.clamp(-most, 0.0)
}

/// How common the question is, no less than most are.
fn common(query: &QueryFeatures) -> f32 {
    query.cohort_mean.max(COHORT_MEAN_MIN)
}

/// Among more documents the first is nearer by chance and less often the right one: logarithm of how
/// many were searched.
fn collection_size(query: &QueryFeatures) -> f32 {
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
        let top_two = TopTwo::of([1.0, 5.0, 3.0].into_iter(), 0.0);
        assert_eq!(top_two.gap(5.0), 2.0);
        assert_eq!(top_two.gap(3.0), -2.0);
        assert_eq!(TopTwo::of([5.0].into_iter(), 0.0).gap(5.0), 5.0);
        assert_eq!(TopTwo::of([5.0, 5.0].into_iter(), 0.0).gap(5.0), 0.0);
    }

    #[test]
    fn what_is_an_answer_depends_on_the_topic_and_how_sure_on_both() {
        for right in [0.0, 0.5, 1.0] {
            assert_eq!(graded(0.5, right), ON_TOPIC);
            assert!(graded(0.49, right) < ON_TOPIC && graded(0.51, right) >= ON_TOPIC);
            assert_eq!(graded(0.0, right), 0.0);
        }
        assert_eq!(graded(1.0, 1.0), 1.0);
        assert!(graded(0.9, 0.2) < graded(0.9, 0.8) && graded(0.7, 0.8) < graded(0.9, 0.8));
    }

    #[test]
    fn a_near_document_says_less_in_a_large_corpus_and_for_a_common_question() {
        let judged = |searched, cohort_mean, cross_language| {
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
        assert!(judged(50, 0.05, true) > judged(1000, 0.05, true));
        assert!(judged(50, 0.05, true) > judged(50, 0.12, true));
        assert_eq!(judged(50, -0.08, true), judged(50, COHORT_MEAN_MIN, true));
        // The word that it lacks counts against it only in the question's own language.
        assert!(judged(50, 0.05, true) > judged(50, 0.05, false));
    }

    #[test]
    fn no_evidence_is_no_relevance() {
        let query = QueryFeatures { has_vector: true, ..QueryFeatures::default() };
        let features = Features { cosine: Some(0.0), ..Features::default() };
        assert!(relevance(&query, &features, &Margins::default(), false) < 0.01);
        let none =
            relevance(&QueryFeatures::default(), &Features::default(), &Margins::default(), false);
        assert_eq!(none, 0.0);
    }
}
