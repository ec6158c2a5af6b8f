use std::fs;
use std::path::Path;

use recall_sources::{Globs, ReadOptions, Reason, ScanOptions, scan};

use crate::show::scanned;

/// A folder with these files, each holding its own name.
fn folder(files: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for name in files {
        write(folder.path(), name, name);
    }
    folder
}

fn write(root: &Path, name: &str, text: &str) {
    let path = root.join(name);
    fs::create_dir_all(path.parent().expect("in a folder")).expect("made");
    fs::write(path, text).expect("written");
}

fn globs(patterns: &[&str]) -> Globs {
    Globs::new(patterns).expect("good globs")
}

#[test]
fn sorted_and_under_ignore_rules() {
    let root = folder(&[
        "b.md",
        "a/z.md",
        "a/b.md",
        "a.md",
        ".hidden.md",
        ".git/config",
        ".recall/x",
        "target/x.md",
        "a/skip.md",
        "secret/x.md",
        "build/x.md",
    ]);
    write(root.path(), ".gitignore", "target/\n");
    write(root.path(), "a/.ignore", "skip.md\n");
    write(root.path(), ".recallignore", "secret\n");
    let options = ScanOptions { exclude: globs(&["build/"]), ..ScanOptions::default() };
    assert_eq!(scanned(root.path(), &options), ["a/b.md", "a/z.md", "a.md", "b.md"]);

    let options = ScanOptions { hidden: true, include: globs(&["*.MD"]), ..options };
    assert_eq!(scanned(root.path(), &options), [".hidden.md", "a/b.md", "a/z.md", "a.md", "b.md"]);
    assert!(Globs::new(["*.md", "[z-a]"]).is_err_and(|bad| bad.pattern == "[z-a]"));
}

#[test]
fn a_maildir_hides_its_folders() {
    let root = folder(&[
        "Mail/cur/1:2,S",
        "Mail/new/2",
        "Mail/.Sent/cur/3:2,S",
        "Mail/.Sent/.cache/x",
        "Mail/.Sent.2024/new/4",
        "Mail/.Sent.2024/cur/5",
        "Mail/.Spam/cur/6",
        "Mail/.Trash/cur/7",
        "Mail/.config/x",
        "notes/.hidden/cur/8",
    ]);
    write(root.path(), ".recallignore", ".Spam\n");
    let options = ScanOptions { exclude: globs(&["Mail/.Trash/"]), ..ScanOptions::default() };
    let mail = ["Mail/.Sent/cur/3:2,S", "Mail/.Sent.2024/cur/5", "Mail/.Sent.2024/new/4"];
    let found = ["Mail/cur/1:2,S", "Mail/new/2"];
    assert_eq!(scanned(root.path(), &options), [mail.as_slice(), &found].concat());
    let within = scanned(&root.path().join("Mail"), &options);
    assert!(within.contains(&".Sent/cur/3:2,S".to_owned()), "{within:?}");
}

#[test]
fn a_part_is_what_the_whole_has_there() {
    let root = folder(&["a/b.md", "a/c/d.md", "a/skip.md", "a.md", "ab/x.md", "target/x.md"]);
    write(root.path(), ".gitignore", "target/\n");
    write(root.path(), "a/.ignore", "skip.md\n");
    let check = |only: &[&str], expected: &[&str]| {
        let only = only.iter().map(|path| root.path().join(path)).collect();
        let options = ScanOptions { only, ..ScanOptions::default() };
        assert_eq!(scanned(root.path(), &options), expected);
    };
    check(&["a/b.md"], &["a/b.md"]);
    check(&["a"], &["a/b.md", "a/c/d.md"]);
    check(&["a/c", "a.md"], &["a/c/d.md", "a.md"]);
    check(&["a/skip.md", "target/x.md", "gone/y.md"], &[]);
    check(&[""], &["a/b.md", "a/c/d.md", "a.md", "ab/x.md"]);
}

#[test]
fn a_file_can_be_the_root() {
    let root = folder(&["only.md", "other.md"]);
    assert_eq!(scanned(&root.path().join("only.md"), &ScanOptions::default()), ["only.md"]);
}

#[test]
fn what_is_not_read_is_named() {
    let root =
        folder(&["MEMORY.md", "memory/INDEX.md", "docs/INDEX.md", "x/MEMORY.md", "p/ptr.md"]);
    write(root.path(), "zero.md", "");
    write(root.path(), "large.md", &"x".repeat(2000));
    let options =
        ScanOptions { max_bytes: 1000, pointers: globs(&["/p/*.md"]), ..ScanOptions::default() };
    assert_eq!(
        scanned(root.path(), &options),
        [
            "! MEMORY.md: pointer index: loaded whole, never searched",
            "docs/INDEX.md",
            "! large.md: larger than the limit (2000 bytes, limit 1000)",
            "! memory/INDEX.md: pointer index: loaded whole, never searched",
            "! p/ptr.md: pointer index: loaded whole, never searched",
            "! x/MEMORY.md: pointer index: loaded whole, never searched",
            "! zero.md: empty",
        ]
    );
}

#[test]
fn a_missing_root_is_no_deletion() {
    let root = folder(&[]);
    let problems: Vec<_> =
        scan(&root.path().join("gone"), &ScanOptions::default()).filter_map(Result::err).collect();
    let [problem] = problems.as_slice() else { panic!("{problems:?}") };
    assert!(problem.reason.keeps_what_was_indexed() && problem.covers("any/file.md"), "{problem}");
}

#[cfg(unix)]
#[test]
fn links() {
    use std::os::unix::fs::symlink;
    let outside = folder(&["x.md", "deep/y.md"]);
    let root = folder(&["a.md", "d/b.md"]);
    let at = |name: &str| root.path().join(name);
    symlink(at("a.md"), at("inside.md")).expect("linked");
    symlink(outside.path(), at("out")).expect("linked");
    symlink(outside.path().join("x.md"), at("out.md")).expect("linked");
    symlink(at("nothing"), at("dangling")).expect("linked");
    symlink(at("loop"), at("loop")).expect("linked");
    symlink(root.path(), at("d/up")).expect("linked");
    let refused = [
        "! dangling: refused: a link to nothing",
        "! loop: refused: a link that leads nowhere (a loop?)",
        "! out: refused: a link that leads out of the root",
        "! out.md: refused: a link that leads out of the root",
    ];
    let mut expected = vec!["a.md", "d/b.md"];
    expected.extend(refused);
    let found = scanned(root.path(), &ScanOptions::default());
    let sorted = |mut lines: Vec<String>| {
        lines.sort();
        lines
    };
    expected.sort_unstable();
    assert_eq!(sorted(found), expected);

    let follow = ScanOptions { follow_links: true, ..ScanOptions::default() };
    let found = scanned(root.path(), &follow);
    assert!(found.iter().any(|line| line == "inside.md"), "{found:#?}");
    assert!(found.iter().any(|line| line.starts_with("! d/up: refused")), "{found:#?}");
    assert!(found.iter().all(|line| !line.contains("y.md") && line != "out.md"), "{found:#?}");
}

#[test]
fn hashes_tell_content_from_place() {
    let root = folder(&["a.md", "b.md"]);
    write(root.path(), "b.md", "a.md");
    let hashes: Vec<_> = scan(root.path(), &ScanOptions::default())
        .map(|source| source.expect("readable").hash().expect("readable"))
        .collect();
    assert_eq!(hashes[0], hashes[1]);
    assert_eq!(hashes[0], blake3::hash(b"a.md"));
}

#[test]
fn a_file_that_vanishes_is_named() {
    let root = folder(&["a.md"]);
    let sources: Vec<_> = scan(root.path(), &ScanOptions::default()).flatten().collect();
    fs::remove_file(root.path().join("a.md")).expect("removed");
    let read =
        sources[0].read(&ReadOptions::default(), &mut |_| std::ops::ControlFlow::Continue(()));
    assert_eq!(read.map_err(|problem| problem.reason), Err(Reason::Vanished));
    assert_eq!(sources[0].hash().map_err(|problem| problem.reason), Err(Reason::Vanished));
}
