//! Branches for systems stand in few files, which say so.

use std::collections::BTreeSet;

use regex::Regex;

use crate::none;
use crate::source;

/// The files with such a branch, and what differs there.
const FILES: &[(&str, &str)] = &[
    ("crates/recall-embed/src/checksum.rs", "inode and time of change, where there are any"),
    ("crates/recall-embed/src/disk.rs", "a folder is synced where that is possible"),
    ("crates/recall-index/src/durable.rs", "a folder is synced where that is possible"),
    ("crates/recall-index/src/verified.rs", "inode and time of change, where there are any"),
    ("crates/recall-pointers/src/atomic_file.rs", "a folder is synced where that is possible"),
    ("crates/recall-pointers/src/history.rs", "the bytes of a path that git prints"),
    ("crates/recall/src/resident/mod.rs", "a resident process needs Unix sockets"),
    ("crates/recall/src/resident/socket.rs", "how the other side's user is asked for"),
];

#[test]
fn branches_for_systems_stand_in_few_files() {
    let branch = Regex::new(r#"cfg(_attr)?!?\(.*\b(unix|windows|target_os|target_family)\b"#)
        .expect("a pattern");
    let mut found: BTreeSet<String> = BTreeSet::new();
    for source in source::of_crates() {
        if branch.is_match(&source.code()) {
            found.insert(source.path);
        }
    }
    let known: BTreeSet<String> = FILES.iter().map(|(path, _)| (*path).to_owned()).collect();
    let new: Vec<String> = found.difference(&known).cloned().collect();
    none(
        "new branches for systems: put them in one of the files there are, or list the file",
        &new,
    );
    for gone in known.difference(&found) {
        eprintln!("no longer needed: {gone}");
    }
}
