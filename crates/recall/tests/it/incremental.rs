//! The index equals the disk after every run.

use std::fs;

use crate::corpus::{Corpus, note};
use crate::program::{ask, good, ids};

#[test]
fn edits_removals_and_renames_reach_both_sides() {
    let corpus = Corpus::notes(12);
    good(corpus.path(), &["index", "."]);
    assert_eq!(ids(&ask(corpus.path(), &["TICKET-0003"]))[0], "note-003.md");

    corpus
        .write("note-003.md", "# Changed\n\nNothing of the old text is here: purple elephants.\n");
    corpus.remove("note-004.md");
    fs::rename(corpus.path().join("note-005.md"), corpus.path().join("renamed.md")).unwrap();
    let run = good(corpus.path(), &["index", ".", "--json"]);
    let summary: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(summary["files"]["changed"], 1);
    assert_eq!(summary["files"]["removed"], 2);
    assert_eq!(summary["files"]["added"], 1);
    // Only the changed text is new to the model: the renamed one keeps its vector.
    assert_eq!(summary["embedded"], 1, "{summary}");

    for mode in ["keyword", "vector", "hybrid"] {
        let gone = ask(
            corpus.path(),
            &["--mode", mode, "--show-weak", "-k", "50", "TICKET-0004 TICKET-0003 revision"],
        );
        let gone = ids(&gone);
        assert!(!gone.contains(&"note-004.md".to_owned()), "{mode}: {gone:?}");
        assert!(!gone.contains(&"note-005.md".to_owned()), "{mode}: {gone:?}");
    }
    assert_eq!(ids(&ask(corpus.path(), &["TICKET-0005"]))[0], "renamed.md");
    assert_eq!(ids(&ask(corpus.path(), &["purple elephants"]))[0], "note-003.md");
    assert!(
        ids(&ask(corpus.path(), &["TICKET-0003"])).first().is_none_or(|id| id != "note-003.md")
    );
}

#[test]
fn an_unchanged_folder_costs_no_commit() {
    let corpus = Corpus::notes(3);
    good(corpus.path(), &["index", "."]);
    let before = fs::read(corpus.index().join("manifest.json")).unwrap();
    good(corpus.path(), &["index"]);
    assert_eq!(fs::read(corpus.index().join("manifest.json")).unwrap(), before);
}

#[test]
fn a_root_that_is_away_is_no_deletion() {
    let corpus = Corpus::empty();
    corpus.write("docs/a.md", "the quick brown fox");
    let docs = corpus.path().join("docs");
    let index = corpus.path().join("idx");
    let index = index.to_str().unwrap();
    good(corpus.path(), &["index", "docs", "--index", index]);
    fs::rename(&docs, corpus.path().join("away")).unwrap();
    good(corpus.path(), &["index", "--index", index]);
    assert_eq!(ids(&ask(corpus.path(), &["--index", index, "brown fox"])), ["a.md"]);
    fs::rename(corpus.path().join("away"), &docs).unwrap();
    good(corpus.path(), &["index", "--index", index]);
    assert_eq!(ids(&ask(corpus.path(), &["--index", index, "brown fox"])), ["a.md"]);
}

#[test]
fn twenty_rounds_of_edits_do_not_let_the_index_grow() {
    let corpus = Corpus::notes(60);
    good(corpus.path(), &["index", "."]);
    for round in 1..=20 {
        for number in (0..6).map(|i| (round * 7 + i * 10) % 60) {
            corpus.write(&format!("note-{number:03}.md"), &note(number, round));
        }
        good(corpus.path(), &["index"]);
    }
    let edited = size(&corpus);
    good(corpus.path(), &["index", "--rebuild", "--optimize"]);
    let fresh = size(&corpus);
    assert!(edited <= fresh * 3 / 2, "{edited} bytes after the edits, {fresh} fresh");
}

fn size(corpus: &Corpus) -> u64 {
    let status = good(corpus.path(), &["status", "--json"]);
    let status: serde_json::Value = serde_json::from_str(&status.stdout).unwrap();
    status["index_bytes"].as_object().unwrap().values().map(|v| v.as_u64().unwrap()).sum()
}

#[test]
fn a_dry_run_says_what_it_would_do_and_writes_nothing() {
    let corpus = Corpus::notes(2);
    let run = good(corpus.path(), &["index", ".", "--dry-run"]);
    assert!(run.stdout.contains("+ note-000.md (markdown"), "{}", run.stdout);
    assert!(!corpus.index().exists());
}
