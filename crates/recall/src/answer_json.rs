//! The versioned JSON of an answer, as documented in `docs/json.md`.

use std::path::Path;

use recall_pointers::PointerLine;
use recall_query::answer::{Coverage, KeywordView, MessageView, VectorView};
use recall_query::fuse::Shares;
use recall_query::{Answer, Hit, Mode};
use serde::Serialize;

use crate::hint;

/// Version of the JSON; it increases when a field changes its meaning or is removed.
pub(crate) const VERSION: u32 = 1;

/// An answer as it is printed.
#[derive(Debug, Serialize)]
pub(crate) struct AnswerJson<'a> {
    version: u32,
    query: &'a str,
    mode: Mode,
    degraded: Option<String>,
    nothing_relevant: bool,
    threshold: f32,
    coverage: Coverage,
    took_ms: f64,
    hits: Vec<HitJson<'a>>,
    pointers: &'a [PointerLine],
}

/// A hit as it is printed.
#[derive(Debug, Serialize)]
pub(crate) struct HitJson<'a> {
    rank: usize,
    id: &'a str,
    kind: &'static str,
    title: &'a str,
    path: &'a str,
    file: &'a Path,
    lines: Option<(u64, u64)>,
    date: Option<&'a str>,
    authors: &'a [String],
    source: &'a str,
    tags: &'a [String],
    url: Option<&'a str>,
    whole: bool,
    relevance: f32,
    score: f32,
    shares: Shares,
    exact: bool,
    stale: Option<String>,
    messages: &'a [MessageView],
    text: Option<&'a str>,
    omitted: Option<OmittedJson>,
    keyword: Option<&'a KeywordView>,
    vector: Option<&'a VectorView>,
}

/// A text that did not fit the budget, and the command that prints it.
#[derive(Debug, Serialize)]
pub(crate) struct OmittedJson {
    bytes: usize,
    get: String,
}

impl<'a> AnswerJson<'a> {
    /// Builds the JSON of `answer`.
    pub(crate) fn of(answer: &'a Answer) -> Self {
        Self {
            version: VERSION,
            query: &answer.query,
            mode: answer.mode,
            degraded: answer.degraded.as_ref().map(hint::degraded),
            nothing_relevant: answer.nothing_relevant,
            threshold: answer.threshold,
            coverage: answer.coverage,
            took_ms: answer.took_ms,
            hits: answer.hits.iter().map(HitJson::of).collect(),
            pointers: &answer.pointers,
        }
    }
}

impl<'a> HitJson<'a> {
    /// Builds the JSON of `hit`.
    pub(crate) fn of(hit: &'a Hit) -> Self {
        Self {
            rank: hit.rank,
            id: &hit.id,
            kind: hit.kind.name(),
            title: &hit.title,
            path: &hit.path,
            file: &hit.file,
            lines: hit.lines,
            date: hit.date.as_deref(),
            authors: &hit.authors,
            source: &hit.source,
            tags: &hit.tags,
            url: hit.url.as_deref(),
            whole: hit.whole,
            relevance: hit.relevance,
            score: hit.score,
            shares: hit.shares,
            exact: hit.exact,
            stale: hit.stale.as_ref().map(ToString::to_string),
            messages: &hit.messages,
            text: hit.text.as_deref(),
            omitted: hit
                .omitted
                .as_ref()
                .map(|omitted| OmittedJson { bytes: omitted.bytes, get: hint::get(&hit.id) }),
            keyword: hit.keyword.as_ref(),
            vector: hit.vector.as_ref(),
        }
    }
}

/// Serializes a value as one line of JSON.
pub(crate) fn line(value: &impl Serialize) -> String {
    let text = serde_json::to_string(value).expect("answers have string keys only");
    // Some line readers treat both as line ends, though they are legal inside JSON strings.
    let text = text.replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029");
    format!("{text}\n")
}
