//! Finds the index folder: the one given, or the nearest `.recall` upward.

use std::path::{Path, PathBuf};

use crate::failure::Failure;

/// Name of the index folder in an indexed root.
pub(crate) const FOLDER: &str = ".recall";

/// Returns the index to read: the one given, else the first `.recall` found upward from the current
/// folder, as git finds its own.
pub(crate) fn to_read(given: Option<&Path>) -> Result<PathBuf, Failure> {
    if let Some(given) = given {
        return Ok(as_folder(given));
    }
    let here = here()?;
    upward(&here).ok_or_else(|| {
        Failure::usage_hint(
            format!("no index in {} or above it", here.display()),
            "make one with: recall index FOLDER; or name one with: --index DIR",
        )
    })
}

/// Returns the index to write for `paths`: the one given, else the first `.recall` found upward
/// (from the folder itself, if `paths` is a single folder), else a new one there. Without `paths`
/// there must be an index already.
pub(crate) fn to_write(given: Option<&Path>, paths: &[PathBuf]) -> Result<PathBuf, Failure> {
    match (given, paths) {
        (Some(given), _) => Ok(as_folder(given)),
        (None, [folder]) if folder.is_dir() => {
            let folder = folder.canonicalize().map_err(Failure::io("open", folder))?;
            Ok(upward(&folder).unwrap_or_else(|| folder.join(FOLDER)))
        }
        (None, []) => to_read(None),
        (None, _) => {
            let here = here()?;
            Ok(upward(&here).unwrap_or_else(|| here.join(FOLDER)))
        }
    }
}

/// Returns the canonical path of a folder, so that all processes name it alike; the absolute path
/// if it does not exist.
pub(crate) fn real(folder: &Path) -> PathBuf {
    let real = folder.canonicalize().or_else(|_| std::path::absolute(folder));
    real.unwrap_or_else(|_| folder.to_owned())
}

/// `DIR` may be the index itself or the folder that holds it.
fn as_folder(given: &Path) -> PathBuf {
    let inner = given.join(FOLDER);
    if inner.is_dir() { inner } else { given.to_owned() }
}

fn upward(from: &Path) -> Option<PathBuf> {
    from.ancestors().map(|folder| folder.join(FOLDER)).find(|folder| folder.is_dir())
}

fn here() -> Result<PathBuf, Failure> {
    std::env::current_dir().map_err(Failure::io("find", "."))
}
