//! Files of an index that were cut, flipped or deleted: a clear error or a right answer, never a
//! crash or a wrong one; and `check` names what is damaged, `check --repair` rebuilds it.

use std::fs;
use std::path::{Path, PathBuf};

use crate::corpus::{Corpus, Seeded};
use crate::program::{ask, good, ids, recall};

const QUESTION: &str = "TICKET-0007";

/// Every file of the index but those that can be lost without harm.
fn files(index: &Path) -> Vec<PathBuf> {
    let mut out = vec![index.join("manifest.json")];
    for part in ["keyword", "vectors", "catalogue"] {
        let entries = fs::read_dir(index.join(part)).unwrap();
        out.extend(entries.map(|entry| entry.unwrap().path()));
    }
    out.retain(|path| {
        fs::metadata(path).unwrap().len() > 0 && !path.to_string_lossy().ends_with(".lock")
    });
    out.sort();
    out
}

/// Whether the answer is the right one, or there is none and the error says so.
fn is_honest(corpus: &Corpus, what: &str, mode: &str, expected: &[String]) {
    let ran = recall(corpus.path(), &["query", "--json", "--mode", mode, QUESTION]);
    match ran.code {
        Some(0) => {
            let answer: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
            assert_eq!(ids(&answer)[0], expected[0], "{what}: a wrong answer: {}", ran.stdout);
        }
        Some(2) => assert!(ran.stderr.contains("hint:"), "{what}: no hint: {}", ran.stderr),
        code => panic!("{what}: ended with {code:?}: {}", ran.stderr),
    }
}

#[test]
fn no_damage_makes_a_crash_or_a_wrong_answer() {
    let corpus = Corpus::notes(20);
    good(corpus.path(), &["index", "."]);
    let expected = ids(&ask(corpus.path(), &["--mode", "keyword", QUESTION]));
    let mut seeded = Seeded::new(7);
    for path in files(&corpus.index()) {
        let sound = fs::read(&path).unwrap();
        let name = path.strip_prefix(corpus.index()).unwrap().display().to_string();
        for round in 0..4 {
            let mut bad = sound.clone();
            let at = seeded.below(sound.len() as u64) as usize;
            let what = match round {
                0 | 1 => {
                    bad[at] ^= 1 << seeded.below(8);
                    format!("{name}: a bit flipped in byte {at}")
                }
                2 => {
                    bad.truncate(at);
                    format!("{name}: cut at {at}")
                }
                _ => {
                    let end = (at + 4096).min(bad.len());
                    bad[at..end].fill(0);
                    format!("{name}: zeros from {at}")
                }
            };
            if bad == sound {
                continue;
            }
            fs::write(&path, &bad).unwrap();
            is_honest(&corpus, &what, "keyword", &expected);
            if round == 0 {
                is_honest(&corpus, &what, "hybrid", &expected);
                let check = recall(corpus.path(), &["check"]);
                assert_eq!(check.code, Some(1), "{what}: check did not notice: {check:?}");
                let file = path.file_name().unwrap().to_str().unwrap();
                assert!(check.stdout.contains(file), "{what}: not named: {}", check.stdout);
            }
        }
        fs::remove_file(&path).unwrap();
        is_honest(&corpus, &format!("{name}: deleted"), "keyword", &expected);
        fs::write(&path, &sound).unwrap();
    }
    assert_eq!(recall(corpus.path(), &["check"]).code, Some(0));
}

#[test]
fn repair_rebuilds_what_is_damaged() {
    let corpus = Corpus::notes(20);
    good(corpus.path(), &["index", "."]);
    let expected = ask(corpus.path(), &[QUESTION])["hits"].clone();
    for path in files(&corpus.index()).into_iter().step_by(3) {
        if !path.exists() {
            // A repair gave the files new names.
            continue;
        }
        let mut bytes = fs::read(&path).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 0x40;
        fs::write(&path, &bytes).unwrap();
        let repair = recall(corpus.path(), &["check", "--repair"]);
        assert_eq!(repair.code, Some(0), "{}: {repair:?}", path.display());
        let answer = ask(corpus.path(), &[QUESTION]);
        assert_eq!(answer["hits"][0]["id"], expected[0]["id"], "{}", path.display());
    }
}

#[test]
fn a_rebuild_keeps_the_folders_of_an_index_of_another_format_and_never_makes_an_empty_one() {
    let corpus = Corpus::notes(5);
    good(corpus.path(), &["index", "."]);
    let manifest = corpus.index().join("manifest.json");
    let text = fs::read_to_string(&manifest).unwrap();
    let (head, body) = text.split_once('\n').unwrap();
    let (magic, _) = head.split_once(' ').unwrap();
    fs::write(&manifest, format!("{magic} 1 0\n{body}")).unwrap();
    assert_eq!(recall(corpus.path(), &["query", QUESTION]).code, Some(2));
    good(corpus.path(), &["index", "--rebuild"]);
    assert_eq!(ask(corpus.path(), &[QUESTION])["coverage"]["documents"], 5);
    fs::write(&manifest, "nothing that can be read").unwrap();
    let lost = recall(corpus.path(), &["index", "--rebuild"]);
    assert_eq!(lost.code, Some(2), "{lost:?}");
    assert!(lost.stderr.contains("name them: recall index --rebuild FOLDER"), "{lost:?}");
}
