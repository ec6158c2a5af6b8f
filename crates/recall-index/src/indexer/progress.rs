//! What a run is asked to do, how far it is, and what it did.

use std::collections::BTreeMap;

use recall_sources::{Problem, ReadOptions, ScanOptions};

/// Says which files a run reads, and how.
#[derive(Debug, Clone, Default)]
pub struct IndexOptions {
    /// Which files.
    pub scan: ScanOptions,
    /// How they are read.
    pub read: ReadOptions,
    /// Merge all segments at the end.
    pub optimize: bool,
}

/// How far a run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IndexProgress {
    /// Looking for files: sources seen so far.
    Scan {
        /// Sources seen.
        sources: u64,
    },
    /// Reading: of the bytes of new and changed sources.
    Read {
        /// Bytes read.
        done: u64,
        /// Bytes to read.
        total: u64,
        /// Documents so far.
        documents: u64,
    },
    /// The keyword side is committed: searchable now.
    Searchable,
    /// Embedding: of the texts without a vector.
    Embed {
        /// Texts embedded.
        done: u64,
        /// Texts to embed.
        total: u64,
        /// Tokens so far.
        tokens: u64,
    },
    /// Building a graph over a large segment.
    Graph {
        /// Vectors added.
        done: u64,
        /// Vectors in the segment.
        total: u64,
    },
}

/// Receives steps; called from several threads.
pub type OnProgress<'a> = dyn Fn(IndexProgress) + Sync + 'a;

/// Says what a run did, in counts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Summary {
    /// Sources that are new.
    pub sources_added: u64,
    /// Sources whose content changed.
    pub sources_changed: u64,
    /// Sources that are gone and had documents.
    pub sources_removed: u64,
    /// Sources as they were.
    pub sources_kept: u64,
    /// Documents added or rewritten.
    pub documents_written: u64,
    /// Documents removed, without those rewritten.
    pub documents_removed: u64,
    /// Documents of changed sources that were as they were.
    pub documents_kept: u64,
    /// Bytes read.
    pub bytes_read: u64,
    /// Texts that got a vector.
    pub embedded: u64,
    /// Texts that still have no vector.
    pub pending: u64,
    /// Credentials masked, by kind.
    pub redacted: BTreeMap<String, u64>,
    /// Formats recognised: sources by format.
    pub formats: BTreeMap<String, u64>,
    /// What was skipped or read in part in this run.
    pub problems: Vec<Problem>,
}
