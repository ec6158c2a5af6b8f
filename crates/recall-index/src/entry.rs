//! A document as the keyword index holds it: one entry, or several parts if it is long and may be
//! cut. Pure.

use std::borrow::Cow;
use std::ops::Range;

use recall_sources::{Document, Kind};
use serde::{Deserialize, Serialize};

use crate::analysis::identifiers;
use crate::chunk::{Chunk, ChunkSettings, TokenOffsets, chunk};

/// Chunks in one entry of a document that may be cut: about as much text as a long article.
const CHUNKS_PER_ENTRY: usize = 16;
/// Bytes of title and headings that go with a chunk to the model.
const CONTEXT_BYTES_MAX: usize = 240;

/// What is stored of a document, or of one part of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Number of its root in the manifest.
    pub root: u32,
    /// Path of the source it was read from, relative to the root.
    pub source_path: String,
    /// Which part this is, from 0.
    pub part: u32,
    /// How many parts the document has.
    pub parts: u32,
    /// Where the part begins in the document's text, in bytes.
    pub offset: u64,
    /// [`Document::content_hash`], its first 8 bytes. A column of the index holds it, so it is not
    /// stored a second time.
    #[serde(skip)]
    pub content: u64,
    /// The document, with the text and the messages of this part only.
    pub document: Document,
    /// The chunks of this part.
    pub chunks: Vec<ChunkRecord>,
}

/// A chunk of an entry: where it stands and which vector is its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChunkRecord {
    /// First byte in the entry's text.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
    /// Headings above it.
    pub headings: String,
    /// Hash of the text that the model reads for it; texts with one hash share one vector. A column
    /// of the index, too.
    #[serde(skip)]
    pub hash: u64,
}

impl Entry {
    /// What identifies the document in an index: its root, source and id.
    pub fn document_key(&self) -> u64 {
        document_key(self.root, &self.source_path, &self.document.id)
    }

    /// What identifies the source it was read from.
    pub fn source_key(&self) -> u64 {
        source_key(self.root, &self.source_path)
    }

    /// The text that the model reads for a chunk: its context, then the chunk itself.
    pub fn model_text(&self, chunk: &ChunkRecord) -> String {
        let range = chunk.start as usize..chunk.end as usize;
        model_text(
            &self.document,
            &chunk.headings,
            self.document.text.get(range).unwrap_or_default(),
        )
    }

    /// What its words are taken from.
    pub fn searched_text(&self) -> String {
        // Of several parts, the first begins after the front matter already.
        let body = if self.parts == 1 { body_start(&self.document) } else { 0 };
        let text = &self.document.text[body..];
        let title = self.document.title.trim();
        if title.is_empty() {
            return text.to_owned();
        }
        // A title counts twice; where the text begins with it, once is already there.
        let repeated = text.trim_start_matches(['#', ' ', '\n', '\u{feff}']).starts_with(title);
        let again = if repeated { "" } else { title };
        format!("{title}\n{again}\n{text}")
    }

    /// Names by which it is found exactly: its id, path, file name, and those in its
    /// [`Self::searched_text`]. `paths` is kept from one entry to the next.
    pub fn names(&self, searched: &str, paths: &mut PathNames) -> Vec<String> {
        let d = &self.document;
        let mut out = identifiers(searched);
        out.extend_from_slice(paths.of(&d.path));
        if d.id != d.path {
            own_names(&d.id, &mut out);
        }
        if let Some(url) = &d.url {
            own_names(url, &mut out);
        }
        out.extend(d.messages.iter().map(|message| message.id.to_lowercase()));
        out.retain(|name| !name.is_empty());
        out.sort_unstable();
        out.dedup();
        out
    }
}

/// The names of the last path that was asked for: entries of one file come one after another.
#[derive(Debug, Default)]
pub struct PathNames {
    path: String,
    names: Vec<String>,
}

impl PathNames {
    fn of(&mut self, path: &str) -> &[String] {
        if self.path != path {
            path.clone_into(&mut self.path);
            self.names.clear();
            own_names(path, &mut self.names);
        }
        &self.names
    }
}

/// The names that an id, a path or an address is, and has in it.
fn own_names(own: &str, out: &mut Vec<String>) {
    out.push(own.to_lowercase());
    out.extend(identifiers(own));
    out.extend(own.rsplit('/').next().map(str::to_lowercase));
}

/// Hash of a root and a source's path.
pub(crate) fn source_key(root: u32, source: &str) -> u64 {
    short_hash(&[&root.to_le_bytes(), source.as_bytes()])
}

/// Hash of a root, a source's path and a document's id.
pub(crate) fn document_key(root: u32, source: &str, id: &str) -> u64 {
    short_hash(&[&root.to_le_bytes(), source.as_bytes(), &[0], id.as_bytes()])
}

/// The first 8 bytes of a BLAKE3 hash: a collision in a million texts has odds of 1 to 37 million.
pub(crate) fn short_hash(parts: &[&[u8]]) -> u64 {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(part);
    }
    shorten(hasher.finalize())
}

/// The first 8 bytes of a hash as a number.
pub(crate) fn shorten(hash: blake3::Hash) -> u64 {
    let mut first = [0; 8];
    first.copy_from_slice(&hash.as_bytes()[..8]);
    u64::from_le_bytes(first)
}

/// The entries of a document: one if it is whole or short, else one for every
/// [`CHUNKS_PER_ENTRY`] chunks. `content` is [`Entry::content`].
pub(crate) fn entries(
    root: u32,
    source: &str,
    document: Document,
    content: u64,
    measure: &TokenOffsets<'_>,
    settings: ChunkSettings,
) -> Vec<Entry> {
    let messages: Vec<Range<usize>> = document.messages.iter().map(|m| m.start..m.end).collect();
    let body = body_start(&document);
    let mut chunks = chunk(&document.text[body..], &messages, measure, settings);
    for chunk in &mut chunks {
        chunk.range = chunk.range.start + body..chunk.range.end + body;
    }
    if document.whole || chunks.len() <= CHUNKS_PER_ENTRY {
        let range = 0..document.text.len();
        let chunks = records(&document, &chunks, 0);
        return vec![entry(root, source, content, document, range, chunks)];
    }
    let parts: Vec<&[Chunk]> = chunks.chunks(CHUNKS_PER_ENTRY).collect();
    let count = parts.len() as u32;
    let mut out = Vec::with_capacity(parts.len());
    for (number, part) in parts.into_iter().enumerate() {
        let range = part_range(part);
        let records = records(&document, part, range.start);
        let mut entry = entry(root, source, content, cut(&document, &range), range, records);
        entry.part = number as u32;
        entry.parts = count;
        out.push(entry);
    }
    out
}

/// Where the text to search begins: after the front matter, unless nothing follows it.
fn body_start(document: &Document) -> usize {
    let start = document.body_start();
    if document.text[start..].trim().is_empty() { 0 } else { start }
}

fn part_range(part: &[Chunk]) -> Range<usize> {
    match (part.first(), part.last()) {
        (Some(first), Some(last)) => first.range.start..last.range.end,
        _ => 0..0,
    }
}

fn entry(
    root: u32,
    source: &str,
    content: u64,
    document: Document,
    range: Range<usize>,
    chunks: Vec<ChunkRecord>,
) -> Entry {
    let offset = range.start as u64;
    Entry {
        root,
        source_path: source.to_owned(),
        part: 0,
        parts: 1,
        offset,
        content,
        document,
        chunks,
    }
}

/// The document with the text of `range` only.
fn cut(document: &Document, range: &Range<usize>) -> Document {
    let mut out = Document { text: document.text[range.clone()].to_owned(), ..document.clone() };
    out.messages.retain(|m| m.start < range.end && m.end > range.start);
    for message in &mut out.messages {
        message.start = message.start.saturating_sub(range.start);
        message.end = message.end.min(range.end) - range.start;
    }
    out
}

fn records(document: &Document, chunks: &[Chunk], base: usize) -> Vec<ChunkRecord> {
    let record = |chunk: &Chunk| {
        let text = model_text(document, &chunk.headings, &document.text[chunk.range.clone()]);
        ChunkRecord {
            start: (chunk.range.start - base) as u32,
            end: (chunk.range.end - base) as u32,
            headings: chunk.headings.clone(),
            hash: short_hash(&[text.as_bytes()]),
        }
    };
    chunks.iter().map(record).collect()
}

/// Title and headings, each once, and for a conversation its place and day, then the text.
fn model_text(document: &Document, headings: &str, text: &str) -> String {
    let own = if document.kind == Kind::Mail { own_lines(text) } else { Cow::Borrowed(text) };
    let text = own.as_ref();
    let title = document.title.trim();
    let mut context = String::new();
    if !document.messages.is_empty() {
        context.push_str(&document.source);
        if let Some(date) = document.date {
            let day: String = date.to_string().chars().take(10).collect();
            context.push_str(&format!(" {day}"));
        }
        context.push_str(": ");
    }
    if !text.trim_start_matches(['#', ' ']).starts_with(title) {
        context.push_str(title);
    }
    if !headings.is_empty() && headings != title && !text.contains(headings) {
        if !context.is_empty() {
            context.push_str(" > ");
        }
        context
            .push_str(headings.strip_prefix(title).unwrap_or(headings).trim_start_matches(" > "));
    }
    if context.is_empty() {
        return text.to_owned();
    }
    context.truncate(context.floor_char_boundary(CONTEXT_BYTES_MAX));
    format!("{context}\n{text}")
}

/// What a part of a mail says itself: no quoted lines, which the model reads in the mail they come
/// from, and no signature, which it would read a thousand times. All of it if that is nothing.
fn own_lines(text: &str) -> Cow<'_, str> {
    let is_quoted = |line: &str| line.starts_with('>');
    let is_signature = |line: &str| line.trim_end_matches(['\r', '\n']) == "-- ";
    if !text.lines().any(|line| is_quoted(line) || is_signature(line)) {
        return Cow::Borrowed(text);
    }
    let before = text.split_inclusive('\n').take_while(|line| !is_signature(line));
    let own: String = before.filter(|line| !is_quoted(line)).collect();
    if own.trim().is_empty() { Cow::Borrowed(text) } else { Cow::Owned(own.trim().to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::estimated_tokens;

    fn long_note(whole: bool) -> Document {
        let text: String = (0..200).map(|i| format!("Sentence number {i} of the note. ")).collect();
        Document { whole, title: "Note".into(), ..Document::new("a.md", "a.md", Kind::Note, text) }
    }

    const SETTINGS: ChunkSettings = ChunkSettings { tokens: 30, overlap: 5 };

    #[test]
    fn a_long_document_is_cut_and_a_whole_one_never() {
        let parts = entries(0, "a.md", long_note(false), 0, &estimated_tokens, SETTINGS);
        assert!(parts.len() > 1);
        assert!(parts.iter().enumerate().all(|(i, p)| p.part as usize == i));
        let text = long_note(false).text;
        for part in &parts {
            let at = part.offset as usize;
            assert_eq!(part.document.text, text[at..at + part.document.text.len()]);
        }
        let whole = entries(0, "a.md", long_note(true), 0, &estimated_tokens, SETTINGS);
        assert_eq!(whole.len(), 1);
        assert_eq!(whole[0].document.text, text);
        assert!(whole[0].chunks.len() > CHUNKS_PER_ENTRY);
    }

    #[test]
    fn front_matter_is_no_part_of_the_body() {
        let check = |id: &str, text: &str, expected: &str| {
            let document = Document::new(id, id, Kind::Note, text.to_owned());
            let entries = entries(0, id, document, 0, &estimated_tokens, SETTINGS);
            assert_eq!(entries[0].searched_text(), expected, "{id} {text:?}");
        };
        check("a.md", "---\ntitle: x\n---\nbody", "body");
        check("a.md", "---\r\ntitle: x\r\n---\r\nbody", "body");
        check("a.md", "--- \ntitle: x\n...\nbody", "body");
        for all in [
            "---\ntitle: x\n---\n",
            "---\nnever: closed",
            "---\nProse.\n---\nMore.",
            "---\nbroken: [x\n---\nbody",
            "body",
        ] {
            check("a.md", all, all);
        }
        let manifests = "---\nkind: Service\n---\nkind: Deployment\n";
        check("deploy.yaml", manifests, manifests);
        check("big.md#part2", "---\na: b\n---\nbody", "---\na: b\n---\nbody");
    }

    #[test]
    fn the_model_reads_no_quotes_and_no_signatures_of_mails() {
        let check = |text: &str, expected: &str| assert_eq!(own_lines(text), expected);
        check("as before", "as before");
        check("> did it help?\n>> no\nIt did.\n-- \nAn\nOps", "It did.");
        check("It did.\r\n\r\n-- \r\nAn\r\n", "It did.");
        check("> all is quoted\n", "> all is quoted\n");
        check("a -- b\n--\nc > d", "a -- b\n--\nc > d");
    }

    #[test]
    fn the_model_reads_the_context_once() {
        let note = |title: &str| Document {
            title: title.into(),
            ..Document::new("a", "a", Kind::Note, String::new())
        };
        assert_eq!(model_text(&note(""), "", "text"), "text");
        assert_eq!(model_text(&note("T"), "", "text"), "T\ntext");
        assert_eq!(model_text(&note("T"), "T > B", "text"), "T > B\ntext");
        assert_eq!(model_text(&note("Title"), "Title", "# Title\ntext"), "# Title\ntext");
    }
}
