//! One writer at a time. The lock is the kernel's, so a killed writer leaves none behind; the file
//! says who holds it.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::Path;

use crate::error::{IndexError, io_error};

/// Name of the lock file in an index folder.
pub(crate) const FILE: &str = "writer.lock";

/// Held for as long as the value lives.
#[derive(Debug)]
pub(crate) struct WriterLock {
    _file: File,
}

impl WriterLock {
    /// Takes the lock of the index in `folder`, or says who holds it.
    pub(crate) fn take(folder: &Path) -> Result<Self, IndexError> {
        let path = folder.join(FILE);
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(io_error("open", &path))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut holder = String::new();
                // The holder's line is a courtesy: without it the message is only shorter.
                let _ = file.read_to_string(&mut holder);
                let holder = holder.trim().to_owned();
                return Err(IndexError::Locked { path: folder.to_owned(), holder });
            }
            Err(TryLockError::Error(source)) => {
                return Err(IndexError::Io { action: "lock", path, source });
            }
        }
        let line = format!("process {} since {}\n", std::process::id(), jiff::Timestamp::now());
        file.set_len(0)
            .and_then(|()| file.rewind())
            .and_then(|()| file.write_all(line.as_bytes()))
            .map_err(io_error("write", &path))?;
        Ok(Self { _file: file })
    }
}
