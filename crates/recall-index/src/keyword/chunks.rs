//! The chunk texts of entries, by hash: which there are, and who holds them.

use std::cmp::Reverse;
use std::collections::HashSet;

use rayon::prelude::*;
use tantivy::SegmentReader;
use tantivy::columnar::{Column, ColumnIndex};

use super::columns::Columns;
use super::{Allowed, EntryId, KeywordReader};
use crate::error::IndexError;

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
        let mut batch = [0; 1024];
        for start in (0..entries).step_by(batch.len()) {
            let length = batch.len().min((entries - start) as usize);
            column.values.get_range(u64::from(start), &mut batch[..length]);
            for (number, hash) in (start..).zip(&batch[..length]) {
                if self.holds(*hash) {
                    found(number, *hash);
                }
            }
        }
    }
}

impl KeywordReader {
    /// Finds the entries that hold the chunk text with this hash, in order of place. The first call
    /// sorts all chunks of the index.
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

    /// Gives the hashes of the chunk texts of an entry, in order.
    pub fn chunks_of(&self, id: EntryId) -> Result<Vec<u64>, IndexError> {
        self.contained(|| {
            let columns = &self.columns()?[id.segment as usize];
            Ok(columns.chunk.values_for_doc(id.number).collect())
        })
    }

    /// Gives the distinct hashes of the chunk texts of all entries, or of the allowed ones, ascending.
    pub fn chunk_hashes(&self, allowed: Option<&Allowed>) -> Result<Vec<u64>, IndexError> {
        let mut out: Vec<u64> = Vec::new();
        self.contained(|| {
            let segments = self.searcher.segment_readers().iter().zip(self.columns()?);
            for (ordinal, (segment, columns)) in segments.enumerate() {
                let chunks = &columns.chunk;
                match allowed {
                    Some(allowed) => {
                        for number in &allowed.sets()[ordinal] {
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

    /// Finds one entry for each of these chunk texts (ascending hashes), those of the newest documents
    /// first, then by document and part, so that chunks of one entry stand together.
    pub fn newest_first(&self, hashes: &[u64]) -> Result<Vec<(u64, EntryId)>, IndexError> {
        let columns = self.contained(|| self.columns())?;
        let place = |(_, id): &(u64, EntryId)| {
            let c = &columns[id.segment as usize];
            let newest = Reverse(c.date.first(id.number));
            (newest, c.document.first(id.number), c.part.first(id.number))
        };
        let mut found = self.holding(hashes)?;
        found.sort_by_cached_key(place);
        let mut seen = HashSet::with_capacity(hashes.len());
        found.retain(|(hash, _)| seen.insert(*hash));
        Ok(found)
    }

    /// Finds every entry that holds one of these chunk texts (ascending hashes), in order of place.
    /// Looks at every chunk of the index, but at each for a nanosecond or two.
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

    /// Counts the chunks of all entries: a text that occurs twice counts twice.
    pub fn chunk_count(&self) -> Result<u64, IndexError> {
        self.contained(|| {
            let segments = self.searcher.segment_readers().iter().zip(self.columns()?);
            let of = |(segment, columns): (&SegmentReader, &Columns)| -> u64 {
                let count = |number| columns.chunk.values_for_doc(number).count() as u64;
                segment.doc_ids_alive().map(count).sum()
            };
            Ok(segments.map(of).sum())
        })
    }
}

#[cfg(test)]
mod tests {
    use recall_sources::{Document, Kind};

    use super::*;
    use crate::entry::{ChunkRecord, Entry};
    use crate::keyword::KeywordWriter;

    /// An entry with chunks of these hashes.
    fn entry(number: usize, hashes: &[u64]) -> Entry {
        let name = number.to_string();
        let chunk =
            |hash: &u64| ChunkRecord { start: 0, end: 0, headings: String::new(), hash: *hash };
        Entry {
            root: 0,
            source_path: name.clone(),
            part: 0,
            parts: 1,
            offset: 0,
            content: 0,
            document: Document::new(&name, &name, Kind::Note, String::new()),
            chunks: hashes.iter().map(chunk).collect(),
        }
    }

    /// Looks for some hashes among entries that hold `hashes(number)`, and compares with looking at
    /// every entry.
    #[track_caller]
    fn check(count: usize, hashes: &dyn Fn(usize) -> Vec<u64>) {
        let folder = tempfile::tempdir().unwrap();
        let mut writer = KeywordWriter::open(folder.path(), &Default::default(), 1).unwrap();
        let entries: Vec<Entry> = (0..count).map(|n| entry(n, &hashes(n))).collect();
        writer.add(&entries).unwrap();
        let record = writer.commit().unwrap();
        let reader = KeywordReader::open(folder.path(), &record).unwrap();
        let every: Vec<(u64, EntryId)> = reader
            .all()
            .unwrap()
            .into_iter()
            .flat_map(|id| reader.chunks_of(id).unwrap().into_iter().map(move |hash| (hash, id)))
            .collect();
        assert_eq!(reader.chunk_count().unwrap(), every.len() as u64);
        let all = reader.chunk_hashes(None).unwrap();
        assert!(all.is_sorted_by(|a, b| a < b));
        // One in three, and two that nobody holds: one of them ends like a hash that is held.
        let mut wanted: Vec<u64> = all.iter().copied().step_by(3).collect();
        wanted.extend([7 << 40, (1 << 50) + all[0]]);
        wanted.sort_unstable();
        let is_wanted = |(hash, _): &(u64, EntryId)| wanted.contains(hash);
        let expected: Vec<(u64, EntryId)> = every.iter().copied().filter(is_wanted).collect();
        assert_eq!(reader.holding(&wanted).unwrap(), expected);
        for hash in &wanted {
            let entries = reader.entries_with_chunk(*hash).unwrap();
            let holders = expected.iter().filter(|(other, _)| other == hash).map(|(_, id)| *id);
            let mut holders: Vec<EntryId> = holders.collect();
            holders.dedup();
            assert_eq!(entries, holders);
        }
        let newest = reader.newest_first(&wanted).unwrap();
        assert_eq!(newest.len(), wanted.len() - 2, "each hash that is held, once");
    }

    #[test]
    fn chunks_are_found_as_by_looking_at_each() {
        check(1, &|_| vec![5]);
        check(2500, &|n| vec![n as u64]);
        check(1024, &|n| vec![(n as u64 % 90) << 20]);
        check(300, &|n| (0..n as u64 % 4).map(|i| i * 1000 + n as u64 % 50).collect());
    }
}
