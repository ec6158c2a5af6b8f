//! House rules as tests: the map, the documents and the code must say the same.
//!
//! No model and no network. `RECALL_BLESS=1` writes what is generated (the file index, the help)
//! instead of comparing it.

mod dependencies;
mod environment;
mod help;
mod json;
mod layout;
mod libraries;
mod map;
mod source;
mod systems;

use std::path::{Path, PathBuf};

/// The root of the workspace.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the workspace")
}

/// The text of a file, by its path from the root.
#[track_caller]
fn text(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// Fails with the list, if there is anything in it.
#[track_caller]
fn none(rule: &str, found: &[String]) {
    assert!(found.is_empty(), "{rule}:\n  {}", found.join("\n  "));
}

/// Compares a generated file with what it should be, or writes it if `RECALL_BLESS` is set.
#[track_caller]
fn generated(path: &str, expected: &str) {
    let place = root().join(path);
    if std::env::var_os("RECALL_BLESS").is_some_and(|v| !v.is_empty()) {
        std::fs::write(&place, expected).unwrap_or_else(|e| panic!("{path}: {e}"));
        return;
    }
    let found = std::fs::read_to_string(&place).unwrap_or_default();
    let line = expected.lines().zip(found.lines()).take_while(|(a, b)| a == b).count();
    assert!(
        found == expected,
        "{path}:{} is out of date\n  is:        {}\n  should be: {}\nrun: RECALL_BLESS=1 cargo test -p recall --test house",
        line + 1,
        found.lines().nth(line).unwrap_or("(the end)"),
        expected.lines().nth(line).unwrap_or("(the end)"),
    );
}
