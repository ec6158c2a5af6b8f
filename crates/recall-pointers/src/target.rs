//! Where a link leads.

use std::path::{Path, PathBuf};

use percent_encoding::percent_decode_str;

use crate::folder::Folder;
use crate::project::normal;

/// Where a link leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Target {
    /// To the web, by this address, or to a place in the page itself.
    Elsewhere(String),
    /// To a file or folder that is there, with every link on the way resolved.
    File(PathBuf),
    /// To this path, where nothing is.
    Missing(PathBuf),
    /// Out of the memory folder and of the repository around it.
    Outside(PathBuf),
}

impl Target {
    /// The file behind the link.
    pub(crate) fn file(&self) -> Option<&Path> {
        match self {
            Self::File(path) => Some(path),
            _ => None,
        }
    }
}

/// Follows a link of a page of `folder`.
pub(crate) fn follow(folder: &Folder, link: &str) -> Target {
    if link.contains("://") || link.starts_with('#') || link.starts_with("mailto:") {
        return Target::Elsewhere(link.to_owned());
    }
    let path = link.split('#').next().unwrap_or(link);
    let path = percent_decode_str(path).decode_utf8_lossy();
    let found = candidates(folder, &path).into_iter().find_map(|path| path.canonicalize().ok());
    match found {
        Some(real) if real.starts_with(&folder.real_path) => Target::File(real),
        Some(real) if folder.project.contains(&real) => Target::File(real),
        Some(real) => Target::Outside(real),
        None => Target::Missing(normal(&folder.path.join(&*path))),
    }
}

/// What a link may mean, best guess first: the path from the page as it is written, the same
/// where the folder really lies, and, for `[[name]]`, the note of that name.
fn candidates(folder: &Folder, path: &str) -> Vec<PathBuf> {
    let mut candidates =
        vec![normal(&absolute(&folder.path).join(path)), folder.real_path.join(path)];
    if !path.contains('/') {
        let named = |stem: Option<&std::ffi::OsStr>| stem.is_some_and(|stem| *stem == *path);
        let notes = folder.entries.iter().map(|entry| &entry.path);
        candidates.extend(notes.filter(|note| named(note.file_stem())).cloned());
    }
    candidates
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}
