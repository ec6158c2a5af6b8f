//! A note or entry file of a memory folder.

use std::io;
use std::path::{Path, PathBuf};

use jiff::civil::Date;

use crate::front_matter::{self, FrontMatter, FrontMatterError};
use crate::markdown::{self, Quote};

/// A Markdown file beside a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its path, as it was reached.
    pub path: PathBuf,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Its front matter; `None` when it has none.
    pub front_matter: Result<Option<FrontMatter>, FrontMatterError>,
    /// What it quotes in back-ticks.
    pub(crate) quotes: Vec<Quote>,
}

impl Entry {
    pub(crate) fn read(path: &Path) -> io::Result<Self> {
        Ok(Self::parse(path, std::fs::read(path)?))
    }

    pub(crate) fn parse(path: &Path, bytes: Vec<u8>) -> Self {
        let text = String::from_utf8_lossy(&bytes);
        let front_matter = front_matter::parse(&text);
        let quotes = markdown::quotes(&text);
        Self { path: path.to_owned(), front_matter, quotes, bytes }
    }

    /// Its text; bytes that are not UTF-8 read as replacement marks.
    pub fn text(&self) -> std::borrow::Cow<'_, str> {
        String::from_utf8_lossy(&self.bytes)
    }

    /// Its front matter, where it has one that can be read.
    pub fn fields(&self) -> Option<&FrontMatter> {
        self.front_matter.as_ref().ok()?.as_ref()
    }

    /// The date that its front matter gives.
    pub fn date(&self) -> Option<Date> {
        self.fields()?.date
    }
}
