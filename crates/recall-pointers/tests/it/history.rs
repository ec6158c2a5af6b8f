//! `check --git`, on repositories made by git itself.

use std::process::Command;

use recall_pointers::{FolderSpec, HeadingWords, HistoryNote, Memory};

use crate::fixture::{Fixture, lint};

impl Fixture {
    /// Runs git in the folder `at`, with fixed names and no configuration of the machine's.
    fn git(&self, at: &str, date: &str, arguments: &[&str]) -> String {
        let output = Command::new("git")
            .current_dir(self.path(at))
            .args(["-c", "user.name=a", "-c", "user.email=a@example.org"])
            .args(["-c", "protocol.file.allow=always", "-c", "init.defaultBranch=main"])
            .args(arguments)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_AUTHOR_DATE", format!("{date}T12:00:00Z"))
            .env("GIT_COMMITTER_DATE", format!("{date}T12:00:00Z"))
            .output()
            .expect("git is installed");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    fn commit(&self, at: &str, date: &str) -> String {
        self.git(at, date, &["add", "-A"]);
        self.git(at, date, &["commit", "-qm", "change"]);
        self.git(at, date, &["rev-parse", "--short", "HEAD"])
    }
}

fn entry(since: &str) -> String {
    format!("---\nname: a\ndescription: d\ntype: reference\n{since}\n---\n\nSee `src/walk.rs`.\n")
}

/// A repository in which `src/walk.rs` changed on 2026-10-10, and an entry that quotes it.
fn repository() -> (Fixture, String) {
    let fixture = Fixture::with(&[
        ("src/walk.rs", "one\n"),
        ("src/still.rs", "still\n"),
        ("memory/MEMORY.md", "- [a.md](a.md) — what entry a is for\n"),
    ]);
    fixture.git(".", "2026-10-01", &["init", "-q"]);
    let first = fixture.commit(".", "2026-10-01");
    fixture.write("src/walk.rs", b"two\n");
    fixture.commit(".", "2026-10-10");
    (fixture, first)
}

fn check(fixture: &Fixture, since: &str, expected: &[&str]) {
    fixture.write("memory/a.md", entry(since).as_bytes());
    let report = lint(&fixture.memory(), true);
    assert_eq!(fixture.shown(&report), expected, "{since}");
    assert_eq!(report.notes, [], "{since}");
}

#[test]
fn files_that_changed_since_make_an_entry_suspect() {
    let (fixture, first) = repository();
    let changed =
        |since: &str| format!("memory/a.md:8: suspect: `src/walk.rs` changed since {since}");
    check(&fixture, "date: 2026-10-05", &[&changed("2026-10-05")]);
    check(&fixture, "date: 2026-10-10", &[]);
    check(&fixture, "date: 2026-11-01", &[]);
    check(&fixture, &format!("commit: \"{first}\""), &[&changed(&first)]);
    let head = fixture.git(".", "2026-10-10", &["rev-parse", "HEAD"]);
    check(&fixture, &format!("commit: \"{head}\""), &[]);
    check(
        &fixture,
        "commit: \"feedfacefeed\"",
        &["memory/a.md:8: the commit `feedfacefeed` is not in the repository"],
    );
}

#[test]
fn dated_lines_are_suspect_too() {
    let fixture = repository().0;
    fixture.write(
        "memory/INDEX.md",
        "## Decisions\n- 2026-10-05 Leave `src/walk.rs` as generated code, because it is\n\
         - 2026-10-06 Hidden files like `src/still.rs` count, because users say so\n"
            .as_bytes(),
    );
    fixture.write("memory/a.md", entry("date: 2026-11-01").as_bytes());
    let report = lint(&fixture.memory(), true);
    let expected = ["memory/INDEX.md:2: suspect: `src/walk.rs` changed since 2026-10-05"];
    assert_eq!(fixture.shown(&report), expected);
}

#[test]
fn what_the_history_cannot_tell_is_said() {
    let fixture = repository().0;
    fixture.write("memory/a.md", entry("date: 2026-09-01").as_bytes());
    let notes = lint(&fixture.memory(), true).notes;
    assert!(matches!(notes[..], [HistoryNote::StartsLater { .. }]), "{notes:?}");

    let loose = Fixture::with(&[
        ("src/walk.rs", "one\n"),
        ("memory/MEMORY.md", "- [a.md](a.md) — what entry a is for\n"),
        ("memory/a.md", &entry("date: 2026-10-05")),
    ]);
    let notes = lint(&loose.memory(), true).notes;
    assert!(matches!(notes[..], [HistoryNote::NoRepository { .. }]), "{notes:?}");
}

#[test]
fn a_memory_folder_may_be_a_submodule() {
    let fixture = Fixture::with(&[
        ("memory-origin/MEMORY.md", "- [a.md](a.md) — what entry a is for\n"),
        ("memory-origin/a.md", &entry("date: 2026-10-05")),
        ("project/src/walk.rs", "one\n"),
    ]);
    for folder in ["memory-origin", "project"] {
        fixture.git(folder, "2026-10-01", &["init", "-q"]);
        fixture.commit(folder, "2026-10-01");
    }
    let origin = fixture.path("memory-origin").display().to_string();
    fixture.git("project", "2026-10-02", &["submodule", "-q", "add", &origin, "memory"]);
    fixture.write("project/src/walk.rs", b"two\n");
    fixture.commit("project", "2026-10-10");

    let path = fixture.path("project/memory");
    let spec = FolderSpec { namespace: "project".into(), path, root: None };
    let memory = Memory::open(&[spec], &HeadingWords::default()).unwrap();
    assert_eq!(memory.folders()[0].root(), fixture.path("project"));
    let expected = ["project/memory/a.md:8: suspect: `src/walk.rs` changed since 2026-10-05"];
    assert_eq!(fixture.shown(&lint(&memory, true)), expected);
}
