//! A text line by line, with places, and with a limit to what one line may cost.

use std::io::{self, BufRead};

use crate::document::Span;
use crate::input::{Input, Text};

/// The lines of a text.
pub struct Lines<'a> {
    text: Text<'a>,
    limit: u64,
    /// Bytes before the next line.
    position: u64,
    number: u64,
}

/// One line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Counted from 1.
    pub number: u64,
    /// Where it stands in the file, without its end.
    pub span: Span,
    /// Its length in bytes if it was longer than the limit; then only its beginning was read.
    pub cut: Option<u64>,
}

impl<'a> Lines<'a> {
    /// The lines of `input`; of a line longer than `limit` bytes only the beginning is given.
    ///
    /// # Errors
    /// `input` cannot be opened.
    pub fn new(input: &'a Input, limit: u64) -> io::Result<Self> {
        Ok(Self { text: input.text()?, limit, position: 0, number: 0 })
    }

    /// Reads the next line into `line`, without its end (LF or CRLF). `None` at the end.
    ///
    /// # Errors
    /// Reading failed.
    pub fn next(&mut self, line: &mut String) -> io::Result<Option<Line>> {
        line.clear();
        // Whole characters only: `take` could cut one in two.
        let mut bytes = std::mem::take(line).into_bytes();
        let (length, cut) = self.read_until_newline(&mut bytes)?;
        if length == 0 {
            return Ok(None);
        }
        let ending = bytes.len() - bytes.trim_end_of_line().len();
        bytes.truncate(bytes.len() - ending);
        *line = into_string(bytes);
        self.number += 1;
        let start = self.position;
        self.position += length;
        let end = self.position - ending as u64;
        let span = self.text.places().span(start..end, self.number..=self.number);
        Ok(Some(Line { number: self.number, span, cut: cut.then_some(length) }))
    }

    /// Reads up to the limit and skips the rest. Gives the full length and whether it was cut.
    fn read_until_newline(&mut self, bytes: &mut Vec<u8>) -> io::Result<(u64, bool)> {
        let mut length =
            io::Read::take(&mut self.text, self.limit).read_until(b'\n', bytes)? as u64;
        if length < self.limit || bytes.ends_with(b"\n") {
            return Ok((length, false));
        }
        let skipped = self.text.skip_until(b'\n')? as u64;
        length += skipped;
        Ok((length, skipped > 0))
    }
}

trait TrimEnd {
    fn trim_end_of_line(&self) -> &[u8];
}

impl TrimEnd for Vec<u8> {
    fn trim_end_of_line(&self) -> &[u8] {
        let line = self.strip_suffix(b"\n").unwrap_or(self);
        line.strip_suffix(b"\r").unwrap_or(line)
    }
}

/// The text is valid UTF-8 but for a character that the limit cut in two.
fn into_string(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| {
        let valid = error.utf8_error().valid_up_to();
        let mut bytes = error.into_bytes();
        bytes.truncate(valid);
        String::from_utf8(bytes).unwrap_or_default()
    })
}
