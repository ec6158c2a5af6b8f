//! An index that follows the disk.

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::Value;

use crate::corpus::{Corpus, note};
use crate::program::{ask, command, good, ids};
use crate::runtime::{Runtime, send, until};

/// `recall watch` at work, with what it said.
struct Watching {
    child: Child,
    said: Arc<Mutex<String>>,
}

impl Watching {
    fn start(mut command: std::process::Command) -> Self {
        let mut child = command.stderr(Stdio::piped()).spawn().expect("recall starts");
        let stderr = child.stderr.take().expect("it is piped");
        let said = Arc::new(Mutex::new(String::new()));
        let heard = said.clone();
        thread::spawn(move || {
            for line in BufReader::new(stderr).lines().map_while(Result::ok) {
                heard.lock().unwrap().push_str(&format!("{line}\n"));
            }
        });
        Self { child, said }
    }

    fn has_said(&self, what: &str) -> bool {
        self.said.lock().unwrap().contains(what)
    }

    /// Ctrl-C, and how it ended.
    fn interrupt(mut self) -> Option<i32> {
        send("-INT", self.child.id().into());
        self.child.wait().expect("it ends").code()
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Whether the first hit for a question is this document.
fn finds(corpus: &Corpus, question: &str, id: &str) -> bool {
    let answer = ask(corpus.path(), &["--mode", "keyword", question]);
    ids(&answer).first().is_some_and(|first| first == id)
}

fn status(corpus: &Corpus) -> Value {
    serde_json::from_str(&good(corpus.path(), &["status", "--json"]).stdout).unwrap()
}

#[test]
fn every_way_to_change_a_folder_reaches_the_index() {
    let corpus = Corpus::notes(5);
    good(corpus.path(), &["index", "."]);
    let watching = Watching::start(command(corpus.path(), &["watch"]));
    until("it watches", || watching.has_said("watching"));

    corpus.write("new.md", "# New\n\nPurple elephants dance.\n");
    until("a new file", || finds(&corpus, "purple elephants", "new.md"));

    corpus.write(".save", "# Saved\n\nAnother file of that name: walruses.\n");
    fs::rename(corpus.path().join(".save"), corpus.path().join("new.md")).unwrap();
    until("a save by rename", || finds(&corpus, "walruses", "new.md"));
    assert!(!finds(&corpus, "purple elephants", "new.md"));

    let path = corpus.path().join("new.md");
    let before = fs::metadata(&path).unwrap();
    corpus.write("new.md", "# Saved\n\nAnother file of that name: penguins.\n");
    File::options()
        .write(true)
        .open(&path)
        .unwrap()
        .set_modified(before.modified().unwrap())
        .unwrap();
    assert_eq!(fs::metadata(&path).unwrap().len(), before.len());
    until("same size, same time", || finds(&corpus, "penguins", "new.md"));

    corpus.write("folder/deep/one.md", "Giraffes eat acacia.\n");
    corpus.write("folder/deep/two.md", "Otters eat clams.\n");
    until("a new folder", || {
        finds(&corpus, "giraffes", "folder/deep/one.md")
            && finds(&corpus, "otters", "folder/deep/two.md")
    });
    corpus.write("folder/deep/two.md", "Otters eat urchins.\n");
    until("a file in a new folder", || finds(&corpus, "urchins", "folder/deep/two.md"));

    fs::rename(corpus.path().join("folder"), corpus.path().join("moved")).unwrap();
    until("a folder of another name", || finds(&corpus, "giraffes", "moved/deep/one.md"));
    assert!(!finds(&corpus, "urchins", "folder/deep/two.md"));

    corpus.write("moved/.gitignore", "two.md\n");
    until("a rule", || !finds(&corpus, "urchins", "moved/deep/two.md"));
    corpus.remove("moved/.gitignore");
    until("no rule", || finds(&corpus, "urchins", "moved/deep/two.md"));

    fs::remove_dir_all(corpus.path().join("moved")).unwrap();
    until("a vanished folder", || status(&corpus)["documents"] == 6);

    corpus.write("recall.toml", "exclude = ['new.md']\n");
    until("settings", || !finds(&corpus, "penguins", "new.md"));

    // The lock is only held while something is written.
    good(corpus.path(), &["index"]);
    until("vectors", || status(&corpus)["vectors"] == status(&corpus)["chunks"]);
    assert_eq!(watching.interrupt(), Some(130));
}

#[test]
fn a_run_and_a_watcher_get_along_and_the_resident_process_embeds() {
    let corpus = Corpus::notes(3);
    let runtime = Runtime::new();
    let watching = Watching::start(runtime.command(corpus.path(), &["watch", "."]));
    until("it began", || {
        let status = runtime.recall(corpus.path(), &["status", "--json"]);
        serde_json::from_str::<Value>(&status.stdout).is_ok_and(|s| s["vectors"] == 3)
    });
    let process = runtime.process();
    for version in 1..=4 {
        corpus.write("note-001.md", &note(1, version));
        good(corpus.path(), &["index", "--keyword-only"]);
        assert!(finds(&corpus, &format!("R1-{version}"), "note-001.md"));
        corpus.write("note-002.md", &note(2, version));
        until("the watcher saw it", || finds(&corpus, &format!("R2-{version}"), "note-002.md"));
    }
    until("vectors", || status(&corpus)["vectors"] == 3);
    assert_eq!(runtime.process(), process);
    assert_eq!(watching.interrupt(), Some(130));
}

#[test]
fn a_root_that_is_away_is_told_and_kept() {
    let corpus = Corpus::empty();
    corpus.write("docs/a.md", "the quick brown fox");
    let index = corpus.index();
    let index = index.to_str().unwrap();
    good(corpus.path(), &["index", "docs", "--index", index]);
    let docs = corpus.path().join("docs");
    fs::rename(&docs, corpus.path().join("away")).unwrap();
    let watching = Watching::start(command(corpus.path(), &["watch", "--index", index]));
    until("it is told", || watching.has_said("changes cannot be watched"));
    until("it is said why", || watching.has_said("docs"));
    assert_eq!(ids(&ask(corpus.path(), &["--mode", "keyword", "brown fox"])), ["a.md"]);
    assert_eq!(watching.interrupt(), Some(130));
}
