//! The line that a name means.

use std::fmt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::fold::{fold, words};
use crate::folder::{Folder, PageFile};
use crate::memory::Memory;
use crate::statement::{Link, Statement};
use crate::subject::Subject;

/// Where a line stands and what it says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The namespace of its folder.
    pub namespace: String,
    /// Its page.
    pub path: PathBuf,
    /// Its line, counted from 1.
    pub line: usize,
    /// Its Markdown, without the list marker.
    pub text: String,
}

/// Why a name means no line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SelectError {
    /// No line goes by that name.
    #[error("no line is named `{name}`")]
    NotFound {
        /// The name.
        name: String,
    },
    /// Several do.
    #[error("`{name}` may be any of:{}", list(candidates))]
    Ambiguous {
        /// The name.
        name: String,
        /// The lines that it may mean.
        candidates: Vec<Place>,
    },
}

impl SelectError {
    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::NotFound { .. } => {
                "use words of the line, the name of its file, or its line number"
            }
            Self::Ambiguous { .. } => "add the line number or the namespace: `shared:INDEX.md:12`",
        }
    }
}

/// The places, each on a line of its own.
pub(crate) fn list(places: &[Place]) -> String {
    places.iter().map(|place| format!("\n  {place}")).collect()
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path.display(), self.line, self.text)
    }
}

/// A line in its page and folder.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Selected<'a> {
    pub folder: &'a Folder,
    pub file: &'a PageFile,
    pub statement: &'a Statement,
}

impl Selected<'_> {
    pub(crate) fn place(&self) -> Place {
        Place {
            namespace: self.folder.namespace.clone(),
            path: self.file.path.clone(),
            line: self.statement.line,
            text: self.statement.text.clone(),
        }
    }
}

/// A way in which a name may mean a line.
type Meaning = fn(&str, Selected<'_>) -> bool;

/// In this order; the first way that fits any line decides.
const MEANINGS: [Meaning; 5] = [is_line, is_target, is_link_text, is_subject, is_within];

/// Finds the line that `name` means: its number, `page:number`, the file that it points to (with
/// or without folders and extension), the text of its link, its subject, or any words in it.
/// `namespace:` before it keeps to one folder.
pub(crate) fn select<'a>(memory: &'a Memory, name: &str) -> Result<Selected<'a>, SelectError> {
    let (namespace, wanted) = split_namespace(memory, name);
    let lines: Vec<_> = memory
        .statements()
        .map(|(folder, file, statement)| Selected { folder, file, statement })
        .filter(|line| namespace.is_none_or(|namespace| line.folder.namespace == namespace))
        .collect();
    for means in MEANINGS {
        let found: Vec<_> = lines.iter().filter(|line| means(wanted, **line)).collect();
        match found[..] {
            [] => {}
            [only] => return Ok(*only),
            _ => return Err(ambiguous(name, &found)),
        }
    }
    Err(SelectError::NotFound { name: name.to_owned() })
}

fn split_namespace<'n>(memory: &Memory, name: &'n str) -> (Option<&'n str>, &'n str) {
    let known = |namespace: &str| memory.folders().iter().any(|f| f.namespace == namespace);
    match name.split_once(':') {
        Some((namespace, rest)) if known(namespace) => (Some(namespace), rest),
        _ => (None, name),
    }
}

fn ambiguous(name: &str, found: &[&Selected<'_>]) -> SelectError {
    let candidates = found.iter().map(|line| line.place()).collect();
    SelectError::Ambiguous { name: name.to_owned(), candidates }
}

fn is_line(name: &str, line: Selected<'_>) -> bool {
    let (page, number) = name.rsplit_once(':').unwrap_or(("", name));
    number.parse() == Ok(line.statement.line) && (page.is_empty() || line.file.path.ends_with(page))
}

fn is_target(name: &str, line: Selected<'_>) -> bool {
    line.statement.links.iter().any(|link| names_target(name, link))
}

fn names_target(name: &str, link: &Link) -> bool {
    let target = link.target.split('#').next().unwrap_or(&link.target);
    let file = target.rsplit('/').next().unwrap_or(target);
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    let name = fold(name);
    !name.is_empty() && [target, file, stem].iter().any(|known| fold(known) == name)
}

fn is_link_text(name: &str, line: Selected<'_>) -> bool {
    let name = words(name);
    line.statement.links.iter().any(|link| !name.is_empty() && words(&link.text) == name)
}

fn is_subject(name: &str, line: Selected<'_>) -> bool {
    let name = words(name);
    !name.is_empty() && words(&Subject::of(line.statement).phrase()) == name
}

fn is_within(name: &str, line: Selected<'_>) -> bool {
    let name = words(name).join(" ");
    !name.is_empty() && words(&line.statement.plain).join(" ").contains(&name)
}
