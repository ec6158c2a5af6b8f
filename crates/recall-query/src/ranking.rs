//! Ranks the candidates of one question and estimates the relevance of each. Pure.

use std::cmp::Ordering;
use std::sync::Arc;

use recall_index::{Entry, EntryId, QueryTerm};

use crate::features::{Features, QueryFeatures};
use crate::fuse::{self, FusionWeights, Shares};
use crate::relevance::{self, Margins, TopTwo};

/// One candidate document.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranked {
    /// Its best entry.
    pub entry: EntryId,
    /// Key of the document in the index.
    pub document: u64,
    /// Its id, which breaks ties.
    pub id: String,
    /// Its path.
    pub path: String,
    /// Score from fusion, comparable only among documents of one question.
    pub score: f32,
    /// Each retriever's share of the score.
    pub shares: Shares,
    /// Estimated probability that it answers the question.
    pub relevance: f32,
    /// Its features.
    pub features: Features,
    /// How far it is ahead of the other documents or behind them.
    pub margins: Margins,
    /// Whether it is written in another language than the question.
    pub cross_language: bool,
    /// Rank in the keyword retriever's list, from 1.
    pub keyword_rank: Option<usize>,
    /// Rank in the vector retriever's list, from 1.
    pub vector_rank: Option<usize>,
    /// The entry, if ranking had to read it.
    pub fetched: Option<Arc<Entry>>,
}

impl Ranked {
    /// Creates a candidate that is not ranked yet.
    pub fn new(
        entry: EntryId,
        document: u64,
        (id, path): (String, String),
        features: Features,
    ) -> Self {
        Self {
            entry,
            document,
            id,
            path,
            score: 0.0,
            shares: Shares::default(),
            relevance: 0.0,
            features,
            margins: Margins::default(),
            cross_language: false,
            keyword_rank: None,
            vector_rank: None,
            fetched: None,
        }
    }

    /// Merges the features of another entry of the same document.
    pub fn merge(&mut self, entry: EntryId, other: Features) {
        let own = &self.features;
        let nearer = other.cosine > own.cosine;
        let cosine = if nearer { other.cosine } else { own.cosine };
        let exact = own.exact || other.exact;
        if other.bm25 > own.bm25 || (other.bm25 == own.bm25 && nearer) {
            self.entry = entry;
            self.features = other;
            self.fetched = None;
        }
        self.features.cosine = cosine;
        self.features.exact = exact;
    }

    fn by_name(&self, other: &Self) -> Ordering {
        self.id.cmp(&other.id).then_with(|| self.path.cmp(&other.path))
    }
}

/// Every candidate, best first, with the features of the question.
#[derive(Debug, Clone, Default)]
pub struct Ranking {
    /// Documents, best first.
    pub documents: Vec<Ranked>,
    /// The question's own features.
    pub query: QueryFeatures,
    /// The question's terms.
    pub terms: Vec<QueryTerm>,
    /// Number of entries that pass the filters and conditions; `None` if there were none.
    pub allowed: Option<u64>,
    /// The question's vector, of unit length.
    pub vector: Option<Vec<f32>>,
}

impl Ranking {
    /// Scores the candidates and puts them in order: exact ones first, then by score, then by id.
    /// Relevance plays no part in the order: it is estimated for each document alone, and two hits
    /// whose relevances differ by less than their error would change places.
    pub fn arrange(&mut self, weights: &FusionWeights) {
        self.rank_by_retriever();
        let background = fuse::background(&self.query, self.documents.iter().map(|d| &d.features));
        let usual = fuse::usual_cosine(self.documents.iter().map(|d| &d.features));
        for document in &mut self.documents {
            document.shares =
                fuse::score(&self.query, &document.features, background, usual, weights);
            document.score = document.shares.total();
        }
        self.documents.sort_by(|a, b| {
            let exact = b.features.exact.cmp(&a.features.exact);
            exact.then(b.score.total_cmp(&a.score)).then_with(|| a.by_name(b))
        });
        self.set_margins();
    }

    /// Removes candidates as if the corpus did not contain them: a question made from a ticket
    /// would find that ticket first, and nothing else would stand out beside it.
    pub fn leave_out(&mut self, is_out: impl Fn(&Ranked) -> bool, weights: &FusionWeights) {
        let before = self.documents.len();
        self.documents.retain(|document| !is_out(document));
        if self.documents.len() < before {
            self.arrange(weights);
            self.estimate_relevance();
        }
    }

    /// Estimates the relevance of every candidate; the candidates must be in order.
    pub fn estimate_relevance(&mut self) {
        for document in &mut self.documents {
            let Ranked { features, margins, cross_language, .. } = document;
            document.relevance =
                relevance::relevance(&self.query, features, margins, *cross_language);
        }
    }

    /// Sets each document's rank in each retriever's list.
    fn rank_by_retriever(&mut self) {
        let documents = &mut self.documents;
        documents
            .sort_by(|a, b| b.features.bm25.total_cmp(&a.features.bm25).then_with(|| a.by_name(b)));
        let matching = documents.iter_mut().filter(|d| d.features.bm25 > 0.0);
        matching.enumerate().for_each(|(i, d)| d.keyword_rank = Some(i + 1));
        let cosine = |d: &Ranked| d.features.cosine.unwrap_or(f32::NEG_INFINITY);
        documents.sort_by(|a, b| cosine(b).total_cmp(&cosine(a)).then_with(|| a.by_name(b)));
        let near = documents.iter_mut().filter(|d| d.features.cosine.is_some());
        near.enumerate().for_each(|(i, d)| d.vector_rank = Some(i + 1));
    }

    /// Sets each document's margins.
    fn set_margins(&mut self) {
        let query = &self.query;
        let documents = &mut self.documents;
        let cosine = |d: &Ranked| d.features.cosine.unwrap_or(0.0);
        let keyword: Vec<f32> = documents.iter().map(|d| d.features.keyword(query)).collect();
        let scores = TopTwo::of(documents.iter().map(|d| d.score), f32::NEG_INFINITY);
        let cosines = TopTwo::of(documents.iter().map(cosine), f32::NEG_INFINITY);
        let keywords = TopTwo::of(keyword.iter().copied(), 0.0);
        let mut falling = keyword.clone();
        falling.sort_by(|a, b| b.total_cmp(a));
        for (document, own) in documents.iter_mut().zip(keyword) {
            document.margins = Margins {
                score_gap: bounded(scores.gap(document.score)),
                cosine_gap: bounded(query.in_deviations(cosines.gap(cosine(document)))),
                keyword_gap: keywords.gap(own),
                keyword_rank: falling.partition_point(|other| *other > own),
            };
        }
    }
}

/// Returns a finite gap; without another document, a lead like that of most right answers.
fn bounded(gap: f32) -> f32 {
    if gap.is_finite() { gap } else { 2.0 }
}
