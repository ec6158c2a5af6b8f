//! Questions answered in this process, as `recall query` answers them.

use std::path::Path;
use std::time::Instant;

use recall_embed::Embedder;
use recall_index::{Analyzer, Filter, Snapshot, terms};
use recall_query::answer::{Hits, TextBudget};
use recall_query::question;
use recall_query::search::{Mode, Request, Searcher};

use crate::engine;
use crate::outcome::Outcome;

/// Candidates that each retriever gives.
const DEPTH: usize = 256;
/// Hits that are shown.
const HITS: usize = 10;

/// An index opened with its model.
pub struct Asking {
    pub snapshot: Snapshot,
    embedder: Embedder,
    analyzer: Analyzer,
}

/// Where the time of one question goes, in milliseconds.
#[derive(Debug, Clone, Copy, Default)]
pub struct Spans {
    /// All of it.
    pub whole: f64,
    /// The question's vector.
    pub embedding: f64,
    /// The vectors near it.
    pub vectors: f64,
    /// The entries with its words.
    pub keyword: f64,
    /// Text and data of the hits.
    pub hits: f64,
}

impl Spans {
    /// Features of both retrievers, fusion, relevance: what the others leave.
    pub fn rest(&self) -> f64 {
        self.whole - self.embedding - self.vectors - self.keyword - self.hits
    }
}

impl Asking {
    pub fn open(index: &Path) -> Outcome<Self> {
        let snapshot = Snapshot::open(index)?;
        let (home, installed) = engine::model()?;
        // As `recall query` loads it.
        let embedder = Embedder::load(&home, &installed, 1)?;
        Ok(Self { snapshot, embedder, analyzer: Analyzer::default() })
    }

    /// Answers a question and says how long each part took: the whole by one call, then the parts by
    /// themselves.
    pub fn ask(&self, text: &str) -> Outcome<Spans> {
        let searcher = Searcher::new(&self.snapshot, Some(&self.embedder), &self.analyzer);
        let started = Instant::now();
        let question = question::parse(text, &|_, _| true);
        let request = Request { question, filter: Filter::default(), k: HITS, mode: Mode::Hybrid };
        let ranking = searcher.rank(&request)?;
        let ranked = milliseconds(started);
        let shown: Vec<_> = ranking.documents.iter().take(HITS).collect();
        let budget = TextBudget { whole: 24_000, full: false };
        let hits = Hits { snapshot: &self.snapshot, analyzer: &self.analyzer, budget };
        std::hint::black_box(hits.make(&ranking, &shown)?);
        let whole = milliseconds(started);
        let parts = self.parts(&request.question.text)?;
        Ok(Spans { whole, hits: whole - ranked, ..parts })
    }

    fn parts(&self, text: &str) -> Outcome<Spans> {
        let started = Instant::now();
        let unit = self.embedder.query(text)?;
        let embedding = milliseconds(started);
        let started = Instant::now();
        if let Some(vectors) = self.snapshot.vectors().map_err(ToString::to_string)? {
            std::hint::black_box(vectors.search(&unit, None, DEPTH)?);
        }
        let vectors = milliseconds(started);
        let started = Instant::now();
        let terms = terms(text, &self.analyzer);
        std::hint::black_box(self.snapshot.keyword().search(&terms, None, DEPTH)?);
        Ok(Spans { embedding, vectors, keyword: milliseconds(started), ..Spans::default() })
    }
}

pub fn milliseconds(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1e3
}
