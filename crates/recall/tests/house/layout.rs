//! Where names may stand, and what a file may be called and hold.

use std::path::Path;

use regex::Regex;

use crate::none;
use crate::source::{self, Source};

/// A foreign crate, and the one place that knows it.
const FOREIGN: [(&str, &str); 3] = [
    ("tantivy", "crates/recall-index/src/keyword"),
    ("usearch", "crates/recall-index/src/graph.rs"),
    ("fastembed", "crates/recall-embed/src/session.rs"),
];

/// Lines that a file may have: what is longer owns two nouns.
const LINES_MAX: usize = 500;

#[test]
fn foreign_names_stand_in_one_place() {
    let mut found = Vec::new();
    for (name, place) in FOREIGN {
        let used =
            Regex::new(&format!(r"\b(use\s+(::)?{name}\b|extern\s+crate\s+{name}\b|{name}::)"))
                .expect("a pattern");
        for source in source::of_crates().iter().filter(|s| !s.path.starts_with(place)) {
            for (at, line) in source.code().lines().enumerate().filter(|(_, l)| used.is_match(l)) {
                found.push(format!("{}:{}: {}", source.path, at + 1, line.trim()));
            }
        }
    }
    none("tantivy, usearch or fastembed outside its place", &found);
}

#[test]
fn files_are_named_after_what_they_own() {
    let drawer = |s: &&Source| {
        let stem = Path::new(&s.path).file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let folder = s.path.rsplit('/').nth(1).unwrap_or_default();
        let name = if s.name() == "mod.rs" { folder.to_owned() } else { stem.unwrap_or_default() };
        matches!(
            name.as_str(),
            "utils" | "util" | "helpers" | "helper" | "common" | "misc" | "types"
        )
    };
    let found: Vec<String> = source::all().iter().filter(drawer).map(|s| s.path.clone()).collect();
    none("junk drawers", &found);
}

#[test]
fn no_file_is_longer_than_one_noun_needs() {
    let long = |s: &Source| {
        let lines = s.text.lines().count();
        (lines > LINES_MAX).then(|| format!("{}: {lines} lines", s.path))
    };
    let found: Vec<String> = source::of_crates().iter().filter_map(long).collect();
    none("files over 500 lines", &found);
}

#[test]
fn nothing_is_left_half_done() {
    let unfinished = Regex::new(r"\b(todo|unimplemented|dbg)!").expect("a pattern");
    let mut found = Vec::new();
    for source in source::all() {
        for (at, line) in source.code().lines().enumerate().filter(|(_, l)| unfinished.is_match(l))
        {
            found.push(format!("{}:{}: {}", source.path, at + 1, line.trim()));
        }
    }
    none("left half done", &found);
}
