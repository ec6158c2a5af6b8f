//! One score from the features of both retrievers. Pure.
//!
//! `score = cosine / deviation + 12 × max(0, K − K₁₁)`, where K is BM25 over the most that the
//! question could score, times the root of the share of the question that the document covers, and
//! K₁₁, the background score, is the eleventh best K. Only documents that stand out of the background that shares words with the
//! question get credit for words: in a corpus of two languages the right document in the other one
//! is not pushed down by the background, and a retriever that finds nothing cannot drag the other down. The
//! weight is flat from 10 to 14 over ten sets (`quality/README.md`).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::features::{Features, QueryFeatures};

/// How much each retriever counts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FusionWeights {
    /// Of the keyword score beyond the background score.
    pub keyword: f32,
    /// Of the cosine in standard deviations.
    pub vector: f32,
}

impl Default for FusionWeights {
    fn default() -> Self {
        Self { keyword: 12.0, vector: 1.0 }
    }
}

impl FusionWeights {
    /// The weights stored with an index, or the defaults.
    pub fn from_settings(settings: &BTreeMap<String, f64>) -> Self {
        let default = Self::default();
        let get = |name: &str, or: f32| settings.get(name).map_or(or, |v| *v as f32);
        Self {
            keyword: get("fusion.keyword", default.keyword),
            vector: get("fusion.vector", default.vector),
        }
    }
}

/// What each retriever adds to a document's score.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Shares {
    /// The keyword retriever's share.
    pub keyword: f32,
    /// The vector retriever's share.
    pub vector: f32,
}

impl Shares {
    /// The score: the shares add up to it.
    pub fn total(&self) -> f32 {
        self.keyword + self.vector
    }
}

/// How many documents may stand out by their words; the next one's keyword score is the background score.
const FOREGROUND: usize = 10;

/// The background score: the keyword score of the eleventh best document, 0 if there is none.
pub fn background<'a>(
    query: &QueryFeatures,
    candidates: impl Iterator<Item = &'a Features>,
) -> f32 {
    let mut scores: Vec<f32> = candidates.map(|f| f.keyword(query)).collect();
    scores.sort_by(|a, b| b.total_cmp(a));
    scores.get(FOREGROUND).copied().unwrap_or(0.0)
}

/// The cosine that stands in for a missing one while vectors catch up: the mean of the candidates
/// that share words with the question. Without it every document that has a vector would be put
/// before every one that has none yet.
pub fn usual_cosine<'a>(candidates: impl Iterator<Item = &'a Features>) -> f32 {
    let cosines = candidates.filter(|f| f.bm25 > 0.0).filter_map(|f| f.cosine);
    let (sum, count) = cosines.fold((0.0, 0_u32), |(sum, count), c| (sum + c, count + 1));
    if count == 0 { 0.0 } else { sum / count as f32 }
}

/// The score of a document with these features: `background` is [`background`], `usual` is
/// [`usual_cosine`].
pub fn score(
    query: &QueryFeatures,
    features: &Features,
    background: f32,
    usual: f32,
    weights: &FusionWeights,
) -> Shares {
    let keyword = match query.has_vector {
        true => (features.keyword(query) - background).max(0.0),
        // Alone, the keyword retriever ranks by BM25 as it is.
        false => features.keyword_share(query),
    };
    let vector = query.in_deviations(features.cosine.unwrap_or(usual));
    Shares { keyword: weights.keyword * keyword, vector: weights.vector * vector }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_without_a_vector_yet_is_not_put_last() {
        let query = QueryFeatures {
            term_limits: vec![5.0],
            identifiers: vec![false],
            known: vec![true],
            cosine_deviation: 0.07,
            has_vector: true,
            ..QueryFeatures::default()
        };
        let with =
            |bm25: f32, cosine| Features { bm25, contributions: vec![bm25], cosine, exact: false };
        let candidates =
            [with(4.0, None), with(1.0, Some(0.3)), with(1.0, Some(0.1)), with(0.0, Some(0.2))];
        let usual = usual_cosine(candidates.iter());
        assert!((usual - 0.2).abs() < 1e-6);
        let score = |e| score(&query, e, 0.0, usual, &FusionWeights::default()).total();
        assert!(score(&candidates[0]) > score(&candidates[1]));
        assert!(score(&candidates[1]) > score(&candidates[2]));
        assert_eq!(usual_cosine([].iter()), 0.0);
    }
}
