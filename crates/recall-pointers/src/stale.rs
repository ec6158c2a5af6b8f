//! Whether a document that a search found still speaks of files that are there.

use std::io;
use std::path::Path;

use crate::markdown;
use crate::repository::Repository;

/// The files that documents quote paths of.
#[derive(Debug)]
pub struct Project(Repository);

impl Project {
    /// The files under `root`; they are listed once, when a path must first be searched for.
    ///
    /// # Errors
    ///
    /// When `root` cannot be reached.
    pub fn at(root: &Path) -> io::Result<Self> {
        Repository::at(root).map(Self)
    }

    /// The paths that `text` quotes in back-ticks and that are not there: not beside `document`
    /// (its path from the root), not under the root. In order, without repeats.
    pub fn missing_quotes(&self, document: &Path, text: &str) -> Vec<String> {
        let document = self.0.root().join(document);
        let beside = document.parent().unwrap_or(self.0.root());
        let mut missing: Vec<String> = Vec::new();
        for quote in markdown::quotes(text) {
            let found = self.0.missing_quote(&quote.text, beside);
            let new = found.filter(|path| !missing.iter().any(|known| known == path));
            missing.extend(new.map(str::to_owned));
        }
        missing
    }
}
