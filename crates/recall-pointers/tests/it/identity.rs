//! Reading and writing lose nothing; edits touch one line.

use proptest::prelude::*;
use recall_pointers::{
    Draft, Edit, HeadingWords, LineKind, Page, Provenance, Shape, add, remove, replace, touch,
};

use crate::fixture::{Fixture, TODAY, lint, rules};

fn check_identity(bytes: &[u8]) {
    for shape in Shape::ALL {
        let page = Page::parse(bytes, shape, &HeadingWords::default());
        assert_eq!(page.write(), bytes);
        for statement in page.statements() {
            assert!(1 <= statement.line && statement.line <= statement.last_line);
            assert!(statement.last_line <= page.lines().len());
        }
    }
}

#[test]
fn awkward_pages_read_and_write_back() {
    for bytes in [
        &b""[..],
        b"\n",
        b"- a",
        b"- a\r\n- b\n- c\r",
        b"\xef\xbb\xbf## Preferences\r\n\r\n- a\r\n",
        b"\xff\xfe-\0 \0a\0\n\0",
        b"- \0\n",
        "## Quye\u{302}\u{301}t đi\u{323}nh\n- a\u{301}\n".as_bytes(),
        b"- a\n  - b\n    - c\n\n\n\n",
        b"name: x\n---\n- a\n",
        b"---\nname: x\n---\n- a\n",
        b"- [a](b\n- `c\n- <!-- d\n- ```\n- e\n",
        b"1. a\n2) b\n* c\n+ d\n> - e\n",
    ] {
        check_identity(bytes);
    }
}

/// A line of a page, good or bad.
fn any_line() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        Just("## Preferences".to_owned()),
        Just("## Quyết định".to_owned()),
        Just("### Other".to_owned()),
        Just("```".to_owned()),
        Just("<!--".to_owned()),
        Just("-->".to_owned()),
        Just("  - nested under it".to_owned()),
        Just("  running on".to_owned()),
        "[a-zé`*_\\[\\]()#|>&\u{301}\u{feff} -]{0,30}",
        "[-*+] [a-zđế]{1,8} [a-z]{1,8} [a-z`]{1,8}[ .:]?",
        "- [a-z]{3,8} [a-z]{3,8} [a-z]{3,8} → \\[n\\]\\([a-z]{1,3}\\.md\\)",
    ]
}

fn any_page() -> impl Strategy<Value = String> {
    let line = (any_line(), prop_oneof![Just("\n"), Just("\r\n"), Just("\n\n")]);
    let lines = prop::collection::vec(line, 0..20);
    (prop::bool::ANY, lines, prop::bool::ANY).prop_map(|(bom, lines, ended)| {
        let text: String = lines.into_iter().map(|(line, end)| line + end).collect();
        let text = if ended { &text[..] } else { text.trim_end() };
        format!("{}{text}", if bom { "\u{feff}" } else { "" })
    })
}

fn draft(text: &str) -> Draft {
    Draft {
        text: text.to_owned(),
        reason: Some("nobody else says so".to_owned()),
        link: None,
        source: Some(Provenance::User),
        date: TODAY,
    }
}

/// The edit takes away at most one line and puts at most one in its place; all else stays.
fn check_one_line(before: &str, edit: &Edit) {
    let after = String::from_utf8(edit.after().to_vec()).unwrap();
    let (old, new): (Vec<_>, Vec<_>) = (before.split('\n').collect(), after.split('\n').collect());
    let bare = |line: &str| line.trim_end_matches('\r').to_owned();
    let same = |(a, b): &(&&str, &&str)| bare(a) == bare(b);
    let head = old.iter().zip(&new).take_while(same).count();
    let (old, new) = (&old[head..], &new[head..]);
    let tail = old.iter().rev().zip(new.iter().rev()).take_while(same).count();
    let (gone, came) = (old.len() - tail, new.len() - tail);
    assert!(gone <= 1 && came <= 1 && gone + came >= 1, "-{gone} +{came}\n{}", edit.diff);
    assert!(edit.diff.lines().filter(|line| line.starts_with(['-', '+'])).count() >= 3);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_read_and_write_back(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        check_identity(&bytes);
    }

    #[test]
    fn any_text_reads_and_writes_back(text in "\\PC{0,200}") {
        check_identity(text.as_bytes());
    }

    #[test]
    fn any_page_reads_and_writes_back(text in any_page()) {
        check_identity(text.as_bytes());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_page_and_entry_can_be_checked(text in any_page(), entry in any_page(), front in any::<bool>()) {
        let front = if front { "---\n" } else { "" };
        let fixture = Fixture::with(&[
            ("memory/INDEX.md", &text),
            ("memory/MEMORY.md", &entry),
            ("memory/a.md", &format!("{front}{entry}")),
        ]);
        for finding in lint(&fixture.memory(), false).findings {
            let lines = std::fs::read(&finding.path).unwrap().split(|byte| *byte == b'\n').count();
            prop_assert!(1 <= finding.line && finding.line <= lines, "{finding}");
        }
    }

    #[test]
    fn every_edit_touches_one_line(text in any_page(), at in 0..20usize) {
        let fixture = Fixture::with(&[("memory/INDEX.md", &text)]);
        let memory = fixture.memory();
        let draft = draft("Short commit subjects");
        let line = memory.statements().nth(at).map_or(1, |(_, _, statement)| statement.line);
        let name = line.to_string();
        for edit in [
            add(&memory, None, LineKind::Preference, &draft, &rules()),
            add(&memory, None, LineKind::Decision, &draft, &rules()),
            replace(&memory, &name, &draft, &rules()),
            remove(&memory, &name),
            touch(&memory, &name, TODAY),
        ].into_iter().flatten() {
            check_one_line(&text, &edit);
        }
    }
}
