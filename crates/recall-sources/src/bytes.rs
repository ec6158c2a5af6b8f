//! A file that is in memory instead of on disk.

use std::ops::ControlFlow;

use crate::document::Document;
use crate::input::Input;
use crate::problem::{Problem, Reason};
use crate::reading::{ReadOptions, Reading};
use crate::source::{read_input, recognise};

/// Reads `bytes` as [`Source::read`](crate::Source::read) reads a file with the relative path `path`.
///
/// # Errors
/// It is nothing that we read, or could not be read to its end. What `receiver` got before stands.
pub fn read_bytes(
    path: &str,
    bytes: &[u8],
    options: &ReadOptions,
    receiver: &mut dyn FnMut(Result<Document, Problem>) -> ControlFlow<()>,
) -> Result<Reading, Problem> {
    let problem = |reason| Problem { path: path.to_owned(), line: None, reason };
    let input = Input::from_bytes(bytes).map_err(|error| problem(Reason::from_io(&error)))?;
    let format = recognise(&input, path, options).map_err(problem)?;
    read_input(&input, path, format, options, receiver)
}
