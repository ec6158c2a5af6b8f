//! The lines that name a document, for the `pointers` beside the hits of a query.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::fold::fold;
use crate::folder::Folder;
use crate::memory::Memory;
use crate::quoted_path::quoted_path;
use crate::section::LineKind;
use crate::selector::{Place, Selected};
use crate::statement::Statement;
use crate::target::follow;

/// A line of the index that names a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PointerLine {
    /// The document, as the caller called it.
    pub document: String,
    /// What the line is.
    pub kind: LineKind,
    /// The line.
    #[serde(flatten)]
    pub place: Place,
}

/// A line with the files that it names.
struct Naming<'a> {
    line: Selected<'a>,
    files: Vec<PathBuf>,
    text: String,
}

/// The lines that name any of `documents`: by link, by path in back-ticks, or by an id that
/// stands in the line as a word of its own. A document is a path (absolute, or from the root of
/// the folder's repository) or an id such as `DEC-0054`. In the order of the documents, then of
/// the lines.
pub fn lines_naming<D: AsRef<str>>(memory: &Memory, documents: &[D]) -> Vec<PointerLine> {
    let lines: Vec<_> = memory
        .statements()
        .map(|(folder, file, statement)| Naming::of(Selected { folder, file, statement }))
        .collect();
    let documents = documents.iter().map(AsRef::as_ref);
    documents.flat_map(|document| naming(&lines, document)).collect()
}

fn naming<'a>(lines: &'a [Naming<'a>], document: &'a str) -> impl Iterator<Item = PointerLine> {
    let id = fold(document);
    lines.iter().filter(move |line| line.points_to(document) || line.says(&id)).map(|naming| {
        PointerLine {
            document: document.to_owned(),
            kind: naming.line.statement.kind,
            place: naming.line.place(),
        }
    })
}

impl<'a> Naming<'a> {
    fn of(line: Selected<'a>) -> Self {
        let files = files_named(line.folder, line.statement);
        Self { line, files, text: fold(&line.statement.text) }
    }

    fn points_to(&self, document: &str) -> bool {
        let path = self.line.folder.root().join(document).canonicalize();
        path.is_ok_and(|path| self.files.contains(&path))
    }

    /// Whether the id, folded, stands in the line by itself. A bare number names nothing.
    fn says(&self, id: &str) -> bool {
        let inside = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '/');
        let alone = |(at, found): (usize, &str)| {
            let (before, after) = (&self.text[..at], &self.text[at + found.len()..]);
            !before.ends_with(inside) && !after.starts_with(inside)
        };
        id.chars().any(char::is_alphabetic) && self.text.match_indices(id).any(alone)
    }
}

/// The files behind the links and the paths in back-ticks, with every link on the way resolved.
fn files_named(folder: &Folder, statement: &Statement) -> Vec<PathBuf> {
    let linked = statement
        .links
        .iter()
        .filter_map(|link| follow(folder, &link.target).file().map(ToOwned::to_owned));
    let quoted = statement.quotes.iter().filter_map(|quote| {
        let path = folder.project.find(quoted_path(quote)?.path, &folder.path)?;
        path.canonicalize().ok()
    });
    linked.chain(quoted).collect()
}
