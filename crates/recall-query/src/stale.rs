//! Detects hits whose file may no longer say what is shown.

use std::path::Path;

use recall_index::{Freshness, FreshnessCheck, IndexError, Snapshot};
use recall_pointers::Project;
use recall_sources::Kind;

use crate::answer::{Hit, Stale};

impl Stale {
    fn of(freshness: Freshness) -> Option<Self> {
        match freshness {
            Freshness::Current => None,
            Freshness::Changed => Some(Self::Changed),
            Freshness::Gone => Some(Self::Gone),
            Freshness::Unreadable(why) => Some(Self::Unreadable(why)),
        }
    }
}

/// Judges freshness by the file's modification time.
pub(crate) fn by_date(file: &Path, snapshot: &Snapshot) -> Option<Stale> {
    Stale::of(snapshot.freshness(file, FreshnessCheck::ModificationTime))
}

/// Compares the content of the hits' files with what was indexed, and says which differ.
pub(crate) fn verify(snapshot: &Snapshot, hits: &mut [Hit]) -> Result<(), IndexError> {
    let catalogue = snapshot.catalogue()?;
    for hit in hits {
        let check = FreshnessCheck::Content(&catalogue);
        hit.stale = Stale::of(snapshot.freshness(&hit.file, check));
        if hit.kind == Kind::Memory && hit.stale.is_none() {
            hit.stale = missing_quotes(hit);
        }
    }
    Ok(())
}

/// Finds paths that a memory entry quotes and that no longer exist.
fn missing_quotes(hit: &Hit) -> Option<Stale> {
    let project = Project::at(hit.file.parent()?).ok()?;
    let missing = project.missing_quotes(&hit.file, hit.text.as_deref()?);
    (!missing.is_empty())
        .then(|| Stale::QuotesMissing(missing.iter().map(ToString::to_string).collect()))
}
