//! The features of a question and of one document for it: what fusion and the relevance model work
//! on. Pure.

use serde::Serialize;

/// What is known of the question before any document is looked at.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct QueryFeatures {
    /// For each term the most it could add to a BM25 score; for a word that no document holds, what
    /// the rarest word could.
    pub term_limits: Vec<f32>,
    /// For each term whether it is looked up as an identifier.
    pub identifiers: Vec<bool>,
    /// For each term whether any document holds it.
    pub known: Vec<bool>,
    /// Standard deviation of the question's cosines with a fixed sample of the corpus, drawn
    /// towards that of any corpus where the sample is small: see [`deviation`].
    pub cosine_deviation: f32,
    /// How near the question is to texts of any kind: the mean of its cosines with a fixed cohort of
    /// paragraphs, about -0.05 to 0.15.
    pub cohort_mean: f32,
    /// How many documents were searched: those that a filter let pass.
    pub searched: u64,
    /// The question is one token or phrase, meant exactly.
    pub exact: bool,
    /// A vector of the question was there.
    pub has_vector: bool,
}

/// What is known of one document for the question.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Features {
    /// BM25 score of its best entry; 0 if no term matches.
    pub bm25: f32,
    /// What each term adds to it.
    pub contributions: Vec<f32>,
    /// Cosine of the question with its nearest chunk, if it has a vector: about 0 for unrelated
    /// texts, in one language or two.
    pub cosine: Option<f32>,
    /// It holds the exact token or phrase that the question is.
    pub exact: bool,
}

impl QueryFeatures {
    /// The most that the question's words could score; its identifiers count only if it has no
    /// words.
    pub fn word_limit(&self) -> f32 {
        let words: f32 = self.words().map(|term| self.term_limits[term]).sum();
        if words > 0.0 { words } else { self.term_limits.iter().sum() }
    }

    /// The numbers of the terms that are words.
    fn words(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.term_limits.len()).filter(|term| !self.identifiers[*term])
    }

    /// A cosine, or a difference of two, in standard deviations of the corpus.
    pub fn in_deviations(&self, cosine: f32) -> f32 {
        ratio(cosine, self.cosine_deviation)
    }
}

impl Features {
    /// BM25 as a share of the most that the question's words could score. Identifiers found whole
    /// come on top, so it may pass 1.
    pub fn keyword_share(&self, query: &QueryFeatures) -> f32 {
        ratio(self.bm25, query.word_limit())
    }

    /// Share of the question's words, by weight, that the document holds, in [0, 1].
    pub fn coverage(&self, query: &QueryFeatures) -> f32 {
        let holds = |term: &usize| self.contributions.get(*term).is_some_and(|c| *c > 0.0);
        let held: f32 = query.words().filter(holds).map(|term| query.term_limits[term]).sum();
        ratio(held, query.word_limit())
    }

    /// How many of the question's words the document holds.
    pub fn words_held(&self, query: &QueryFeatures) -> usize {
        let holds = |term: &usize| self.contributions.get(*term).is_some_and(|c| *c > 0.0);
        query.words().filter(holds).count()
    }

    /// The keyword score: BM25 as a share of the most that is possible, as far as the document covers
    /// the question.
    pub fn keyword(&self, query: &QueryFeatures) -> f32 {
        self.keyword_share(query) * self.coverage(query).sqrt()
    }
}

/// Standard deviation of the cosines of a question with unrelated passages, in any corpus.
const USUAL_DEVIATION: f32 = 0.07;
/// How many cosines of a sample weigh as much as that.
const USUAL_WEIGHT: f32 = 30.0;

/// The standard deviation of `cosines`, drawn towards the usual one: a corpus of three documents
/// says little about what an unrelated text scores.
pub fn deviation(cosines: &[f32]) -> f32 {
    let n = cosines.len() as f64;
    let mean = cosines.iter().map(|c| f64::from(*c)).sum::<f64>() / n.max(1.0);
    let squares = cosines.iter().map(|c| (f64::from(*c) - mean).powi(2)).sum::<f64>() as f32;
    ((squares + USUAL_WEIGHT * USUAL_DEVIATION.powi(2)) / (n as f32 + USUAL_WEIGHT)).sqrt()
}

/// `part / whole`, or 0 where there is no whole.
pub fn ratio(part: f32, whole: f32) -> f32 {
    if whole > 0.0 { part / whole } else { 0.0 }
}
