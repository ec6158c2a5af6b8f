//! Prints conversations, for expectations.

use std::fmt::Write as _;
use std::path::PathBuf;

use recall_sources::{Document, ReadOptions};

use crate::show::{Outcome, read_source, source};

/// The folder of the fixtures of chat and transcripts.
pub(crate) fn fixtures() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/chat")
}

/// What came of the fixture `name`, a file or a folder.
pub(crate) fn talk(name: &str) -> String {
    lines(&read_source(&source(&fixtures(), name), &ReadOptions::default()))
}

/// What came of a file: each document with its messages, then the problems and the counts.
pub(crate) fn lines(outcome: &Outcome) -> String {
    let mut lines = String::new();
    for document in &outcome.documents {
        head(document, &mut lines);
        messages(document, &mut lines);
    }
    for problem in &outcome.problems {
        let _ = writeln!(lines, "! {problem}");
    }
    let _ = match &outcome.end {
        Ok(reading) => writeln!(lines, "= {}, {} messages", reading.format, reading.messages),
        Err(problem) => writeln!(lines, "= FAILED {problem}"),
    };
    lines
}

/// `# id kind source "title" dates by=… url name=value`
fn head(document: &Document, lines: &mut String) {
    let Document { id, kind, source, title, .. } = document;
    let _ = write!(lines, "# {id} {kind} {source} {title:?}");
    let dates = [("from", document.date), ("to", document.updated)];
    for (name, date) in dates.into_iter().filter_map(|(name, date)| Some((name, date?))) {
        let _ = write!(lines, " {name}={date}");
    }
    let _ = write!(lines, " by={}", document.authors.join("|"));
    if let Some(span) = document.span {
        let _ = write!(lines, " @{}-{}", span.line_start, span.line_end);
    }
    if let Some(url) = &document.url {
        let _ = write!(lines, " {url}");
    }
    for (name, value) in &document.metadata {
        let _ = write!(lines, " {name}={value:?}");
    }
    lines.push('\n');
}

/// `id date tool url "Author: text"`, and `~ "text"` for what is no message.
fn messages(document: &Document, lines: &mut String) {
    let mut from = 0;
    for message in &document.messages {
        beside(&document.text[from..message.start], lines);
        from = message.end;
        lines.push_str("  ");
        let date = message.date.map(|date| date.to_string()).unwrap_or_default();
        let tool = if message.tool { "tool" } else { "" };
        for part in [&message.id, &date, tool, &message.url].into_iter().filter(|p| !p.is_empty()) {
            let _ = write!(lines, "{part} ");
        }
        let text = &document.text[message.start..message.end];
        assert!(text.starts_with(&message.author), "{text}");
        let _ = writeln!(lines, "{text:?}");
    }
    beside(&document.text[from..], lines);
}

fn beside(text: &str, lines: &mut String) {
    let text = text.trim();
    if !text.is_empty() {
        let _ = writeln!(lines, "  ~ {text:?}");
    }
}
