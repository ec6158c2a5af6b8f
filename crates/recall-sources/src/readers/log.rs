//! Machine logs: blocks of lines with a time, repeated lines folded and counted.

use std::sync::LazyLock;

use regex::Regex;

use crate::date::{self, Date};
use crate::document::{Document, Kind, Span};
use crate::format::Head;
use crate::input::Input;
use crate::problem::Reason;
use crate::readers::lines::{Line, Lines};
use crate::reading::{Context, Outcome, Sink};

/// A block is cut when its text is larger than this many bytes…
const STRETCH_BYTES: usize = 64 << 10;
/// …or at a silence of so many seconds, once it has this many bytes.
const SILENCE_SECONDS: i64 = 30 * 60;
const SILENCE_BYTES: usize = 4 << 10;
/// Of a longer line only the beginning is kept.
const LINE_BYTES: u64 = 64 << 10;
/// An entry (a line with a time and what follows without one) is cut when it is larger.
const ENTRY_BYTES: usize = 1 << 20;
/// A time is looked for in so many bytes at the beginning of a line.
const TIME_WITHIN: usize = 200;

pub(crate) fn is_log(head: &Head<'_>) -> bool {
    let is_named_so = head.name.contains(".log")
        || head.has_extension(&["out", "err"])
        || matches!(head.name, "syslog" | "messages" | "dmesg" | "access_log" | "error_log");
    head.is_text && is_named_so && begins_with_times(head.text)
}

/// At least a third of the first lines have a time: the others may belong to them.
fn begins_with_times(text: &str) -> bool {
    let lines = text.lines().filter(|line| !line.trim().is_empty()).take(60);
    let (count, timed) = lines.fold((0, 0), |(count, timed), line| {
        (count + 1, timed + usize::from(time(line).is_some()))
    });
    timed > 0 && timed * 3 >= count
}

/// Where in a line its time stands, and what it is if the line says also the year.
struct Time {
    start: usize,
    end: usize,
    date: Option<Date>,
}

/// The time of a line: ISO 8601 and relatives, web servers', syslog's, klog's, the kernel's; also in
/// colour or in a string of JSON.
fn time(line: &str) -> Option<Time> {
    static TIME: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r"(?x)
            (?:^|[\[(\s\x22]|\x1b\[[\d;]*m)
            (?:
              (?P<iso>\d{4}[-/.]\d{2}[-/.]\d{2}[T\ _]\d{2}:\d{2}:\d{2})(?:[.,]\d{1,9})?
                (?P<offset>\ ?(?:Z|UTC|GMT|[+-]\d{2}:?\d{2}))?
            | (?P<web>\d{2}/[A-Z][a-z]{2}/\d{4}:\d{2}:\d{2}:\d{2}\ [+-]\d{4})
            | (?P<named>(?:[A-Z][a-z]{2}\ )?[A-Z][a-z]{2}\ [\ \d]\d\ \d{2}:\d{2}:\d{2}(?:\.\d+)?\ \d{4})
            | (?P<words>\d{1,2}[\ -][A-Z][a-z]{2}[\ -]\d{4}\ \d{2}:\d{2}:\d{2})(?:[.,]\d+)?
            | (?P<yearless>
                [A-Z][a-z]{2}\ [\ \d]\d\ \d{2}:\d{2}:\d{2} | [IWEF]\d{4}\ \d{2}:\d{2}:\d{2}\.\d+
                | \ *\d{1,7}\.\d{6}\] | \d{6}\ \d{6}\b | \d{2}:\d{2}:\d{2}[.,]\d{3})
            )",
        )
        .expect("a constant that a test compiles")
    });
    let beginning = &line[..line.floor_char_boundary(TIME_WITHIN)];
    let found = TIME.captures(beginning)?;
    let group = |name| found.name(name).map(|group| group.as_str());
    let date = match (group("iso"), group("web").or(group("named"))) {
        (Some(iso), _) => iso_date(iso, group("offset").unwrap_or_default()),
        (_, Some(text)) => date::parse(text),
        _ => group("words").and_then(|text| date::parse(&mail_like(text))),
    };
    let whole = found.get_match();
    Some(Time { start: whole.start(), end: whole.end(), date })
}

fn iso_date(text: &str, offset: &str) -> Option<Date> {
    let (day, time) = (text.get(..10)?, text.get(11..)?);
    let day = day.replace(['/', '.'], "-");
    date::parse(&format!("{day}T{time}{}", offset.trim()))
}

/// `04 Mar 2024 08:58:00` as mail writes it.
fn mail_like(text: &str) -> String {
    format!("{} +0000", text.replace('-', " "))
}

/// Reads a log, block by block.
pub(crate) fn read(input: &Input, context: &Context<'_>, sink: &mut Sink<'_>) -> Outcome {
    let mut lines = Lines::new(input, LINE_BYTES).map_err(|error| context.failed(&error))?;
    let mut log = Log { context, block: Block::default(), handed_out: 0, cut: None };
    let mut text = String::new();
    let mut entry: Option<Entry> = None;
    while let Some(line) = lines.next(&mut text).map_err(|error| context.failed(&error))? {
        if line.cut.is_some() {
            log.cut.get_or_insert(line.number);
        }
        let time = time(&text);
        match (&mut entry, time) {
            (Some(entry), None) if entry.text.len() + text.len() < ENTRY_BYTES => {
                entry.extend(&text, &line);
            }
            (_, time) => {
                let next = Entry::new(&text, &line, time);
                if let Some(done) = entry.replace(next) {
                    log.add(done, sink)?;
                }
            }
        }
    }
    if let Some(done) = entry {
        log.add(done, sink)?;
    }
    log.flush(sink)?;
    if let Some(line) = log.cut {
        let reason = Reason::Cut(format!("lines of more than {LINE_BYTES} bytes"));
        sink.problem(context.problem(Some(line), reason))?;
    }
    if log.handed_out > 0 { Ok(()) } else { Err(context.problem(None, Reason::Empty).into()) }
}

/// A line with a time, and the lines without one after it (a stack trace).
struct Entry {
    text: String,
    /// Its text without the time, which differs where all else repeats.
    said: String,
    date: Option<Date>,
    span: Span,
}

impl Entry {
    fn new(text: &str, line: &Line, time: Option<Time>) -> Self {
        let said = match &time {
            Some(time) => format!("{}{}", &text[..time.start], &text[time.end..]),
            None => text.to_owned(),
        };
        let date = time.and_then(|time| time.date);
        Self { text: text.to_owned(), said, date, span: line.span }
    }

    fn extend(&mut self, text: &str, line: &Line) {
        for kept in [&mut self.text, &mut self.said] {
            kept.push('\n');
            kept.push_str(text);
        }
        self.span.byte_end = line.span.byte_end;
        self.span.line_end = line.span.line_end;
    }
}

/// Entries that become one document.
#[derive(Default)]
struct Block {
    text: String,
    span: Option<Span>,
    first: Option<Date>,
    last: Option<Date>,
    /// What the last entry says, without its time.
    said: String,
    /// How often it came.
    times: u64,
}

impl Block {
    fn repeats(&self, entry: &Entry) -> bool {
        self.times > 0 && self.said == entry.said && !entry.said.trim().is_empty()
    }

    fn add(&mut self, entry: Entry) {
        self.first = self.first.or(entry.date);
        self.last = entry.date.or(self.last);
        let start = self.span.map_or((entry.span.byte_start, entry.span.line_start), |span| {
            (span.byte_start, span.line_start)
        });
        self.span = Some(Span { byte_start: start.0, line_start: start.1, ..entry.span });
        if self.repeats(&entry) {
            self.times += 1;
            return;
        }
        self.count();
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text.push_str(&entry.text);
        (self.said, self.times) = (entry.said, 1);
    }

    /// Says how often the last entry came.
    fn count(&mut self) {
        if self.times > 1 {
            self.text.push_str(&format!(" (repeated {} times)", self.times));
        }
        self.times = 0;
    }

    /// Whether a new one should begin before `entry`.
    fn ends_before(&self, entry: &Entry) -> bool {
        let silence = match (self.last, entry.date) {
            (Some(last), Some(next)) => next.seconds.saturating_sub(last.seconds),
            _ => 0,
        };
        let is_full = self.text.len() + entry.text.len() > STRETCH_BYTES && !self.repeats(entry);
        is_full || silence >= SILENCE_SECONDS && self.text.len() >= SILENCE_BYTES
    }
}

struct Log<'a> {
    context: &'a Context<'a>,
    block: Block,
    handed_out: u64,
    /// The first line that was too long.
    cut: Option<u64>,
}

impl Log<'_> {
    fn add(&mut self, entry: Entry, sink: &mut Sink<'_>) -> Outcome {
        if !self.block.text.is_empty() && self.block.ends_before(&entry) {
            self.flush(sink)?;
        }
        self.block.add(entry);
        Ok(())
    }

    fn flush(&mut self, sink: &mut Sink<'_>) -> Outcome {
        self.block.count();
        let Block { text, span, first, last, .. } = std::mem::take(&mut self.block);
        if text.trim().is_empty() {
            return Ok(());
        }
        self.handed_out += 1;
        let line = span.map_or(0, |span| span.line_start);
        let id = match self.handed_out {
            1 => self.context.name.to_owned(),
            _ => format!("{}#L{line}", self.context.name),
        };
        let name = self.context.file_name();
        let title = match first {
            Some(first) => format!("{name} {first}"),
            None => format!("{name} line {line}"),
        };
        let source = format!("log:{}", self.context.stem());
        let document = self.context.document(&id, Kind::Log, text);
        sink.document(Document { title, source, span, date: first, updated: last, ..document })
    }
}
