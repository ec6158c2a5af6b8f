//! Formats the summary of a run, as text or JSON.

use std::collections::BTreeMap;
use std::path::Path;

use recall_index::{Manifest, Summary};
use recall_sources::Problem;

use crate::failure::Failure;
use crate::print::{out, size};

/// Number of problems that a summary lists; `recall status` lists all.
const PROBLEMS_SHOWN: usize = 10;

/// What a run did, and the state of the index after it.
pub(super) struct Report<'a> {
    /// The index folder.
    pub folder: &'a Path,
    /// What was done.
    pub summary: &'a Summary,
    /// The manifest after the run.
    pub manifest: &'a Manifest,
    /// Seconds until keyword search worked.
    pub searchable_seconds: f64,
    /// Seconds until everything was done.
    pub seconds: f64,
    /// Why vectors are missing, if any are.
    pub no_vectors: Option<String>,
}

impl Report<'_> {
    /// Prints the report: JSON as data to standard output, text for the user to standard error.
    pub(super) fn print(&self, json: bool) -> Result<(), Failure> {
        if json {
            return out(&format!("{}\n", self.json()));
        }
        eprint!("{}", self.text());
        Ok(())
    }

    fn bytes(&self) -> u64 {
        self.manifest.files().map(|(_, file)| file.bytes).sum()
    }

    fn json(&self) -> serde_json::Value {
        let s = self.summary;
        let counts = self.manifest.counts;
        serde_json::json!({
            "index": self.folder, "generation": self.manifest.generation,
            "files": {"added": s.sources_added, "changed": s.sources_changed,
                      "removed": s.sources_removed, "kept": s.sources_kept},
            "documents": {"written": s.documents_written, "removed": s.documents_removed,
                          "kept": s.documents_kept, "total": counts.documents},
            "chunks": counts.chunks, "vectors": counts.vectors, "pending": s.pending,
            "embedded": s.embedded, "formats": s.formats, "redacted": s.redacted,
            "problems": s.problems, "no_vectors": self.no_vectors,
            "text_bytes": counts.text_bytes, "index_bytes": self.bytes(),
            "searchable_seconds": self.searchable_seconds, "seconds": self.seconds,
        })
    }

    fn text(&self) -> String {
        let s = self.summary;
        let counts = self.manifest.counts;
        let mut text = format!(
            "{} documents from {} files: {} new, {} changed, {} removed, {} unchanged\n",
            counts.documents,
            s.sources_added + s.sources_changed + s.sources_kept,
            s.sources_added,
            s.sources_changed,
            s.sources_removed,
            s.sources_kept,
        );
        text.push_str(&formats(&s.formats));
        text.push_str(&problems(&s.problems));
        if !s.redacted.is_empty() {
            let kinds: Vec<String> = s.redacted.iter().map(|(k, n)| format!("{n} {k}")).collect();
            text.push_str(&format!("masked: {}\n", kinds.join(", ")));
        }
        let vectors = match &self.no_vectors {
            Some(why) => {
                format!("{} of {} chunks have vectors: {why}", counts.vectors, counts.chunks)
            }
            None => format!("{} of {} chunks have vectors", counts.vectors, counts.chunks),
        };
        text.push_str(&format!(
            "{vectors}\n{} of files, {} of index in {}\nsearchable after {:.1} s, done in {:.1} s\n",
            size(counts.text_bytes),
            size(self.bytes()),
            self.folder.display(),
            self.searchable_seconds,
            self.seconds,
        ));
        text
    }
}

fn formats(formats: &BTreeMap<String, u64>) -> String {
    let list: Vec<String> = formats.iter().map(|(name, n)| format!("{n} {name}")).collect();
    if list.is_empty() { String::new() } else { format!("read as: {}\n", list.join(", ")) }
}

/// Formats problems, one per line.
pub(crate) fn problems(problems: &[Problem]) -> String {
    if problems.is_empty() {
        return String::new();
    }
    let warnings = problems.iter().filter(|p| p.reason.is_a_warning()).count();
    let mut text =
        format!("{} skipped, {warnings} read with a warning:\n", problems.len() - warnings);
    for problem in problems.iter().take(PROBLEMS_SHOWN) {
        text.push_str(&format!("  {problem}\n"));
    }
    if problems.len() > PROBLEMS_SHOWN {
        let more = problems.len() - PROBLEMS_SHOWN;
        text.push_str(&format!("  and {more} more: see `recall status`\n"));
    }
    text
}
