//! One pass over new and changed files: read, compared document by document, cut, and written to the
//! keyword side.

use std::collections::HashMap;
use std::mem;
use std::ops::ControlFlow;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, mpsc};
use std::thread;

use rayon::prelude::*;
use recall_sources::{Document, Problem, ReadOptions, Reading, Reason, Source};

use super::{
    IndexOptions, IndexProgress, Indexer, OnProgress, SharedTokenOffsets, Summary, recognised,
    unread,
};
use crate::catalogue::{SourceId, SourceRecord};
use crate::chunk::ChunkSettings;
use crate::entry::{Entry, document_key, entries, shorten, source_key};
use crate::error::IndexError;
use crate::keyword::{IndexedDocument, KeywordReader, KeywordWriter};
use crate::manifest::KEYWORD;
use crate::plan::{Found, Plan};

/// Bytes of sources that are read side by side.
const GROUP_BYTES: u64 = 8 << 20;
/// A larger source is read alone, in batches.
const SOURCE_BYTES: u64 = 1 << 20;
/// Texts are this many times as large as they are packed, roughly.
const PACKED: u64 = 5;
/// Sources that are read side by side at the most.
const GROUP_SOURCES: usize = 256;
/// Bytes of documents that are analysed side by side.
const BATCH_BYTES: usize = 4 << 20;
/// Documents that are handed to the writer together.
const WRITTEN_AT_ONCE: usize = 32;
/// What a document costs beside its text.
const DOCUMENT_BYTES: usize = 1 << 10;

/// Whether a file that cannot be read for this reason holds nothing any more.
fn is_void(reason: &Reason) -> bool {
    use Reason::{Binary, Empty, PointerIndex, Refused, TooLarge};
    matches!(reason, Empty | Binary | PointerIndex | Refused(_) | TooLarge { .. })
}

/// One pass over the sources of a plan.
pub(super) struct KeywordPass<'a> {
    indexer: &'a mut Indexer,
    options: &'a IndexOptions,
    measure: &'a SharedTokenOffsets<'a>,
    progress: &'a OnProgress<'a>,
    stop: &'a AtomicBool,
    reader: Option<KeywordReader>,
    writer: KeywordWriter,
    change: Mutex<Change>,
    total: u64,
    done: u64,
}

/// What a pass changed, as far as counting needs to know.
#[derive(Debug, Default)]
pub(super) struct Change {
    /// Documents written and removed, rewritten ones among both.
    pub(super) documents: (u64, u64),
    /// Hashes of the chunks of entries that were added or removed.
    pub(super) chunks: Vec<u64>,
}

/// A document to write, with the source it came from.
struct Read {
    source: SourceId,
    document: Document,
    /// What of it is compared, see [`IndexedDocument::content`].
    content: u64,
}

impl<'a> KeywordPass<'a> {
    pub(super) fn new(
        indexer: &'a mut Indexer,
        options: &'a IndexOptions,
        measure: &'a SharedTokenOffsets<'a>,
        progress: &'a OnProgress<'a>,
        stop: &'a AtomicBool,
        plan: &Plan,
    ) -> Result<Self, IndexError> {
        let folder = indexer.folder.join(KEYWORD);
        let record = indexer.manifest.keyword.clone();
        let reader = if record.meta.is_empty() {
            None
        } else {
            Some(KeywordReader::open(&folder, &record)?)
        };
        let sources = || plan.add.iter().chain(&plan.change);
        let total = sources().map(|found| found.source.bytes).sum();
        let unpacked: u64 = sources().map(unpacked_bytes).sum();
        // Every thread flushes a segment of its own, so a small change is written by one.
        let threads =
            if unpacked > GROUP_BYTES { rayon::current_num_threads().clamp(1, 8) } else { 1 };
        let writer = KeywordWriter::open(&folder, &record, threads)?;
        let change = Mutex::default();
        Ok(Self {
            indexer,
            options,
            measure,
            progress,
            stop,
            reader,
            writer,
            change,
            total,
            done: 0,
        })
    }

    pub(super) fn all(&mut self, plan: &Plan, summary: &mut Summary) -> Result<(), IndexError> {
        for (root, path) in &plan.remove {
            let source = source_key(*root, path);
            summary.documents_removed += self.remove(source, &|_| true)?;
        }
        let mut sources: Vec<&Found> = plan.add.iter().chain(&plan.change).collect();
        sources.sort_by_key(|found| found.id());
        let mut rest = sources.as_slice();
        while !rest.is_empty() && !self.stop.load(Ordering::Relaxed) {
            let (group, tail) = rest.split_at(group_length(rest));
            rest = tail;
            match group {
                [one] if is_large(one) => self.large(one, summary)?,
                group => self.small(group, summary)?,
            }
        }
        Ok(())
    }

    fn known(&self, source: u64) -> Result<Vec<IndexedDocument>, IndexError> {
        self.reader.as_ref().map_or(Ok(Vec::new()), |reader| reader.known(source))
    }

    /// Removes those documents of a source that are `gone`, by [`document_key`]. Returns how many.
    fn remove(&self, source: u64, gone: &dyn Fn(u64) -> bool) -> Result<u64, IndexError> {
        let Some(reader) = &self.reader else { return Ok(0) };
        let entries = reader.entries_of(source, gone)?;
        let documents = reader.first_parts_among(&entries)?;
        let mut change = self.change();
        change.documents.1 += documents;
        for entry in &entries {
            change.chunks.extend(reader.chunks_of(*entry)?);
        }
        drop(change);
        self.writer.remove(reader, &entries)?;
        Ok(documents)
    }

    fn change(&self) -> MutexGuard<'_, Change> {
        self.change.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sources that are read side by side.
    fn small(&mut self, group: &[&Found], summary: &mut Summary) -> Result<(), IndexError> {
        let read = |found: &&Found| {
            let mut documents = Vec::new();
            let mut problems = Vec::new();
            let result = found.source.read(&self.options.read, &mut |item| {
                match item {
                    Ok(document) => documents.push(document),
                    Err(problem) => problems.push(problem),
                }
                ControlFlow::Continue(())
            });
            (documents, problems, result)
        };
        let results: Vec<_> = group.par_iter().map(read).collect();
        let mut batch = Vec::new();
        for (found, (documents, problems, result)) in group.iter().zip(results) {
            let mut comparison = self.comparison(found)?;
            batch.extend(comparison.read(documents));
            self.settle(found, comparison, problems, result, summary)?;
        }
        self.write(batch, summary)?;
        self.report(summary);
        Ok(())
    }

    /// A source that is read in batches, one ahead of what is written.
    fn large(&mut self, found: &Found, summary: &mut Summary) -> Result<(), IndexError> {
        let mut comparison = self.comparison(found)?;
        let before = self.done;
        let (options, stop) = (&self.options.read, self.stop);
        let (result, problems) = thread::scope(|scope| {
            let (sender, batches) = mpsc::sync_channel(1);
            let reader = scope.spawn(move || read_ahead(&found.source, options, stop, &sender));
            // When this is left early, the reader finds nobody to take more.
            for Batch { documents, bytes } in batches {
                self.done = (self.done + bytes).min(before + found.source.bytes);
                self.write(comparison.read(documents), summary)?;
                self.report(summary);
            }
            Ok::<_, IndexError>(reader.join().unwrap_or_else(|panic| resume_unwind(panic)))
        })?;
        if self.stop.load(Ordering::Relaxed) {
            // Read in part: what was read is there, and the next run reads it again.
            self.remove(comparison.source_key, &|document| comparison.is_replaced(document))?;
            return Ok(());
        }
        self.done = before;
        self.settle(found, comparison, problems, result, summary)?;
        self.report(summary);
        Ok(())
    }

    fn comparison(&self, found: &Found) -> Result<Comparison, IndexError> {
        let source_key = source_key(found.root, &found.source.path);
        let state = |known: IndexedDocument| (known.document, (known.content, State::Unseen));
        let known = self.known(source_key)?.into_iter().map(state).collect();
        let source = found.source.path.clone();
        Ok(Comparison { root: found.root, source, source_key, known, kept: 0, fresh: 0 })
    }

    /// Removes what a source no longer holds and remembers how it was read.
    fn settle(
        &mut self,
        found: &Found,
        comparison: Comparison,
        problems: Vec<Problem>,
        result: Result<Reading, Problem>,
        summary: &mut Summary,
    ) -> Result<(), IndexError> {
        summary.documents_kept += comparison.kept;
        self.done += found.source.bytes;
        summary.bytes_read += found.source.bytes;
        let mut record = SourceRecord {
            hash: Some(found.hash),
            bytes: found.source.bytes,
            modified: found.source.modified,
            ..unread(found.source.bytes)
        };
        record.problems = problems;
        match result {
            Ok(reading) => {
                record.format = reading.format.name().to_owned();
                record.documents = reading.documents;
                record.messages = reading.messages;
                for (kind, count) in reading.redacted {
                    *summary.redacted.entry(kind.to_owned()).or_default() += count;
                }
                summary.documents_removed += self.remove_outdated(&comparison, true)?;
            }
            Err(problem) => {
                let old = self.indexer.catalogue.sources().get(&found.id());
                let is_void = is_void(&problem.reason);
                summary.documents_removed += self.remove_outdated(&comparison, is_void)?;
                if !is_void {
                    // Unreadable or broken off: what is known stays until the file can be read.
                    record.documents = old.map_or(0, |old| old.documents).max(comparison.seen());
                    record.format = recognised(&found.source, &self.options.read);
                }
                if problem.reason.keeps_what_was_indexed() {
                    record.hash = None;
                }
                record.problems.push(problem);
            }
        }
        summary.problems.extend(record.problems.iter().cloned());
        self.indexer.catalogue.set(found.id(), record);
        Ok(())
    }

    /// Removes what was read in a newer version, and, if all of the source was read, what is no longer
    /// in it. Returns how many of the latter there were.
    fn remove_outdated(&self, comparison: &Comparison, whole: bool) -> Result<u64, IndexError> {
        let unseen = |document| whole && comparison.is_unseen(document);
        let outdated = |document| unseen(document) || comparison.is_replaced(document);
        if comparison.known.keys().any(|document| outdated(*document)) {
            self.remove(comparison.source_key, &outdated)?;
        }
        Ok(comparison.known.keys().filter(|document| unseen(**document)).count() as u64)
    }

    /// Cuts and adds documents.
    fn write(&self, batch: Vec<Read>, summary: &mut Summary) -> Result<(), IndexError> {
        summary.documents_written += batch.len() as u64;
        self.change().documents.0 += batch.len() as u64;
        let settings = self.indexer.manifest.chunks;
        batch.into_par_iter().chunks(WRITTEN_AT_ONCE).try_for_each(|reads| {
            let entries: Vec<Entry> =
                reads.into_iter().flat_map(|read| self.cut(read, settings)).collect();
            if self.reader.is_some() {
                let hashes = entries.iter().flat_map(|entry| &entry.chunks).map(|chunk| chunk.hash);
                self.change().chunks.extend(hashes);
            }
            self.writer.add(&entries)
        })
    }

    fn cut(&self, read: Read, settings: ChunkSettings) -> Vec<Entry> {
        let Read { source: (root, source), document, content } = read;
        entries(root, &source, document, content, &self.measure, settings)
    }

    fn report(&self, summary: &Summary) {
        let documents = summary.documents_written;
        (self.progress)(IndexProgress::Read { done: self.done, total: self.total, documents });
    }

    /// Commits the keyword side. Returns what changed, and the generation before it, if there was one.
    pub(super) fn finish(mut self) -> Result<Option<(KeywordReader, Change)>, IndexError> {
        let record = self.writer.commit()?;
        self.indexer.manifest.keyword = record;
        let change = self.change.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok(self.reader.map(|before| (before, change)))
    }
}

/// Documents of a source that were read, and how many bytes their texts have.
struct Batch {
    documents: Vec<Document>,
    bytes: u64,
}

/// Reads a source and hands its documents over in batches, until nobody takes them or `stop`. Returns
/// how it ended, and what could not be read.
fn read_ahead(
    source: &Source,
    options: &ReadOptions,
    stop: &AtomicBool,
    batches: &mpsc::SyncSender<Batch>,
) -> (Result<Reading, Problem>, Vec<Problem>) {
    let mut problems = Vec::new();
    let (mut documents, mut bytes) = (Vec::<Document>::new(), 0);
    let result = source.read(options, &mut |item| {
        match item {
            Ok(document) => {
                bytes += document.text.len();
                documents.push(document);
            }
            Err(problem) => problems.push(problem),
        }
        let mut taken = true;
        if bytes + documents.len() * DOCUMENT_BYTES >= BATCH_BYTES {
            let batch = Batch { documents: mem::take(&mut documents), bytes: bytes as u64 };
            bytes = 0;
            taken = batches.send(batch).is_ok();
        }
        let go_on = taken && !stop.load(Ordering::Relaxed);
        if go_on { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    // Where it is not taken, the taker has said why.
    let _ = batches.send(Batch { documents, bytes: bytes as u64 });
    (result, problems)
}

/// How many sources, from the first on, are read side by side.
fn group_length(sources: &[&Found]) -> usize {
    let mut bytes = 0;
    let fits = |found: &&&Found| {
        bytes += found.source.bytes;
        bytes <= GROUP_BYTES && !is_large(found)
    };
    sources.iter().take(GROUP_SOURCES).take_while(fits).count().max(1)
}

/// Whether the documents of a source may be more than should be held at once.
fn is_large(found: &Found) -> bool {
    is_packed(found) || found.source.bytes > SOURCE_BYTES
}

/// What is packed is larger than it looks.
fn is_packed(found: &Found) -> bool {
    [".gz", ".zip"].iter().any(|end| found.source.path.ends_with(end))
}

/// About how many bytes a source has when it is unpacked.
fn unpacked_bytes(found: &Found) -> u64 {
    found.source.bytes * if is_packed(found) { PACKED } else { 1 }
}

/// What reading a source again says of a document that is known from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Unseen,
    Same,
    Replaced,
}

/// The documents of a source as they are known, ticked off as they are read again.
struct Comparison {
    root: u32,
    source: String,
    source_key: u64,
    /// Content and state by [`document_key`].
    known: HashMap<u64, (u64, State)>,
    kept: u64,
    fresh: u64,
}

impl Comparison {
    /// The documents to write: those that are new or others than before.
    fn read(&mut self, documents: Vec<Document>) -> Vec<Read> {
        let contents: Vec<u64> =
            documents.par_iter().map(|document| shorten(document.content_hash())).collect();
        let both = documents.into_iter().zip(contents);
        both.filter_map(|(document, content)| self.compare(document, content)).collect()
    }

    fn compare(&mut self, document: Document, content: u64) -> Option<Read> {
        if !self.known.is_empty() {
            let key = document_key(self.root, &self.source, &document.id);
            if let Some((known, state)) = self.known.get_mut(&key) {
                *state = if *known == content { State::Same } else { State::Replaced };
                if *state == State::Same {
                    self.kept += 1;
                    return None;
                }
            }
        }
        self.fresh += 1;
        Some(Read { source: (self.root, self.source.clone()), document, content })
    }

    fn is_unseen(&self, document: u64) -> bool {
        self.known.get(&document).is_some_and(|(_, state)| *state == State::Unseen)
    }

    fn is_replaced(&self, document: u64) -> bool {
        self.known.get(&document).is_some_and(|(_, state)| *state == State::Replaced)
    }

    /// Documents that were read.
    fn seen(&self) -> u64 {
        self.kept + self.fresh
    }
}
