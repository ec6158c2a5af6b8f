//! One score from the evidence of both retrievers. Pure.
//!
//! `score = cosine / deviation + 12 × max(0, K − K₁₁)`, where K is BM25 over the most that the
//! question could score, times the root of the share of the question that the document covers, and
//! K₁₁ is the eleventh best K. Only documents that stand out of the crowd that shares words with the
//! question get credit for words: in a corpus of two languages the right document in the other one
//! is not pushed down by the crowd, and an arm without evidence cannot drag the other down. The
//! weight is flat from 10 to 14 over ten sets (`benches/quality.md`).

use std::collections::BTreeMap;

use serde::Serialize;

use crate::evidence::{Evidence, QueryEvidence};

/// How much each arm counts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weights {
    /// Of the keyword evidence beyond the crowd's.
    pub keyword: f32,
    /// Of the cosine in standard deviations.
    pub vector: f32,
}

impl Default for Weights {
    fn default() -> Self {
        Self { keyword: 12.0, vector: 1.0 }
    }
}

impl Weights {
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

/// What each arm adds to a document's score.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Shares {
    /// Of the keyword arm.
    pub keyword: f32,
    /// Of the vector arm.
    pub vector: f32,
}

impl Shares {
    /// The score: the shares add up to it.
    pub fn total(&self) -> f32 {
        self.keyword + self.vector
    }
}

/// How many documents may stand out in the keyword arm; the next one is the crowd.
const STANDING_OUT: usize = 10;

/// The keyword evidence of the crowd: what the eleventh best document has, 0 if there is none.
pub fn crowd<'a>(query: &QueryEvidence, candidates: impl Iterator<Item = &'a Evidence>) -> f32 {
    let mut evidence: Vec<f32> = candidates.map(|e| e.keyword(query)).collect();
    evidence.sort_by(|a, b| b.total_cmp(a));
    evidence.get(STANDING_OUT).copied().unwrap_or(0.0)
}

/// The score of a document with this evidence beside such a crowd.
pub fn score(query: &QueryEvidence, evidence: &Evidence, crowd: f32, weights: &Weights) -> Shares {
    let keyword = match query.has_vector {
        true => (evidence.keyword(query) - crowd).max(0.0),
        // Alone, the keyword arm ranks by BM25 as it is.
        false => evidence.keyword_share(query),
    };
    let vector = evidence.cosine.map_or(0.0, |cosine| query.in_deviations(cosine));
    Shares { keyword: weights.keyword * keyword, vector: weights.vector * vector }
}
