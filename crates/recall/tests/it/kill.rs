//! A writer that is killed at any moment loses nothing that was committed.

use std::thread::sleep;
use std::time::Duration;

use crate::corpus::{Corpus, Seeded, note};
use crate::program::{ask, good, ids, recall, start};

const NOTES: usize = 40;
const KILLS: usize = 60;

#[test]
fn killed_at_random_moments_it_answers_and_the_next_run_completes() {
    let corpus = Corpus::notes(NOTES);
    good(corpus.path(), &["index", "."]);
    let mut seeded = Seeded::new(20_261_129);
    let mut versions = [0; NOTES];
    for round in 1..=KILLS {
        for _ in 0..4 {
            let number = seeded.below(NOTES as u64) as usize;
            versions[number] = round;
            corpus.write(&format!("note-{number:03}.md"), &note(number, round));
        }
        let mut child = start(corpus.path(), &["index"]);
        sleep(Duration::from_millis(seeded.below(1200)));
        child.kill().expect("the process was ours to kill");
        child.wait().expect("it ended");
        // The last generation answers, whichever it is: every note once, in one version.
        let answer = ask(
            corpus.path(),
            &["--mode", "keyword", "--show-weak", "-k", "100", "touch it again"],
        );
        let mut found = ids(&answer);
        found.sort();
        found.dedup();
        assert_eq!(found.len(), NOTES, "after kill {round}: {answer}");
        if round % 10 == 0 {
            let check = recall(corpus.path(), &["check"]);
            assert_eq!(check.code, Some(0), "after kill {round}: {check:?}");
        }
    }
    good(corpus.path(), &["index"]);
    let disturbed = answers(&corpus, &versions);
    good(corpus.path(), &["index", "--rebuild"]);
    assert_eq!(disturbed, answers(&corpus, &versions), "a fresh index of the same folder");
}

/// Documents, vectors, and the first hit for the newest revision of each tenth note.
fn answers(corpus: &Corpus, versions: &[usize]) -> Vec<String> {
    let status = good(corpus.path(), &["status", "--json"]);
    let status: serde_json::Value = serde_json::from_str(&status.stdout).unwrap();
    let mut out = vec![
        status["documents"].to_string(),
        status["chunks"].to_string(),
        status["vectors"].to_string(),
    ];
    for (number, version) in versions.iter().enumerate().step_by(10) {
        let question = format!("R{number}-{version}");
        let answer = ask(corpus.path(), &[&question]);
        assert_eq!(ids(&answer)[0], format!("note-{number:03}.md"), "{answer}");
        out.extend(ids(&answer));
    }
    out
}

#[test]
fn two_writers_and_the_second_says_who_holds_the_lock() {
    let corpus = Corpus::notes(4);
    good(corpus.path(), &["index", "."]);
    // Held as another process holds it: by the kernel, on the lock file.
    let lock =
        std::fs::File::options().write(true).open(corpus.index().join("writer.lock")).unwrap();
    lock.lock().unwrap();
    let second = recall(corpus.path(), &["index"]);
    assert_eq!(second.code, Some(2), "{second:?}");
    assert!(second.stderr.contains("another process is writing"), "{}", second.stderr);
    assert!(second.stderr.contains("process "), "{}", second.stderr);
    // Readers do not care.
    assert_eq!(ids(&ask(corpus.path(), &["TICKET-0002"]))[0], "note-002.md");
    drop(lock);
    good(corpus.path(), &["index"]);
}
