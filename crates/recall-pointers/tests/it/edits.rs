//! The four edits, their refusals, and writing.

use recall_pointers::{
    Action, Draft, Edit, FolderSpec, HeadingWords, LineKind, Memory, Provenance, Refusal,
    WriteError, add, remove, replace, touch,
};

use crate::fixture::{Fixture, TODAY, lint, rules};

const PAGE: &str = "\
# Index

## Preferences

- **Commit subjects**: short, because nobody reads long ones (user, 2026-10-01)
- Dùng tab trong tệp Go, vì gofmt dùng tab (code, 2026-10-02)

## Decisions

## Runbooks

* [Restore the index](../runbooks/restore.md) (doc, 2026-10-03)
";

fn fixture() -> Fixture {
    Fixture::with(&[
        ("memory/INDEX.md", PAGE),
        ("memory/notes/short.md", "Because.\n"),
        ("runbooks/restore.md", "1. Stop.\n"),
        ("runbooks/restart.md", "1. Start.\n"),
    ])
}

fn draft(text: &str) -> Draft {
    let reason = Some("the other way failed twice".to_owned());
    Draft { text: text.into(), reason, link: None, source: Some(Provenance::User), date: TODAY }
}

fn linked(text: &str, link: &str) -> Draft {
    Draft { reason: None, link: Some(link.to_owned()), ..draft(text) }
}

/// The lines of the diff that change.
fn changed(edit: &Edit) -> Vec<&str> {
    let lines = edit.diff.lines().skip(2);
    lines.filter(|line| line.starts_with(['-', '+'])).collect()
}

fn check_add(kind: LineKind, draft: &Draft, expected: &[&str]) {
    let fixture = fixture();
    let edit = add(&fixture.memory(), None, kind, draft, &rules()).unwrap();
    assert_eq!(changed(&edit), expected);
    edit.write().unwrap();
    assert_eq!(fixture.read("memory/INDEX.md").as_bytes(), edit.after());
    let findings = lint(&fixture.memory(), false).findings;
    assert!(findings.iter().all(|finding| !finding.path.ends_with("INDEX.md")), "{findings:?}");
}

#[test]
fn each_kind_is_added_in_its_section() {
    check_add(
        LineKind::Preference,
        &draft("Answer in the language of the question"),
        &[
            "+- Answer in the language of the question, because the other way failed twice (user, 2026-11-29)",
        ],
    );
    check_add(
        LineKind::Decision,
        &linked("Notes stay under one page", "notes/short.md"),
        &["+- 2026-11-29 Notes stay under one page → [short](notes/short.md) (user)"],
    );
    check_add(
        LineKind::Procedure,
        &linked("Restart the timer", "../runbooks/restart.md"),
        &["+* [Restart the timer](../runbooks/restart.md) (user, 2026-11-29)"],
    );
    let vietnamese = Draft { reason: Some("dễ tìm".into()), ..draft("Tên tệp không dấu") };
    check_add(
        LineKind::Preference,
        &vietnamese,
        &["+- Tên tệp không dấu, vì dễ tìm (user, 2026-11-29)"],
    );
}

#[test]
fn a_statement_on_an_old_subject_replaces_it() {
    for (kind, draft, line) in [
        (LineKind::Preference, draft("Commit subjects: say what changes"), 5),
        (LineKind::Preference, draft("Đừng dùng tab trong tệp Go"), 6),
        (LineKind::Procedure, linked("Bring the index back", "../runbooks/restore.md"), 12),
    ] {
        let fixture = fixture();
        let edit = add(&fixture.memory(), None, kind, &draft, &rules()).unwrap();
        assert_eq!((edit.action, edit.line), (Action::Replace, line), "{edit}");
        assert!(edit.to_string().contains(&format!(":{line}: replaces: ")), "{edit}");
        assert_eq!(changed(&edit).len(), 2, "{edit}");
    }
}

fn check_refused(kind: LineKind, draft: &Draft, refused: impl Fn(&Refusal) -> bool) {
    let fixture = fixture();
    let refusal = add(&fixture.memory(), None, kind, draft, &rules()).unwrap_err();
    assert!(refused(&refusal), "{}: {refusal:?}", draft.text);
    assert!(!refusal.hint().is_empty());
    assert_eq!(fixture.read("memory/INDEX.md"), PAGE);
}

#[test]
fn the_policy_refuses_by_what_the_text_is() {
    use Refusal as R;
    let text = |text: &str, refused: fn(&Refusal) -> bool| {
        check_refused(LineKind::Preference, &draft(text), refused);
    };
    text("Answer briefly\nand politely", |r| matches!(r, R::NotOneLine));
    text("Be careful with deploys", |r| matches!(r, R::Vague));
    text("Fixed the flaky walker test", |r| matches!(r, R::SessionReport));
    text("Hôm nay chạy lại bộ kiểm thử", |r| matches!(r, R::SessionReport));
    text("The staging password is hunter2-rain", |r| matches!(r, R::Credential { .. }));
    text("$ cargo test --workspace", |r| matches!(r, R::CommandOutput));
    text("error[E0308]: mismatched types in walk", |r| matches!(r, R::CommandOutput));
    text("The suite says 412 passed on this machine", |r| matches!(r, R::CommandOutput));
    text("fn walk(root: &Path) -> Files {", |r| matches!(r, R::FileContents));
    text("Use ``` for every code block", |r| matches!(r, R::FileContents));
    text(r#"Settings are {"level": 3} on every machine"#, |r| matches!(r, R::FileContents));
    text("The walker is defined in `src/walk.rs`", |r| matches!(r, R::InRepository));
    text("Cấu hình nằm ở `config.toml`", |r| matches!(r, R::InRepository));
    text("The project uses Rust and tantivy", |r| matches!(r, R::InRepository));
    text("There are 5 crates in the workspace", |r| matches!(r, R::InRepository));
    text("<!-- Answer in one sentence", |r| matches!(r, R::NotAStatement { .. }));
    text(&"word ".repeat(60), |r| matches!(r, R::TooLong { .. }));
}

#[test]
fn the_policy_refuses_by_what_is_missing() {
    use Refusal as R;
    let good = draft("Answer in the language of the question");
    let kind = LineKind::Preference;
    check_refused(kind, &Draft { reason: None, ..good.clone() }, |r| matches!(r, R::NoReason));
    check_refused(kind, &Draft { source: None, ..good.clone() }, |r| matches!(r, R::NoSource));
    let tomorrow = TODAY.tomorrow().unwrap();
    check_refused(kind, &Draft { date: tomorrow, ..good.clone() }, |r| {
        matches!(r, R::FutureDate { .. })
    });
    check_refused(LineKind::Procedure, &good, |r| matches!(r, R::NoLink { .. }));
    check_refused(LineKind::Entry, &good, |r| matches!(r, R::NoLink { .. }));
    check_refused(kind, &linked("Answer in one sentence", "notes/no.md"), |r| {
        matches!(r, R::LinkMissing { .. })
    });
    check_refused(kind, &linked("Answer in one sentence", "../../../../../../etc/hosts"), |r| {
        matches!(r, R::LinkOutside { .. } | R::LinkMissing { .. })
    });
}

#[test]
fn a_name_must_mean_one_line_of_one_line() {
    let fixture = Fixture::with(&[(
        "memory/INDEX.md",
        "## Preferences\n- Short subjects, because\n  nobody reads on\n- Short bodies in mail\n",
    )]);
    let memory = fixture.memory();
    let runs_on = remove(&memory, "2").unwrap_err();
    assert!(matches!(runs_on, Refusal::RunsOn { line: 2, last_line: 3, .. }), "{runs_on}");
    let ambiguous = remove(&memory, "short").unwrap_err();
    assert!(ambiguous.to_string().contains("INDEX.md:4: Short bodies in mail"), "{ambiguous}");
    let unknown = replace(&memory, "nothing like it", &draft("Answer briefly please"), &rules());
    assert!(matches!(unknown.unwrap_err(), Refusal::Select(_)));
}

#[test]
fn replace_keeps_the_place_and_remove_takes_the_line() {
    let fixture = fixture();
    let memory = fixture.memory();
    let new = linked("Restart everything", "../runbooks/restart.md");
    let edit = replace(&memory, "restore", &new, &rules()).unwrap();
    assert_eq!(
        changed(&edit),
        [
            "-* [Restore the index](../runbooks/restore.md) (doc, 2026-10-03)",
            "+* [Restart everything](../runbooks/restart.md) (user, 2026-11-29)",
        ]
    );
    let doubled = replace(&memory, "5", &draft("Dùng tab trong tệp Go"), &rules()).unwrap_err();
    assert!(matches!(doubled, Refusal::SeveralOnSubject { .. }), "{doubled}");
    let edit = remove(&memory, "commit subjects").unwrap();
    assert_eq!((edit.action, edit.line, changed(&edit).len()), (Action::Remove, 5, 1));
}

#[test]
fn touch_dates_the_stamp_and_nothing_else() {
    for (line, expected) in [
        ("Short subjects (user, 2026-10-01)", "Short subjects (user, 2026-11-29)"),
        ("2026-10-01 Short subjects (doc)", "2026-10-01 Short subjects (doc, 2026-11-29)"),
        ("2026-10-01 Short subjects", "2026-10-01 Short subjects (2026-11-29)"),
        ("Short subjects (2026-10-01)", "Short subjects (2026-11-29)"),
        ("Short subjects (see below)", "Short subjects (see below) (2026-11-29)"),
    ] {
        let fixture = Fixture::with(&[("memory/INDEX.md", &format!("## Preferences\r\n- {line}"))]);
        let edit = touch(&fixture.memory(), "2", TODAY).unwrap();
        edit.write().unwrap();
        assert_eq!(fixture.read("memory/INDEX.md"), format!("## Preferences\r\n- {expected}"));
        let again = touch(&fixture.memory(), "2", TODAY).unwrap_err();
        assert!(matches!(again, Refusal::Unchanged { .. }), "{again}");
    }
}

#[test]
fn touching_the_line_of_an_entry_dates_its_file() {
    for (field, expected, end) in [
        ("date: 2026-01-01\n", "date: 2026-11-29\n", "---\n"),
        ("", "updated: 2026-11-29\n", "---\n"),
        ("", "updated: 2026-11-29\n", "--- \n"),
        ("", "updated: 2026-11-29\n", "...\n"),
        ("\r\n", "\r\nupdated: 2026-11-29\r\n", "---\r\n"),
    ] {
        let entry = |field| {
            format!("---\nname: a\ndescription: d\ntype: project\n{field}{end}Text.\n---\nMore.\n")
        };
        let fixture = Fixture::with(&[
            ("memory/MEMORY.md", "- [a.md](a.md) — what entry a is for\n"),
            ("memory/a.md", &entry(field)),
        ]);
        touch(&fixture.memory(), "a", TODAY).unwrap().write().unwrap();
        assert_eq!(fixture.read("memory/a.md"), entry(expected));
        assert_eq!(fixture.read("memory/MEMORY.md"), "- [a.md](a.md) — what entry a is for\n");
    }
}

#[test]
fn entries_are_added_to_the_memory_page() {
    let fixture = Fixture::with(&[
        ("memory/MEMORY.md", "# Memory\n"),
        ("memory/a.md", "---\nname: a\ndescription: d\ntype: user\n---\n"),
    ]);
    let new = Draft { source: None, ..linked("who reads the reports", "a.md") };
    add(&fixture.memory(), None, LineKind::Entry, &new, &rules()).unwrap().write().unwrap();
    assert_eq!(
        fixture.read("memory/MEMORY.md"),
        "# Memory\n- [a.md](a.md) — who reads the reports\n"
    );
    assert_eq!(fixture.findings(), Vec::<String>::new());
}

#[test]
fn a_new_line_ends_as_its_neighbours_do() {
    let line = "- Answer in one sentence, because the other way failed twice (user, 2026-11-29)";
    for (before, after) in [
        ("## Preferences\n- Short subjects", format!("## Preferences\n- Short subjects\n{line}")),
        (
            "## Preferences\r\n- Short subjects",
            format!("## Preferences\r\n- Short subjects\r\n{line}"),
        ),
        ("## Preferences", format!("## Preferences\n{line}")),
        ("## Preferences\n\n## X\n", format!("## Preferences\n{line}\n\n## X\n")),
        ("## Preferences\n\n\n## X\n", format!("## Preferences\n\n{line}\n\n## X\n")),
    ] {
        let fixture = Fixture::with(&[("memory/INDEX.md", before)]);
        let new = draft("Answer in one sentence");
        let edit = add(&fixture.memory(), None, LineKind::Preference, &new, &rules()).unwrap();
        assert_eq!(String::from_utf8_lossy(edit.after()), after);
    }
}

#[test]
fn a_page_does_not_grow_over_its_cap() {
    let page = format!("## Preferences\n{}", "\n".repeat(199));
    let fixture = Fixture::with(&[("memory/INDEX.md", &page)]);
    let new = draft("Answer in the language of the question");
    let refusal = add(&fixture.memory(), None, LineKind::Preference, &new, &rules()).unwrap_err();
    assert!(matches!(refusal, Refusal::OverBudget { .. }), "{refusal}");
}

#[test]
fn with_several_memories_one_must_be_named() {
    let fixture = Fixture::with(&[
        ("shared/INDEX.md", "## Preferences\n"),
        ("memory/INDEX.md", "## Preferences\n"),
    ]);
    let specs: [FolderSpec; 2] =
        [fixture.spec("shared", "shared"), fixture.spec("project", "memory")];
    let memory = Memory::open(&specs, &HeadingWords::default()).unwrap();
    let new = draft("Answer in the language of the question");
    let add = |namespace| add(&memory, namespace, LineKind::Preference, &new, &rules());
    assert!(matches!(add(None).unwrap_err(), Refusal::WhichNamespace { .. }));
    assert!(matches!(add(Some("x")).unwrap_err(), Refusal::UnknownNamespace { .. }));
    add(Some("shared")).unwrap().write().unwrap();
    assert_eq!(fixture.read("memory/INDEX.md"), "## Preferences\n");
    assert_eq!(fixture.read("shared/INDEX.md").lines().count(), 2);
}

#[test]
fn a_file_that_changed_in_the_meantime_is_left_alone() {
    let fixture = fixture();
    let edit = remove(&fixture.memory(), "commit subjects").unwrap();
    fixture.write("memory/INDEX.md", b"Somebody else was here.\n");
    assert!(matches!(edit.write().unwrap_err(), WriteError::Changed { .. }));
    assert_eq!(fixture.read("memory/INDEX.md"), "Somebody else was here.\n");
}

#[cfg(unix)]
mod unix {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn permissions_and_links_stay_and_nothing_is_left_behind() {
        let fixture = fixture();
        let page = fixture.path("memory/INDEX.md");
        fs::set_permissions(&page, fs::Permissions::from_mode(0o640)).unwrap();
        symlink(fixture.path("memory"), fixture.path("linked")).unwrap();
        let specs = [fixture.spec("project", "linked")];
        let memory = Memory::open(&specs, &HeadingWords::default()).unwrap();
        remove(&memory, "commit subjects").unwrap().write().unwrap();
        assert!(!fixture.read("memory/INDEX.md").contains("Commit subjects"));
        assert_eq!(fs::metadata(&page).unwrap().permissions().mode() & 0o777, 0o640);
        assert!(fs::symlink_metadata(fixture.path("linked")).unwrap().is_symlink());
        assert_eq!(fs::read_dir(fixture.path("memory")).unwrap().count(), 2);
    }

    #[test]
    fn a_page_that_links_out_of_its_folder_is_not_edited() {
        let fixture = Fixture::with(&[("elsewhere/INDEX.md", PAGE), ("memory/x.md", "")]);
        symlink(fixture.path("elsewhere/INDEX.md"), fixture.path("memory/INDEX.md")).unwrap();
        let refusal = remove(&fixture.memory(), "commit subjects").unwrap_err();
        assert!(matches!(refusal, Refusal::OutsideFolder { .. }), "{refusal}");
    }
}
