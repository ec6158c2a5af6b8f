//! The writer: entries in, segments on disk, and the record that makes them visible.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tantivy::indexer::{NoMergePolicy, UserOperation};
use tantivy::{Index, IndexWriter};

use super::directory::StagedDirectory;
use super::merging::merge_groups;
use super::record::Record;
use super::removal::Positions;
use super::schema::{self, Fields};
use super::{EntryId, KeywordReader, contained};
use crate::entry::{Entry, PathNames};
use crate::error::{IndexError, io_error};
use crate::manifest::{FileRecord, KeywordRecord, record_file};
use crate::queue::Queue;

/// Memory for the terms of documents not yet flushed, per thread.
const HEAP_BYTES: usize = 48 << 20;
/// Bytes of entries that wait to be written. tantivy's own queue counts documents, ten thousand of
/// them, whatever their size.
const QUEUE_BYTES: usize = 8 << 20;
/// What an entry costs in the queue beside its text.
const ENTRY_BYTES: usize = 1 << 10;

/// Adds and removes entries. One at a time: the caller holds the writer's lock.
pub(crate) struct KeywordWriter {
    folder: PathBuf,
    index: Index,
    writer: IndexWriter<Record>,
    queue: Arc<Queue>,
    fields: Fields,
    directory: StagedDirectory,
    files: HashMap<String, FileRecord>,
}

impl KeywordWriter {
    /// Opens the index in `folder` as `record` says it is, to write with `threads` threads.
    pub(crate) fn open(
        folder: &Path,
        record: &KeywordRecord,
        threads: usize,
    ) -> Result<Self, IndexError> {
        std::fs::create_dir_all(folder).map_err(io_error("create", folder))?;
        let (index, writer, fields, directory) = contained(folder, || {
            let (index, fields, directory) = schema::open(folder, record)?;
            let writer: IndexWriter<Record> =
                index.writer_with_num_threads(threads, threads * HEAP_BYTES)?;
            writer.set_merge_policy(Box::new(NoMergePolicy));
            Ok((index, writer, fields, directory))
        })?;
        let files = record.files.iter().map(|f| (f.name.clone(), f.clone())).collect();
        let (folder, queue) = (folder.to_owned(), Queue::new(QUEUE_BYTES));
        Ok(Self { folder, index, writer, queue, fields, directory, files })
    }

    /// Adds entries; visible after [`Self::commit`] and the manifest. Many at once cost less than
    /// one by one: every call wakes a thread.
    pub(crate) fn add(&self, entries: &[Entry]) -> Result<(), IndexError> {
        let bytes = |entry: &Entry| ENTRY_BYTES + 2 * entry.document.text.len();
        // The text is there twice, once to be found and once to be shown.
        let mut reservation = Some(self.queue.reserve(entries.iter().map(bytes).sum()));
        let last = entries.len().saturating_sub(1);
        let mut names = PathNames::default();
        let records = entries.iter().enumerate().map(|(number, entry)| {
            // The last of those added together holds the room of them all.
            let reservation = if number == last { reservation.take() } else { None };
            let record = Record::of(entry, &self.fields, &mut names);
            UserOperation::Add(record.reserving(reservation))
        });
        contained(&self.folder, || self.writer.run(records)).map(|_| ())
    }

    /// Removes entries that `reader`, of the generation that is written on, knows.
    pub(crate) fn remove(
        &self,
        reader: &KeywordReader,
        entries: &[EntryId],
    ) -> Result<(), IndexError> {
        if entries.is_empty() {
            return Ok(());
        }
        let positions = Positions::of(&reader.searcher, entries);
        contained(&self.folder, || self.writer.delete_query(Box::new(positions))).map(|_| ())
    }

    /// Finishes what was added and removed, and returns the record that makes it visible.
    pub(crate) fn commit(&mut self) -> Result<KeywordRecord, IndexError> {
        contained(&self.folder, || self.writer.commit())?;
        self.record()
    }

    /// Merges segments of the index in `folder` that are many or hold much that is removed; `all`
    /// merges everything. `None` if there is nothing to merge, which costs no writer.
    pub(crate) fn merge(
        folder: &Path,
        record: &KeywordRecord,
        all: bool,
    ) -> Result<Option<KeywordRecord>, IndexError> {
        let groups = merge_groups(folder, record, all)?;
        if groups.is_empty() {
            return Ok(None);
        }
        let mut writer = Self::open(folder, record, 1)?;
        for group in groups {
            contained(folder, || writer.writer.merge(&group).wait())?;
        }
        writer.record().map(Some)
    }

    /// The staged commit point and its files, each hashed once.
    fn record(&mut self) -> Result<KeywordRecord, IndexError> {
        let candidates =
            contained(&self.folder, || Ok(self.index.load_metas()?.list_segment_files()))?;
        let mut files = BTreeMap::new();
        for path in candidates.iter().filter(|path| self.folder.join(path).exists()) {
            let name = path.to_string_lossy().into_owned();
            let record = match self.files.get(&name) {
                Some(record) => record.clone(),
                None => record_file(&self.folder, &name)?,
            };
            files.insert(name, record);
        }
        crate::durable::sync_folder(&self.folder)?;
        self.files = files.clone().into_iter().collect();
        Ok(KeywordRecord { meta: self.directory.meta(), files: files.into_values().collect() })
    }
}
