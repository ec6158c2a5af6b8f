//! A run over some paths of the roots: what is known there, and what else must be looked at with it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use recall_sources::Source;

use crate::catalogue::{SourceId, SourceRecord};

/// A root by its number.
pub(super) type Root<'a> = (u32, &'a Path);

/// `only`, with the whole of every known export that one of the paths lies in: a file of it is no
/// source of its own.
pub(super) fn widened(
    known: &BTreeMap<SourceId, SourceRecord>,
    roots: &[Root<'_>],
    only: &[PathBuf],
) -> Vec<PathBuf> {
    let export = |path: &PathBuf| {
        roots.iter().find_map(|(number, root)| {
            let inside = path.strip_prefix(root).ok()?;
            let above = inside.ancestors().skip(1).filter(|above| above.parent().is_some());
            let mut above = above.filter(|above| known.contains_key(&(*number, name(above))));
            above.next().map(|above| root.join(above))
        })
    };
    only.iter().map(|path| export(path).unwrap_or_else(|| path.clone())).collect()
}

/// Whether anything of a root is meant.
pub(super) fn is_in(root: &Path, only: &[PathBuf]) -> bool {
    only.is_empty() || only.iter().any(|path| path.starts_with(root) || root.starts_with(path))
}

/// What is known at and below `only`, and below the export folders that were found: files of these
/// were sources of their own before.
pub(super) fn known(
    known: &BTreeMap<SourceId, SourceRecord>,
    roots: &[Root<'_>],
    only: &[PathBuf],
    found: &[(u32, Source)],
) -> BTreeMap<SourceId, SourceRecord> {
    let named = only.iter().flat_map(|path| {
        roots.iter().filter_map(move |(number, root)| {
            let is_above = root.starts_with(path);
            let inside = path.strip_prefix(root).map(name);
            // Above a root, all of it is meant, and a root that is a file is called by its name.
            if is_above { Some((*number, String::new())) } else { Some((*number, inside.ok()?)) }
        })
    });
    let exports = found.iter().filter(|(_, source)| source.is_folder);
    let exports = exports.map(|(number, source)| (*number, source.path.clone()));
    named.chain(exports).flat_map(|(number, path)| below(known, number, path)).collect()
}

/// The sources of a root at and below `path`; all of them without one.
fn below(
    known: &BTreeMap<SourceId, SourceRecord>,
    root: u32,
    path: String,
) -> impl Iterator<Item = (SourceId, SourceRecord)> {
    let folder = if path.is_empty() { String::new() } else { format!("{path}/") };
    let at = known.get_key_value(&(root, path));
    let inside = known.range((root, folder.clone())..);
    let inside = inside.take_while(move |((of, path), _)| *of == root && path.starts_with(&folder));
    at.into_iter().chain(inside).map(|(id, record)| (id.clone(), record.clone()))
}

/// A path inside a root as a source is called.
fn name(inside: &Path) -> String {
    let names: Vec<_> = inside.iter().map(|name| name.to_string_lossy()).collect();
    names.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::indexer::unread;

    fn catalogue() -> BTreeMap<SourceId, SourceRecord> {
        let ids = [(0, "a.md"), (0, "b"), (0, "b-c"), (0, "b/x"), (0, "b/y/z"), (1, "notes.md")];
        ids.map(|(root, path)| ((root, path.to_owned()), unread(1))).into()
    }

    const ROOTS: [(u32, &str); 2] = [(0, "/r"), (1, "/s/notes.md")];

    #[track_caller]
    fn check(only: &[&str], expected: &[&str]) {
        let roots = ROOTS.map(|(number, root)| (number, Path::new(root)));
        let only: Vec<PathBuf> = only.iter().map(PathBuf::from).collect();
        let known = known(&catalogue(), &roots, &only, &[]);
        let names: Vec<&str> = known.keys().map(|(_, path)| path.as_str()).collect();
        assert_eq!(names, expected);
    }

    #[test]
    fn what_is_known_at_and_below_a_path() {
        check(&["/r/a.md"], &["a.md"]);
        check(&["/r/b"], &["b", "b/x", "b/y/z"]);
        check(&["/r/b/y", "/r/new"], &["b/y/z"]);
        check(&["/r"], &["a.md", "b", "b-c", "b/x", "b/y/z"]);
        check(&["/s"], &["notes.md"]);
        check(&["/s/notes.md"], &["notes.md"]);
        check(&["/elsewhere"], &[]);
    }

    #[test]
    fn a_file_of_an_export_stands_for_the_export() {
        let roots = ROOTS.map(|(number, root)| (number, Path::new(root)));
        let only = ["/r/b/y/z", "/r/a.md", "/r/c/d"].map(PathBuf::from);
        let wide = widened(&catalogue(), &roots, &only);
        assert_eq!(wide, ["/r/b", "/r/a.md", "/r/c/d"].map(PathBuf::from));
    }
}
