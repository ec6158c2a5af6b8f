//! Tables in text: CSV and its relatives.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::io::{self, Read};
use std::ops::{Range, RangeInclusive};
use std::rc::Rc;

use csv::{ByteRecord, ReaderBuilder};

use crate::document::Document;
use crate::fields::Roles;
use crate::format::Head;
use crate::input::Input;
use crate::leaves::Leaf;
use crate::problem::Reason;
use crate::readers::metered::Metered;
use crate::reading::{Context, Halt, Outcome, Sink};
use crate::record::Record;

pub(crate) fn is_csv(head: &Head<'_>) -> bool {
    head.is_text && head.has_extension(&["csv"])
}

pub(crate) fn is_tsv(head: &Head<'_>) -> bool {
    head.is_text && head.has_extension(&["tsv", "tab"])
}

/// Reads rows that are separated by what separates the names in the first line: `,` `;` or tab.
pub(crate) fn read_csv(input: &Input, context: &Context<'_>, sink: &mut Sink<'_>) -> Outcome {
    read(input, delimiter(&input.head_text()), context, sink)
}

/// Reads rows that are separated by tabs.
pub(crate) fn read_tsv(input: &Input, context: &Context<'_>, sink: &mut Sink<'_>) -> Outcome {
    read(input, b'\t', context, sink)
}

/// The most frequent candidate in the first line, outside quotes.
fn delimiter(head: &str) -> u8 {
    let mut quoted = false;
    let mut counts = [(b',', 0_usize), (b';', 0), (b'\t', 0)];
    for byte in head.bytes().skip_while(|&byte| byte == b'\n' || byte == b'\r') {
        match byte {
            b'"' => quoted = !quoted,
            b'\n' if !quoted => break,
            _ if !quoted => {
                counts.iter_mut().filter(|(c, _)| *c == byte).for_each(|(_, n)| *n += 1)
            }
            _ => {}
        }
    }
    // The first of equals wins: the comma.
    let most = counts.iter().map(|(_, count)| *count).max().unwrap_or(0);
    counts.iter().find(|(_, count)| *count == most).map_or(b',', |(byte, _)| *byte)
}

fn read(input: &Input, delimiter: u8, context: &Context<'_>, sink: &mut Sink<'_>) -> Outcome {
    let text = input.text().map_err(|error| context.failed(&error))?;
    let places = text.places();
    let (metered, meter) = Metered::new(text, context.options.max_document_bytes);
    let (watched, mut ends) = LineEnds::watch(metered);
    let mut rows = ReaderBuilder::new().delimiter(delimiter).flexible(true).from_reader(watched);
    let names = rows.byte_headers().map_err(|error| failed(error, context))?.clone();
    let names: Vec<String> = names.iter().map(|name| text_of(name).trim().to_owned()).collect();
    let mut roles = Roles::new(&context.options.map);
    let (mut row, mut number) = (ByteRecord::new(), 0_u64);
    while rows.read_byte_record(&mut row).map_err(|error| failed(error, context))? {
        meter.reset();
        number += 1;
        let start = row.position().map_or(0, csv::Position::byte);
        let (bytes, lines) = ends.place(start..rows.position().byte());
        let span = places.span(bytes, lines);
        let place = format!("{}#{number}", context.name);
        let record = Record::new(leaves(&names, &row), &mut roles);
        match record.into_document(context.path, &place) {
            Some(document) => sink.document(Document { span: Some(span), ..document })?,
            None => sink.problem(context.problem(Some(span.line_start), Reason::Empty))?,
        }
    }
    Ok(())
}

/// A table of bytes of any length fails only where reading fails.
fn failed(error: csv::Error, context: &Context<'_>) -> Halt {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => context.failed(&error),
        other => context.malformed(0, format!("{other:?}")),
    }
}

/// The filled cells of a row; a cell beyond the names is called by its place.
fn leaves(names: &[String], row: &ByteRecord) -> Vec<Leaf> {
    let name = |place: usize| match names.get(place) {
        Some(name) if !name.is_empty() => name.clone(),
        _ => format!("column {}", place + 1),
    };
    let filled = row.iter().enumerate().filter(|(_, cell)| !cell.trim_ascii().is_empty());
    filled
        .map(|(place, cell)| Leaf {
            path: name(place),
            value: text_of(cell),
            is_string: true,
            in_list: false,
        })
        .collect()
}

/// The input is valid UTF-8 and is cut at ASCII only: nothing is replaced here.
fn text_of(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Where the line ends are that were read and not yet passed. The `csv` crate takes the `\n` of a
/// `\r\n`, and blank lines, for the beginning of the next row; a place for people does not.
struct LineEnds {
    /// Positions of `\r` and `\n`, and whether it is `\n`.
    ahead: Rc<RefCell<VecDeque<(u64, bool)>>>,
    /// Lines before the first of them, plus one.
    line: u64,
}

/// Notes the line ends that pass.
struct Watched<R> {
    inner: R,
    position: u64,
    ahead: Rc<RefCell<VecDeque<(u64, bool)>>>,
}

impl LineEnds {
    fn watch<R: Read>(inner: R) -> (Watched<R>, Self) {
        let ahead = Rc::default();
        (Watched { inner, position: 0, ahead: Rc::clone(&ahead) }, Self { ahead, line: 1 })
    }

    /// The row in `bytes` without line ends around it, and its lines. Rows come in order.
    fn place(&mut self, mut bytes: Range<u64>) -> (Range<u64>, RangeInclusive<u64>) {
        let mut ahead = self.ahead.borrow_mut();
        while let Some(&(position, is_newline)) = ahead.front() {
            if position > bytes.start {
                break;
            }
            bytes.start += u64::from(position == bytes.start);
            self.line += u64::from(is_newline);
            ahead.pop_front();
        }
        let first = self.line;
        let count = ahead.partition_point(|&(position, _)| position < bytes.end);
        let mut inside: Vec<(u64, bool)> = ahead.drain(..count).collect();
        self.line += inside.iter().filter(|(_, is_newline)| *is_newline).count() as u64;
        while inside.last().is_some_and(|&(position, _)| position + 1 == bytes.end) {
            inside.pop();
            bytes.end -= 1;
        }
        let last = first + inside.iter().filter(|(_, is_newline)| *is_newline).count() as u64;
        (bytes, first..=last)
    }
}

impl<R: Read> Read for Watched<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        let mut ahead = self.ahead.borrow_mut();
        let ends = (self.position..).zip(&buffer[..count]);
        let ends = ends.filter(|(_, byte)| matches!(byte, b'\r' | b'\n'));
        ahead.extend(ends.map(|(position, byte)| (position, *byte == b'\n')));
        self.position += count as u64;
        Ok(count)
    }
}
