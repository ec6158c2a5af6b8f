//! The keyword index: BM25 over words, a field of identifiers, and the columns that filters and
//! the catalogue need. The only file that names tantivy.
//!
//! tantivy's own commit point, `meta.json`, never touches the disk: it is kept in the manifest,
//! which has a checksum and is replaced last. So a commit here becomes visible with the manifest
//! and not before, and the files that an older generation needs are only swept after that.

use std::any::Any;
use std::collections::{BTreeMap, HashMap};
use std::iter::Empty;
use std::ops::Bound;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};
use std::{fmt, io, slice};

use rayon::prelude::*;
use roaring::RoaringBitmap;
use tantivy::collector::TopDocs;
use tantivy::columnar::{Column, ColumnIndex, StrColumn};
use tantivy::directory::error::{DeleteError, LockError, OpenReadError, OpenWriteError};
use tantivy::directory::{
    Directory, DirectoryLock, FileHandle, Lock, MmapDirectory, WatchCallback, WatchHandle, WritePtr,
};
use tantivy::index::SegmentId;
use tantivy::indexer::{NoMergePolicy, UserOperation};
use tantivy::query::{
    AllQuery, BitSetDocSet, BooleanQuery, BoostQuery, ConstScoreQuery, ConstScorer,
    DisjunctionMaxQuery, EmptyQuery, EnableScoring, Explanation, Occur, PhraseQuery, Query,
    RangeQuery, Scorer, TermQuery, TermSetQuery, Weight,
};
use tantivy::schema::document::{ReferenceValue, ReferenceValueLeaf};
use tantivy::schema::{
    BytesOptions, Document, FAST, Field, IndexRecordOption, NumericOptions, Schema,
    TextFieldIndexing, TextOptions, Value,
};
use tantivy::tokenizer::{Token, TokenStream, Tokenizer, TokenizerManager};
use tantivy::{
    BitSet, DocAddress, DocSet, Index, IndexSettings, IndexWriter, Searcher, SegmentMeta,
    SegmentReader, TERMINATED, TantivyDocument, Term,
};

use crate::analysis::{Analyzer, KnownWords};
use crate::entry::{Entry, PathNames};
use crate::error::{IndexError, io_error};
use crate::filter::Filter;
use crate::manifest::{FileRecord, KeywordRecord, record_file};
use crate::merge::{Size, bounded, merges};
use crate::queue::{Place, Queue};
use crate::terms::{Clause, QueryTerm, TermField};

const META: &str = "meta.json";
const TOKENIZER: &str = "recall";
/// Bytes of stored entries that are packed together: what entries have in common is then there once,
/// and fetching one unpacks so much.
const BLOCK_BYTES: usize = 48 << 10;
/// Memory for the terms of documents not yet flushed, per thread.
const HEAP_BYTES: usize = 48 << 20;
/// Bytes of entries that wait to be written. tantivy's own queue counts documents, ten thousand of
/// them, whatever their size.
const QUEUE_BYTES: usize = 8 << 20;
/// Bytes of segments that are merged at once, unless everything is: all of them are mapped into memory.
const MERGE_BYTES: u64 = 128 << 20;
/// What an entry costs in the queue beside its text.
const ENTRY_BYTES: usize = 1 << 10;
/// Metadata values longer than this are not worth a filter.
const FIELD_VALUE_BYTES_MAX: usize = 120;

/// The columns of the index.
#[derive(Debug, Clone, Copy)]
struct Fields {
    body: Field,
    identifier: Field,
    document: Field,
    source_key: Field,
    content: Field,
    part: Field,
    chunk: Field,
    date: Field,
    id: Field,
    path: Field,
    kind: Field,
    source: Field,
    author: Field,
    tag: Field,
    field: Field,
    entry: Field,
}

fn schema() -> (Schema, Fields) {
    let mut builder = Schema::builder();
    let words = TextFieldIndexing::default()
        .set_tokenizer(TOKENIZER)
        .set_index_option(IndexRecordOption::WithFreqsAndPositions);
    let names = TextFieldIndexing::default()
        .set_tokenizer("raw")
        .set_fieldnorms(false)
        .set_index_option(IndexRecordOption::Basic);
    // As tantivy's STRING, without the length of a value that is always one term.
    let value = || TextOptions::default().set_indexing_options(names.clone());
    let column = || NumericOptions::default().set_fast();
    let fields = Fields {
        body: builder.add_text_field("body", TextOptions::default().set_indexing_options(words)),
        identifier: builder.add_text_field("identifier", value()),
        // Found by its source: a dictionary of numbers that each occur once costs more to write than
        // all words do.
        document: builder.add_u64_field("document", column()),
        source_key: builder.add_u64_field("unit", column().set_indexed()),
        content: builder.add_u64_field("content", column()),
        part: builder.add_u64_field("part", column()),
        chunk: builder.add_u64_field("chunk", column()),
        date: builder.add_i64_field("date", column()),
        // Columns: ties are broken by them, for every candidate of every question. An id is found
        // among the identifiers.
        id: builder.add_text_field("id", FAST),
        path: builder.add_text_field("path", value() | FAST),
        kind: builder.add_text_field("kind", value()),
        source: builder.add_text_field("source", value()),
        author: builder.add_text_field("author", value()),
        tag: builder.add_text_field("tag", value()),
        field: builder.add_text_field("field", value()),
        entry: builder.add_bytes_field("entry", BytesOptions::default().set_stored()),
    };
    (builder.build(), fields)
}

/// Where an entry stands in one opened generation: segment and number.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EntryId {
    segment: u32,
    number: u32,
}

impl From<DocAddress> for EntryId {
    fn from(address: DocAddress) -> Self {
        Self { segment: address.segment_ord, number: address.doc_id }
    }
}

impl From<EntryId> for DocAddress {
    fn from(id: EntryId) -> Self {
        Self::new(id.segment, id.number)
    }
}

/// The entries that a filter lets pass, by segment.
#[derive(Debug, Clone, Default)]
pub struct Allowed(Vec<RoaringBitmap>);

impl Allowed {
    /// Whether an entry passes.
    pub fn contains(&self, id: EntryId) -> bool {
        self.0.get(id.segment as usize).is_some_and(|set| set.contains(id.number))
    }

    /// How many entries pass.
    pub fn len(&self) -> u64 {
        self.0.iter().map(RoaringBitmap::len).sum()
    }

    /// Whether none passes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A document of a source as the catalogue compares it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IndexedDocument {
    /// [`Entry::document_key`].
    pub document: u64,
    /// [`Entry::content`].
    pub content: u64,
}

/// Runs tantivy code, whose panics on damaged files must not reach a user.
fn contained<T>(folder: &Path, work: impl FnOnce() -> tantivy::Result<T>) -> Result<T, IndexError> {
    let failed = |detail: String| IndexError::Keyword { path: folder.to_owned(), detail };
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(result) => result.map_err(|error| failed(error.to_string())),
        Err(panic) => Err(failed(panic_text(panic.as_ref()))),
    }
}

fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|s| (*s).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "the engine stopped".to_owned())
}

fn open(
    folder: &Path,
    record: &KeywordRecord,
) -> tantivy::Result<(Index, Fields, StagedDirectory)> {
    let directory = StagedDirectory::open(folder, record)?;
    let (schema, fields) = schema();
    let mut index = if record.meta.is_empty() {
        let settings = IndexSettings { docstore_blocksize: BLOCK_BYTES, ..Default::default() };
        Index::create(directory.clone(), schema, settings)?
    } else {
        Index::open(directory.clone())?
    };
    let tokenizers = TokenizerManager::default();
    tokenizers.register(TOKENIZER, Words::default());
    index.set_tokenizers(tokenizers);
    Ok((index, fields, directory))
}

/// Adds and removes entries. One at a time: the caller holds the writer's lock.
pub struct KeywordWriter {
    folder: PathBuf,
    index: Index,
    writer: IndexWriter<Queued>,
    queue: Arc<Queue>,
    fields: Fields,
    directory: StagedDirectory,
    files: HashMap<String, FileRecord>,
}

impl KeywordWriter {
    /// Opens the index in `folder` as `record` says it is, to write with `threads` threads.
    pub fn open(folder: &Path, record: &KeywordRecord, threads: usize) -> Result<Self, IndexError> {
        std::fs::create_dir_all(folder).map_err(io_error("create", folder))?;
        let (index, writer, fields, directory) = contained(folder, || {
            let (index, fields, directory) = open(folder, record)?;
            let writer: IndexWriter<Queued> =
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
    pub fn add(&self, entries: &[Entry]) -> Result<(), IndexError> {
        let bytes = |entry: &Entry| ENTRY_BYTES + 2 * entry.document.text.len();
        // The text is there twice, once to be found and once to be shown.
        let mut place = Some(self.queue.place(entries.iter().map(bytes).sum()));
        let last = entries.len().saturating_sub(1);
        let mut names = PathNames::default();
        let queued = entries.iter().enumerate().map(|(number, entry)| {
            let place = if number == last { place.take() } else { None };
            UserOperation::Add(Queued { _place: place, ..self.queued(entry, &mut names) })
        });
        contained(&self.folder, || self.writer.run(queued)).map(|_| ())
    }

    /// What is written of an entry, by field in the order of the schema.
    fn queued(&self, entry: &Entry, names: &mut PathNames) -> Queued {
        let (f, d) = (&self.fields, &entry.document);
        let searched = entry.searched_text();
        let mut out = Queued::with_room_for(entry);
        out.text(f.body, &searched);
        entry.names(&searched, names).iter().for_each(|name| out.text(f.identifier, name));
        out.number(f.document, entry.document_key());
        out.number(f.source_key, entry.source_key());
        out.number(f.content, entry.content);
        out.number(f.part, u64::from(entry.part));
        entry.chunks.iter().for_each(|chunk| out.number(f.chunk, chunk.hash));
        if let Some(date) = d.date.or(d.updated) {
            out.cells.push((f.date, Cell::Signed(date.seconds)));
        }
        out.text(f.id, &d.id);
        out.text(f.path, &d.path);
        out.text(f.kind, d.kind.name());
        out.text(f.source, &d.source);
        d.authors.iter().for_each(|author| out.text(f.author, author));
        d.tags.iter().for_each(|tag| out.text(f.tag, tag));
        let short = d.metadata.iter().filter(|(_, value)| value.len() <= FIELD_VALUE_BYTES_MAX);
        short.for_each(|(name, value)| out.text(f.field, &field_term(name, value)));
        encode(entry, &mut out.stored);
        out.cells.push((f.entry, Cell::Stored));
        out
    }

    /// Removes entries that `reader`, of the generation that is written on, knows.
    pub fn remove(&self, reader: &KeywordReader, entries: &[EntryId]) -> Result<(), IndexError> {
        if entries.is_empty() {
            return Ok(());
        }
        let places = Places::of(&reader.searcher, entries);
        contained(&self.folder, || self.writer.delete_query(Box::new(places))).map(|_| ())
    }

    /// Finishes what was added and removed, and returns the record that makes it visible.
    pub fn commit(&mut self) -> Result<KeywordRecord, IndexError> {
        contained(&self.folder, || self.writer.commit())?;
        self.record()
    }

    /// Merges segments of the index in `folder` that are many or hold much that is removed; `all`
    /// merges everything. `None` if there is nothing to merge, which costs no writer.
    pub fn merge(
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

/// The segments to merge with each other.
fn merge_groups(
    folder: &Path,
    record: &KeywordRecord,
    all: bool,
) -> Result<Vec<Vec<SegmentId>>, IndexError> {
    let segments = contained(folder, || open(folder, record)?.0.searchable_segment_metas())?;
    let size = |segment: &SegmentMeta| Size {
        live: u64::from(segment.num_docs()),
        dead: u64::from(segment.num_deleted_docs()),
    };
    let sizes: Vec<Size> = segments.iter().map(size).collect();
    let bytes: Vec<u64> = segments.iter().map(|segment| bytes_of(segment, record)).collect();
    let limit = if all { u64::MAX } else { MERGE_BYTES };
    let groups = merges(&sizes, all).into_iter();
    let groups = groups.flat_map(|group| bounded(group, &bytes, limit));
    Ok(groups.map(|group| group.iter().map(|index| segments[*index].id()).collect()).collect())
}

/// Size of a segment on disk.
fn bytes_of(segment: &SegmentMeta, record: &KeywordRecord) -> u64 {
    // Every file of a segment begins with its id.
    let id = segment.id().uuid_string();
    let own = record.files.iter().filter(|file| file.name.starts_with(&id));
    own.map(|file| file.bytes).sum()
}

/// An entry that waits to be written, in few allocations, since another thread frees them; the last of
/// those that were added together holds the place of them all. tantivy reads the cells in place.
#[derive(Default)]
struct Queued {
    cells: Vec<(Field, Cell)>,
    texts: String,
    stored: Vec<u8>,
    _place: Option<Place>,
}

/// A value of a field.
#[derive(Clone, Copy)]
enum Cell {
    /// Where it stands in the texts.
    Text(usize, usize),
    Number(u64),
    Signed(i64),
    Stored,
}

impl Queued {
    fn with_room_for(entry: &Entry) -> Self {
        let (cells, bytes) = (32 + entry.chunks.len(), 2 * entry.document.text.len() + 512);
        Self {
            cells: Vec::with_capacity(cells),
            texts: String::with_capacity(bytes),
            stored: Vec::with_capacity(bytes),
            _place: None,
        }
    }

    fn text(&mut self, field: Field, text: &str) {
        let start = self.texts.len();
        self.texts.push_str(text);
        self.cells.push((field, Cell::Text(start, self.texts.len())));
    }

    fn number(&mut self, field: Field, number: u64) {
        self.cells.push((field, Cell::Number(number)));
    }
}

impl Document for Queued {
    type Value<'a> = CellValue<'a>;
    type FieldsValuesIter<'a> = CellValues<'a>;

    fn iter_fields_and_values(&self) -> CellValues<'_> {
        CellValues { queued: self, cells: self.cells.iter() }
    }
}

/// The cells of an entry, one after another.
struct CellValues<'a> {
    queued: &'a Queued,
    cells: slice::Iter<'a, (Field, Cell)>,
}

impl<'a> Iterator for CellValues<'a> {
    type Item = (Field, CellValue<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        let (field, cell) = self.cells.next()?;
        Some((*field, CellValue { queued: self.queued, cell: *cell }))
    }
}

/// A cell with what it points into.
#[derive(Clone)]
struct CellValue<'a> {
    queued: &'a Queued,
    cell: Cell,
}

impl fmt::Debug for CellValue<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("CellValue").finish_non_exhaustive()
    }
}

impl<'a> Value<'a> for CellValue<'a> {
    type ArrayIter = Empty<Self>;
    type ObjectIter = Empty<(&'a str, Self)>;

    fn as_value(&self) -> ReferenceValue<'a, Self> {
        let Queued { texts, stored, .. } = self.queued;
        ReferenceValue::Leaf(match self.cell {
            Cell::Text(start, end) => ReferenceValueLeaf::Str(&texts[start..end]),
            Cell::Number(number) => ReferenceValueLeaf::U64(number),
            Cell::Signed(number) => ReferenceValueLeaf::I64(number),
            Cell::Stored => ReferenceValueLeaf::Bytes(stored),
        })
    }
}

fn field_term(name: &str, value: &str) -> String {
    format!("{}={}", name.to_lowercase(), value.to_lowercase())
}

fn encode(entry: &Entry, out: &mut Vec<u8>) {
    bincode::serde::encode_into_std_write(entry, out, bincode::config::standard())
        .expect("an entry holds plain data only");
}

/// The columns of one segment, opened once.
struct Columns {
    document: Column<u64>,
    source_key: Column<u64>,
    content: Column<u64>,
    part: Column<u64>,
    chunk: Column<u64>,
    date: Column<i64>,
    id: Option<StrColumn>,
    path: Option<StrColumn>,
}

impl Columns {
    fn open(segment: &SegmentReader) -> tantivy::Result<Self> {
        let fast = segment.fast_fields();
        Ok(Self {
            document: fast.u64("document")?,
            source_key: fast.u64("unit")?,
            content: fast.u64("content")?,
            part: fast.u64("part")?,
            chunk: fast.u64("chunk")?,
            date: fast.i64("date")?,
            id: fast.str("id")?,
            path: fast.str("path")?,
        })
    }
}

/// Hashes that are looked for among many.
struct Wanted<'a> {
    hashes: &'a [u64],
    /// Whether any of them ends in these bits: most others end differently.
    endings: Vec<bool>,
}

impl<'a> Wanted<'a> {
    const BITS: u32 = 16;

    fn new(hashes: &'a [u64]) -> Self {
        let mut endings = vec![false; 1 << Self::BITS];
        hashes.iter().for_each(|hash| endings[Self::ending(*hash)] = true);
        Self { hashes, endings }
    }

    fn ending(hash: u64) -> usize {
        (hash & ((1 << Self::BITS) - 1)) as usize
    }

    fn holds(&self, hash: u64) -> bool {
        self.endings[Self::ending(hash)] && self.hashes.binary_search(&hash).is_ok()
    }

    /// Calls `found` with every entry of a column that has one of them.
    fn among(&self, column: &Column<u64>, entries: u32, found: &mut dyn FnMut(u32, u64)) {
        if !matches!(column.index, ColumnIndex::Full) {
            for number in 0..entries {
                let own = column.values_for_doc(number).filter(|hash| self.holds(*hash));
                own.for_each(|hash| found(number, hash));
            }
            return;
        }
        let mut stretch = [0; 1024];
        for start in (0..entries).step_by(stretch.len()) {
            let length = stretch.len().min((entries - start) as usize);
            column.values.get_range(u64::from(start), &mut stretch[..length]);
            for (number, hash) in (start..).zip(&stretch[..length]) {
                if self.holds(*hash) {
                    found(number, *hash);
                }
            }
        }
    }
}

fn first(column: &Column<u64>, number: u32) -> u64 {
    column.first(number).unwrap_or(0)
}

/// One opened generation of the keyword index.
pub struct KeywordReader {
    folder: PathBuf,
    searcher: Searcher,
    fields: Fields,
    columns: OnceLock<Vec<Columns>>,
    chunks: OnceLock<Vec<(u64, EntryId)>>,
}

impl fmt::Debug for KeywordReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeywordReader").field("folder", &self.folder).finish_non_exhaustive()
    }
}

impl KeywordReader {
    /// Opens the index in `folder` as `record` says it is.
    pub fn open(folder: &Path, record: &KeywordRecord) -> Result<Self, IndexError> {
        let (searcher, fields) = contained(folder, || {
            let (index, fields, _) = open(folder, record)?;
            let reader =
                index.reader_builder().reload_policy(tantivy::ReloadPolicy::Manual).try_into()?;
            Ok((reader.searcher(), fields))
        })?;
        let (columns, chunks) = (OnceLock::new(), OnceLock::new());
        Ok(Self { folder: folder.to_owned(), searcher, fields, columns, chunks })
    }

    /// The columns of every segment.
    fn columns(&self) -> tantivy::Result<&[Columns]> {
        if let Some(columns) = self.columns.get() {
            return Ok(columns);
        }
        let segments = self.searcher.segment_readers().iter();
        let opened: Vec<Columns> = segments.map(Columns::open).collect::<tantivy::Result<_>>()?;
        Ok(self.columns.get_or_init(|| opened))
    }

    fn contained<T>(&self, work: impl FnOnce() -> tantivy::Result<T>) -> Result<T, IndexError> {
        contained(&self.folder, work)
    }

    /// How many entries there are.
    pub fn entries(&self) -> u64 {
        self.searcher.num_docs()
    }

    /// How many documents there are: entries that are first parts.
    pub fn documents(&self) -> Result<u64, IndexError> {
        self.contained(|| {
            let segments = self.searcher.segment_readers().iter().zip(self.columns()?);
            let firsts = segments.map(|(segment, columns)| {
                segment.doc_ids_alive().filter(|d| columns.part.first(*d) == Some(0)).count() as u64
            });
            Ok(firsts.sum())
        })
    }

    /// The best `limit` entries for the terms: BM25, best first, ties by place.
    pub fn search(
        &self,
        terms: &[QueryTerm],
        allowed: Option<&Allowed>,
        limit: usize,
    ) -> Result<Vec<(EntryId, f32)>, IndexError> {
        if terms.is_empty() || limit == 0 {
            return Ok(Vec::new());
        }
        let should = terms.iter().map(|term| (Occur::Should, self.term_query(term))).collect();
        let query = BooleanQuery::new(should);
        self.contained(|| match allowed {
            None => {
                let top = TopDocs::with_limit(limit).order_by_score();
                let found = self.searcher.search(&query, &top)?;
                Ok(found.into_iter().map(|(score, at)| (at.into(), score)).collect())
            }
            Some(allowed) => self.search_allowed(&query, allowed, limit),
        })
    }

    /// Scores only what a filter lets pass, so that a narrow filter loses nothing.
    fn search_allowed(
        &self,
        query: &dyn Query,
        allowed: &Allowed,
        limit: usize,
    ) -> tantivy::Result<Vec<(EntryId, f32)>> {
        let weight = query.weight(EnableScoring::enabled_from_searcher(&self.searcher))?;
        let mut found = Vec::new();
        for (ordinal, set) in allowed.0.iter().enumerate().filter(|(_, set)| !set.is_empty()) {
            let mut scorer = weight.scorer(self.searcher.segment_reader(ordinal as u32), 1.0)?;
            for number in set {
                if scorer.doc() < number {
                    scorer.seek(number);
                }
                if scorer.doc() == TERMINATED {
                    break;
                }
                if scorer.doc() == number {
                    found.push((EntryId { segment: ordinal as u32, number }, scorer.score()));
                }
            }
        }
        found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        found.truncate(limit);
        Ok(found)
    }

    /// For each of `entries` (sorted), what each term adds to its score: `[entries][terms]`.
    pub fn contributions(
        &self,
        terms: &[QueryTerm],
        entries: &[EntryId],
    ) -> Result<Vec<Vec<f32>>, IndexError> {
        debug_assert!(entries.is_sorted(), "scorers only move forward");
        let mut out = vec![vec![0.0; terms.len()]; entries.len()];
        self.contained(|| {
            for (column, term) in terms.iter().enumerate() {
                let query = self.term_query(term);
                let weight = query.weight(EnableScoring::enabled_from_searcher(&self.searcher))?;
                self.add_contributions(weight.as_ref(), entries, &mut |row, score| {
                    out[row][column] = score;
                })?;
            }
            Ok(())
        })?;
        Ok(out)
    }

    fn add_contributions(
        &self,
        weight: &dyn Weight,
        entries: &[EntryId],
        set: &mut dyn FnMut(usize, f32),
    ) -> tantivy::Result<()> {
        let mut start = 0;
        while start < entries.len() {
            let segment = entries[start].segment;
            let end = start + entries[start..].partition_point(|e| e.segment == segment);
            let mut scorer = weight.scorer(self.searcher.segment_reader(segment), 1.0)?;
            for (row, entry) in entries.iter().enumerate().take(end).skip(start) {
                if scorer.doc() < entry.number {
                    scorer.seek(entry.number);
                }
                if scorer.doc() == entry.number {
                    set(row, scorer.score());
                }
            }
            start = end;
        }
        Ok(())
    }

    /// Number of entries that hold each variant of a term.
    pub fn document_frequencies(&self, term: &QueryTerm) -> Result<Vec<u64>, IndexError> {
        let frequency =
            |v: &crate::terms::Variant| self.searcher.doc_freq(&self.term(v.field, &v.text));
        self.contained(|| term.variants.iter().map(frequency).collect())
    }

    fn term(&self, field: TermField, text: &str) -> Term {
        let field = match field {
            TermField::Word => self.fields.body,
            TermField::Identifier => self.fields.identifier,
        };
        Term::from_field_text(field, text)
    }

    fn term_query(&self, term: &QueryTerm) -> Box<dyn Query> {
        let mut variants: Vec<Box<dyn Query>> = Vec::with_capacity(term.variants.len());
        for variant in &term.variants {
            let option = match variant.field {
                TermField::Word => IndexRecordOption::WithFreqs,
                TermField::Identifier => IndexRecordOption::Basic,
            };
            let query = TermQuery::new(self.term(variant.field, &variant.text), option);
            let plain = (variant.weight - 1.0).abs() < f32::EPSILON;
            variants.push(if plain {
                Box::new(query)
            } else {
                Box::new(BoostQuery::new(Box::new(query), variant.weight))
            });
        }
        match variants.len() {
            0 => Box::new(EmptyQuery),
            1 => variants.remove(0),
            _ => Box::new(DisjunctionMaxQuery::new(variants)),
        }
    }

    fn clause_query(&self, clause: &Clause) -> Box<dyn Query> {
        match clause {
            Clause::Term(term) => self.term_query(term),
            Clause::Phrase(words) => {
                let terms = words.iter().map(|(at, w)| (*at, self.term(TermField::Word, w)));
                Box::new(PhraseQuery::new_with_offset(terms.collect()))
            }
        }
    }

    /// The entries that pass a filter, hold every clause of `must` and none of `not`; `None` if
    /// that is no condition at all.
    pub fn allowed(
        &self,
        filter: &Filter,
        must: &[Clause],
        not: &[Clause],
    ) -> Result<Option<Allowed>, IndexError> {
        if filter.is_empty() && must.is_empty() && not.is_empty() {
            return Ok(None);
        }
        self.contained(|| {
            let mut clauses = self.filter_clauses(filter)?;
            clauses.extend(must.iter().map(|c| (Occur::Must, self.clause_query(c))));
            clauses.extend(not.iter().map(|c| (Occur::MustNot, self.clause_query(c))));
            // A boolean query of exclusions alone matches nothing.
            clauses.push((Occur::Must, Box::new(ConstScoreQuery::new(Box::new(AllQuery), 0.0))));
            self.collect(&BooleanQuery::new(clauses)).map(Some)
        })
    }

    fn filter_clauses(&self, filter: &Filter) -> tantivy::Result<Vec<(Occur, Box<dyn Query>)>> {
        let f = &self.fields;
        let mut clauses: Vec<(Occur, Box<dyn Query>)> = Vec::new();
        let mut must = |query: Box<dyn Query>| clauses.push((Occur::Must, query));
        if !filter.kinds.is_empty() {
            let names = filter.kinds.iter().map(|k| Term::from_field_text(f.kind, k.name()));
            must(Box::new(TermSetQuery::new(names.collect::<Vec<_>>())));
        }
        for (name, value) in &filter.fields {
            let term = Term::from_field_text(f.field, &field_term(name, value));
            must(Box::new(TermQuery::new(term, IndexRecordOption::Basic)));
        }
        if !filter.sources.is_empty() {
            must(Box::new(self.matching(f.source, &|text| filter.source_passes(text))?));
        }
        if !filter.authors.is_empty() {
            must(Box::new(self.matching(f.author, &|text| filter.author_passes(text))?));
        }
        if !filter.tags.is_empty() {
            must(Box::new(self.matching(f.tag, &|text| filter.tag_passes(text))?));
        }
        if !filter.paths.is_empty() {
            must(Box::new(self.matching(f.path, &|text| filter.path_passes(text))?));
        }
        if filter.since.is_some() || filter.until.is_some() {
            let bound = |second: i64| Term::from_field_i64(f.date, second);
            let lower = filter.since.map_or(Bound::Unbounded, |s| Bound::Included(bound(s)));
            let upper = filter.until.map_or(Bound::Unbounded, |s| Bound::Excluded(bound(s)));
            must(Box::new(RangeQuery::new(lower, upper)));
        }
        Ok(clauses)
    }

    /// The entries with a term of `field` that passes.
    fn matching(
        &self,
        field: Field,
        passes: &dyn Fn(&str) -> bool,
    ) -> tantivy::Result<TermSetQuery> {
        let mut terms = Vec::new();
        for segment in self.searcher.segment_readers() {
            let index = segment.inverted_index(field)?;
            let mut stream = index.terms().stream()?;
            while let Some((key, _)) = stream.next() {
                if let Some(text) = std::str::from_utf8(key).ok().filter(|text| passes(text)) {
                    terms.push(Term::from_field_text(field, text));
                }
            }
        }
        Ok(TermSetQuery::new(terms))
    }

    fn collect(&self, query: &dyn Query) -> tantivy::Result<Allowed> {
        let weight = query.weight(EnableScoring::disabled_from_searcher(&self.searcher))?;
        let mut sets = Vec::new();
        for segment in self.searcher.segment_readers() {
            let mut set = RoaringBitmap::new();
            let mut scorer = weight.scorer(segment, 1.0)?;
            while scorer.doc() != TERMINATED {
                if !segment.is_deleted(scorer.doc()) {
                    set.insert(scorer.doc());
                }
                scorer.advance();
            }
            sets.push(set);
        }
        Ok(Allowed(sets))
    }

    /// How many entries match a query of one number.
    fn with_number(&self, field: Field, number: u64) -> TermQuery {
        TermQuery::new(Term::from_field_u64(field, number), IndexRecordOption::Basic)
    }

    /// The entries that hold a chunk text.
    pub fn entries_with_chunk(&self, hash: u64) -> Result<Vec<EntryId>, IndexError> {
        let chunks = self.contained(|| self.chunks())?;
        let from = chunks.partition_point(|(other, _)| *other < hash);
        let same = chunks[from..].iter().take_while(|(other, _)| *other == hash);
        Ok(same.map(|(_, id)| *id).collect())
    }

    /// Every chunk text and where it is, ascending. Sorted at the first use: a dictionary of terms
    /// that each occur once would cost more to write than all words do, and more to ask.
    fn chunks(&self) -> tantivy::Result<&[(u64, EntryId)]> {
        if let Some(chunks) = self.chunks.get() {
            return Ok(chunks);
        }
        let mut out = Vec::new();
        let segments = self.searcher.segment_readers().iter().zip(self.columns()?);
        for (ordinal, (segment, columns)) in segments.enumerate() {
            for number in segment.doc_ids_alive() {
                let id = EntryId { segment: ordinal as u32, number };
                out.extend(columns.chunk.values_for_doc(number).map(|hash| (hash, id)));
            }
        }
        out.par_sort_unstable();
        Ok(self.chunks.get_or_init(|| out))
    }

    /// The parts of the document that has this one, in order.
    pub fn parts(&self, of: EntryId) -> Result<Vec<EntryId>, IndexError> {
        let columns = self.contained(|| self.columns())?;
        let document = first(&columns[of.segment as usize].document, of.number);
        let source = first(&columns[of.segment as usize].source_key, of.number);
        let mut ids = self.entries_of(source, &|other| other == document)?;
        ids.sort_unstable_by_key(|id| (first(&columns[id.segment as usize].part, id.number), *id));
        Ok(ids)
    }

    /// The entries of those documents of a source, by [`Entry::document_key`], that are `wanted`.
    pub fn entries_of(
        &self,
        source: u64,
        wanted: &dyn Fn(u64) -> bool,
    ) -> Result<Vec<EntryId>, IndexError> {
        let mut ids = self.ids(&self.with_number(self.fields.source_key, source))?;
        let columns = self.contained(|| self.columns())?;
        ids.retain(|id| wanted(first(&columns[id.segment as usize].document, id.number)));
        Ok(ids)
    }

    /// The first parts of the documents that have this id.
    pub fn with_id(&self, id: &str) -> Result<Vec<EntryId>, IndexError> {
        let named = self.named(id)?;
        let own = self.contained(|| self.texts(&named, &|columns| columns.id.as_ref()))?;
        let same = named.into_iter().zip(own).filter(|(_, own)| own == id);
        Ok(same.map(|(entry, _)| entry).collect())
    }

    /// The first parts of the documents at this path.
    pub fn at_path(&self, path: &str) -> Result<Vec<EntryId>, IndexError> {
        self.first_parts(self.fields.path, path)
    }

    /// The first parts of the documents that are called so: by id, path, file name, or any
    /// identifier in them.
    pub fn named(&self, name: &str) -> Result<Vec<EntryId>, IndexError> {
        self.first_parts(self.fields.identifier, &name.to_lowercase())
    }

    fn first_parts(&self, field: Field, text: &str) -> Result<Vec<EntryId>, IndexError> {
        let term = Term::from_field_text(field, text);
        let mut ids = self.ids(&TermQuery::new(term, IndexRecordOption::Basic))?;
        let columns = self.contained(|| self.columns())?;
        ids.retain(|id| first(&columns[id.segment as usize].part, id.number) == 0);
        Ok(ids)
    }

    fn ids(&self, query: &dyn Query) -> Result<Vec<EntryId>, IndexError> {
        let allowed = self.contained(|| self.collect(query))?;
        let in_segment = |(segment, set): (usize, &RoaringBitmap)| -> Vec<EntryId> {
            set.iter().map(|number| EntryId { segment: segment as u32, number }).collect()
        };
        Ok(allowed.0.iter().enumerate().flat_map(in_segment).collect())
    }

    /// The key of the document that an entry belongs to.
    pub fn document_key(&self, id: EntryId) -> Result<u64, IndexError> {
        self.contained(|| Ok(first(&self.columns()?[id.segment as usize].document, id.number)))
    }

    /// The ids and the paths of the documents of entries. All at once, since texts are stored in
    /// blocks that are unpacked from their beginning.
    pub fn ids_and_paths(&self, entries: &[EntryId]) -> Result<Vec<(String, String)>, IndexError> {
        self.contained(|| {
            let ids = self.texts(entries, &|columns| columns.id.as_ref())?;
            let paths = self.texts(entries, &|columns| columns.path.as_ref())?;
            Ok(ids.into_iter().zip(paths).collect())
        })
    }

    /// The texts of entries in a column, empty where there is none.
    fn texts(
        &self,
        entries: &[EntryId],
        column: &dyn Fn(&Columns) -> Option<&StrColumn>,
    ) -> tantivy::Result<Vec<String>> {
        let columns = self.columns()?;
        let of = |id: &EntryId| column(&columns[id.segment as usize]);
        let ord = |id: &EntryId| of(id)?.term_ords(id.number).next();
        let places = entries.iter().enumerate();
        let mut wanted: Vec<(u32, u64, usize)> =
            places.filter_map(|(place, id)| Some((id.segment, ord(id)?, place))).collect();
        wanted.sort_unstable();
        let mut out = vec![String::new(); entries.len()];
        for group in wanted.chunk_by(|a, b| a.0 == b.0) {
            let Some(column) = column(&columns[group[0].0 as usize]) else { continue };
            let ords: Vec<u64> = group.iter().map(|(_, ord, _)| *ord).collect();
            let mut places = group.iter().map(|(_, _, place)| *place);
            column.dictionary().sorted_ords_to_term_cb(&ords, |text| {
                if let Some(place) = places.next() {
                    out[place] = String::from_utf8_lossy(text).into_owned();
                }
            })?;
        }
        Ok(out)
    }

    /// The hashes of the chunk texts of an entry, in order.
    pub fn chunks_of(&self, id: EntryId) -> Result<Vec<u64>, IndexError> {
        self.contained(|| {
            let columns = &self.columns()?[id.segment as usize];
            Ok(columns.chunk.values_for_doc(id.number).collect())
        })
    }

    /// The distinct hashes of the chunk texts of all entries, or of the allowed ones, ascending.
    pub fn chunk_hashes(&self, allowed: Option<&Allowed>) -> Result<Vec<u64>, IndexError> {
        let mut out: Vec<u64> = Vec::new();
        self.contained(|| {
            let segments = self.searcher.segment_readers().iter().zip(self.columns()?);
            for (ordinal, (segment, columns)) in segments.enumerate() {
                let chunks = &columns.chunk;
                match allowed {
                    Some(allowed) => {
                        for number in &allowed.0[ordinal] {
                            out.extend(chunks.values_for_doc(number));
                        }
                    }
                    None => {
                        for number in segment.doc_ids_alive() {
                            out.extend(chunks.values_for_doc(number));
                        }
                    }
                }
            }
            Ok(())
        })?;
        out.sort_unstable();
        out.dedup();
        Ok(out)
    }

    /// Where the chunk texts with these hashes (ascending) are, each once, those of the newest
    /// documents first, then by document.
    pub fn newest_first(&self, hashes: &[u64]) -> Result<Vec<(u64, EntryId)>, IndexError> {
        let columns = self.contained(|| self.columns())?;
        let place = |(_, id): &(u64, EntryId)| {
            let c = &columns[id.segment as usize];
            let newest = std::cmp::Reverse(c.date.first(id.number));
            (newest, c.document.first(id.number), c.part.first(id.number))
        };
        let mut found = self.holding(hashes)?;
        found.sort_by_cached_key(place);
        let mut seen = std::collections::HashSet::with_capacity(hashes.len());
        found.retain(|(hash, _)| seen.insert(*hash));
        Ok(found)
    }

    /// The entries that hold these chunk texts (ascending hashes), in order of place. Looks at every
    /// chunk, but at each for a nanosecond or two.
    pub fn holding(&self, hashes: &[u64]) -> Result<Vec<(u64, EntryId)>, IndexError> {
        let wanted = Wanted::new(hashes);
        self.contained(|| {
            let mut out = Vec::new();
            let segments = self.searcher.segment_readers().iter().zip(self.columns()?);
            for (ordinal, (segment, columns)) in segments.enumerate() {
                let mut found = |number: u32, hash: u64| {
                    let id = EntryId { segment: ordinal as u32, number };
                    if !segment.is_deleted(number) {
                        out.push((hash, id));
                    }
                };
                wanted.among(&columns.chunk, segment.max_doc(), &mut found);
            }
            Ok(out)
        })
    }

    /// How many chunks there are, those with one text counted each.
    pub fn chunks_with_twins(&self) -> Result<u64, IndexError> {
        self.contained(|| {
            let segments = self.searcher.segment_readers().iter().zip(self.columns()?);
            let of = |(segment, columns): (&SegmentReader, &Columns)| -> u64 {
                let count = |number| columns.chunk.values_for_doc(number).count() as u64;
                segment.doc_ids_alive().map(count).sum()
            };
            Ok(segments.map(of).sum())
        })
    }

    /// How many of `entries` are the first parts of their documents.
    pub fn first_parts_among(&self, entries: &[EntryId]) -> Result<u64, IndexError> {
        let columns = self.contained(|| self.columns())?;
        let is_first = |id: &&EntryId| first(&columns[id.segment as usize].part, id.number) == 0;
        Ok(entries.iter().filter(is_first).count() as u64)
    }

    /// The documents read from a source.
    pub fn known(&self, source: u64) -> Result<Vec<IndexedDocument>, IndexError> {
        let ids = self.ids(&self.with_number(self.fields.source_key, source))?;
        let columns = self.contained(|| self.columns())?;
        let known = |id: EntryId| {
            let columns = &columns[id.segment as usize];
            let document = first(&columns.document, id.number);
            IndexedDocument { document, content: first(&columns.content, id.number) }
        };
        let mut out: Vec<IndexedDocument> = ids.into_iter().map(known).collect();
        out.sort_unstable_by_key(|known| known.document);
        out.dedup();
        Ok(out)
    }

    /// Every distinct kind, source, author or tag with the number of its entries, for `status`.
    pub fn sources(&self) -> Result<BTreeMap<String, u64>, IndexError> {
        let mut out = BTreeMap::new();
        self.contained(|| {
            for segment in self.searcher.segment_readers() {
                let index = segment.inverted_index(self.fields.source)?;
                let mut stream = index.terms().stream()?;
                while let Some((key, info)) = stream.next() {
                    let name = String::from_utf8_lossy(key).into_owned();
                    *out.entry(name).or_insert(0) += u64::from(info.doc_freq);
                }
            }
            Ok(())
        })?;
        Ok(out)
    }

    /// What was stored of an entry.
    pub fn fetch(&self, id: EntryId) -> Result<Entry, IndexError> {
        let document: TantivyDocument = self.contained(|| self.searcher.doc(id.into()))?;
        let bytes = document.get_first(self.fields.entry).and_then(|value| value.as_bytes());
        let damaged = |detail: String| IndexError::Keyword { path: self.folder.clone(), detail };
        let bytes = bytes.ok_or_else(|| damaged("an entry without content".to_owned()))?;
        let (mut entry, _): (Entry, usize) =
            bincode::serde::decode_from_slice(bytes, bincode::config::standard())
                .map_err(|error| damaged(error.to_string()))?;
        let columns = &self.contained(|| self.columns())?[id.segment as usize];
        entry.content = first(&columns.content, id.number);
        let hashes = columns.chunk.values_for_doc(id.number);
        entry.chunks.iter_mut().zip(hashes).for_each(|(chunk, hash)| chunk.hash = hash);
        Ok(entry)
    }

    /// Every live entry, in order of place.
    pub fn all(&self) -> Result<Vec<EntryId>, IndexError> {
        self.ids(&AllQuery)
    }
}

/// The query for entries by their places, for removing what a reader found: a term that only one
/// entry has would have to be kept for each.
#[derive(Debug, Clone)]
struct Places(Arc<HashMap<SegmentId, Vec<u32>>>);

impl Places {
    fn of(searcher: &Searcher, entries: &[EntryId]) -> Self {
        let mut places: HashMap<SegmentId, Vec<u32>> = HashMap::new();
        for entry in entries {
            let segment = searcher.segment_reader(entry.segment).segment_id();
            places.entry(segment).or_default().push(entry.number);
        }
        Self(Arc::new(places))
    }
}

impl Query for Places {
    fn weight(&self, _scoring: EnableScoring<'_>) -> tantivy::Result<Box<dyn Weight>> {
        Ok(Box::new(self.clone()))
    }
}

impl Weight for Places {
    fn scorer(&self, segment: &SegmentReader, boost: f32) -> tantivy::Result<Box<dyn Scorer>> {
        let mut set = BitSet::with_max_value(segment.max_doc());
        let numbers = self.0.get(&segment.segment_id()).into_iter().flatten();
        for number in numbers {
            set.insert(*number);
        }
        Ok(Box::new(ConstScorer::new(BitSetDocSet::from(set), boost)))
    }

    fn explain(&self, _segment: &SegmentReader, _number: u32) -> tantivy::Result<Explanation> {
        Ok(Explanation::new("its place was named", 1.0))
    }
}

/// tantivy's directory over the files in a folder, with its own two lists kept in memory and
/// nothing deleted: what is no longer needed is swept after the manifest.
#[derive(Debug, Clone)]
struct StagedDirectory {
    files: MmapDirectory,
    lists: Arc<Mutex<HashMap<PathBuf, Vec<u8>>>>,
}

impl StagedDirectory {
    fn open(folder: &Path, record: &KeywordRecord) -> tantivy::Result<Self> {
        let files = MmapDirectory::open(folder)?;
        let mut lists = HashMap::new();
        if !record.meta.is_empty() {
            lists.insert(PathBuf::from(META), record.meta.clone().into_bytes());
        }
        Ok(Self { files, lists: Arc::new(Mutex::new(lists)) })
    }

    fn meta(&self) -> String {
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

/// Our analysis as tantivy's tokenizer; every thread has a clone.
#[derive(Clone, Default)]
struct Words {
    analyzer: Arc<Analyzer>,
    known: KnownWords,
}

impl Tokenizer for Words {
    type TokenStream<'a> = WordStream;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> WordStream {
        let terms = self.analyzer.words_with(text, &mut self.known).into_iter();
        WordStream { terms, token: Token::default() }
    }
}

struct WordStream {
    terms: std::vec::IntoIter<crate::analysis::Term>,
    token: Token,
}

impl TokenStream for WordStream {
    fn advance(&mut self) -> bool {
        let Some(term) = self.terms.next() else { return false };
        self.token = Token {
            offset_from: term.span.start,
            offset_to: term.span.end,
            position: term.position,
            text: term.text,
            position_length: 1,
        };
        true
    }

    fn token(&self) -> &Token {
        &self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.token
    }
}
