//! The fields of the index, and the index opened with them.

use std::path::Path;

use tantivy::schema::{
    BytesOptions, FAST, Field, IndexRecordOption, NumericOptions, Schema, TextFieldIndexing,
    TextOptions,
};
use tantivy::tokenizer::TokenizerManager;
use tantivy::{Index, IndexSettings};

use super::directory::StagedDirectory;
use super::tokenizer::Words;
use crate::manifest::KeywordRecord;

/// The name by which tantivy knows our analysis.
const TOKENIZER: &str = "recall";
/// Bytes of stored entries that are packed together: what entries have in common is then there once,
/// and fetching one unpacks so much.
const BLOCK_BYTES: usize = 48 << 10;

/// The fields of an entry; the schema says how each is kept.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fields {
    pub(super) body: Field,
    pub(super) identifier: Field,
    pub(super) document: Field,
    pub(super) source_key: Field,
    pub(super) content: Field,
    pub(super) part: Field,
    pub(super) chunk: Field,
    pub(super) date: Field,
    pub(super) language: Field,
    pub(super) id: Field,
    pub(super) path: Field,
    pub(super) kind: Field,
    pub(super) source: Field,
    pub(super) author: Field,
    pub(super) tag: Field,
    pub(super) field: Field,
    pub(super) entry: Field,
}

/// The schema, and its fields by name.
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
        source_key: builder.add_u64_field("source_key", column().set_indexed()),
        content: builder.add_u64_field("content", column()),
        part: builder.add_u64_field("part", column()),
        chunk: builder.add_u64_field("chunk", column()),
        date: builder.add_i64_field("date", column()),
        language: builder.add_u64_field("language", column()),
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

/// Opens the index in `folder` as `record` says it is; an empty one if it was never committed.
pub(super) fn open(
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

/// A metadata field with its value, as one term.
pub(super) fn field_term(name: &str, value: &str) -> String {
    format!("{}={}", name.to_lowercase(), value.to_lowercase())
}
