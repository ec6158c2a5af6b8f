//! The keyword index: BM25 over words, a field of identifiers, and the columns that filters and
//! the catalogue need. The only folder that names tantivy.
//!
//! [`KeywordWriter`] adds and removes entries; [`KeywordReader`] reads one generation of them. How a
//! commit becomes visible is told in `directory.rs`; what is written of an entry, in `schema.rs`
//! and `record.rs`.

mod allowed;
mod chunks;
mod columns;
mod directory;
mod lookup;
mod merging;
mod reader;
mod record;
mod removal;
mod schema;
mod search;
mod tokenizer;
mod writer;

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use tantivy::DocAddress;

use crate::error::IndexError;

pub use allowed::Allowed;
pub(crate) use lookup::IndexedDocument;
pub use reader::KeywordReader;
pub(crate) use writer::KeywordWriter;

/// Names an entry within one opened generation, by its segment and its number there. Another
/// generation gives other ids to the same entries; ties are broken by their order.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EntryId {
    segment: u32,
    number: u32,
}

impl From<DocAddress> for EntryId {
    fn from(address: DocAddress) -> Self {
        Self { segment: address.segment_ord, number: address.doc_id }
    }
}

impl From<EntryId> for DocAddress {
    fn from(id: EntryId) -> Self {
        Self::new(id.segment, id.number)
    }
}

/// Runs tantivy code, whose panics on damaged files must not reach a user.
fn contained<T>(folder: &Path, work: impl FnOnce() -> tantivy::Result<T>) -> Result<T, IndexError> {
    let failed = |detail: String| IndexError::Keyword { path: folder.to_owned(), detail };
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(result) => result.map_err(|error| failed(error.to_string())),
        Err(panic) => Err(failed(panic_text(panic.as_ref()))),
    }
}

fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|s| (*s).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "the engine stopped".to_owned())
}
