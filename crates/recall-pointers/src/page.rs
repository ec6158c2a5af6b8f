//! A page of the index: every byte of it, and the statements that it holds.

use crate::lines::Lines;
use crate::markdown;
use crate::section::{HeadingWords, Section};
use crate::shape::Shape;
use crate::statement::Statement;

/// A page as it is on disk. [`Page::write`] after [`Page::parse`] is the identity, for any bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    shape: Shape,
    lines: Lines,
    sections: Vec<Section>,
    statements: Vec<Statement>,
}

impl Page {
    /// Reads a page. Bytes that are not UTF-8 are kept; their lines read with replacement marks.
    pub fn parse(bytes: &[u8], shape: Shape, words: &HeadingWords) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let outline = markdown::outline(&text, shape, words);
        Self {
            shape,
            lines: Lines::parse(bytes),
            sections: outline.sections,
            statements: outline.statements,
        }
    }

    /// Every byte of the page.
    pub fn write(&self) -> Vec<u8> {
        self.lines.write()
    }

    /// Its shape.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Its lines, each with its own line end.
    pub fn lines(&self) -> &[Vec<u8>] {
        self.lines.all()
    }

    /// Its lines, for edits.
    pub(crate) fn editable(&self) -> &Lines {
        &self.lines
    }

    /// Its sections, in order.
    pub fn sections(&self) -> &[Section] {
        &self.sections
    }

    /// Its statements, in order.
    pub fn statements(&self) -> &[Statement] {
        &self.statements
    }

    /// The first line that is not UTF-8, counted from 1.
    pub fn first_line_not_utf8(&self) -> Option<usize> {
        self.lines().iter().position(|line| std::str::from_utf8(line).is_err()).map(|at| at + 1)
    }
}
