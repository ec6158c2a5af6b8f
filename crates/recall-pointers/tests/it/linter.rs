//! Every finding of the linter, one table per area.

use recall_pointers::{FolderSpec, HeadingWords, Memory};

use crate::fixture::{Fixture, lint};

const ENTRY: &str = "---\nname: a\ndescription: what a is for\ntype: user\n---\n\nText.\n";

/// `memory/INDEX.md` with `page`, and other files, has these findings.
fn check(page: &str, files: &[(&str, &str)], expected: &[&str]) {
    let fixture = Fixture::with(files);
    fixture.write("memory/INDEX.md", page.as_bytes());
    assert_eq!(fixture.findings(), expected, "{page}");
}

/// `memory/MEMORY.md` with `page`, and other files, has these findings.
fn check_entries(page: &str, files: &[(&str, &str)], expected: &[&str]) {
    let fixture = Fixture::with(files);
    fixture.write("memory/MEMORY.md", page.as_bytes());
    assert_eq!(fixture.findings(), expected, "{page}");
}

#[test]
fn links() {
    check(
        "## Decisions\n\n- 2026-11-03 Keep notes short → [why](notes/short.md)\n",
        &[],
        &["memory/INDEX.md:3: the link leads to `notes/short.md`, which is not there"],
    );
    check(
        "## Quyết định\n- 2026-11-03 Ghi chú phải ngắn → notes/ngắn.md\n",
        &[],
        &["memory/INDEX.md:2: the link leads to `notes/ngắn.md`, which is not there"],
    );
    check(
        "## Decisions\n\n- 2026-11-03 Keep notes short → [why](notes/my%20note.md#top)\n\
         - 2026-11-04 Wide tables are split → [[wide tables]]\n\
         - 2026-11-05 The board is public → [board](https://example.org/x)\n",
        &[("memory/notes/my note.md", "Why.\n"), ("memory/notes/wide tables.md", "Why.\n")],
        &[],
    );
    check(
        "## Decisions\n\n- 2026-11-03 Keep hosts apart → [hosts](../../../../../../../../etc/hosts)\n",
        &[],
        &[
            "memory/INDEX.md:3: the link `../../../../../../../../etc/hosts` leads out of the project",
        ],
    );
}

#[test]
fn quoted_paths() {
    check(
        "## Preferences\n\n- Leave `src/old.rs` and `src/walk.rs:12` alone, because both are generated\n\
         - Run `gone.sh` and `cargo test` before a push, so that `and/or` is settled\n\
         - Nested `inner/deep.rs` is read from its end, since paths are long\n",
        &[("src/walk.rs", ""), ("crates/x/inner/deep.rs", "")],
        &[
            "memory/INDEX.md:3: `src/old.rs` is quoted, but is not there",
            "memory/INDEX.md:4: `gone.sh` is quoted, but is not there",
        ],
    );
    check_entries(
        "- [a.md](a.md) — what entry a is for\n",
        &[("memory/a.md", &format!("{ENTRY}\nSee `docs/lost.md`.\n\n```\n`in/code.md`\n```\n"))],
        &["memory/a.md:9: `docs/lost.md` is quoted, but is not there"],
    );
}

#[test]
fn orphans() {
    check_entries(
        "- [a.md](a.md) — what entry a is for\n",
        &[("memory/a.md", ENTRY), ("memory/b.md", ENTRY), ("memory/README.md", "About.\n")],
        &["memory/b.md:1: no line of the index points here"],
    );
    check(
        "## Decisions\n",
        &[
            ("memory/notes/lost.md", "Why.\n"),
            ("memory/other/MEMORY.md", ""),
            ("memory/other/c.md", ""),
        ],
        &["memory/notes/lost.md:1: no line of the index points here"],
    );
}

#[test]
fn length() {
    let long = "word ".repeat(60);
    check(
        &format!("## Preferences\n- {long}\n- Short subjects, because\n  nobody reads long ones\n"),
        &[],
        &[
            "memory/INDEX.md:2: 299 characters, the most is 240",
            "memory/INDEX.md:3: the statement runs on to line 4",
        ],
    );
    // A letter is one character in either Unicode form.
    let decomposed = "e\u{302}\u{301} ".repeat(119);
    check(&format!("## Sở thích\n- {decomposed}\n"), &[], &[]);
}

#[test]
fn wording() {
    check(
        "## Preferences\n\n- Be careful with deploys\n- Fixed the flaky test of the walker\n",
        &[],
        &[
            "memory/INDEX.md:3: too vague to act on",
            "memory/INDEX.md:4: tells what happened, not what holds",
        ],
    );
    check(
        "## Thói quen\n\n- Cần lưu ý khi deploy\n- Hôm nay chạy lại bộ kiểm thử\n- Trả lời ngắn gọn\n",
        &[],
        &[
            "memory/INDEX.md:3: too vague to act on",
            "memory/INDEX.md:4: tells what happened, not what holds",
        ],
    );
    check_entries(
        "- [a.md](a.md) — notes\n- [b.md](b.md) — added the new parser tests\n",
        &[("memory/a.md", ENTRY), ("memory/b.md", ENTRY)],
        &[
            "memory/MEMORY.md:1: too vague to act on",
            "memory/MEMORY.md:2: tells what happened, not what holds",
        ],
    );
}

#[test]
fn dates_and_reasons() {
    check(
        "## Decisions\n\n- Keep notes short, because nobody reads long ones\n\
         - 2026-13-40 Split wide tables, because screens are narrow\n\
         - 2062-11-03 Sign every tag, because anybody can push\n\
         - 2026-11-05 Number the figures from one\n\
         ## Các quyết định\n- Ghi chú phải ngắn vì không ai đọc dài\n- 3/11/2026 Bảng rộng phải tách đôi\n",
        &[],
        &[
            "memory/INDEX.md:3: no date",
            "memory/INDEX.md:4: no date",
            "memory/INDEX.md:5: 2062-11-03 is in the future",
            "memory/INDEX.md:6: no reason, and no link to the note that holds it",
            "memory/INDEX.md:8: no date",
            "memory/INDEX.md:9: no reason, and no link to the note that holds it",
        ],
    );
}

#[test]
fn pairs() {
    check(
        "## Preferences\n\n- Use tabs in Go files\n- Short commit subjects\n- Never use tabs in Go files\n\
         - **Language**: answer in English\n- Language: answer in the user's own words\n",
        &[],
        &[
            "memory/INDEX.md:5: contradicts line 3 on `use tabs in go`",
            "memory/INDEX.md:7: speaks twice, with line 6 on `language`",
        ],
    );
    check(
        "## Sở thích\n\n- Trả lời bằng tiếng Việt\n- Đừng trả lời bằng tiếng Việt\n",
        &[],
        &["memory/INDEX.md:4: contradicts line 3 on `tra loi bang tieng`"],
    );
    check(
        "## Runbooks\n\n- [Restore the index](../runbooks/r.md)\n- [Bring it back](../runbooks/r.md#top)\n\
         ## Decisions\n- 2026-11-03 Keep notes short → [why](n.md)\n- 2026-11-04 Split wide tables → [why](n.md)\n",
        &[("runbooks/r.md", ""), ("memory/n.md", "")],
        &["memory/INDEX.md:4: points at `../runbooks/r.md#top`, as line 3 does"],
    );
}

#[test]
fn front_matter() {
    let page = "- [a.md](a.md) — what entry a is for\n";
    for (entry, finding) in [
        ("Text.\n", ":1: no front matter"),
        ("---\nProse between rules.\n---\n", ":1: no front matter"),
        ("---\n\nProse after a rule.\n", ":1: no front matter"),
        ("---\nname: a\n", ":1: front matter: the block opened by `---` is never closed"),
        ("---\nname: a\ntype: user\n---\n", ":1: front matter: `description` is missing"),
        (
            "---\nname: a\ndescription: d\ntype: note\n---\n",
            ":1: front matter: type `note` is none of user, feedback, project, reference",
        ),
        (
            "---\nname: a\ndescription: d\ntype: user\ndate: soon\n---\n",
            ":1: front matter: `date` is not a date: `soon`",
        ),
    ] {
        let expected = format!("memory/a.md{finding}");
        check_entries(page, &[("memory/a.md", entry)], &[&expected]);
    }
    for entry in [
        "\u{feff}---\r\nname: a\r\ndescription: d\r\ntype: user\r\n---\r\n",
        "---\nname: a\ndescription: d\nmetadata:\n  type: feedback\nother: [1, 2]\n---\n",
        "--- \nname: a\ndescription: d\ntype: user\n...\t\nText.\n",
    ] {
        check_entries(page, &[("memory/a.md", entry)], &[]);
    }
}

#[test]
fn broken_yaml_is_named_with_its_line() {
    let entry = "---\nname: a\ndescription: \"unclosed\ntype: user\n---\n";
    let fixture = Fixture::with(&[("memory/MEMORY.md", "- [a.md](a.md) — what entry a is for\n")]);
    fixture.write("memory/a.md", entry.as_bytes());
    let findings = fixture.findings();
    assert_eq!(findings.len(), 1, "{findings:?}");
    assert!(findings[0].contains("front matter: not readable as YAML"), "{findings:?}");
}

#[test]
fn project_entries_grow_old() {
    let entry = |date: &str| format!("---\nname: a\ndescription: d\ntype: project\n{date}---\n");
    let page = "- [a.md](a.md) — what entry a is for\n";
    check_entries(
        page,
        &[("memory/a.md", &entry("date: 2026-08-30\n"))],
        &["memory/a.md:1: a project entry of 2026-08-30, older than 90 days"],
    );
    check_entries(page, &[("memory/a.md", &entry("date: 2026-08-31\n"))], &[]);
    check_entries(page, &[("memory/a.md", &entry("date: 2026-01-01\nupdated: 2026-11-01\n"))], &[]);
    check_entries(page, &[("memory/a.md", &entry(""))], &["memory/a.md:1: no date"]);
}

#[test]
fn a_table_of_contents_is_a_note_and_a_memory_folder_is_not() {
    check(
        "",
        &[
            ("memory/notes/INDEX.md", "- [a](a.md)\n"),
            ("memory/notes/a.md", ""),
            ("memory/sub/memory/INDEX.md", ""),
            ("memory/sub/memory/b.md", ""),
            ("memory/team/MEMORY.md", ""),
            ("memory/team/c.md", ""),
        ],
        &[
            "memory/notes/INDEX.md:1: no line of the index points here",
            "memory/notes/a.md:1: no line of the index points here",
        ],
    );
}

#[test]
fn credentials_are_named_and_never_repeated() {
    check(
        "## Preferences\n\n- The staging password is hunter2-rain, because it is short\n",
        &[("memory/INDEX.md", "")],
        &["memory/INDEX.md:3: looks like a password or secret spelt out"],
    );
    check_entries(
        "- [a.md](a.md) — what entry a is for\n",
        &[("memory/a.md", &format!("{ENTRY}\nMật khẩu: Sao-Mai-88\n"))],
        &["memory/a.md:9: looks like a password or secret spelt out"],
    );
}

#[test]
fn runbooks() {
    check(
        "## Procedures\n\n- [Restore the index](notes/restore.md)\n- Restart the timer by hand\n",
        &[("memory/notes/restore.md", "1. Stop.\n")],
        &[
            "memory/INDEX.md:3: `notes/restore.md` is not kept whole",
            "memory/INDEX.md:4: a procedure without a link to its runbook",
        ],
    );
    check(
        "## Quy trình\n\n- [Khôi phục chỉ mục](../runbooks/khoi-phuc.md)\n",
        &[("runbooks/khoi-phuc.md", "1. Dừng.\n")],
        &[],
    );
}

#[test]
fn budget() {
    let filler = "\n".repeat(200);
    check(
        &format!("## Preferences\n{filler}- Short commit subjects\n"),
        &[],
        &["memory/INDEX.md:201: 202 lines and 239 bytes: the reader stops here"],
    );
}

#[test]
fn bytes_that_are_not_utf8() {
    let fixture = Fixture::with(&[]);
    fixture.write("memory/INDEX.md", b"## Preferences\n- Caf\xe9 hours are from nine\n");
    assert_eq!(fixture.findings(), ["memory/INDEX.md:2: not UTF-8"]);
    assert_eq!(fixture.memory().print(), b"## Preferences\n- Caf\xe9 hours are from nine\n");
}

#[cfg(unix)]
#[test]
fn notes_that_cannot_be_read() {
    let fixture = Fixture::with(&[("memory/INDEX.md", "")]);
    std::os::unix::fs::symlink("nowhere.md", fixture.path("memory/lost.md")).unwrap();
    let expected = "memory/lost.md:1: cannot be read: No such file or directory (os error 2)";
    assert_eq!(fixture.findings(), [expected]);
}

#[test]
fn code_comments_and_prose_are_no_statements() {
    check(
        "# Index\n\nBe careful.\n\n```\n- todo\n```\n\n<!--\n- todo\n-->\n\n## Preferences\n\nProse, todo.\n",
        &[],
        &[],
    );
}

#[test]
fn nothing_leads_into_another_namespace() {
    let fixture = Fixture::with(&[
        ("a/INDEX.md", "## Decisions\n\n- 2026-11-03 Keep notes short → [why](../b/secret.md)\n"),
        ("b/INDEX.md", "## Decisions\n\n- 2026-11-03 Split wide tables → [why](secret.md)\n"),
        ("b/secret.md", "Why.\n"),
    ]);
    let specs: [FolderSpec; 2] = [fixture.spec("a", "a"), fixture.spec("b", "b")];
    let memory = Memory::open(&specs, &HeadingWords::default()).unwrap();
    let expected = ["a/INDEX.md:3: the link `../b/secret.md` leads into the memory of `b`"];
    assert_eq!(fixture.shown(&lint(&memory, false)), expected);
}

#[test]
fn findings_carry_a_hint_and_a_name() {
    let fixture = Fixture::with(&[("memory/INDEX.md", "## Decisions\n- Be careful, because\n")]);
    let report = lint(&fixture.memory(), false);
    let json = serde_json::to_value(&report).unwrap();
    assert_eq!(json["findings"][0]["finding"], "vague");
    assert_eq!(json["findings"][0]["line"], 2);
    assert!(report.findings[0].to_string().contains("\n  hint: say what to do"));
    assert!(report.to_string().ends_with("2 findings in 1 statements on 1 pages, 0 notes"));
}
