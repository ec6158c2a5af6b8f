//! Questions answered in this process, as `recall query` answers them.

use std::path::Path;
use std::time::Instant;

use recall_index::{Snapshot, terms};
use recall_query::{Engine, Mode, Request, Searcher, TextBudget};

use crate::outcome::Outcome;

/// Candidates that each retriever of recall returns.
const DEPTH: usize = 256;
/// Hits that are shown.
const HITS: usize = 10;

/// An index opened with its model.
pub(crate) struct Asking {
    searcher: Searcher,
}

/// Where the time of one question goes, in milliseconds.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Spans {
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
    /// Features of both arms, fusion, judgement: what the others leave.
    pub(crate) fn rest(&self) -> f64 {
        self.whole - self.embedding - self.vectors - self.keyword - self.hits
    }
}

impl Asking {
    pub(crate) fn open(index: &Path) -> Outcome<Self> {
        Ok(Self { searcher: Engine::new().searcher(index, Mode::Vector)? })
    }

    /// The generation that is asked.
    pub(crate) fn snapshot(&self) -> &Snapshot {
        self.searcher.snapshot()
    }

    /// Answers a question and says how long each part took: the whole by one call, then the parts by
    /// themselves.
    pub(crate) fn ask(&self, text: &str) -> Outcome<Spans> {
        let started = Instant::now();
        let request = Request { k: HITS, ..Request::plain(text, Mode::Hybrid) };
        let ranking = self.searcher.rank(&request)?;
        let ranked = milliseconds(started);
        let shown: Vec<_> = ranking.documents.iter().take(HITS).collect();
        let budget = TextBudget { whole: 24_000, full: false };
        std::hint::black_box(self.searcher.hits(&ranking, &shown, budget)?);
        let whole = milliseconds(started);
        let parts = self.parts(&request.question.text)?;
        Ok(Spans { whole, hits: whole - ranked, ..parts })
    }

    fn parts(&self, text: &str) -> Outcome<Spans> {
        let embedder = self.searcher.embedder().ok_or("the index has no vectors")?;
        let started = Instant::now();
        let vector = embedder.query(text)?;
        let embedding = milliseconds(started);
        let started = Instant::now();
        if let Some(vectors) = self.snapshot().vectors().map_err(ToString::to_string)? {
            std::hint::black_box(vectors.search(&vector, None, DEPTH)?);
        }
        let vectors = milliseconds(started);
        let started = Instant::now();
        let terms = terms(text, self.searcher.analyzer());
        std::hint::black_box(self.snapshot().keyword().search(&terms, None, DEPTH)?);
        Ok(Spans { embedding, vectors, keyword: milliseconds(started), ..Spans::default() })
    }
}

pub(crate) fn milliseconds(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1e3
}
