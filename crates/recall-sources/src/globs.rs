//! Path patterns, in the syntax of `.gitignore`.

use std::path::Path;

use ignore::gitignore::{Gitignore, GitignoreBuilder};

/// A set of path patterns, matched against paths relative to the root.
///
/// The syntax is that of `.gitignore`: `*.md` matches at any depth, `/notes` only at the top,
/// `drafts/` a folder and all below it, a later `!pattern` takes back an earlier match. Case does
/// not matter.
#[derive(Debug, Clone)]
pub struct Globs(Gitignore);

/// A pattern that is not one.
#[derive(Debug, Clone, thiserror::Error, PartialEq, Eq)]
#[error("bad path pattern `{pattern}`: {cause}")]
pub struct BadGlob {
    /// The pattern as it was given.
    pub pattern: String,
    /// What is wrong with it.
    pub cause: String,
}

impl Globs {
    /// The default of [`ReadOptions::whole`](crate::ReadOptions): folders and files named as
    /// runbooks.
    pub const RUNBOOKS: [&str; 2] = ["**/runbooks/**", "**/*runbook*.md"];

    /// A set of `patterns`; a set of none matches nothing.
    ///
    /// # Errors
    /// The first pattern that does not parse.
    pub fn new<S: AsRef<str>>(patterns: impl IntoIterator<Item = S>) -> Result<Self, BadGlob> {
        let mut builder = GitignoreBuilder::new("");
        for pattern in patterns {
            let pattern = pattern.as_ref();
            let bad = |cause: ignore::Error| BadGlob {
                pattern: pattern.into(),
                cause: cause.to_string(),
            };
            builder.case_insensitive(true).map_err(bad)?;
            builder.add_line(None, pattern).map_err(bad)?;
        }
        let compiled = builder.build();
        compiled
            .map(Self)
            .map_err(|cause| BadGlob { pattern: String::new(), cause: cause.to_string() })
    }

    /// No patterns.
    pub fn none() -> Self {
        Self(Gitignore::empty())
    }

    /// There are no patterns.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// `path` (relative, `/` between parts), or a folder above it, matches.
    pub fn matches(&self, path: &str, is_folder: bool) -> bool {
        let path = Path::new(path);
        !self.is_empty()
            && path.is_relative()
            && self.0.matched_path_or_any_parents(path, is_folder).is_ignore()
    }
}

impl Default for Globs {
    fn default() -> Self {
        Self::none()
    }
}
