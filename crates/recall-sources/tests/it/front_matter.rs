use recall_sources::{Globs, ReadOptions};

use crate::show::{lines, read, shown};

#[test]
fn fields_are_understood() {
    let note = "---\ntitle: \"Rotate: the key\"\ndate: 2024-03-05\nupdated: 2024-03-06T10:00:00+07:00\n\
        authors: [Lan, Tom]\ntags: [vnpay, keys]\nurl: https://example.com/x\nweight: 20\n\
        owner_slack: \"#ops\"\n---\n# Other title\n";
    insta::assert_snapshot!(shown("a.md", note.as_bytes()), @r##"
    a.md note "Rotate: the key" "---\ntitle: \"Rotate: the key\"\ndate: 2024-03-05\nupdated: 2024-03-06T10:00:00+07:00\nauthors: [Lan, Tom]\ntags: [vnpay, keys]\nurl: https://example.com/x\nweight: 20\nowner_slack: \"#ops\"\n---\n# Other title\n" 0..197@1-11 date=2024-03-05 updated=2024-03-06T10:00:00+07:00 by=Lan by=Tom #vnpay #keys https://example.com/x owner_slack="#ops" weight="20"
    = markdown, 1 documents
    "##);
}

/// The kind, whether it is whole, and the title of a file.
#[track_caller]
fn check(name: &str, text: &str, expected: &str) {
    let outcome = read(name, text.as_bytes(), &ReadOptions::default());
    let [document] = outcome.documents.as_slice() else { panic!("{}", lines(&outcome)) };
    let whole = if document.whole { "whole" } else { "parts" };
    assert_eq!(
        format!("{} {whole} {}", document.kind, document.title),
        expected,
        "{name} {text:?}"
    );
    assert_eq!(document.text, text);
}

#[test]
fn what_is_a_runbook() {
    check("a.md", "---\ntype: runbook\n---\n1. x", "runbook whole a");
    check("a.md", "---\nwhole: true\n---\n1. x", "runbook whole a");
    check("a.md", "---\nkind: note\nwhole: yes\n---\n1. x", "runbook whole a");
    check("a.md", "---\r\ntype: Runbook\r\n---\r\n1. x", "runbook whole a");
    check("a.md", "--- \nwhole: yes\n...\n1. x", "runbook whole a");
    check("a.md", "---\ntype: note\n---\n1. x", "note parts a");
    check("docs/Runbooks/disk.txt", "1. x", "runbook whole disk");
    check("ops/DB-Runbook.md", "1. x", "runbook whole DB-Runbook");
    check("ops/runbook.txt", "1. x", "note parts runbook");
    check("runbooks/x/y/z.rst", "Disk full\n=========\n\n1. x", "runbook whole Disk full");
}

#[test]
fn types_of_memory() {
    for name in ["user", "feedback", "project", "reference", "memory"] {
        check("a.md", &format!("---\ntype: {name}\n---\nx"), "memory parts a");
    }
}

#[test]
fn titles() {
    check("a.md", "# `One` *two* three\n", "note parts One two three");
    check("a.md", "Setext\n======\n", "note parts Setext");
    check("a.md", "```\n# no heading\n```\n\n## Yes\n", "note parts Yes");
    check("dir/some note.md", "no heading", "note parts some note");
    check("page.html.md.erb", "# Erb\n", "note parts Erb");
    check("a.rst", "=====\nAbove\n=====\n\ntext", "note parts Above");
    check("a.rst", "no title\n--\n", "note parts a");
    // Their headings are written as Markdown's, so only the titles are compared.
    let org = |text: &[u8], title: &str| {
        assert!(shown("a.org", text).contains(&format!("note \"{title}\"")), "{title}");
    };
    org(b"#+TITLE: From keyword\n* Heading\n", "From keyword");
    org(b"text\n** Heading\n", "Heading");
    check("a.txt", "# no markup here\n", "note parts a");
    check("main.rs", "fn main() {}\n", "note parts main");
    check("LICENSE", "text", "note parts LICENSE");
}

#[test]
fn broken_front_matter_is_text_and_named() {
    insta::assert_snapshot!(shown("a.md", b"---\ntitle: [unclosed\n\nopen front\n"), @r#"
    a.md note "a" "---\ntitle: [unclosed\n\nopen front\n" 0..33@1-4
    ! a.md:1: read as plain text: front matter that never ends
    = markdown, 1 documents
    "#);
    let broken = shown("a.md", b"---\ntitle: [unclosed\n---\n# Heading\n");
    assert!(
        broken.contains("a.md note \"Heading\"")
            && broken.contains("! a.md:1: read as plain text: front matter: "),
        "{broken}"
    );
    insta::assert_snapshot!(shown("a.md", b"---\ntitle:no-blank\n---\nx"), @r#"
    a.md note "a" "---\ntitle:no-blank\n---\nx" 0..24@1-4
    ! a.md:1: read as plain text: front matter that has no fields
    = markdown, 1 documents
    "#);
    insta::assert_snapshot!(shown("a.md", b"---\nProse between rules.\n---\nx"), @r#"
    a.md note "Prose between rules." "---\nProse between rules.\n---\nx" 0..30@1-4
    = markdown, 1 documents
    "#);
    insta::assert_snapshot!(shown("a.md", b"---\n\nA rule, then text: no front matter.\n"), @r#"
    a.md note "a" "---\n\nA rule, then text: no front matter.\n" 0..41@1-3
    = markdown, 1 documents
    "#);
}

#[test]
fn repeated_fields_and_bombs() {
    check("a.md", "---\ntitle: x\ntags: a\ntags: b\n---\n", "note parts x");
    let mut bomb = "---\na: &a [x, x, x, x, x, x, x, x, x]\n".to_owned();
    for (name, before) in ('b'..='j').zip('a'..='i') {
        bomb += &format!("{name}: &{name} [{}]\n", vec![format!("*{before}"); 9].join(", "));
    }
    let outcome = read("a.md", format!("{bomb}---\ntext").as_bytes(), &ReadOptions::default());
    assert_eq!((outcome.documents.len(), outcome.problems.len()), (1, 1), "{}", lines(&outcome));
}

#[test]
fn whole_by_the_users_globs() {
    let whole = Globs::new(["/sop/*.txt", "!/sop/old.txt"]).expect("good globs");
    let options = ReadOptions { whole, ..ReadOptions::default() };
    for (name, expected) in [("sop/a.txt", true), ("sop/old.txt", false), ("x/sop/a.txt", false)] {
        let outcome = read(name, b"text", &options);
        assert_eq!(outcome.documents[0].whole, expected, "{name}");
    }
}
