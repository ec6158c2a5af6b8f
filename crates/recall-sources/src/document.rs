//! What every reader produces: a [`Document`], the thing that recall finds and shows.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::date::Date;
use crate::front_matter;

/// What a document is, as far as filters and whole-document rules care.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A note, an article, a plain text or markup file.
    Note,
    /// A ticket, issue or record with a body.
    Ticket,
    /// A thread of team chat, or some of its messages in a row.
    Chat,
    /// One mail message.
    Mail,
    /// A procedure, returned whole.
    Runbook,
    /// An entry of a memory folder.
    Memory,
    /// A conversation with an assistant or an agent.
    Transcript,
    /// Some lines of a machine log.
    Log,
}

impl Kind {
    /// Every kind, in the order that help texts list them.
    pub const ALL: [Self; 8] = [
        Self::Note,
        Self::Ticket,
        Self::Chat,
        Self::Mail,
        Self::Runbook,
        Self::Memory,
        Self::Transcript,
        Self::Log,
    ];

    /// The lower-case name, as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Ticket => "ticket",
            Self::Chat => "chat",
            Self::Mail => "mail",
            Self::Runbook => "runbook",
            Self::Memory => "memory",
            Self::Transcript => "transcript",
            Self::Log => "log",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The text is not the name of a [`Kind`].
#[derive(Debug, Clone, thiserror::Error, PartialEq, Eq)]
#[error("unknown kind `{0}`")]
pub struct UnknownKind(pub String);

impl FromStr for Kind {
    type Err = UnknownKind;

    fn from_str(text: &str) -> Result<Self, UnknownKind> {
        Self::ALL
            .into_iter()
            .find(|kind| kind.name().eq_ignore_ascii_case(text))
            .ok_or_else(|| UnknownKind(text.to_owned()))
    }
}

/// The lines and bytes of a file that a document was read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Stored", into = "Stored")]
pub struct Span {
    /// First byte in the file, counted from 0.
    pub byte_start: u64,
    /// One past the last byte.
    pub byte_end: u64,
    /// First line, counted from 1.
    pub line_start: u64,
    /// Last line, counted from 1.
    pub line_end: u64,
}

/// A span as it is stored: lengths are small numbers, and an index has one of them for each record.
#[derive(Serialize, Deserialize)]
struct Stored {
    byte_start: u64,
    bytes: u64,
    line_start: u64,
    lines: u64,
}

impl From<Span> for Stored {
    fn from(span: Span) -> Self {
        Self {
            byte_start: span.byte_start,
            bytes: span.byte_end.saturating_sub(span.byte_start),
            line_start: span.line_start,
            lines: span.line_end.saturating_sub(span.line_start),
        }
    }
}

impl From<Stored> for Span {
    fn from(stored: Stored) -> Self {
        Self {
            byte_start: stored.byte_start,
            byte_end: stored.byte_start.saturating_add(stored.bytes),
            line_start: stored.line_start,
            line_end: stored.line_start.saturating_add(stored.lines),
        }
    }
}

/// One message of a conversation, one comment of a ticket: a range of [`Document::text`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// The id that the exporting tool gave it, or empty.
    pub id: String,
    /// Who wrote it, as a name where it is known, else as the tool's id; empty if unknown.
    pub author: String,
    /// When it was written, if the export says so.
    pub date: Option<Date>,
    /// First byte of the message in [`Document::text`].
    pub start: usize,
    /// One past its last byte in [`Document::text`].
    pub end: usize,
    /// Output of a tool or program rather than of a person or an assistant.
    pub tool: bool,
    /// A link to the message, or empty.
    pub url: String,
}

/// One thing that can be found: a note, a ticket, a thread, a mail, a runbook.
///
/// `id` is the id people use for it: the record's own (`HADOOP-123`), else the path of its file
/// relative to the indexed root. It is unique within one file; the pair (path, id) is unique in
/// an index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Document {
    /// The native id, else the relative path.
    pub id: String,
    /// What it is.
    pub kind: Kind,
    /// A heading, subject or summary; may be empty.
    pub title: String,
    /// The text to search and to show. For a file of text these are the decoded bytes, unchanged.
    pub text: String,
    /// Everyone who wrote in it, in order of appearance, without repeats.
    pub authors: Vec<String>,
    /// When it was written; `None` means unknown.
    pub date: Option<Date>,
    /// When it last changed; `None` means unknown.
    pub updated: Option<Date>,
    /// Labels, tags, categories.
    pub tags: Vec<String>,
    /// The tool it came from and the channel or folder there, for example `slack:incidents`, `mbox:ops`, `file`.
    pub source: String,
    /// Path of its file relative to the indexed root, with `/` between parts.
    pub path: String,
    /// Its lines and bytes in that file; `None` where it has no range of its own (archives, threads
    /// over several files).
    pub span: Option<Span>,
    /// A link to it, if the export has one.
    pub url: Option<String>,
    /// Never cut into pieces: returned complete, as a procedure must be.
    pub whole: bool,
    /// Its messages or comments in order, as ranges of `text`; empty for plain documents.
    pub messages: Vec<Message>,
    /// Other fields worth keeping, by name (priority, status, assignee, `conversation`, …).
    pub metadata: BTreeMap<String, String>,
}

/// What the fields of most documents have beside their text.
const OTHER_BYTES: usize = 512;

impl Document {
    /// Where the text begins after its front matter, whose fields the document carries already, in
    /// bytes. 0 if there is none, or if the document is not Markdown: the first part of a YAML file
    /// may look the same.
    pub fn body_start(&self) -> usize {
        let name = self.id.to_lowercase();
        let name = name.strip_suffix(".gz").unwrap_or(&name);
        if front_matter::is_markdown_name(name) { front_matter::body_start(&self.text) } else { 0 }
    }

    /// A document with this id, kind and text, read from `path`, and nothing else known.
    pub fn new(path: &str, id: &str, kind: Kind, text: String) -> Self {
        Self {
            id: id.to_owned(),
            kind,
            title: String::new(),
            text,
            authors: Vec::new(),
            date: None,
            updated: None,
            tags: Vec::new(),
            source: "file".to_owned(),
            path: path.to_owned(),
            span: None,
            url: None,
            whole: false,
            messages: Vec::new(),
            metadata: BTreeMap::new(),
        }
    }

    /// A hash of everything a reader of the document can see, except its position in its file,
    /// so that a record that merely moved counts as unchanged.
    pub fn content_hash(&self) -> blake3::Hash {
        let Self { id, kind, title, text, authors, date, updated, tags, .. } = self;
        let Self { source, path, span: _, url, whole, messages, metadata, .. } = self;
        let said = (id, kind, title, text, authors, date, updated, tags);
        let around = (source, path, url, whole, messages, metadata);
        let mut bytes = Vec::with_capacity(text.len() + OTHER_BYTES);
        bincode::serde::encode_into_std_write(
            (said, around),
            &mut bytes,
            bincode::config::standard(),
        )
        .expect("a document holds plain data only");
        blake3::hash(&bytes)
    }
}
