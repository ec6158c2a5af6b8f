//! The files around a memory folder, for the paths that texts name.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::io;
use std::path::{Component, Path, PathBuf};

use ignore::WalkBuilder;

use crate::markdown;
use crate::quoted_path::quoted_path;

/// The files that texts quote paths of: those under one root, usually that of a git repository.
#[derive(Debug)]
pub struct Project {
    root: PathBuf,
    real_root: PathBuf,
    /// Every file and folder under the root, with `/` between parts; read when first needed.
    listing: OnceCell<BTreeSet<String>>,
}

impl Project {
    /// The files under `root`. They are listed once, when a path must first be searched for.
    ///
    /// # Errors
    ///
    /// When `root` cannot be reached.
    pub fn at(root: &Path) -> io::Result<Self> {
        let real_root = root.canonicalize()?;
        Ok(Self { root: root.to_owned(), real_root, listing: OnceCell::new() })
    }

    /// The paths that `text` quotes in back-ticks and that are not there: not beside `document`
    /// (its path from the root), not under the root. In order, without repeats. Such a document is
    /// probably stale.
    pub fn missing_quotes(&self, document: &Path, text: &str) -> Vec<String> {
        let document = self.root.join(document);
        let beside = document.parent().unwrap_or(&self.root);
        let mut missing: Vec<String> = Vec::new();
        for quote in markdown::quotes(text) {
            let found = self.missing_quote(&quote.text, beside);
            let new = found.filter(|path| !missing.iter().any(|known| known == path));
            missing.extend(new.map(str::to_owned));
        }
        missing
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Whether a path without links in it lies under the root.
    pub(crate) fn contains(&self, real: &Path) -> bool {
        real.starts_with(&self.real_root)
    }

    /// The quoted path when the words between back-ticks name a file that is not there: not
    /// beside the file that quotes it, not under the root, and not at the end of a longer path.
    pub(crate) fn missing_quote<'a>(&self, quote: &'a str, beside: &Path) -> Option<&'a str> {
        let quoted = quoted_path(quote)?;
        if self.find(quoted.path, beside).is_some() || self.ends_a_path(quoted.path) {
            return None;
        }
        (quoted.certain || self.starts_in_folder(quoted.path)).then_some(quoted.path)
    }

    /// The file or folder that `path` names from the root or from `beside`.
    pub(crate) fn find(&self, path: &str, beside: &Path) -> Option<PathBuf> {
        [&self.root, beside]
            .iter()
            .flat_map(|base| [normal(&base.join(path)), base.join(path)])
            .find(|candidate| candidate.exists())
    }

    fn starts_in_folder(&self, path: &str) -> bool {
        let first = path.split('/').next().unwrap_or(path);
        self.root.join(first).is_dir()
    }

    fn ends_a_path(&self, path: &str) -> bool {
        let tail = format!("/{path}");
        self.listing().iter().any(|known| known.ends_with(&tail))
    }

    fn listing(&self) -> &BTreeSet<String> {
        self.listing.get_or_init(|| {
            // What git ignores is not part of the project, and may be huge.
            let walk = WalkBuilder::new(&self.root).hidden(false).filter_entry(is_not_git).build();
            walk.flatten()
                .filter_map(|entry| entry.path().strip_prefix(&self.root).ok().map(slashed))
                .collect()
        })
    }
}

fn is_not_git(entry: &ignore::DirEntry) -> bool {
    entry.file_name() != ".git"
}

pub(crate) fn slashed(path: &Path) -> String {
    let parts = path.components().map(|part| part.as_os_str().to_string_lossy());
    parts.collect::<Vec<_>>().join("/")
}

/// The path without `.` and `..`, told from its text alone.
pub(crate) fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if normal.file_name().is_some() => {
                normal.pop();
            }
            other => normal.push(other),
        }
    }
    normal
}

/// The root of the git repository around `folder`. Around a submodule it is that of the outer
/// repository, because that is what the lines of the memory speak of.
pub(crate) fn root_of(folder: &Path) -> Option<PathBuf> {
    let absolute = normal(&std::path::absolute(folder).ok()?);
    let marked = absolute.ancestors().filter(|path| path.join(".git").exists());
    let mut outermost = None;
    for root in marked {
        outermost = Some(root.to_owned());
        if !is_submodule(root) {
            break;
        }
    }
    outermost
}

fn is_submodule(root: &Path) -> bool {
    std::fs::read_to_string(root.join(".git"))
        .is_ok_and(|pointer| pointer.starts_with("gitdir:") && pointer.contains("/modules/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normal_paths_climb_by_text() {
        for (path, expected) in [
            ("a/b/../c.md", "a/c.md"),
            ("a/./b.md", "a/b.md"),
            ("../a.md", "../a.md"),
            ("a/../../b.md", "../b.md"),
        ] {
            assert_eq!(normal(Path::new(path)), Path::new(expected), "{path}");
        }
    }
}
