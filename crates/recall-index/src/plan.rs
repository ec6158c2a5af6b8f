//! What a run will do: the disk compared with the catalogue.

use std::collections::{BTreeMap, BTreeSet};

use recall_sources::{Problem, Source};

use crate::catalogue::{SourceId, SourceRecord};

/// A source on disk with the hash of its content.
#[derive(Debug, Clone)]
pub struct Found {
    /// Number of its root.
    pub root: u32,
    /// The source.
    pub source: Source,
    /// BLAKE3 of its content.
    pub hash: [u8; 32],
}

impl Found {
    /// Gives its root and path, by which the catalogue knows it.
    pub fn id(&self) -> SourceId {
        (self.root, self.source.path.clone())
    }
}

/// Says what a run will do.
#[derive(Debug, Default)]
pub struct Plan {
    /// Sources that are new.
    pub add: Vec<Found>,
    /// Sources whose content changed, or that could not be read the last time.
    pub change: Vec<Found>,
    /// Sources whose documents go.
    pub remove: Vec<SourceId>,
    /// How many sources are as they were.
    pub keep: u64,
    /// Sources as they were whose time of change is another: remembered, not read.
    pub touched: Vec<Found>,
    /// What was skipped, by root.
    pub problems: Vec<(u32, Problem)>,
}

impl Plan {
    /// Whether nothing needs to be written.
    pub fn is_empty(&self) -> bool {
        self.add.is_empty() && self.change.is_empty() && self.remove.is_empty()
    }
}

/// Compares what was found under `roots` with the catalogue. A source that was not found is removed,
/// unless it lies under something that could not be read.
pub(crate) fn plan(
    known: &BTreeMap<SourceId, SourceRecord>,
    roots: &[u32],
    found: Vec<Found>,
    problems: Vec<(u32, Problem)>,
) -> Plan {
    let mut plan = Plan::default();
    let mut seen = BTreeSet::new();
    for source in found {
        seen.insert(source.id());
        match known.get(&source.id()) {
            None => plan.add.push(source),
            Some(record) if record.hash == Some(source.hash) => {
                plan.keep += 1;
                if record.modified != source.source.modified {
                    plan.touched.push(source);
                }
            }
            Some(_) => plan.change.push(source),
        }
    }
    let gone = known.iter().filter(|(id, record)| {
        let (root, path) = *id;
        let named = problems.iter().any(|(of, problem)| of == root && problem.path == *path);
        let still_skipped = named && record.documents == 0;
        roots.contains(root)
            && !seen.contains(*id)
            && !still_skipped
            && !kept(*root, path, &problems)
    });
    plan.remove = gone.map(|(id, _)| id.clone()).collect();
    plan.problems = problems;
    plan
}

/// Whether a path is, or lies under, something that could not be read.
fn kept(root: u32, path: &str, problems: &[(u32, Problem)]) -> bool {
    let keeps = |problem: &Problem| problem.reason.keeps_what_was_indexed();
    problems.iter().any(|(of, problem)| *of == root && keeps(problem) && problem.covers(path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use recall_sources::Reason;

    fn record(hash: u8) -> SourceRecord {
        SourceRecord {
            hash: Some([hash; 32]),
            bytes: 1,
            modified: 0,
            format: "text".into(),
            documents: 1,
            messages: 1,
            problems: Vec::new(),
        }
    }

    fn found(path: &str, hash: u8) -> Found {
        let source = Source {
            path: path.into(),
            absolute: path.into(),
            bytes: 1,
            modified: 0,
            is_folder: false,
        };
        Found { root: 0, source, hash: [hash; 32] }
    }

    #[track_caller]
    fn check(on_disk: &[(&str, u8)], unreadable: &[&str], expected: &str) {
        let known: BTreeMap<SourceId, SourceRecord> =
            [("a", 1), ("b/c", 2), ("b/d", 3)].map(|(p, h)| ((0, p.to_owned()), record(h))).into();
        let found = on_disk.iter().map(|(p, h)| found(p, *h)).collect();
        let problem = |path: &&str| {
            (
                0,
                Problem {
                    path: (*path).into(),
                    line: None,
                    reason: Reason::Unreadable("denied".into()),
                },
            )
        };
        let plan = plan(&known, &[0], found, unreadable.iter().map(problem).collect());
        let names =
            |sources: &[Found]| sources.iter().map(|f| f.source.path.clone()).collect::<Vec<_>>();
        let removed: Vec<String> = plan.remove.into_iter().map(|(_, path)| path).collect();
        let got = format!(
            "+{:?} ~{:?} -{removed:?} ={}",
            names(&plan.add),
            names(&plan.change),
            plan.keep
        );
        assert_eq!(got, expected);
    }

    #[test]
    fn compares_the_disk_with_the_catalogue() {
        check(&[("a", 1), ("b/c", 2), ("b/d", 3)], &[], "+[] ~[] -[] =3");
        check(&[("a", 9), ("e", 1)], &[], r#"+["e"] ~["a"] -["b/c", "b/d"] =0"#);
    }

    #[test]
    fn what_cannot_be_read_is_kept() {
        check(&[("a", 1)], &["b"], "+[] ~[] -[] =1");
        check(&[], &["."], "+[] ~[] -[] =0");
        check(&[("a", 1), ("b/c", 2)], &["b/d"], "+[] ~[] -[] =2");
        check(&[("a", 1), ("b/c", 2)], &["b/x"], r#"+[] ~[] -["b/d"] =2"#);
    }
}
