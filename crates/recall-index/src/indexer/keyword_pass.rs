//! One pass over new and changed files: read, compared document by document, cut, and written to the
//! keyword side.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;
use recall_sources::{Document, Problem, Reading, Reason};

use super::{IndexOptions, Indexer, Progress, SharedMeasure, Step, Summary, recognised, unread};
use crate::catalogue::{UnitId, UnitRecord};
use crate::chunk::ChunkSettings;
use crate::entry::{Entry, document_key, entries, shorten, unit_key};
use crate::error::IndexError;
use crate::keyword::{KeywordReader, KeywordWriter, Known};
use crate::manifest::KEYWORD;
use crate::plan::{Found, Plan};

/// Bytes of units that are read side by side.
const GROUP_BYTES: u64 = 8 << 20;
/// A larger unit is read alone, in stretches.
const UNIT_BYTES: u64 = 1 << 20;
/// Units that are read side by side at the most.
const GROUP_UNITS: usize = 256;
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

/// One pass over the units of a plan.
pub(super) struct KeywordPass<'a> {
    indexer: &'a mut Indexer,
    options: &'a IndexOptions,
    measure: &'a SharedMeasure<'a>,
    progress: &'a Progress<'a>,
    stop: &'a AtomicBool,
    reader: Option<KeywordReader>,
    writer: KeywordWriter,
    total: u64,
    done: u64,
}

/// A document to write, with the unit it came from.
struct Read {
    unit: UnitId,
    document: Document,
    /// What of it is compared, see [`Known::content`].
    content: u64,
    /// Whether an earlier version has to go. tantivy looks for every one that is asked for in every
    /// segment, so none is asked for in vain.
    replaces: bool,
}

impl<'a> KeywordPass<'a> {
    pub(super) fn new(
        indexer: &'a mut Indexer,
        options: &'a IndexOptions,
        measure: &'a SharedMeasure<'a>,
        progress: &'a Progress<'a>,
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
        let total = plan.add.iter().chain(&plan.change).map(|f| f.unit.bytes).sum();
        // Every thread flushes a segment of its own, so a small change is written by one.
        let threads =
            if total > GROUP_BYTES { rayon::current_num_threads().clamp(1, 8) } else { 1 };
        let writer = KeywordWriter::open(&folder, &record, threads)?;
        Ok(Self { indexer, options, measure, progress, stop, reader, writer, total, done: 0 })
    }

    pub(super) fn all(&mut self, plan: &Plan, summary: &mut Summary) -> Result<(), IndexError> {
        for (root, path) in &plan.remove {
            let unit = unit_key(*root, path);
            summary.documents_removed += self.known(unit)?.len() as u64;
            self.writer.remove_unit(unit);
        }
        let mut units: Vec<&Found> = plan.add.iter().chain(&plan.change).collect();
        units.sort_by_key(|found| found.id());
        let mut rest = units.as_slice();
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

    fn known(&self, unit: u64) -> Result<Vec<Known>, IndexError> {
        self.reader.as_ref().map_or(Ok(Vec::new()), |reader| reader.known(unit))
    }

    /// Units that are read side by side.
    fn small(&mut self, group: &[&Found], summary: &mut Summary) -> Result<(), IndexError> {
        let read = |found: &&Found| {
            let mut documents = Vec::new();
            let mut problems = Vec::new();
            let result = found.unit.read(&self.options.read, &mut |item| {
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
            batch.extend(documents.into_iter().filter_map(|d| comparison.read(d)));
            self.settle(found, comparison, problems, result, summary)?;
        }
        self.write(batch, summary)?;
        self.report(summary);
        Ok(())
    }

    /// A unit that is read in stretches.
    fn large(&mut self, found: &Found, summary: &mut Summary) -> Result<(), IndexError> {
        let mut comparison = self.comparison(found)?;
        let (mut batch, mut bytes, mut held) = (Vec::<Read>::new(), 0, 0);
        let mut problems = Vec::new();
        let mut failed = None;
        let before = self.done;
        let result = found.unit.read(&self.options.read, &mut |item| {
            match item {
                Ok(document) => {
                    bytes += document.text.len();
                    held += document.text.len() + DOCUMENT_BYTES;
                    batch.extend(comparison.read(document));
                }
                Err(problem) => problems.push(problem),
            }
            if held >= BATCH_BYTES {
                held = 0;
                self.done = (self.done + bytes as u64).min(before + found.unit.bytes);
                bytes = 0;
                failed = self.write(std::mem::take(&mut batch), summary).err();
                self.report(summary);
            }
            let go_on = failed.is_none() && !self.stop.load(Ordering::Relaxed);
            if go_on { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        if let Some(error) = failed {
            return Err(error);
        }
        self.write(batch, summary)?;
        if self.stop.load(Ordering::Relaxed) {
            // Read in part: what was read is there, and the next run reads it again.
            return Ok(());
        }
        self.done = before;
        self.settle(found, comparison, problems, result, summary)?;
        self.report(summary);
        Ok(())
    }

    fn comparison(&self, found: &Found) -> Result<Comparison, IndexError> {
        let known = self.known(unit_key(found.root, &found.unit.path))?;
        let known = known.into_iter().map(|k| (k.document, (k.content, false))).collect();
        Ok(Comparison { root: found.root, unit: found.unit.path.clone(), known, kept: 0, fresh: 0 })
    }

    /// Removes what a unit no longer holds and remembers how it was read.
    fn settle(
        &mut self,
        found: &Found,
        comparison: Comparison,
        problems: Vec<Problem>,
        result: Result<Reading, Problem>,
        summary: &mut Summary,
    ) -> Result<(), IndexError> {
        summary.documents_kept += comparison.kept;
        self.done += found.unit.bytes;
        summary.bytes_read += found.unit.bytes;
        let mut record = UnitRecord {
            hash: Some(found.hash),
            bytes: found.unit.bytes,
            modified: found.unit.modified,
            ..unread(found.unit.bytes)
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
                summary.documents_removed += self.remove_unseen(&comparison);
            }
            Err(problem) => {
                let old = self.indexer.catalogue.units().get(&found.id());
                if is_void(&problem.reason) {
                    summary.documents_removed += self.remove_unseen(&comparison);
                } else {
                    // Unreadable or broken off: what is known stays until the file can be read.
                    record.documents = old.map_or(0, |old| old.documents).max(comparison.seen());
                    record.format = recognised(&found.unit, &self.options.read);
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

    fn remove_unseen(&self, comparison: &Comparison) -> u64 {
        let unseen = comparison.known.iter().filter(|(_, (_, seen))| !seen);
        unseen.map(|(document, _)| self.writer.remove_document(*document)).count() as u64
    }

    /// Cuts and adds documents, and removes their earlier versions.
    fn write(&self, batch: Vec<Read>, summary: &mut Summary) -> Result<(), IndexError> {
        summary.documents_written += batch.len() as u64;
        let settings = self.indexer.manifest.chunks;
        batch.into_par_iter().chunks(WRITTEN_AT_ONCE).try_for_each(|reads| {
            let entries: Vec<Entry> =
                reads.into_iter().flat_map(|read| self.cut(read, settings)).collect();
            self.writer.add(&entries)
        })
    }

    fn cut(&self, read: Read, settings: ChunkSettings) -> Vec<Entry> {
        let Read { unit: (root, unit), document, content, replaces } = read;
        if replaces {
            self.writer.remove_document(document_key(root, &unit, &document.id));
        }
        entries(root, &unit, document, content, &self.measure, settings)
    }

    fn report(&self, summary: &Summary) {
        let documents = summary.documents_written;
        (self.progress)(Step::Read { done: self.done, total: self.total, documents });
    }

    pub(super) fn finish(mut self) -> Result<(), IndexError> {
        let record = self.writer.commit()?;
        self.indexer.manifest.keyword = record;
        Ok(())
    }
}

/// How many units, from the first on, are read side by side.
fn group_length(units: &[&Found]) -> usize {
    let mut bytes = 0;
    let fits = |found: &&&Found| {
        bytes += found.unit.bytes;
        bytes <= GROUP_BYTES && !is_large(found)
    };
    units.iter().take(GROUP_UNITS).take_while(fits).count().max(1)
}

/// Whether the documents of a unit may be more than should be held at once: what is packed is larger
/// than it looks.
fn is_large(found: &Found) -> bool {
    let packed = [".gz", ".zip"].iter().any(|end| found.unit.path.ends_with(end));
    packed || found.unit.bytes > UNIT_BYTES
}

/// The documents of a unit as they are known, ticked off as they are read again.
struct Comparison {
    root: u32,
    unit: String,
    known: HashMap<u64, (u64, bool)>,
    kept: u64,
    fresh: u64,
}

impl Comparison {
    /// A document to write, if it is new or another than before.
    fn read(&mut self, document: Document) -> Option<Read> {
        let key = document_key(self.root, &self.unit, &document.id);
        let content = shorten(document.content_hash());
        let known = self.known.get_mut(&key);
        let replaces = known.is_some();
        let same = known.is_some_and(|(known, seen)| {
            *seen = true;
            *known == content
        });
        if same {
            self.kept += 1;
            return None;
        }
        self.fresh += 1;
        Some(Read { unit: (self.root, self.unit.clone()), document, content, replaces })
    }

    /// Documents that were read.
    fn seen(&self) -> u64 {
        self.kept + self.fresh
    }
}
