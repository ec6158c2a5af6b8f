//! Files and exports in, documents out.
//!
//! Every format parser of recall lives here. No index, no model, no native code.

pub mod date;
pub mod document;
pub mod problem;

pub use date::Date;
pub use document::{Document, Kind, Message, Span};
pub use problem::{Problem, Reason};
