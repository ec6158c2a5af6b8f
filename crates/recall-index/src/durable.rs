//! Files that are whole or absent: written beside their name, synced, renamed, and the folder
//! synced. Nothing of an index appears in any other way.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use crate::error::{IndexError, io_error};

/// Replaces `path` with `pieces`, one after the other. A crash leaves the old file or the new one.
pub(crate) fn write(path: &Path, pieces: &[&[u8]]) -> Result<(), IndexError> {
    let beside = path.with_extension("tmp");
    let mut file = File::create(&beside).map_err(io_error("create", &beside))?;
    for piece in pieces {
        file.write_all(piece).map_err(io_error("write", &beside))?;
    }
    file.sync_all().map_err(io_error("sync", &beside))?;
    drop(file);
    fs::rename(&beside, path).map_err(io_error("rename", path))?;
    sync_folder(path.parent().unwrap_or(Path::new(".")))
}

/// Makes the names in `folder` durable. Folders cannot be opened on Windows, where renames need
/// no such help.
pub(crate) fn sync_folder(folder: &Path) -> Result<(), IndexError> {
    if cfg!(windows) {
        return Ok(());
    }
    File::open(folder).and_then(|f| f.sync_all()).map_err(io_error("sync", folder))
}

/// Removes what a crash or an older generation left: every file of `folder` that `live` does not
/// name. Readers that still have such a file open keep it.
pub(crate) fn sweep(folder: &Path, live: &dyn Fn(&str) -> bool) -> Result<(), IndexError> {
    let entries = fs::read_dir(folder).map_err(io_error("read", folder))?;
    for entry in entries {
        let entry = entry.map_err(io_error("read", folder))?;
        let name = entry.file_name();
        if !name.to_str().is_some_and(live) {
            // Not being able to remove garbage is no reason to fail; the next run tries again.
            let _ = fs::remove_file(entry.path());
        }
    }
    Ok(())
}
