//! The answer to a question: hits, or that nothing is relevant, and how far to trust either.

use std::fmt;
use std::ops::Range;
use std::path::PathBuf;

use recall_index::Manifest;
use recall_pointers::PointerLine;
use recall_sources::Kind;
use serde::{Deserialize, Serialize};

use crate::degraded::Degraded;
use crate::fuse::Shares;
use crate::query::Mode;

/// The answer to one question.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Answer {
    /// The question as it was asked.
    pub query: String,
    /// Which retrievers answered.
    pub mode: Mode,
    /// Why not those that were asked for, if others answered.
    pub degraded: Option<Degraded>,
    /// No document is relevant: an answer, not a failure.
    pub nothing_relevant: bool,
    /// Below this relevance a document is no answer.
    pub threshold: f32,
    /// How much of the corpus the answer is from.
    pub coverage: Coverage,
    /// Wall-clock time in milliseconds.
    pub took_ms: f64,
    /// The hits, best first.
    pub hits: Vec<Hit>,
    /// Lines of the pointer index that name a document of a hit: what people decided about it.
    /// They are not hits and are not ranked.
    pub pointers: Vec<PointerLine>,
}

/// How much of the corpus an answer is from.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Coverage {
    /// Generation of the index.
    pub generation: u64,
    /// Documents in the index.
    pub documents: u64,
    /// Distinct chunk texts.
    pub chunks: u64,
    /// Those that have a vector.
    pub vectors: u64,
    /// Entries that the filter let pass; `null` without a filter.
    pub allowed: Option<u64>,
}

impl Coverage {
    /// The counts of a generation, of which `allowed` entries were searched.
    pub(crate) fn of(manifest: &Manifest, allowed: Option<u64>) -> Self {
        Self {
            generation: manifest.generation,
            documents: manifest.counts.documents,
            chunks: manifest.counts.chunks,
            vectors: manifest.counts.vectors,
            allowed,
        }
    }
}

/// One document.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Hit {
    /// From 1.
    pub rank: usize,
    /// The document's own id, else its path.
    pub id: String,
    /// Its kind.
    pub kind: Kind,
    /// Its title; may be empty.
    pub title: String,
    /// Path relative to the indexed root.
    pub path: String,
    /// Where its file lies.
    pub file: PathBuf,
    /// First and last line of what is shown, in the file, where that is known.
    pub lines: Option<(u64, u64)>,
    /// When it was written (RFC 3339 or a day); `null` if unknown.
    pub date: Option<String>,
    /// Who wrote it.
    pub authors: Vec<String>,
    /// Where it came from.
    pub source: String,
    /// Its labels.
    pub tags: Vec<String>,
    /// A link to it.
    pub url: Option<String>,
    /// It is never cut: `text` is all of it, or absent.
    pub whole: bool,
    /// Estimated probability that it answers the question, in [0, 1].
    pub relevance: f32,
    /// Only for comparing hits of one answer.
    pub score: f32,
    /// What each retriever adds to the score; they add up to it.
    pub shares: Shares,
    /// It holds the exact token or phrase that the question is.
    pub exact: bool,
    /// Why it may no longer be true; `null` if nothing speaks against it.
    pub stale: Option<Stale>,
    /// The messages that the passage is from, in order; empty for what is no conversation.
    pub messages: Vec<MessageView>,
    /// The matching passage, or the whole document; `null` if it did not fit.
    pub text: Option<String>,
    /// What is said instead of a text that did not fit.
    pub omitted: Option<Omitted>,
    /// The keyword retriever's view.
    pub keyword: Option<KeywordView>,
    /// The vector retriever's view.
    pub vector: Option<VectorView>,
    /// Byte ranges of `text` that match.
    pub marks: Vec<Range<usize>>,
}

/// A message of a passage.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageView {
    /// The id that the exporting tool gave it; may be empty.
    pub id: String,
    /// Who wrote it.
    pub author: String,
    /// When; `null` if unknown.
    pub date: Option<String>,
    /// Output of a tool rather than of a person or an assistant.
    pub tool: bool,
    /// A link to it; `null` if the export has none.
    pub url: Option<String>,
}

/// A text that did not fit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Omitted {
    /// Its length in bytes.
    pub bytes: usize,
}

/// Where a document stands in the keyword retriever.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct KeywordView {
    /// From 1.
    pub rank: usize,
    /// BM25.
    pub score: f32,
    /// What each term of the question adds.
    pub terms: Vec<(String, f32)>,
}

/// Where a document stands in the vector retriever.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct VectorView {
    /// From 1.
    pub rank: usize,
    /// Cosine with its nearest chunk: about 0 for unrelated texts, in one language or two.
    pub cosine: f32,
}

/// Why a hit may no longer be true.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Stale {
    /// Its file changed since it was indexed.
    Changed,
    /// Its file is gone.
    Gone,
    /// Its file cannot be read, and why.
    Unreadable(String),
    /// It is a memory that quotes paths which are no longer there.
    QuotesMissing(Vec<String>),
}

impl fmt::Display for Stale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Changed => write!(f, "its file changed since it was indexed"),
            Self::Gone => write!(f, "its file is gone"),
            Self::Unreadable(why) => write!(f, "its file cannot be read: {why}"),
            Self::QuotesMissing(paths) => {
                write!(f, "it quotes what is no longer there: {}", paths.join(", "))
            }
        }
    }
}
