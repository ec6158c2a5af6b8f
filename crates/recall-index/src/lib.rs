//! Documents in, a searchable store on disk.
//!
//! # What it is
//! A folder with a keyword index (BM25), vectors of the same texts, a catalogue of the files that
//! were read, and a manifest that names them all and is replaced last. [`Indexer`] writes it,
//! [`Snapshot`] reads one generation of it, [`dry_run`] says what a run would do, [`check()`] compares
//! every byte.
//!
//! # What it is not
//! It does not judge: what it returns are candidates with their scores. It reads no format: that is
//! `recall-sources`. It runs no model: it is given a function that makes vectors ([`Embed`]). The
//! pointer index never enters it.
//!
//! # Invariants
//! - A whole document is one entry and is never cut (`entry.rs`).
//! - A vector belongs to a text, not to a place: a moved or doubled text costs nothing, and a text
//!   that is gone takes its vector with it (`segment.rs`).
//! - Nothing is visible before the manifest names it, and nothing is used before its checksum was
//!   found right (`manifest.rs`, `verified.rs`).

mod analysis;
mod catalogue;
mod check;
mod chunk;
mod durable;
mod entry;
mod error;
mod filter;
mod freshness;
mod graph;
mod indexer;
mod keyword;
mod lock;
mod manifest;
mod merge;
mod plan;
mod quantized;
mod queue;
mod segment;
mod snapshot;
mod stopwords;
mod terms;
mod vectors;
mod verified;

pub use analysis::{Analyzer, Term, fold, identifiers, is_identifier, literal, trim_punctuation};
pub use catalogue::{SourceCatalogue, SourceId, SourceRecord};
pub use check::{DamagedFile, check};
pub use chunk::{Chunk, ChunkSettings, TokenOffsets, chunk, estimated_tokens};
pub use entry::{ChunkRecord, Entry};
pub use error::IndexError;
pub use filter::Filter;
pub use freshness::{Freshness, FreshnessCheck};
pub use indexer::{
    Embed, EmbedFailure, IndexOptions, IndexProgress, Indexer, OnProgress, SharedTokenOffsets,
    Summary, dry_run, recognised,
};
pub use keyword::{Allowed, EntryId, KeywordReader};
pub use manifest::{Counts, Manifest, ModelRecord};
pub use plan::{Found, Plan};
pub use snapshot::Snapshot;
pub use stopwords::language;
pub use terms::{Clause, QueryTerm, TermField, Variant, clause, terms};
pub use vectors::Vectors;
