//! Reading files of labels: the only place of this module that touches the disk.

use std::fmt;
use std::path::{Path, PathBuf};

/// A file of labels, questions or rankings cannot be used at all.
#[derive(Debug, thiserror::Error)]
pub enum EvalError {
    /// It cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// Nothing in it can be used.
    #[error("{} holds no {what}{}", path.display(), first_problem(problem.as_ref()))]
    Empty {
        /// The file.
        path: PathBuf,
        /// What was looked for.
        what: &'static str,
        /// The first line that could not be used, if it has lines.
        problem: Option<Problem>,
    },
}

fn first_problem(problem: Option<&Problem>) -> String {
    problem.map_or_else(String::new, |p| format!(": line {}: {}", p.line, p.reason))
}

/// Why a line was left out, or not taken as it stands.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Reason {
    /// It has too few or too many columns.
    #[error("{found} columns instead of {expected}")]
    Columns {
        /// How many there are.
        found: usize,
        /// How many there should be.
        expected: &'static str,
    },
    /// A number is none.
    #[error("`{0}` is not a number")]
    Number(String),
    /// Not a JSON object, or not a row of CSV.
    #[error("{0}")]
    Syntax(String),
    /// A question without a text.
    #[error("it has no question")]
    NoText,
    /// A second question with this id: the first one counts.
    #[error("query id `{0}` appears twice; the first one counts")]
    DuplicateQuery(String),
    /// A second label or rank of this document for this question: the first one counts.
    #[error("`{document}` appears twice for query `{query}`; the first one counts")]
    DuplicateDocument {
        /// The question.
        query: String,
        /// The document.
        document: String,
    },
}

/// A line that could not be taken as it stands. It never stops the rest.
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

/// What a file holds, and what of it could not be used.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Parsed<T> {
    /// What can be used.
    pub value: T,
    /// Lines that could not: (line from 1, reason).
    pub problems: Vec<(u64, Reason)>,
}

/// The lines of a TREC or BEIR file that are not blank: (line from 1, columns). Columns are parted by
/// tabs where there are any, so that an id may hold spaces as paths do, else by spaces.
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

/// Reads and parses a file; `problems` takes what of it could not be used.
///
/// # Errors
/// [`EvalError::Read`], and [`EvalError::Empty`] where `is_empty` says that nothing is left.
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
    // Spreadsheets put a mark before the first column's name.
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
