//! Whether a file is, byte for byte, the one that was installed.

use std::collections::BTreeMap;
use std::fs::{self, File, Metadata};
use std::io::Read;
use std::path::Path;
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::disk;
use crate::error::{Damage, EmbedError};
use crate::home::Home;
use crate::origin::PackageFile;

/// The expected length and hash of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Checksum {
    /// Length in bytes.
    pub(crate) bytes: u64,
    /// sha256, hexadecimal.
    pub(crate) sha256: String,
}

impl From<&PackageFile> for Checksum {
    fn from(file: &PackageFile) -> Checksum {
        Checksum { bytes: file.bytes, sha256: file.sha256.clone() }
    }
}

/// A file as the file system describes it: changes with the content unless someone hides that.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct FileStat {
    bytes: u64,
    inode: u64,
    modified_ns: u64,
    sha256: String,
}

impl Checksum {
    /// The checksum of the file as it is, read through.
    pub(crate) fn of(path: &Path) -> Result<Checksum, EmbedError> {
        let mut file = File::open(path).map_err(EmbedError::io(path))?;
        let mut hash = Sha256::new();
        let mut buffer = vec![0; 1 << 20];
        let mut bytes = 0;
        loop {
            let read = file.read(&mut buffer).map_err(EmbedError::io(path))?;
            if read == 0 {
                return Ok(Checksum { bytes, sha256: hex(&hash.finalize()) });
            }
            hash.update(&buffer[..read]);
            bytes += read as u64;
        }
    }

    /// Reads the whole file and compares.
    pub(crate) fn check(&self, path: &Path) -> Result<(), EmbedError> {
        let damaged = |why| Err(EmbedError::Damaged { path: path.to_owned(), why });
        let got = match fs::metadata(path) {
            Err(_) => return damaged(Damage::Missing),
            Ok(metadata) => metadata.len(),
        };
        if got != self.bytes {
            return damaged(Damage::Size { expected: self.bytes, got });
        }
        let got = Checksum::of(path)?.sha256;
        if got != self.sha256 {
            return damaged(Damage::Hash { expected: self.sha256.clone(), got });
        }
        Ok(())
    }

    /// Like [`Checksum::check`], but a file that was read through before and has the size, inode and time
    /// of then is believed: 110 MB are not hashed for every question.
    pub(crate) fn check_once(&self, home: &Home, path: &Path) -> Result<(), EmbedError> {
        let key = path.to_string_lossy().into_owned();
        let stat = fs::metadata(path).ok().map(|metadata| self.stat(&metadata));
        let mut known = remembered(home);
        if stat.is_some() && known.get(&key) == stat.as_ref() {
            return Ok(());
        }
        self.check(path)?;
        if let Some(stat) = stat {
            known.insert(key, stat);
            remember(home, &known);
        }
        Ok(())
    }

    fn stat(&self, metadata: &Metadata) -> FileStat {
        let since = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        FileStat {
            bytes: metadata.len(),
            inode: inode(metadata),
            modified_ns: since.map_or(0, |since| since.as_nanos() as u64),
            sha256: self.sha256.clone(),
        }
    }
}

/// Bytes as lower-case hexadecimal.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(unix)]
fn inode(metadata: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(metadata)
}

#[cfg(not(unix))]
fn inode(_: &Metadata) -> u64 {
    0
}

fn remembered(home: &Home) -> BTreeMap<String, FileStat> {
    let bytes = fs::read(home.verified()).unwrap_or_default();
    serde_json::from_slice(&bytes).unwrap_or_default()
}

/// Writes the record down. A folder that cannot be written only costs the next run its time.
fn remember(home: &Home, known: &BTreeMap<String, FileStat>) {
    if let Ok(bytes) = serde_json::to_vec(known) {
        let _ = disk::write(&home.verified(), &bytes);
    }
}
