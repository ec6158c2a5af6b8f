//! Engines without recall around them.

pub(crate) mod bm25;
pub(crate) mod hnsw;
#[cfg(feature = "peers")]
pub(crate) mod sqlite;

use std::path::Path;

use clap::ValueEnum;

use crate::beir;
use crate::outcome::Outcome;

/// Engines that index words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Peer {
    /// tantivy.
    Tantivy,
    /// SQLite's FTS5.
    Fts5,
}

impl Peer {
    /// As it is named to a child.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Tantivy => "tantivy",
            Self::Fts5 => "fts5",
        }
    }

    /// Whether it is built in.
    pub(crate) fn is_here(self) -> bool {
        self == Self::Tantivy || cfg!(feature = "peers")
    }
}

/// Indexes the texts of `corpus` at `target`, where nothing is yet, and asks one question.
pub(crate) fn keyword(peer: Peer, corpus: &Path, target: &Path, question: &str) -> Outcome<()> {
    let texts = beir::documents(corpus)?.map(|document| Ok(document?.searched()));
    match peer {
        Peer::Tantivy => {
            let index = bm25::Bm25::build(target, texts)?;
            std::hint::black_box(index.search(question, 10)?);
        }
        #[cfg(feature = "peers")]
        Peer::Fts5 => {
            let index = sqlite::Sqlite::build(target, texts)?;
            std::hint::black_box(index.search(question, 10)?);
        }
        #[cfg(not(feature = "peers"))]
        Peer::Fts5 => return Err("built without --features peers".into()),
    }
    Ok(())
}
