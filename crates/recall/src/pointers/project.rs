//! Applies a project's `recall.toml` to its memory folders and the files they point to.

use std::path::{Path, PathBuf};

use recall_pointers::{FolderSpec, HeadingWords, Memory};
use recall_sources::pointer_page::is_pointer_page;
use recall_sources::{Globs, ReadOptions, is_kept_whole};

use crate::config::{self, Config};
use crate::failure::Failure;

/// Finds the memory folder of the project that contains `from`, by the usual names of its pages or
/// because `recall.toml` names one.
pub(super) fn memory_folder(from: &Path) -> Result<Option<FolderSpec>, Failure> {
    let Some(root) = root_of(from) else { return Ok(FolderSpec::upward(from)) };
    let named = config::globs(&config::load(&root)?.pointers)?;
    let is_page = |page: &Path| is_pointer_page(page) || is_named(&named, page, &root);
    Ok(FolderSpec::upward_where(from, &is_page))
}

fn is_named(patterns: &Globs, page: &Path, root: &Path) -> bool {
    page.strip_prefix(root).is_ok_and(|path| patterns.matches(&slashed(path), false))
}

/// Returns the heading words for the project of the first folder: the built-in ones and those of
/// its `recall.toml`.
pub(super) fn words(folders: &[FolderSpec]) -> Result<HeadingWords, Failure> {
    let Some(first) = folders.first() else { return Ok(HeadingWords::default()) };
    let path = first.path.canonicalize().unwrap_or_else(|_| first.path.clone());
    root_of(&path)
        .map_or(Ok(HeadingWords::default()), |root| Ok(config::load(&root)?.headings.words()))
}

/// Finds the nearest folder at or above `path` that has a `recall.toml`.
fn root_of(path: &Path) -> Option<PathBuf> {
    path.ancestors().find(|folder| folder.join(config::FILE).is_file()).map(Path::to_owned)
}

/// Decides which files around memory folders `recall index` keeps whole.
pub(super) struct KeptWhole {
    /// Roots and the options for reading files below them; the first root that contains a file
    /// counts.
    roots: Vec<(PathBuf, ReadOptions)>,
}

impl KeptWhole {
    /// Loads the rules for the folders of `memory` from the `recall.toml` of their projects, or the
    /// defaults without one.
    pub(super) fn around(memory: &Memory) -> Result<Self, Failure> {
        let mut roots = Vec::new();
        for folder in memory.folders() {
            if let Some(root) = root_of(&folder.real_path) {
                let options = read_options(&config::load(&root)?)?;
                roots.push((root, options));
            }
        }
        for folder in memory.folders() {
            let root = folder.root().canonicalize().unwrap_or_else(|_| folder.root().to_owned());
            roots.push((root, ReadOptions::default()));
        }
        Ok(Self { roots })
    }

    /// Whether the file at `path`, a path without links, is kept whole.
    pub(super) fn holds(&self, path: &Path, content: &[u8]) -> bool {
        let below = |(root, options)| Some((path.strip_prefix(root).ok()?, options));
        let found = self.roots.iter().find_map(|(root, options)| below((root, options)));
        found.is_some_and(|(path, options)| is_kept_whole(&slashed(path), content, options))
    }
}

fn read_options(config: &Config) -> Result<ReadOptions, Failure> {
    Ok(ReadOptions { whole: config.kept_whole(&[])?, ..ReadOptions::default() })
}

/// Joins a relative path with `/` between its parts, as patterns expect.
fn slashed(path: &Path) -> String {
    let parts: Vec<_> = path.iter().map(|part| part.to_string_lossy()).collect();
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A project with these files.
    fn project(files: &[(&str, &str)]) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for (name, text) in files {
            std::fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
            std::fs::write(root.join(name), text).unwrap();
        }
        (folder, root)
    }

    /// Whether the check and a run of `recall index` over the project take `name` for whole.
    #[track_caller]
    fn check(settings: &str, name: &str, text: &str, expected: bool) {
        let (_folder, root) =
            project(&[("memory/INDEX.md", ""), (config::FILE, settings), (name, text)]);
        let spec = FolderSpec { root: Some(root.clone()), ..FolderSpec::at(root.join("memory")) };
        let memory = Memory::open(&[spec], &HeadingWords::default()).unwrap();
        let kept = KeptWhole::around(&memory).unwrap();
        assert_eq!(kept.holds(&root.join(name), text.as_bytes()), expected, "{name} {text:?}");
        assert_eq!(indexed_whole(&root, name), expected, "{name} {text:?}");
    }

    /// Whether the reader of the index takes the file for whole.
    fn indexed_whole(root: &Path, name: &str) -> bool {
        let options = read_options(&config::load(root).unwrap()).unwrap();
        let everything = recall_sources::ScanOptions::default();
        let mut sources = recall_sources::scan(root, &everything).flatten();
        let source = sources.find(|source| source.path == name).unwrap();
        let mut whole = false;
        let mut receiver = |document: Result<recall_sources::Document, _>| {
            whole |= document.is_ok_and(|document| document.whole);
            std::ops::ControlFlow::Continue(())
        };
        source.read(&options, &mut receiver).unwrap();
        whole
    }

    #[test]
    fn a_check_and_an_index_agree_on_what_is_whole() {
        check("", "ops/a.md", "1. x", false);
        check("", "runbooks/a.md", "1. x", true);
        check("", "ops/a.md", "---\nwhole: yes\n---\n1. x", true);
        check("", "ops/a.md", "---\ntype: Runbook\n---\n1. x", true);
        check("", "ops/a.md", "--- \r\nwhole: true\r\n...\r\n1. x", true);
        check("", "ops/a.md", "---\nwhole: no\n---\n1. x", false);
        check("whole = ['/ops/**']", "ops/a.md", "1. x", true);
        check("whole = ['/ops/**']", "x/ops/a.md", "1. x", false);
        check("whole = ['!/runbooks/old.md']", "runbooks/old.md", "1. x", false);
    }

    #[test]
    fn folders_above_the_project_make_nothing_whole() {
        let (_folder, top) = project(&[("runbooks/p/memory/INDEX.md", "")]);
        let root = top.join("runbooks/p");
        let spec = FolderSpec { root: Some(root.clone()), ..FolderSpec::at(root.join("memory")) };
        let memory = Memory::open(&[spec], &HeadingWords::default()).unwrap();
        assert!(!KeptWhole::around(&memory).unwrap().holds(&root.join("a.md"), b"1. x"));
    }

    #[test]
    fn pages_named_by_the_settings_are_found() {
        let found = |settings: &str| {
            let (_folder, root) = project(&[("team/INDEX.md", ""), (config::FILE, settings)]);
            memory_folder(&root.join("team")).unwrap().map(|spec| spec.namespace)
        };
        assert_eq!(found(""), None);
        assert_eq!(found("pointers = ['team/INDEX.md']"), Some("team".to_owned()));
    }
}
