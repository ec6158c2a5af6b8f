//! The memory folder of this repository's own.

use std::path::{Path, PathBuf};

use recall_pointers::{FolderSpec, HeadingWords, LineKind, Memory, Standing, budget, open};

use crate::fixture::lint;

fn datasets() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../datasets")
}

fn own_memory() -> Memory {
    let spec = |namespace: &str, path: &str| FolderSpec {
        namespace: namespace.into(),
        path: datasets().join(path),
        root: None,
    };
    let specs = [spec("recall", "memory"), spec("agent", "memory/agent")];
    Memory::open(&specs, &HeadingWords::default()).unwrap()
}

#[test]
fn it_has_no_findings() {
    let report = lint(&own_memory(), false);
    assert_eq!(report.findings, [], "{report}");
    assert!(report.statements >= 20 && report.entries >= 12, "{report}");
}

#[test]
fn every_kind_is_there_in_both_shapes() {
    let memory = own_memory();
    let count = |kind| memory.statements().filter(|(_, _, s)| s.kind == kind).count();
    assert!(count(LineKind::Preference) >= 6);
    assert!(count(LineKind::Decision) >= 6);
    assert_eq!(count(LineKind::Procedure), 4);
    assert_eq!(count(LineKind::Entry), 5);
    assert_eq!(count(LineKind::Other), 1);
}

#[test]
fn it_fits_its_reader() {
    for page in budget(&own_memory(), Default::default()) {
        assert_eq!(page.standing, Standing::Fits, "{page}");
    }
}

#[test]
fn a_runbook_opens_whole() {
    let runbook = datasets().join("runbooks/restore-index.md");
    for name in ["restore-index", "Restore a damaged index", "recall:damaged index"] {
        let opened = open(&own_memory(), name).unwrap();
        assert_eq!(opened.bytes, std::fs::read(&runbook).unwrap(), "{name}");
    }
}
