//! Which documents are kept whole, never cut into passages: those that the patterns of
//! [`ReadOptions::whole`](crate::ReadOptions) name, and those whose own fields say so. Pure.

use crate::document::Kind;

/// Whether a document is kept whole by its own fields: it is marked so, or is a runbook.
pub(crate) fn says_so(is_marked: bool, kind: Option<Kind>) -> bool {
    is_marked || kind == Some(Kind::Runbook)
}

/// Whether the value of a field `whole` is a yes.
pub(crate) fn is_yes(value: &str) -> bool {
    matches!(value.trim().to_lowercase().as_str(), "true" | "yes" | "1" | "on")
}
