//! Hints for refused edits and findings, in terms of the command line. Hints about files and lines
//! alone are the library's.

use recall_pointers::{OpenLineError, Problem, Refusal};

/// Returns the hint for a refused edit.
pub(super) fn refusal(refusal: &Refusal) -> &'static str {
    match refusal {
        Refusal::NoReason => "give `--reason`, or `--link` to the note that holds it",
        Refusal::NoSource => "say where it comes from: `--source user`, `code` or `doc`",
        Refusal::WhichNamespace { .. } | Refusal::UnknownNamespace { .. } => {
            "name an open one with `--namespace`"
        }
        Refusal::SeveralOnSubject { .. } => {
            "remove all but one, or `recall pointers replace` the one that is meant"
        }
        Refusal::NoFrontMatter { .. } => "`recall pointers check` says what is wrong with it",
        other => other.hint(),
    }
}

/// Returns the hint for a line that opens no file.
pub(super) fn unopened(error: &OpenLineError) -> &'static str {
    match error {
        OpenLineError::Missing { .. } => "`recall pointers check` lists every such line",
        other => other.hint(),
    }
}

/// Returns the hint for a finding of the linter.
pub(super) fn finding(problem: &Problem) -> &'static str {
    match problem {
        Problem::SameSubject { .. } => "keep the one that holds; `recall pointers replace` does it",
        Problem::OldProject { .. } => {
            "check that it still holds, then `recall pointers touch` it, or remove it"
        }
        Problem::Suspect { .. } => {
            "read the file again, then correct the entry or `recall pointers touch` it"
        }
        other => other.hint(),
    }
}
