//! Readers, a writer and a resident process that is killed: no error, no stale answer, no lost
//! document.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::corpus::{Corpus, note};
use crate::program::{good, ids, recall};
use crate::runtime::{Runtime, send};

const NOTES: usize = 24;
const READERS: usize = 8;
const ROUNDS: usize = 8;

#[test]
fn eight_readers_while_a_writer_writes_and_the_resident_process_is_killed() {
    let corpus = Corpus::notes(NOTES);
    good(corpus.path(), &["index", "."]);
    let runtime = Runtime::new();
    // The version of each note that is committed: no later answer may show an older one.
    let committed: Vec<AtomicUsize> = (0..NOTES).map(|_| AtomicUsize::new(0)).collect();
    let is_over = AtomicBool::new(false);
    let killed = Mutex::new(Vec::new());
    let asked = AtomicUsize::new(0);
    thread::scope(|scope| {
        for reader in 0..READERS {
            let (corpus, runtime, committed) = (&corpus, &runtime, &committed);
            let (is_over, asked) = (&is_over, &asked);
            scope.spawn(move || {
                let mut number = reader;
                while !is_over.load(Ordering::Relaxed) {
                    number = (number + 5) % NOTES;
                    let known = committed[number].load(Ordering::SeqCst);
                    let answer = runtime.ask(corpus.path(), &[&format!("TICKET-{number:04}")]);
                    check(&answer, number, known);
                    asked.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        for round in 1..=ROUNDS {
            let number = round * 7 % NOTES;
            corpus.write(&format!("note-{number:03}.md"), &note(number, round));
            // By turns with and without the resident process's help.
            let run = if round % 2 == 0 {
                runtime.recall(corpus.path(), &["index", "--background"])
            } else {
                runtime.recall(corpus.path(), &["index"])
            };
            assert_eq!(run.code, Some(0), "{run:?}");
            committed[number].store(round, Ordering::SeqCst);
            if round == 3 || round == 6 {
                let process = runtime.process();
                send("-KILL", process);
                killed.lock().unwrap().push(process);
            }
            thread::sleep(Duration::from_millis(200));
        }
        is_over.store(true, Ordering::Relaxed);
    });
    assert_eq!(killed.lock().unwrap().len(), 2);
    assert!(asked.load(Ordering::Relaxed) > READERS, "the readers read");
    let run = runtime.recall(corpus.path(), &["index", "--json"]);
    let summary: Value = serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{run:?}"));
    assert_eq!(summary["documents"]["total"], NOTES, "{summary}");
    assert_eq!((&summary["vectors"], &summary["pending"]), (&NOTES.into(), &0.into()));
    let check = recall(corpus.path(), &["check"]);
    assert_eq!(check.code, Some(0), "{check:?}");
}

/// The note is there, first, and not older than what was committed before the question.
#[track_caller]
fn check(answer: &Value, number: usize, known: usize) {
    assert_eq!(ids(answer)[0], format!("note-{number:03}.md"), "{answer}");
    let text = answer["hits"][0]["text"].as_str().expect("a note has a text");
    let (_, version) = text.split_once(&format!("R{number}-")).expect("a note has a revision");
    let version: usize = version.split('.').next().and_then(|v| v.parse().ok()).expect("a number");
    assert!(version >= known, "revision {version} after {known} was committed: {answer}");
}
