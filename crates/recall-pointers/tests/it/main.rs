//! The crate as its callers see it, on folders on disk.

mod edits;
mod fixture;
mod history;
mod identity;
mod linter;
mod memory;
mod own_dataset;
