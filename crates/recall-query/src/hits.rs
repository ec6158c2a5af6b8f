//! Turns ranked documents into hits: text, lines, messages and marks.

use std::sync::Arc;

use recall_index::{Entry, EntryId, IndexError, Snapshot};
use recall_sources::Message;

use crate::answer::{Hit, KeywordView, MessageView, Omitted, VectorView};
use crate::ranking::{Ranked, Ranking};
use crate::search::Searcher;
use crate::{passage, stale};

/// Limits on the text that hits carry.
#[derive(Debug, Clone, Copy)]
pub struct TextBudget {
    /// Total bytes of all whole documents.
    pub whole: usize,
    /// Whether every document is returned in full, whatever its size.
    pub full: bool,
}

impl Searcher {
    /// Turns some documents of a ranking into hits with their texts, best first.
    ///
    /// # Errors
    /// Those of reading the index.
    pub fn hits(
        &self,
        ranking: &Ranking,
        ranked: &[&Ranked],
        budget: TextBudget,
    ) -> Result<Vec<Hit>, IndexError> {
        let mut left = budget.whole;
        let mut out = Vec::with_capacity(ranked.len());
        for (index, ranked) in ranked.iter().enumerate() {
            let entry = match &ranked.fetched {
                Some(entry) => entry.clone(),
                None => Arc::new(self.snapshot().keyword().fetch(ranked.entry)?),
            };
            let (text, lines, omitted) = self.text(ranking, ranked, &entry, budget, &mut left)?;
            let messages = messages(&entry, text.as_deref());
            let mut hit = self.hit(ranking, ranked, &entry);
            hit.messages = messages;
            hit.marks = text
                .as_deref()
                .map(|text| passage::marks(text, &ranking.terms, self.analyzer()))
                .unwrap_or_default();
            (hit.rank, hit.text, hit.lines, hit.omitted) = (index + 1, text, lines, omitted);
            out.push(hit);
        }
        Ok(out)
    }

    fn hit(&self, ranking: &Ranking, ranked: &Ranked, entry: &Entry) -> Hit {
        let file = self.snapshot().file_of(entry.root, &entry.source_path).unwrap_or_default();
        let stale = stale::by_date(&file, self.snapshot());
        let document = entry.document.clone();
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
            kind: document.kind,
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

    /// Returns the text to show, its lines, and what did not fit.
    #[expect(clippy::type_complexity, reason = "three answers to one question, unpacked at once")]
    fn text(
        &self,
        ranking: &Ranking,
        ranked: &Ranked,
        entry: &Entry,
        budget: TextBudget,
        left: &mut usize,
    ) -> Result<(Option<String>, Option<(u64, u64)>, Option<Omitted>), IndexError> {
        let document = &entry.document;
        if document.whole || budget.full {
            let text = whole_text(self.snapshot(), ranked.entry, entry)?;
            if text.len() > *left && !budget.full {
                return Ok((None, None, Some(Omitted { bytes: text.len() })));
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
            self.analyzer(),
        );
        let text = passage::chunk_text(entry, best);
        Ok((Some(text.to_owned()), lines(entry, best), None))
    }

    fn chunk_cosines(&self, ranking: &Ranking, entry: &Entry) -> Vec<Option<f32>> {
        let (Some(vector), Ok(Some(vectors))) = (&ranking.vector, self.snapshot().vectors()) else {
            return vec![None; entry.chunks.len()];
        };
        entry.chunks.iter().map(|chunk| vectors.cosine(vector, chunk.hash)).collect()
    }
}

/// Returns the messages of an entry that `shown` is taken from.
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

/// Joins the parts of the document that has this entry into its whole text.
///
/// # Errors
/// Those of reading the index.
pub fn whole_text(snapshot: &Snapshot, of: EntryId, entry: &Entry) -> Result<String, IndexError> {
    if entry.parts <= 1 {
        return Ok(entry.document.text.clone());
    }
    let mut out = String::new();
    for id in snapshot.keyword().parts(of)? {
        if id == of {
            append_part(&mut out, entry);
        } else {
            append_part(&mut out, &snapshot.keyword().fetch(id)?);
        }
    }
    Ok(out)
}

/// Appends a part to the text so far: parts overlap a little, or have only white space between
/// them.
fn append_part(out: &mut String, part: &Entry) {
    let offset = usize::try_from(part.offset).unwrap_or(usize::MAX);
    let seen = out.len().saturating_sub(offset);
    while out.len() < offset {
        out.push('\n');
    }
    out.push_str(part.document.text.get(seen..).unwrap_or_default());
}

/// Returns the lines of a chunk in its file, if the file contains the entry's text unchanged.
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
