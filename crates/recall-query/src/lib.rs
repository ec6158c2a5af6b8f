//! The front door of recall for Rust programs: make an index, ask it.
//!
//! # Make an index
//!
//! A [`Builder`] brings a folder of index files up to date with folders and exports on disk. Words
//! can be searched as soon as they are read; vectors follow, if a model is on this machine
//! (`recall_embed::pull` fetches one). What was read, skipped and changed is in [`Built::summary`].
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//!
//! use recall_query::{BuildSettings, Builder};
//!
//! # let folder = tempfile::tempdir()?;
//! # let (notes, index) = (folder.path().join("notes"), folder.path().join("index"));
//! # std::fs::create_dir(&notes)?;
//! std::fs::write(notes.join("ledger.md"), "# Ledger\n\nLEDGER_CACHE_MAX=20000 made reports fast.\n")?;
//! std::fs::write(notes.join("deploy.md"), "# Deploy\n\nDeploys run on Tuesdays.\n")?;
//!
//! let settings = BuildSettings { keyword_only: true, ..BuildSettings::default() };
//! let builder = Builder::new(&index, settings, &Builder::installed)?;
//! let stop = AtomicBool::new(false);
//! let built = builder.build(&[notes], &Default::default(), &|_progress| {}, &stop)?;
//! assert_eq!(built.manifest.counts.documents, 2);
//! assert!(built.summary.problems.is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Ask it
//!
//! An [`Engine`] answers a [`Query`] with an [`Answer`]: hits with their text, place, date and
//! relevance, cut to those that are relevant; "nothing relevant" is an answer too, and no error.
//!
//! ```
//! # use std::sync::atomic::AtomicBool;
//! # use recall_query::{BuildSettings, Builder};
//! # let folder = tempfile::tempdir()?;
//! # let (notes, index) = (folder.path().join("notes"), folder.path().join("index"));
//! # std::fs::create_dir(&notes)?;
//! # std::fs::write(notes.join("ledger.md"), "# Ledger\n\nLEDGER_CACHE_MAX=20000 made reports fast.\n")?;
//! # std::fs::write(notes.join("deploy.md"), "# Deploy\n\nDeploys run on Tuesdays.\n")?;
//! # let settings = BuildSettings { keyword_only: true, ..BuildSettings::default() };
//! # let builder = Builder::new(&index, settings, &Builder::installed)?;
//! # builder.build(&[notes], &Default::default(), &|_| {}, &AtomicBool::new(false))?;
//! use recall_query::{Engine, Mode, Query};
//!
//! let engine = Engine::new();
//! let answer = engine.answer(&Query::new(&index, "LEDGER_CACHE_MAX"))?;
//! assert_eq!(answer.hits[0].title, "Ledger");
//! assert!(answer.hits[0].exact && answer.hits[0].relevance > answer.threshold);
//! // There are no vectors in this index, so keywords answered, and the answer says so.
//! assert_eq!(answer.mode, Mode::Keyword);
//! assert!(answer.degraded.is_some());
//!
//! let answer = engine.answer(&Query::new(&index, "how do I bake sourdough bread"))?;
//! assert!(answer.nothing_relevant && answer.hits.is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Below the door
//!
//! [`Engine::searcher`] gives every candidate instead of an answer, for evaluation and explanations.
//! [`question`] takes the words apart, [`features`] are what both retrievers say of a document,
//! [`fuse`] makes one score of them, [`relevance`] says how likely the document is to answer, and
//! [`ranking`] holds the documents in their order. These are pure.
//!
//! The library knows no flags and prints nothing. It starts no process and uses no network.

#![forbid(unsafe_code)]

pub mod answer;
mod build;
mod conditions;
mod degraded;
mod engine;
mod error;
pub mod features;
pub mod fuse;
mod hits;
mod models;
pub mod passage;
mod pointers;
mod query;
pub mod question;
pub mod ranking;
pub mod relevance;
mod search;
mod stale;
pub mod when;

pub use answer::{Answer, Hit, Stale};
pub use build::{BuildError, BuildSettings, Builder, Built, NoVectors, Words, embed_missing};
pub use conditions::Conditions;
pub use degraded::Degraded;
pub use engine::Engine;
pub use error::{BadCondition, QueryError};
pub use hits::{TextBudget, whole_text};
pub use models::Models;
pub use query::{Mode, Query, Request};
pub use ranking::{Ranked, Ranking};
pub use search::Searcher;
