//! Reads files of questions, labels and rankings: the only part of this crate that touches the
//! disk.

use std::fmt;
use std::path::{Path, PathBuf};

/// A file of labels, questions or rankings cannot be used at all.
#[derive(Debug, thiserror::Error)]
pub enum EvalError {
    /// The file cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// Nothing in the file can be used.
    #[error("{} holds no {what}{}", path.display(), first_problem(problem.as_ref()))]
    Empty {
        /// The file.
        path: PathBuf,
        /// What the file should contain.
        what: &'static str,
        /// The first line that could not be used, if there is one.
        problem: Option<Problem>,
    },
}

fn first_problem(problem: Option<&Problem>) -> String {
    problem.map_or_else(String::new, |p| format!(": line {}: {}", p.line, p.reason))
}

/// Reason why a line was left out or only partly used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Reason {
    /// The line has too few or too many columns.
    #[error("{found} columns instead of {expected}")]
    Columns {
        /// Number of columns found.
        found: usize,
        /// Number of columns expected.
        expected: &'static str,
    },
    /// A number cannot be parsed.
    #[error("`{0}` is not a number")]
    Number(String),
    /// Not a JSON object, or not a row of CSV.
    #[error("{0}")]
    Syntax(String),
    /// A question without a text.
    #[error("it has no question")]
    NoText,
    /// A second question with the same id: the first one counts.
    #[error("query id `{0}` appears twice; the first one counts")]
    DuplicateQuery(String),
    /// A second label or rank of the same document for the same question: the first one counts.
    #[error("`{document}` appears twice for query `{query}`; the first one counts")]
    DuplicateDocument {
        /// The question.
        query: String,
        /// The document.
        document: String,
    },
}

/// A line that could not be used as it is. The other lines are still read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The file.
    pub path: PathBuf,
    /// The line, from 1.
    pub line: u64,
    /// What is wrong with it.
    pub reason: Reason,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path.display(), self.line, self.reason)
    }
}

/// The usable content of a file, and the lines that could not be used.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Parsed<T> {
    /// The usable content.
    pub value: T,
    /// Lines that could not be used: (line from 1, reason).
    pub problems: Vec<(u64, Reason)>,
}

/// Returns the lines of a TREC or BEIR file that are not blank: (line from 1, columns). Columns are
/// separated by tabs if there are any, so that an id may contain spaces as paths do, else by
/// spaces.
pub(super) fn rows(text: &str) -> impl Iterator<Item = (u64, Vec<&str>)> {
    let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    lines.map(|(number, line)| (number, columns(line)))
}

fn columns(line: &str) -> Vec<&str> {
    if line.contains('\t') {
        line.split('\t').map(str::trim).collect()
    } else {
        line.split_whitespace().collect()
    }
}

/// Reads and parses a file, adding the lines that could not be used to `problems`.
///
/// # Errors
/// [`EvalError::Read`], and [`EvalError::Empty`] if `is_empty` says that nothing is left.
pub fn read<T>(
    path: &Path,
    parse: impl FnOnce(&str) -> Parsed<T>,
    is_empty: impl FnOnce(&T) -> bool,
    what: &'static str,
    problems: &mut Vec<Problem>,
) -> Result<T, EvalError> {
    let bytes =
        std::fs::read(path).map_err(|source| EvalError::Read { path: path.to_owned(), source })?;
    let text = String::from_utf8_lossy(&bytes);
    // Spreadsheets put a byte order mark before the first column's name.
    let parsed = parse(text.strip_prefix('\u{feff}').unwrap_or(&text));
    let located = |(line, reason)| Problem { path: path.to_owned(), line, reason };
    let mut found: Vec<Problem> = parsed.problems.into_iter().map(located).collect();
    if is_empty(&parsed.value) {
        let problem = found.into_iter().next();
        return Err(EvalError::Empty { path: path.to_owned(), what, problem });
    }
    problems.append(&mut found);
    Ok(parsed.value)
}
