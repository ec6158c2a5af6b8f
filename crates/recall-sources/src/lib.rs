//! Files and exports in, documents out.
//!
//! Every format parser of recall lives here, and every rule that more than one crate needs: what is
//! [front matter](front_matter), which documents are kept [whole](is_kept_whole), which files are [pages of the
//! pointer index](pointer_page), what a [credential] looks like. No index, no model, no native code.
//!
//! [`scan`] walks a root and gives a [`Source`] for each file or export under it; [`Source::read`]
//! turns one into [`Document`]s, streaming. Whatever cannot be read comes as a [`Problem`].
//! [`readers`] says how to add a format.
//!
//! ```no_run
//! use std::ops::ControlFlow;
//! use std::path::Path;
//!
//! use recall_sources::{ReadOptions, ScanOptions, scan};
//!
//! for source in scan(Path::new("notes"), &ScanOptions::default()).flatten() {
//!     let reading = source.read(&ReadOptions::default(), &mut |item| {
//!         match item {
//!             Ok(document) => println!("{}: {}", document.id, document.title),
//!             Err(problem) => eprintln!("{problem}"),
//!         }
//!         ControlFlow::Continue(())
//!     });
//!     if let Err(problem) = reading {
//!         eprintln!("{problem}");
//!     }
//! }
//! ```

#![forbid(unsafe_code)]

pub mod archive;
mod bytes;
pub mod credential;
pub mod date;
pub mod document;
mod encoding;
mod fields;
mod format;
pub mod front_matter;
mod globs;
pub mod input;
mod leaves;
pub mod pointer_page;
pub mod problem;
pub mod readers;
pub mod reading;
mod record;
pub mod redact;
mod scan;
mod source;
mod whole;

pub use bytes::{is_kept_whole, read_bytes};
pub use date::Date;
pub use document::{Document, Kind, Message, Span};
pub use fields::{BadFieldMap, Field, FieldMap};
pub use format::{Format, Head, UnknownFormat};
pub use globs::{BadGlob, Globs};
pub use input::Input;
pub use problem::{Problem, Reason};
pub use reading::{Context, ReadOptions, Reading};
pub use scan::{ScanOptions, scan};
pub use source::Source;
