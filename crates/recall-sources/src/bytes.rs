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

/// Whether a file with the relative path `path` and this content is kept whole, told by reading it
/// up to its first document as [`read_bytes`] does.
///
/// ```
/// use recall_sources::{ReadOptions, is_kept_whole};
///
/// let options = ReadOptions::default();
/// assert!(is_kept_whole("runbooks/restore.md", b"1. Stop.", &options));
/// assert!(is_kept_whole("ops/restore.md", b"---\nwhole: yes\n---\n1. Stop.", &options));
/// assert!(!is_kept_whole("ops/restore.md", b"1. Stop.", &options));
/// ```
pub fn is_kept_whole(path: &str, content: &[u8], options: &ReadOptions) -> bool {
    let mut is_whole = false;
    let mut receiver = |item| match item {
        Ok(Document { whole, .. }) => {
            is_whole = whole;
            ControlFlow::Break(())
        }
        Err(_) => ControlFlow::Continue(()),
    };
    // A file that cannot be read, or is too large to be whole, gives no document.
    let _ = read_bytes(path, content, options, &mut receiver);
    is_whole
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::globs::Globs;

    #[track_caller]
    fn check(path: &str, content: &str, expected: bool) {
        let patterns = Globs::RUNBOOKS.into_iter().chain(["/sop/"]);
        let whole = Globs::new(patterns).expect("good patterns");
        let options = ReadOptions { whole, max_document_bytes: 200, ..ReadOptions::default() };
        let found = is_kept_whole(path, content.as_bytes(), &options);
        assert_eq!(found, expected, "{path} {content:?}");
    }

    #[test]
    fn by_fields_as_they_are_written() {
        for field in ["whole: true", "whole: yes", "whole: 'on'", "whole: 1", "Whole: TRUE"] {
            check("a.md", &format!("---\n{field}\n---\n1. x"), true);
        }
        for field in ["type: runbook", "type: Runbook", "kind: RUNBOOK", "type:   runbook  "] {
            check("a.md", &format!("---\n{field}\n---\n1. x"), true);
        }
        for text in ["---\r\nwhole: true\r\n---\r\nx", "---  \nwhole: true\n...\nx"] {
            check("a.md", text, true);
        }
        for field in ["whole: no", "whole: false", "type: note", "other: runbook"] {
            check("a.md", &format!("---\n{field}\n---\n1. x"), false);
        }
        check("a.md", "1. x\n---\nwhole: true\n---\n", false);
        check("a.txt", "---\nwhole: true\n---\n1. x", false);
    }

    #[test]
    fn by_patterns() {
        check("runbooks/a.md", "1. x", true);
        check("x/Runbooks/deep/a.txt", "1. x", true);
        check("ops/db-runbook.md", "1. x", true);
        check("sop/a.md", "1. x", true);
        check("sop/a.md", "---\nwhole: no\n---\n1. x", true);
        check("x/sop/a.md", "1. x", false);
        check("runbooks/a.md", "", false);
        check("runbooks/a.md", &"1. x ".repeat(100), false);
    }
}
