//! What is written of an entry, and how it is read back.

use std::iter::Empty;
use std::{fmt, slice};

use tantivy::TantivyDocument;
use tantivy::schema::document::{ReferenceValue, ReferenceValueLeaf};
use tantivy::schema::{Document, Field, Value};

use super::columns::first;
use super::schema::{Fields, field_term};
use super::{EntryId, KeywordReader};
use crate::entry::{Entry, PathNames};
use crate::error::IndexError;
use crate::queue::Reservation;
use crate::stopwords::language_number;

/// Metadata values longer than this are not worth a filter.
const FIELD_VALUE_BYTES_MAX: usize = 120;

/// An entry as it waits to be written, in few allocations, since another thread frees them. tantivy
/// reads the cells where they lie.
#[derive(Default)]
pub(super) struct Record {
    cells: Vec<(Field, Cell)>,
    texts: String,
    stored: Vec<u8>,
    /// Room in the queue until this is written.
    _reservation: Option<Reservation>,
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

impl Record {
    /// What is written of an entry, by field in the order of the schema. `names` is kept from one
    /// entry to the next.
    pub(super) fn of(entry: &Entry, f: &Fields, names: &mut PathNames) -> Self {
        let d = &entry.document;
        let searched = entry.searched_text();
        let mut out = Self::with_room_for(entry);
        out.text(f.body, &searched);
        entry.names(&searched, names).iter().for_each(|name| out.text(f.identifier, name));
        out.columns(entry, f);
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

    /// Its numbers.
    fn columns(&mut self, entry: &Entry, f: &Fields) {
        self.number(f.document, entry.document_key());
        self.number(f.source_key, entry.source_key());
        self.number(f.content, entry.content);
        self.number(f.part, u64::from(entry.part));
        entry.chunks.iter().for_each(|chunk| self.number(f.chunk, chunk.hash));
        if let Some(language) = language_number(&entry.document.text) {
            self.number(f.language, language);
        }
        if let Some(date) = entry.document.date.or(entry.document.updated) {
            self.cells.push((f.date, Cell::Signed(date.seconds)));
        }
    }

    /// The record, holding room in the queue for as long as it waits.
    pub(super) fn reserving(self, reservation: Option<Reservation>) -> Self {
        Self { _reservation: reservation, ..self }
    }

    fn with_room_for(entry: &Entry) -> Self {
        let (cells, bytes) = (32 + entry.chunks.len(), 2 * entry.document.text.len() + 512);
        Self {
            cells: Vec::with_capacity(cells),
            texts: String::with_capacity(bytes),
            stored: Vec::with_capacity(bytes),
            _reservation: None,
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

impl Document for Record {
    type Value<'a> = CellValue<'a>;
    type FieldsValuesIter<'a> = CellValues<'a>;

    fn iter_fields_and_values(&self) -> CellValues<'_> {
        CellValues { record: self, cells: self.cells.iter() }
    }
}

/// The cells of an entry, one after another.
pub(super) struct CellValues<'a> {
    record: &'a Record,
    cells: slice::Iter<'a, (Field, Cell)>,
}

impl<'a> Iterator for CellValues<'a> {
    type Item = (Field, CellValue<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        let (field, cell) = self.cells.next()?;
        Some((*field, CellValue { record: self.record, cell: *cell }))
    }
}

/// A cell with what it points into.
#[derive(Clone)]
pub(super) struct CellValue<'a> {
    record: &'a Record,
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
        let Record { texts, stored, .. } = self.record;
        ReferenceValue::Leaf(match self.cell {
            Cell::Text(start, end) => ReferenceValueLeaf::Str(&texts[start..end]),
            Cell::Number(number) => ReferenceValueLeaf::U64(number),
            Cell::Signed(number) => ReferenceValueLeaf::I64(number),
            Cell::Stored => ReferenceValueLeaf::Bytes(stored),
        })
    }
}

/// The stored bytes of an entry; [`KeywordReader::fetch`] reads them back.
fn encode(entry: &Entry, out: &mut Vec<u8>) {
    bincode::serde::encode_into_std_write(entry, out, bincode::config::standard())
        .expect("an entry holds plain data only");
}

impl KeywordReader {
    /// Reads an entry back: its document and its chunks. Costs unpacking a block of entries.
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
}
