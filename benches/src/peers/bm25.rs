//! Bare tantivy: one text field, the default tokenizer.

use std::path::Path;

use tantivy::collector::TopDocs;
use tantivy::query::QueryParser;
use tantivy::schema::{Field, STORED, Schema, TEXT};
use tantivy::{Index, Searcher, TantivyDocument};

use crate::outcome::Outcome;

/// Memory of the writer, all threads together, as in tantivy's own examples.
const HEAP_BYTES: usize = 100 << 20;

/// An index of texts, open to search.
pub(crate) struct Bm25 {
    index: Index,
    searcher: Searcher,
    text: Field,
}

impl Bm25 {
    /// Indexes `texts` in an empty folder.
    pub(crate) fn build(
        folder: &Path,
        texts: impl Iterator<Item = Outcome<String>>,
    ) -> Outcome<Self> {
        std::fs::create_dir_all(folder)?;
        let mut schema = Schema::builder();
        let text = schema.add_text_field("text", TEXT | STORED);
        let index = Index::create_in_dir(folder, schema.build())?;
        let mut writer = index.writer(HEAP_BYTES)?;
        for one in texts {
            let mut document = TantivyDocument::new();
            document.add_text(text, one?);
            writer.add_document(document)?;
        }
        writer.commit()?;
        writer.wait_merging_threads()?;
        let searcher = index.reader()?.searcher();
        Ok(Self { index, searcher, text })
    }

    /// The scores of the best `limit` texts.
    pub(crate) fn search(&self, question: &str, limit: usize) -> Outcome<Vec<f32>> {
        let parser = QueryParser::for_index(&self.index, vec![self.text]);
        let (query, _) = parser.parse_query_lenient(question);
        let found = self.searcher.search(&query, &TopDocs::with_limit(limit).order_by_score())?;
        Ok(found.into_iter().map(|(score, _)| score).collect())
    }
}
