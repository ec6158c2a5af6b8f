//! The columns of the index: one value or a few for each entry, read without fetching it.

use tantivy::SegmentReader;
use tantivy::columnar::{Column, StrColumn};

use super::{EntryId, KeywordReader};
use crate::error::IndexError;
use crate::stopwords::language_of_number;

/// The columns of one segment, opened once.
pub(super) struct Columns {
    pub(super) document: Column<u64>,
    pub(super) source_key: Column<u64>,
    pub(super) content: Column<u64>,
    pub(super) part: Column<u64>,
    pub(super) chunk: Column<u64>,
    pub(super) date: Column<i64>,
    pub(super) language: Column<u64>,
    pub(super) id: Option<StrColumn>,
    pub(super) path: Option<StrColumn>,
}

impl Columns {
    /// Opens those of a segment.
    pub(super) fn open(segment: &SegmentReader) -> tantivy::Result<Self> {
        let fast = segment.fast_fields();
        Ok(Self {
            document: fast.u64("document")?,
            source_key: fast.u64("source_key")?,
            content: fast.u64("content")?,
            part: fast.u64("part")?,
            chunk: fast.u64("chunk")?,
            date: fast.i64("date")?,
            language: fast.u64("language")?,
            id: fast.str("id")?,
            path: fast.str("path")?,
        })
    }
}

/// The value of an entry in a column that has one for each; 0 where there is none.
pub(super) fn first(column: &Column<u64>, number: u32) -> u64 {
    column.first(number).unwrap_or(0)
}

impl KeywordReader {
    /// Counts the documents: entries that are first parts.
    pub fn documents(&self) -> Result<u64, IndexError> {
        self.contained(|| {
            let segments = self.searcher.segment_readers().iter().zip(self.columns()?);
            let firsts = segments.map(|(segment, columns)| {
                segment.doc_ids_alive().filter(|d| columns.part.first(*d) == Some(0)).count() as u64
            });
            Ok(firsts.sum())
        })
    }

    /// Gives the key of the document that an entry belongs to, see [`Entry::document_key`].
    ///
    /// [`Entry::document_key`]: crate::Entry::document_key
    pub fn document_key(&self, id: EntryId) -> Result<u64, IndexError> {
        self.contained(|| Ok(first(&self.columns()?[id.segment as usize].document, id.number)))
    }

    /// Gives the language of an entry as it was stored with it: what [`language`](crate::language)
    /// says of its text. Cheap, for nothing is fetched.
    pub fn language(&self, id: EntryId) -> Result<Option<&'static str>, IndexError> {
        let number =
            self.contained(|| Ok(self.columns()?[id.segment as usize].language.first(id.number)))?;
        Ok(number.and_then(language_of_number))
    }

    /// Gives the ids and the paths of the documents of entries, in the order of `entries`. All at once,
    /// since texts are stored in blocks that are unpacked from their beginning.
    pub fn ids_and_paths(&self, entries: &[EntryId]) -> Result<Vec<(String, String)>, IndexError> {
        self.contained(|| {
            let ids = self.texts(entries, &|columns| columns.id.as_ref())?;
            let paths = self.texts(entries, &|columns| columns.path.as_ref())?;
            Ok(ids.into_iter().zip(paths).collect())
        })
    }

    /// The texts of entries in a column, empty where there is none.
    pub(super) fn texts(
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

    /// Counts those of `entries` that are the first parts of their documents.
    pub fn first_parts_among(&self, entries: &[EntryId]) -> Result<u64, IndexError> {
        let columns = self.contained(|| self.columns())?;
        let is_first = |id: &&EntryId| first(&columns[id.segment as usize].part, id.number) == 0;
        Ok(entries.iter().filter(is_first).count() as u64)
    }
}
