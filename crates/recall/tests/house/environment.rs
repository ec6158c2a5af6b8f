//! `docs/environment.md` has every environment variable that is read, and no other.

use std::collections::BTreeSet;

use regex::Regex;

use crate::source;
use crate::{none, text};

#[test]
fn every_variable_is_documented_and_every_documented_one_is_read() {
    let page = text("docs/environment.md");
    let ours = Regex::new(r"\bRECALL_[A-Z][A-Z_]*\b").expect("a pattern");
    let asked = Regex::new(r#"\bvar(?:_os)?\("([A-Z_]+)"\)"#).expect("a pattern");
    let mut read: BTreeSet<String> = BTreeSet::new();
    for source in source::all() {
        // Tests set what the program reads, and hold texts in which other names are.
        let test = source.path.contains("/tests/") && !source.path.contains("/tests/house/");
        if test || source.path == "crates/recall/tests/house/environment.rs" {
            continue;
        }
        let code = source.code();
        read.extend(ours.find_iter(&code).map(|m| m.as_str().to_owned()));
        if source.path.starts_with("crates/") && source.path.contains("/src/") {
            read.extend(asked.captures_iter(&code).map(|c| c[1].to_owned()));
        }
    }
    read.extend(ours.find_iter(&text(".ci/run")).map(|m| m.as_str().to_owned()));

    let named: BTreeSet<&str> =
        page.split(|c: char| !(c.is_ascii_uppercase() || c == '_')).collect();
    let missing: Vec<String> =
        read.iter().filter(|v| !named.contains(v.as_str())).cloned().collect();
    none("read, and not in docs/environment.md", &missing);
    let unread = ours.find_iter(&page).map(|m| m.as_str().to_owned());
    let unread: Vec<String> = unread.filter(|v| !read.contains(v)).collect();
    none("in docs/environment.md, and never read", &unread);
}
