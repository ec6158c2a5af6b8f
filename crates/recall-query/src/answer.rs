//! What `recall query` says: the documented, versioned JSON, and what the text output is made from.

use std::path::PathBuf;

use recall_index::{Analyzer, Entry, EntryId, Freshness, FreshnessCheck, IndexError, Snapshot};
use recall_pointers::PointerLine;
use recall_sources::Message;
use serde::{Deserialize, Serialize};

use crate::fuse::Shares;
use crate::passage;
use crate::search::{Mode, Ranked, Ranking};

/// Version of the JSON; it grows when a field changes its meaning or goes.
pub const VERSION: u32 = 1;

/// The answer to one question.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Answer {
    /// [`VERSION`].
    pub version: u32,
    /// The question as it was asked.
    pub query: String,
    /// Which retrievers answered.
    pub mode: Mode,
    /// Why not those that were asked for, if others answered.
    pub degraded: Option<String>,
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

/// One document.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Hit {
    /// From 1.
    pub rank: usize,
    /// The document's own id, else its path.
    pub id: String,
    /// Its kind.
    pub kind: String,
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
    /// What each arm adds to the score; they add up to it.
    pub shares: Shares,
    /// It holds the exact token or phrase that the question is.
    pub exact: bool,
    /// Why it may no longer be true; `null` if nothing speaks against it.
    pub stale: Option<String>,
    /// The messages that the passage is from, in order; empty for what is no conversation.
    pub messages: Vec<MessageView>,
    /// The matching passage, or the whole document; `null` if it did not fit.
    pub text: Option<String>,
    /// Bytes of the text that did not fit, and how to get it.
    pub omitted: Option<Omitted>,
    /// The keyword arm's view.
    pub keyword: Option<KeywordView>,
    /// The vector arm's view.
    pub vector: Option<VectorView>,
    /// Byte ranges of `text` that match.
    #[serde(skip)]
    pub marks: Vec<std::ops::Range<usize>>,
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
    /// The command that prints it.
    pub get: String,
}

/// Where a document stands in the keyword arm.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct KeywordView {
    /// From 1.
    pub rank: usize,
    /// BM25.
    pub score: f32,
    /// What each term of the question adds.
    pub terms: Vec<(String, f32)>,
}

/// Where a document stands in the vector arm.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct VectorView {
    /// From 1.
    pub rank: usize,
    /// Cosine with its nearest chunk: about 0 for unrelated texts, in one language or two.
    pub cosine: f32,
}

/// How much text hits may carry.
#[derive(Debug, Clone, Copy)]
pub struct TextBudget {
    /// Bytes of all whole documents together.
    pub whole: usize,
    /// Print every document in full.
    pub full: bool,
}

/// Makes hits of ranked documents.
pub struct Hits<'a> {
    /// The generation they are from.
    pub snapshot: &'a Snapshot,
    /// For marking words.
    pub analyzer: &'a Analyzer,
    /// How much text they may carry.
    pub budget: TextBudget,
}

impl Hits<'_> {
    /// The first `ranked` as hits, their texts fetched.
    pub fn make(&self, ranking: &Ranking, ranked: &[&Ranked]) -> Result<Vec<Hit>, IndexError> {
        let mut left = self.budget.whole;
        let mut out = Vec::with_capacity(ranked.len());
        for (index, ranked) in ranked.iter().enumerate() {
            let entry = self.snapshot.keyword().fetch(ranked.entry)?;
            let (text, lines, omitted) = self.text(ranking, ranked, &entry, &mut left)?;
            let messages = messages(&entry, text.as_deref());
            let mut hit = self.hit(ranking, ranked, entry);
            hit.messages = messages;
            hit.marks = text
                .as_deref()
                .map(|text| passage::marks(text, &ranking.terms, self.analyzer))
                .unwrap_or_default();
            (hit.rank, hit.text, hit.lines, hit.omitted) = (index + 1, text, lines, omitted);
            out.push(hit);
        }
        Ok(out)
    }

    fn hit(&self, ranking: &Ranking, ranked: &Ranked, entry: Entry) -> Hit {
        let file = self.snapshot.file_of(entry.root, &entry.source_path).unwrap_or_default();
        let stale = stale(&file, self.snapshot);
        let document = entry.document;
        let features = &ranked.features;
        let keyword = ranked.keyword_rank.map(|rank| KeywordView {
            rank,
            score: features.bm25,
            terms: matching(ranking, ranked),
        });
        let vector = ranked
            .vector_rank
            .zip(features.cosine)
            .map(|(rank, cosine)| VectorView { rank, cosine });
        Hit {
            rank: 0,
            id: document.id,
            kind: document.kind.name().to_owned(),
            title: document.title,
            path: document.path,
            file,
            lines: None,
            date: document.date.or(document.updated).map(|date| date.to_string()),
            authors: document.authors,
            source: document.source,
            tags: document.tags,
            url: document.url,
            whole: document.whole,
            relevance: ranked.relevance,
            score: ranked.score,
            shares: ranked.shares,
            exact: features.exact,
            stale,
            messages: Vec::new(),
            text: None,
            omitted: None,
            keyword,
            vector,
            marks: Vec::new(),
        }
    }

    /// The text to show, its lines, and what did not fit.
    #[expect(clippy::type_complexity, reason = "three answers to one question, unpacked at once")]
    fn text(
        &self,
        ranking: &Ranking,
        ranked: &Ranked,
        entry: &Entry,
        left: &mut usize,
    ) -> Result<(Option<String>, Option<(u64, u64)>, Option<Omitted>), IndexError> {
        let document = &entry.document;
        if document.whole || self.budget.full {
            let text = whole_text(self.snapshot, ranked.entry)?;
            if text.len() > *left && !self.budget.full {
                let get = format!("recall get '{}'", document.id);
                return Ok((None, None, Some(Omitted { bytes: text.len(), get })));
            }
            *left = left.saturating_sub(text.len());
            let lines = document.span.map(|span| (span.line_start, span.line_end));
            return Ok((Some(text), lines, None));
        }
        let best = passage::best_chunk(
            entry,
            &ranking.terms,
            &ranking.query.term_limits,
            &self.chunk_cosines(ranking, entry),
            self.analyzer,
        );
        let text = passage::chunk_text(entry, best);
        Ok((Some(text.to_owned()), lines(entry, best), None))
    }

    fn chunk_cosines(&self, ranking: &Ranking, entry: &Entry) -> Vec<Option<f32>> {
        let (Some(unit), Ok(Some(vectors))) = (&ranking.unit, self.snapshot.vectors()) else {
            return vec![None; entry.chunks.len()];
        };
        entry.chunks.iter().map(|chunk| vectors.cosine(unit, chunk.hash)).collect()
    }
}

/// The messages of an entry that `shown` is from.
fn messages(entry: &Entry, shown: Option<&str>) -> Vec<MessageView> {
    let document = &entry.document;
    let Some(start) = shown.and_then(|shown| document.text.find(shown)) else { return Vec::new() };
    let end = start + shown.map_or(0, str::len);
    let inside = document.messages.iter().filter(|m| m.start < end && m.end > start);
    let view = |message: &Message| MessageView {
        id: message.id.clone(),
        author: message.author.clone(),
        date: message.date.map(|date| date.to_string()),
        tool: message.tool,
        url: Some(message.url.clone()).filter(|url| !url.is_empty()),
    };
    inside.map(view).collect()
}

fn matching(ranking: &Ranking, ranked: &Ranked) -> Vec<(String, f32)> {
    let terms = ranking.terms.iter().zip(&ranked.features.contributions);
    terms.filter(|(_, c)| **c > 0.0).map(|(t, c)| (t.text.clone(), *c)).collect()
}

/// All of the text of the document that has this entry, from its parts.
pub fn whole_text(snapshot: &Snapshot, of: EntryId) -> Result<String, IndexError> {
    let mut out = String::new();
    for id in snapshot.keyword().parts(of)? {
        let entry = snapshot.keyword().fetch(id)?;
        let offset = usize::try_from(entry.offset).unwrap_or(usize::MAX);
        // Parts overlap a little; between them there is only white space.
        let seen = out.len().saturating_sub(offset);
        while out.len() < offset {
            out.push('\n');
        }
        out.push_str(entry.document.text.get(seen..).unwrap_or_default());
    }
    Ok(out)
}

/// The lines of a chunk in its file, where the entry's text stands there as it is.
fn lines(entry: &Entry, chunk: usize) -> Option<(u64, u64)> {
    let span = entry.document.span?;
    let text = &entry.document.text;
    let chunk = entry.chunks.get(chunk)?;
    if span.byte_end - span.byte_start != text.len() as u64 {
        return Some((span.line_start, span.line_end));
    }
    let newlines = |range: std::ops::Range<usize>| {
        text.as_bytes().get(range).map_or(0, |b| b.iter().filter(|b| **b == b'\n').count() as u64)
    };
    let first = span.line_start + newlines(0..chunk.start as usize);
    Some((first, first + newlines(chunk.start as usize..chunk.end as usize)))
}

/// Why what is shown may no longer be what the file says: it is gone, or was changed after the index
/// was last written.
fn stale(file: &std::path::Path, snapshot: &Snapshot) -> Option<String> {
    match snapshot.freshness(file, FreshnessCheck::ModificationTime) {
        Freshness::Current => None,
        Freshness::Changed => Some("its file changed since it was indexed".to_owned()),
        Freshness::Gone => Some("its file is gone".to_owned()),
        Freshness::Unreadable(why) => Some(format!("its file cannot be read: {why}")),
    }
}
