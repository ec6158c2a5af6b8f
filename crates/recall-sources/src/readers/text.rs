//! Plain text and what is read like it: one document, or parts of a large file.

use std::io::{self, Read};
use std::ops::{Range, RangeInclusive};

use crate::document::Document;
use crate::format::Head;
use crate::input::{Input, Text};
use crate::problem::Reason;
use crate::reading::{Context, Outcome, Sink};

/// A text larger than this many bytes comes in parts of at most this size, unless it is whole.
pub const PART_BYTES: usize = 1 << 20;

/// What the names of programs' sources and settings end in.
const CODE: &str = "\
    rs py js mjs ts tsx jsx go java kt swift c h cc cpp hpp cs rb php pl lua sh bash zsh \
    fish ps1 bat sql r jl scala clj ex exs erl hs ml zig nim dart vue svelte css scss tf hcl \
    proto graphql yaml yml toml ini cfg conf env properties gradle cmake mk dockerfile erb \
    j2 tmpl awk sed xml";

pub(crate) fn is_rst(head: &Head<'_>) -> bool {
    head.is_text && head.has_extension(&["rst", "rest"])
}

pub(crate) fn is_code(head: &Head<'_>) -> bool {
    let by_name = matches!(head.name, "dockerfile" | "makefile" | "justfile" | "rakefile");
    head.is_text && (by_name || CODE.split(' ').any(|extension| extension == head.extension))
}

/// Reads plain text or code; the title is the file's name.
pub(crate) fn read(input: &Input, context: &Context<'_>, sink: &mut Sink<'_>) -> Outcome {
    read_titled(input, context, sink, |_| None)
}

/// Reads reStructuredText; the title is its first section's.
pub(crate) fn read_rst(input: &Input, context: &Context<'_>, sink: &mut Sink<'_>) -> Outcome {
    read_titled(input, context, sink, rst_title)
}

fn read_titled(
    input: &Input,
    context: &Context<'_>,
    sink: &mut Sink<'_>,
    title: fn(&str) -> Option<String>,
) -> Outcome {
    let title = title(&input.head_text()).unwrap_or_else(|| context.stem().to_owned());
    let kind = context.kind();
    let template =
        Document { title, whole: context.whole, ..context.document("", kind, String::new()) };
    read_as(input, context, sink, &template)
}

/// Hands out the text of `input` in documents like `template`: one if it is whole or small, else
/// parts `path`, `path#part2`, … of the file's lines.
pub(crate) fn read_as(
    input: &Input,
    context: &Context<'_>,
    sink: &mut Sink<'_>,
    template: &Document,
) -> Outcome {
    let whole_limit = context.options.max_document_bytes;
    let size = if template.whole { whole_limit as usize } else { PART_BYTES };
    let mut parts = Parts::new(input, size).map_err(|error| context.failed(&error))?;
    let mut number = 0;
    while let Some(part) = parts.next().map_err(|error| context.failed(&error))? {
        if template.whole && !parts.ended {
            let reason = Reason::TooLarge { size: input.size(), limit: whole_limit };
            return Err(context.problem(None, reason).into());
        }
        if part.text.trim().is_empty() {
            continue;
        }
        number += 1;
        let id = match number {
            1 => context.name.to_owned(),
            _ => format!("{}#part{number}", context.name),
        };
        let span = Some(parts.text.places().span(part.bytes, part.lines));
        sink.document(Document { id, text: part.text, span, ..template.clone() })?;
    }
    Ok(())
}

/// Some lines of a text in a row.
struct Part {
    text: String,
    bytes: Range<u64>,
    lines: RangeInclusive<u64>,
}

/// Cuts a text into parts at paragraphs, else at lines, else at spaces.
struct Parts<'a> {
    text: Text<'a>,
    size: usize,
    /// Read but not handed out.
    buffer: Vec<u8>,
    position: u64,
    line: u64,
    ended: bool,
}

impl<'a> Parts<'a> {
    fn new(input: &'a Input, size: usize) -> io::Result<Self> {
        let text = input.text()?;
        Ok(Self { text, size, buffer: Vec::new(), position: 0, line: 1, ended: false })
    }

    fn next(&mut self) -> io::Result<Option<Part>> {
        // One byte more than a part tells whether there is more.
        let missing = (self.size + 1).saturating_sub(self.buffer.len());
        let read = self.text.by_ref().take(missing as u64).read_to_end(&mut self.buffer)?;
        self.ended = read < missing;
        let length = if self.ended { self.buffer.len() } else { cut(&self.buffer[..self.size]) };
        if length == 0 {
            return Ok(None);
        }
        let rest = self.buffer.split_off(length);
        let bytes = std::mem::replace(&mut self.buffer, rest);
        // `cut` stops at whole characters and the input is valid: nothing is replaced here.
        let text = String::from_utf8(bytes)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
        Ok(Some(self.part(text, length as u64)))
    }

    fn part(&mut self, text: String, length: u64) -> Part {
        let newlines = text.bytes().filter(|&byte| byte == b'\n').count() as u64;
        let last = self.line + newlines - u64::from(text.ends_with('\n'));
        let part = Part {
            bytes: self.position..self.position + length,
            lines: self.line..=last.max(self.line),
            text,
        };
        self.position += length;
        self.line += newlines;
        part
    }
}

/// Where to cut `bytes`: after the last paragraph in its second half, else the last line, else
/// the last space, else the last whole character. Never 0 unless `bytes` is empty.
fn cut(bytes: &[u8]) -> usize {
    let tail = &bytes[bytes.len() / 2..];
    let last = |pattern: &[u8]| {
        let found = tail.windows(pattern.len()).rposition(|window| window == pattern)?;
        Some(bytes.len() / 2 + found + pattern.len())
    };
    let place =
        last(b"\n\n").or_else(|| last(b"\n\r\n")).or_else(|| last(b"\n")).or_else(|| last(b" "));
    place.unwrap_or_else(|| whole_characters(bytes))
}

/// The length of `bytes` without a character cut in two at its end.
fn whole_characters(bytes: &[u8]) -> usize {
    let is_start = |byte: &u8| (*byte as i8) >= -0x40;
    match bytes.iter().rposition(is_start) {
        Some(start) if start > 0 && std::str::from_utf8(&bytes[start..]).is_err() => start,
        _ => bytes.len(),
    }
}

/// The first line that is underlined with one of the usual characters, at least as long as it.
fn rst_title(head: &str) -> Option<String> {
    const ADORNMENTS: &str = "=-`:.'\"~^_*+#";
    let lines: Vec<&str> = head.lines().take(200).map(str::trim_end).collect();
    let is_adornment = |line: &str| {
        let first = line.chars().next();
        line.len() >= 2
            && first.is_some_and(|c| ADORNMENTS.contains(c))
            && line.chars().all(|c| Some(c) == first)
    };
    let pair = lines.windows(2).find(|pair| {
        let title = pair[0].trim();
        !title.is_empty()
            && !is_adornment(title)
            && is_adornment(pair[1])
            && pair[1].chars().count() >= title.chars().count()
    })?;
    Some(pair[0].trim().to_owned())
}
