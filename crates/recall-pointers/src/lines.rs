//! The lines of a file, each with its own line end, and edits of one of them.

use std::ops::Range;

/// The lines of a file. [`Lines::write`] after [`Lines::parse`] is the identity, for any bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Lines(Vec<Vec<u8>>);

impl Lines {
    pub(crate) fn parse(bytes: &[u8]) -> Self {
        Self(bytes.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect())
    }

    pub(crate) fn write(&self) -> Vec<u8> {
        self.0.concat()
    }

    pub(crate) fn all(&self) -> &[Vec<u8>] {
        &self.0
    }

    /// The file with one more line after line `after` (0: before the first). A last line without
    /// an end passes that on to a new line behind it.
    pub(crate) fn inserting(&self, after: usize, text: &str) -> Vec<u8> {
        let at = after.min(self.0.len());
        let end = self.end_near(at);
        let unended = at > 0 && !self.0[at - 1].ends_with(b"\n");
        let line = if unended { [end, text.as_bytes()] } else { [text.as_bytes(), end] };
        self.splicing(at..at, &line.concat())
    }

    /// The file with line `line` (from 1) saying `text` instead; its line end stays.
    pub(crate) fn replacing(&self, line: usize, text: &[u8]) -> Vec<u8> {
        let end = end_of(&self.0[line - 1]);
        self.splicing(line - 1..line, &[text, end].concat())
    }

    /// The file without line `line` (from 1).
    pub(crate) fn removing(&self, line: usize) -> Vec<u8> {
        self.splicing(line - 1..line, b"")
    }

    fn splicing(&self, range: Range<usize>, middle: &[u8]) -> Vec<u8> {
        [&self.0[..range.start].concat(), middle, &self.0[range.end..].concat()].concat()
    }

    /// The line end that a new line after line `at` takes: that of its neighbour.
    fn end_near(&self, at: usize) -> &[u8] {
        let near = self.0[..at].iter().rev().chain(&self.0[at..]);
        near.map(|line| end_of(line)).find(|end| !end.is_empty()).unwrap_or(b"\n")
    }
}

fn end_of(line: &[u8]) -> &[u8] {
    let end = if line.ends_with(b"\r\n") { 2 } else { usize::from(line.ends_with(b"\n")) };
    &line[line.len() - end..]
}

/// The line without its end.
pub(crate) fn content(line: &[u8]) -> &[u8] {
    &line[..line.len() - end_of(line).len()]
}
