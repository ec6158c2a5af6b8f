//! Entries and documents by what they are called and where they came from.

use std::collections::BTreeMap;

use roaring::RoaringBitmap;
use tantivy::Term;
use tantivy::query::{AllQuery, Query, TermQuery};
use tantivy::schema::{Field, IndexRecordOption};

use super::columns::first;
use super::{EntryId, KeywordReader};
use crate::error::IndexError;

/// A document of a source as the catalogue compares it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IndexedDocument {
    /// [`Entry::document_key`](crate::Entry::document_key).
    pub document: u64,
    /// [`Entry::content`](crate::Entry::content).
    pub content: u64,
}

impl KeywordReader {
    /// The query for the entries that have this number in a field.
    fn number_query(&self, field: Field, number: u64) -> TermQuery {
        TermQuery::new(Term::from_field_u64(field, number), IndexRecordOption::Basic)
    }

    /// Gives all parts of the document that this entry is a part of, in order.
    pub fn parts(&self, of: EntryId) -> Result<Vec<EntryId>, IndexError> {
        let columns = self.contained(|| self.columns())?;
        let document = first(&columns[of.segment as usize].document, of.number);
        let source = first(&columns[of.segment as usize].source_key, of.number);
        let mut ids = self.entries_of(source, &|other| other == document)?;
        ids.sort_unstable_by_key(|id| (first(&columns[id.segment as usize].part, id.number), *id));
        Ok(ids)
    }

    /// Finds the entries of those documents of a source that are `wanted`: the source by
    /// [`Entry::source_key`](crate::Entry::source_key), its documents by
    /// [`Entry::document_key`](crate::Entry::document_key).
    pub fn entries_of(
        &self,
        source: u64,
        wanted: &dyn Fn(u64) -> bool,
    ) -> Result<Vec<EntryId>, IndexError> {
        let mut ids = self.ids(&self.number_query(self.fields.source_key, source))?;
        let columns = self.contained(|| self.columns())?;
        ids.retain(|id| wanted(first(&columns[id.segment as usize].document, id.number)));
        Ok(ids)
    }

    /// Finds the documents that have this id, by their first parts.
    pub fn with_id(&self, id: &str) -> Result<Vec<EntryId>, IndexError> {
        let named = self.named(id)?;
        let own = self.contained(|| self.texts(&named, &|columns| columns.id.as_ref()))?;
        let same = named.into_iter().zip(own).filter(|(_, own)| own == id);
        Ok(same.map(|(entry, _)| entry).collect())
    }

    /// Finds the documents at this path, relative to their root, by their first parts.
    pub fn at_path(&self, path: &str) -> Result<Vec<EntryId>, IndexError> {
        self.first_parts(self.fields.path, path)
    }

    /// Finds the documents that have this id, path, file name or identifier in their first part, by that
    /// part. Case aside.
    pub fn named(&self, name: &str) -> Result<Vec<EntryId>, IndexError> {
        self.first_parts(self.fields.identifier, &name.to_lowercase())
    }

    /// The first parts among the entries that have this term in a field.
    fn first_parts(&self, field: Field, text: &str) -> Result<Vec<EntryId>, IndexError> {
        let term = Term::from_field_text(field, text);
        let mut ids = self.ids(&TermQuery::new(term, IndexRecordOption::Basic))?;
        let columns = self.contained(|| self.columns())?;
        ids.retain(|id| first(&columns[id.segment as usize].part, id.number) == 0);
        Ok(ids)
    }

    /// The entries that match a query, in order of place.
    fn ids(&self, query: &dyn Query) -> Result<Vec<EntryId>, IndexError> {
        let allowed = self.contained(|| self.collect(query))?;
        let in_segment = |(segment, set): (usize, &RoaringBitmap)| -> Vec<EntryId> {
            set.iter().map(|number| EntryId { segment: segment as u32, number }).collect()
        };
        Ok(allowed.sets().iter().enumerate().flat_map(in_segment).collect())
    }

    /// Gives the documents that were read from a source, by
    /// [`Entry::source_key`](crate::Entry::source_key).
    pub fn known(&self, source: u64) -> Result<Vec<IndexedDocument>, IndexError> {
        let ids = self.ids(&self.number_query(self.fields.source_key, source))?;
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

    /// Counts the entries of each [`Document::source`](recall_sources::Document::source), such as
    /// `slack:incidents`. Entries that were removed count until their segment is merged.
    pub fn entries_by_source(&self) -> Result<BTreeMap<String, u64>, IndexError> {
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

    /// Gives every entry, in order of id.
    pub fn all(&self) -> Result<Vec<EntryId>, IndexError> {
        self.ids(&AllQuery)
    }
}
