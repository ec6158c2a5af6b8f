//! One opened generation of the keyword index.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use tantivy::{ReloadPolicy, Searcher};

use super::columns::Columns;
use super::schema::{self, Fields};
use super::{EntryId, contained};
use crate::error::IndexError;
use crate::manifest::KeywordRecord;

/// Reads one opened generation of the keyword index, from any number of threads.
///
/// Its methods fail with [`IndexError::Keyword`] where a file of the index is damaged.
pub struct KeywordReader {
    pub(super) folder: PathBuf,
    pub(super) searcher: Searcher,
    pub(super) fields: Fields,
    pub(super) columns: OnceLock<Vec<Columns>>,
    pub(super) chunks: OnceLock<Vec<(u64, EntryId)>>,
}

impl fmt::Debug for KeywordReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeywordReader").field("folder", &self.folder).finish_non_exhaustive()
    }
}

impl KeywordReader {
    /// Opens the index in `folder` (the folder of the keyword index itself) as `record` says it is.
    pub fn open(folder: &Path, record: &KeywordRecord) -> Result<Self, IndexError> {
        let (searcher, fields) = contained(folder, || {
            let (index, fields, _) = schema::open(folder, record)?;
            let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
            Ok((reader.searcher(), fields))
        })?;
        let (columns, chunks) = (OnceLock::new(), OnceLock::new());
        Ok(Self { folder: folder.to_owned(), searcher, fields, columns, chunks })
    }

    /// The columns of every segment.
    pub(super) fn columns(&self) -> tantivy::Result<&[Columns]> {
        if let Some(columns) = self.columns.get() {
            return Ok(columns);
        }
        let segments = self.searcher.segment_readers().iter();
        let opened: Vec<Columns> = segments.map(Columns::open).collect::<tantivy::Result<_>>()?;
        Ok(self.columns.get_or_init(|| opened))
    }

    /// Runs tantivy code on this index, see [`contained`].
    pub(super) fn contained<T>(
        &self,
        work: impl FnOnce() -> tantivy::Result<T>,
    ) -> Result<T, IndexError> {
        contained(&self.folder, work)
    }

    /// Counts the entries.
    pub fn entries(&self) -> u64 {
        self.searcher.num_docs()
    }
}
