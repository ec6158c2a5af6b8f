//! Many mail messages in one file, each after a line that begins with `From `.

use std::io::BufRead;
use std::ops::Range;
use std::sync::LazyLock;

use regex::bytes::Regex;

use crate::document::{Document, Kind, Span};
use crate::format::Head;
use crate::input::Input;
use crate::problem::Reason;
use crate::readers::{content, mail};
use crate::reading::{Context, Outcome, Sink};

/// Of a longer line only this many bytes are kept.
const MAX_LINE_BYTES: u64 = 1 << 20;

pub(crate) fn is_mbox(head: &Head<'_>) -> bool {
    let mut lines = head.bytes.trim_ascii_start().splitn(2, |&byte| byte == b'\n');
    let (first, rest) = (lines.next().unwrap_or_default(), lines.next().unwrap_or_default());
    is_separator(first) && (head.has_extension(&["mbox", "mbx"]) || mail::has_mail_headers(rest))
}

/// `From `, perhaps an address, and a date. A sentence that begins with "From" has none.
fn is_separator(line: &[u8]) -> bool {
    static SEPARATOR: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r"(?x-u)^From\ (?:.*\s)?
            (?:(?i:mon|tue|wed|thu|fri|sat|sun)[a-z]*,?\s+)
            (?:[A-Za-z]{3,9}\s+\d{1,2}|\d{1,2}\s+[A-Za-z]{3,9}\s+\d{2,4})\s+
            \d{1,2}:\d{2}(?::\d{2})?
            (?:\s+[A-Za-z0-9+:()-]{1,10}){0,3}
            \s*$",
        )
        .expect("a constant that a test compiles")
    });
    line.starts_with(b"From ") && SEPARATOR.is_match(line.trim_ascii_end())
}

/// Reads message after message. Only one is in memory at a time.
pub(crate) fn read(input: &Input, context: &Context<'_>, sink: &mut Sink<'_>) -> Outcome {
    let reader = input.bytes().map_err(|error| context.failed(&error))?;
    let limit = context.options.max_document_bytes.saturating_mul(mail::RAW_LIMIT);
    let mut mbox = Mbox { reader, limit, line: Vec::new(), position: 0, number: 0, begun: false };
    let places = Places { packed: is_packed(input), size: input.size() };
    let source = format!("mbox:{}", context.stem());
    let mut count = 0_u64;
    while let Some(raw) = mbox.next().map_err(|error| context.failed(&error))? {
        count += 1;
        let place = format!("{}#{count}", context.name);
        let line = Some(*raw.lines.start());
        if let Some(size) = raw.cut {
            let reason = Reason::Cut(format!("a message of {size} bytes beyond {limit}"));
            sink.problem(context.problem(line, reason))?;
        }
        let span = places.span(&raw);
        let Some(message) = mail::parse(&raw.bytes, &place, context) else {
            headless(&raw, &place, span, context, sink)?;
            continue;
        };
        let message = message.at(span, &source);
        for what in message.cut {
            sink.problem(context.problem(line, Reason::Cut(what)))?;
        }
        sink.document(message.document)?;
    }
    if count > 0 { Ok(()) } else { Err(context.malformed(1, "there is no message")) }
}

/// A message without headers is kept as text.
fn headless(
    raw: &Raw,
    place: &str,
    span: Span,
    context: &Context<'_>,
    sink: &mut Sink<'_>,
) -> Outcome {
    let text = String::from_utf8_lossy(&raw.bytes).trim().to_owned();
    let reason = match text.is_empty() {
        true => Reason::Empty,
        false => Reason::FellBack("a message without headers".to_owned()),
    };
    sink.problem(context.problem(Some(span.line_start), reason))?;
    if text.is_empty() {
        return Ok(());
    }
    let source = format!("mbox:{}", context.stem());
    let document = context.document(place, Kind::Mail, text);
    sink.document(Document { span: Some(span), source, ..document })
}

/// A packed file has no places inside.
struct Places {
    packed: bool,
    size: u64,
}

impl Places {
    fn span(&self, raw: &Raw) -> Span {
        let bytes = if self.packed { 0..self.size } else { raw.place.clone() };
        Span {
            byte_start: bytes.start,
            byte_end: bytes.end,
            line_start: *raw.lines.start(),
            line_end: *raw.lines.end(),
        }
    }
}

/// What lies on disk is gzip.
fn is_packed(input: &Input) -> bool {
    let mut magic = [0; 2];
    input.seekable().and_then(|mut file| file.read_exact(&mut magic)).is_ok()
        && magic == [0x1f, 0x8b]
}

/// A message as it stands in the file, `>From ` unescaped.
struct Raw {
    bytes: Vec<u8>,
    /// With its separator.
    place: Range<u64>,
    lines: std::ops::RangeInclusive<u64>,
    /// The full length, if only the beginning was kept.
    cut: Option<u64>,
}

/// Cuts an mbox into messages.
struct Mbox<'a> {
    reader: Box<dyn BufRead + 'a>,
    limit: u64,
    /// The line that was read last, with its end.
    line: Vec<u8>,
    /// Bytes before the next line.
    position: u64,
    /// Lines read.
    number: u64,
    /// A separator was read, and its message not yet.
    begun: bool,
}

impl Mbox<'_> {
    /// The next message; what stands before the first separator is skipped.
    fn next(&mut self) -> std::io::Result<Option<Raw>> {
        while !self.begun {
            if self.read_line()? == 0 {
                return Ok(None);
            }
            self.begun = is_separator(&self.line);
        }
        self.begun = false;
        let start = self.position - self.line.len() as u64;
        let first = self.number;
        let mut raw =
            Raw { bytes: Vec::new(), place: start..start, lines: first..=first, cut: None };
        let (mut after_blank, mut size) = (false, 0);
        loop {
            let before = (self.position, self.number);
            let length = self.read_line()?;
            self.begun = after_blank && is_separator(&self.line);
            if length == 0 || self.begun {
                raw.place.end = before.0;
                raw.lines = first..=before.1;
                return Ok(Some(raw));
            }
            size += length;
            match raw.bytes.len() as u64 + self.line.len() as u64 <= self.limit && raw.cut.is_none()
            {
                true => raw.bytes.extend_from_slice(unescaped(&self.line)),
                false => raw.cut = Some(size),
            }
            after_blank = self.line.trim_ascii().is_empty();
        }
    }

    fn read_line(&mut self) -> std::io::Result<u64> {
        let length = content::next_line(&mut self.reader, MAX_LINE_BYTES, &mut self.line)?;
        self.position += length;
        self.number += u64::from(length > 0);
        Ok(length)
    }
}

/// `>From ` and `>>From ` without their first `>`.
fn unescaped(line: &[u8]) -> &[u8] {
    let quotes = line.iter().take_while(|&&byte| byte == b'>').count();
    if quotes > 0 && line[quotes..].starts_with(b"From ") { &line[1..] } else { line }
}
