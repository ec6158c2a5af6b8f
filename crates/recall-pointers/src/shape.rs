//! The two shapes of an index page.

use recall_sources::pointer_page;
use serde::Serialize;

/// The shape of an index page, told by the name of its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Shape {
    /// `INDEX.md`: sections of statements.
    Index,
    /// `MEMORY.md`: one line for each entry file beside it.
    Memory,
}

impl Shape {
    /// Both shapes, in the order in which their pages are printed.
    pub const ALL: [Self; 2] = [Self::Index, Self::Memory];

    /// The name of the page's file.
    pub fn file_name(self) -> &'static str {
        match self {
            Self::Index => pointer_page::INDEX,
            Self::Memory => pointer_page::MEMORY,
        }
    }
}
