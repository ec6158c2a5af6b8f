//! The lines that name a document, for the `pointers` beside the hits of a query.

use std::path::Path;

use serde::Serialize;

use crate::fold::fold;
use crate::folder::Folder;
use crate::memory::Memory;
use crate::quoted_path::quoted_path;
use crate::section::Kind;
use crate::selector::{Place, Selected};
use crate::statement::Statement;
use crate::target::follow;

/// A line of the index that names a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PointerLine {
    /// The document, as the caller called it.
    pub document: String,
    /// What the line is.
    pub kind: Kind,
    /// The line.
    #[serde(flatten)]
    pub place: Place,
}

/// The lines that name any of `documents`: by link, by path in back-ticks, or by an id that
/// stands in the line as a word of its own. A document is a path (absolute, or from the root of
/// the folder's repository) or an id such as `DEC-0054`. In the order of the documents, then of
/// the lines.
pub fn lines_naming<D: AsRef<str>>(memory: &Memory, documents: &[D]) -> Vec<PointerLine> {
    let documents = documents.iter().map(AsRef::as_ref);
    documents.flat_map(|document| lines_naming_one(memory, document)).collect()
}

fn lines_naming_one(memory: &Memory, document: &str) -> Vec<PointerLine> {
    memory
        .statements()
        .filter(|(folder, _, statement)| {
            points_to(folder, statement, document) || says(statement, document)
        })
        .map(|(folder, file, statement)| PointerLine {
            document: document.to_owned(),
            kind: statement.kind,
            place: Selected { folder, file, statement }.place(),
        })
        .collect()
}

fn points_to(folder: &Folder, statement: &Statement, document: &str) -> bool {
    let Ok(document) = folder.root().join(document).canonicalize() else { return false };
    let linked = |target: &str| follow(folder, target).file().is_some_and(|path| path == document);
    statement.links.iter().any(|link| linked(&link.target))
        || statement.quotes.iter().any(|quote| quotes(folder, quote, &document))
}

fn quotes(folder: &Folder, quote: &str, document: &Path) -> bool {
    let found = quoted_path(quote).and_then(|path| folder.repository.find(path.path, &folder.path));
    found.and_then(|path| path.canonicalize().ok()).is_some_and(|path| path == document)
}

/// Whether the id stands in the line by itself. A bare number names nothing.
fn says(statement: &Statement, id: &str) -> bool {
    let (id, text) = (fold(id), fold(&statement.text));
    let inside = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '/');
    let alone = |(at, found): (usize, &str)| {
        !text[..at].ends_with(inside) && !text[at + found.len()..].starts_with(inside)
    };
    id.chars().any(char::is_alphabetic) && text.match_indices(&id).any(alone)
}
