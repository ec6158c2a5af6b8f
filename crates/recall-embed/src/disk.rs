//! Files that appear whole or not at all.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use tempfile::NamedTempFile;

use crate::error::EmbedError;

/// Writes `bytes` to `path`: to a temporary file beside it, to the disk, then by rename.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<(), EmbedError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(EmbedError::io(folder))?;
    let mut file = temporary(folder).map_err(EmbedError::io(folder))?;
    file.write_all(bytes).map_err(EmbedError::io(path))?;
    file.as_file().sync_all().map_err(EmbedError::io(path))?;
    file.persist(path).map_err(|e| EmbedError::Io { path: path.to_owned(), cause: e.error })?;
    sync_folder(folder);
    Ok(())
}

/// A temporary file as readable as any other: a home may be shared.
fn temporary(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(folder)
}

/// Brings the names in a folder to the disk, where the platform can.
pub(crate) fn sync_folder(folder: &Path) {
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
}
