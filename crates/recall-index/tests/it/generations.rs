//! What happens to an index over its life: changes, deletions, merging, reopening, other formats.

use std::fs;

use recall_index::{ChunkSettings, IndexError, Indexer, Manifest, check};

use crate::corpus::{Corpus, found};

#[test]
fn what_changes_on_disk_changes_in_the_index() {
    let corpus = Corpus::new(&[("a.md", "lamp"), ("b.md", "disk")]);
    let check = |question: &str, expected: &[&str]| {
        assert_eq!(found(&corpus.snapshot(), question), expected, "{question}");
        assert_eq!(check(&corpus.index()).unwrap(), [], "every byte as the manifest says");
    };
    check("lamp", &["a.md"]);
    corpus.write("a.md", "fan");
    corpus.update();
    check("lamp", &[]);
    check("fan", &["a.md"]);
    corpus.remove("b.md");
    assert_eq!(corpus.update().documents_removed, 1);
    check("disk", &[]);
    corpus.write("c.md", "disk");
    corpus.update();
    check("disk", &["c.md"]);
    let snapshot = corpus.snapshot();
    assert_eq!((snapshot.keyword().entries(), snapshot.manifest().counts.documents), (2, 2));
    assert!(snapshot.keyword().at_path("b.md").unwrap().is_empty());
    assert!(!corpus.index().join("keyword/meta.json").exists(), "the manifest is the commit point");
}

#[test]
fn a_run_without_changes_writes_nothing() {
    let corpus = Corpus::new(&[("a.md", "lamp")]);
    let before = Manifest::identity(&corpus.index()).unwrap();
    assert_eq!(corpus.update().sources_kept, 1);
    assert_eq!(Manifest::identity(&corpus.index()).unwrap(), before);
}

#[test]
fn an_opened_generation_answers_while_newer_ones_are_made() {
    let corpus = Corpus::new(&[("a.md", "lamp"), ("b.md", "disk")]);
    let old = corpus.snapshot();
    corpus.remove("a.md");
    corpus.update_with(true);
    assert_eq!(found(&old, "lamp"), ["a.md"]);
    let entry = old.keyword().fetch(old.keyword().all().unwrap()[0]).unwrap();
    assert_eq!(entry.document.text, "lamp");
    assert_eq!(found(&corpus.snapshot(), "lamp"), [""; 0]);
}

#[test]
fn merging_changes_no_answer() {
    let corpus = Corpus::new(&[("00.md", "lamp 0 panel")]);
    let segments = || {
        let files = corpus.snapshot().manifest().keyword.files.clone();
        files.iter().filter(|file| file.name.ends_with(".store")).count()
    };
    let (mut most, mut names) = (0, Vec::new());
    for i in 1..20 {
        names.push(format!("{i:02}.md"));
        corpus.write(&names[i - 1], &format!("lamp {i} panel"));
        corpus.write("00.md", &format!("panel in its state number {i}"));
        corpus.update();
        most = most.max(segments());
        let snapshot = corpus.snapshot();
        let mut lamps = found(&snapshot, "lamp");
        lamps.sort();
        assert_eq!(lamps, names);
        assert_eq!(found(&snapshot, "state"), ["00.md"]);
        assert_eq!(snapshot.keyword().entries(), names.len() as u64 + 1);
    }
    assert!((4..8).contains(&most), "{most} segments side by side");
    let before = found(&corpus.snapshot(), "lamp 7");
    corpus.update_with(true);
    assert_eq!(segments(), 1);
    let snapshot = corpus.snapshot();
    let after = found(&snapshot, "lamp 7");
    assert_eq!((after[0].as_str(), before[0].as_str()), ("07.md", "07.md"));
    assert_eq!(snapshot.keyword().entries_by_source().unwrap()["file"], 20);
    assert_eq!(check(&corpus.index()).unwrap(), []);
}

#[test]
fn another_format_is_refused_and_made_again() {
    let corpus = Corpus::new(&[("a.md", "lamp")]);
    let path = corpus.index().join("manifest.json");
    let text = fs::read_to_string(&path).unwrap();
    let current: u32 = text.split(' ').nth(1).unwrap().parse().unwrap();
    let older = text.replacen(&format!(" {current} "), " 2 ", 1);
    fs::write(&path, older).unwrap();
    match corpus.indexer().map(drop) {
        Err(IndexError::OtherFormat { found: 2, expected, .. }) => assert_eq!(expected, current),
        other => panic!("{other:?}"),
    }
    let indexer = Indexer::rebuild(&corpus.index(), ChunkSettings::default(), false).unwrap();
    assert_eq!(indexer.manifest().roots, [corpus.root()]);
}

#[test]
fn one_writer_at_a_time() {
    let corpus = Corpus::new(&[]);
    let held = corpus.indexer().unwrap();
    assert!(matches!(corpus.indexer(), Err(IndexError::Locked { .. })));
    drop(held);
    assert!(corpus.indexer().is_ok());
}
