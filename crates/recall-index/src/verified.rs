//! Proof that a file is what was written, paid for once: the checksum is computed at the first
//! open of a generation's file and remembered with the file's size, inode and time of change.

use std::collections::HashMap;
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use serde::{Deserialize, Serialize};

use crate::error::{IndexError, io_error};
use crate::manifest::{FileRecord, record_file};

/// Name of the memory of verified files in an index folder.
pub(crate) const FILE: &str = "verified.json";

/// How a file looked when its checksum was found right.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Seen {
    blake3: String,
    bytes: u64,
    inode: u64,
    modified: i128,
    changed: i128,
}

/// The memory of an index folder. Losing it only costs time.
#[derive(Debug)]
pub struct Verified {
    folder: PathBuf,
    seen: Mutex<(HashMap<String, Seen>, bool)>,
}

impl Verified {
    /// Reads what was verified in the index in `folder`.
    pub fn load(folder: &Path) -> Self {
        let seen = fs::read(folder.join(FILE))
            .ok()
            .and_then(|bytes| serde_json::from_slice(&bytes).ok())
            .unwrap_or_default();
        Self { folder: folder.to_owned(), seen: Mutex::new((seen, false)) }
    }

    /// Makes sure that `folder/name` is the file that the record describes.
    ///
    /// # Errors
    /// [`IndexError::Damaged`] with the difference, or [`IndexError::Io`].
    pub fn check(&self, folder: &'static str, record: &FileRecord) -> Result<(), IndexError> {
        let path = self.folder.join(folder).join(&record.name);
        let metadata = match fs::metadata(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(IndexError::Damaged { path, detail: "it is missing".to_owned() });
            }
            metadata => metadata.map_err(io_error("open", &path))?,
        };
        if metadata.len() != record.bytes {
            let detail = format!("{} bytes instead of {}", metadata.len(), record.bytes);
            return Err(IndexError::Damaged { path, detail });
        }
        let key = format!("{folder}/{}", record.name);
        let now = seen(record, &metadata);
        if self.lock().0.get(&key) == Some(&now) {
            return Ok(());
        }
        let found = record_file(&self.folder.join(folder), &record.name)?;
        if found.blake3 != record.blake3 {
            let detail = "its checksum differs from the manifest's".to_owned();
            return Err(IndexError::Damaged { path, detail });
        }
        let mut memory = self.lock();
        memory.0.insert(key, now);
        memory.1 = true;
        Ok(())
    }

    /// Remembers what was verified, for the files in `live` only. Failing to is no error: the index
    /// may be on a read-only disk.
    pub fn save(&self, live: &dyn Fn(&str) -> bool) {
        let mut memory = self.lock();
        if !memory.1 {
            return;
        }
        memory.0.retain(|key, _| live(key));
        memory.1 = false;
        let Ok(bytes) = serde_json::to_vec(&memory.0) else { return };
        let beside = self.folder.join(format!("{FILE}.{}.tmp", std::process::id()));
        let written =
            fs::write(&beside, bytes).and_then(|()| fs::rename(&beside, self.folder.join(FILE)));
        if written.is_err() {
            let _ = fs::remove_file(&beside);
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, (HashMap<String, Seen>, bool)> {
        self.seen.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

#[cfg(unix)]
fn seen(record: &FileRecord, metadata: &Metadata) -> Seen {
    use std::os::unix::fs::MetadataExt;
    Seen {
        blake3: record.blake3.clone(),
        bytes: metadata.len(),
        inode: metadata.ino(),
        modified: i128::from(metadata.mtime()) * 1_000_000_000 + i128::from(metadata.mtime_nsec()),
        changed: i128::from(metadata.ctime()) * 1_000_000_000 + i128::from(metadata.ctime_nsec()),
    }
}

#[cfg(not(unix))]
fn seen(record: &FileRecord, metadata: &Metadata) -> Seen {
    let modified = metadata
        .modified()
        .ok()
        .and_then(|t| t.duration_since(std::time::UNIX_EPOCH).ok())
        .map_or(0, |d| d.as_nanos() as i128);
    Seen { blake3: record.blake3.clone(), bytes: metadata.len(), inode: 0, modified, changed: 0 }
}
