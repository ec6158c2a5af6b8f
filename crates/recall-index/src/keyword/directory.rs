//! Where tantivy keeps its files, and the trick that gives an index one commit point.
//!
//! tantivy commits by replacing its own list of segments, `meta.json`. If that list lay on the disk,
//! an index would have two commit points, the list and the manifest, and a crash between them would
//! leave them in disagreement. So the list never touches the disk: it is kept in memory here, and the
//! manifest, which has a checksum and is replaced last, carries its text
//! ([`KeywordRecord::meta`](crate::manifest::KeywordRecord::meta)). Segments themselves are ordinary
//! files that are never changed.
//!
//! Three things follow:
//!
//! - A commit becomes visible with the manifest and not before; what a killed writer left is unnamed
//!   and swept.
//! - A reader that opens an older generation finds that generation's list in its manifest.
//! - tantivy may delete nothing, for an older generation may still need it. The sweep after the
//!   manifest does that (`durable.rs`).

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use tantivy::directory::error::{DeleteError, LockError, OpenReadError, OpenWriteError};
use tantivy::directory::{
    Directory, DirectoryLock, FileHandle, Lock, MmapDirectory, WatchCallback, WatchHandle, WritePtr,
};

use crate::manifest::KeywordRecord;

/// What tantivy calls its list of segments.
const META: &str = "meta.json";

/// nothing deleted: what is no longer needed is swept after the manifest.
#[derive(Debug, Clone)]
pub(super) struct StagedDirectory {
    files: MmapDirectory,
    lists: Arc<Mutex<HashMap<PathBuf, Vec<u8>>>>,
}

impl StagedDirectory {
    pub(super) fn open(folder: &Path, record: &KeywordRecord) -> tantivy::Result<Self> {
        let files = MmapDirectory::open(folder)?;
        let mut lists = HashMap::new();
        if !record.meta.is_empty() {
            lists.insert(PathBuf::from(META), record.meta.clone().into_bytes());
        }
        Ok(Self { files, lists: Arc::new(Mutex::new(lists)) })
    }

    /// The list of segments as it was last committed; empty before the first commit.
    pub(super) fn meta(&self) -> String {
        let lists = self.lists.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        lists
            .get(Path::new(META))
            .map(|bytes| String::from_utf8_lossy(bytes).into_owned())
            .unwrap_or_default()
    }
}

impl Directory for StagedDirectory {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        self.files.get_file_handle(path)
    }

    fn delete(&self, _path: &Path) -> Result<(), DeleteError> {
        Ok(())
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        let lists = self.lists.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        Ok(lists.contains_key(path) || self.files.exists(path)?)
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        self.files.open_write(path)
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        let lists = self.lists.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        lists.get(path).cloned().ok_or_else(|| OpenReadError::FileDoesNotExist(path.to_owned()))
    }

    fn atomic_write(&self, path: &Path, data: &[u8]) -> io::Result<()> {
        let mut lists = self.lists.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        lists.insert(path.to_owned(), data.to_vec());
        Ok(())
    }

    fn sync_directory(&self) -> io::Result<()> {
        self.files.sync_directory()
    }

    /// The writer's lock of the whole index is held already, and readers need none.
    fn acquire_lock(&self, _lock: &Lock) -> Result<DirectoryLock, LockError> {
        Ok(DirectoryLock::from(Box::new(())))
    }

    fn watch(&self, _callback: WatchCallback) -> tantivy::Result<WatchHandle> {
        Ok(WatchHandle::empty())
    }
}
