//! Source files, and their text without comments.

use std::fs;
use std::path::Path;

use crate::root;

/// A Rust file.
pub(crate) struct Source {
    /// From the root of the workspace, with `/`.
    pub path: String,
    /// As on disk.
    pub text: String,
}

/// A string literal and the line it begins on.
pub(crate) type Literal = (usize, String);

impl Source {
    /// Blanks in place of comments, so that lines keep their numbers.
    pub(crate) fn code(&self) -> String {
        scan(&self.text).0
    }

    /// The string literals, those of unit tests left out.
    pub(crate) fn literals(&self) -> Vec<Literal> {
        let end = self.text.find("\n#[cfg(test)]\nmod ").unwrap_or(self.text.len());
        scan(&self.text[..end]).1
    }

    /// The crate it belongs to.
    pub(crate) fn package(&self) -> &str {
        self.path.split('/').nth(1).unwrap_or_default()
    }

    /// Its name without the folder.
    pub(crate) fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or_default()
    }
}

/// Every Rust file of the crates' `src`.
pub(crate) fn of_crates() -> Vec<Source> {
    let mut out = Vec::new();
    for package in folders("crates") {
        under(&format!("{package}/src"), &mut out);
    }
    assert!(out.len() > 100, "the crates were found");
    out
}

/// Every Rust file there is, but for fixtures.
pub(crate) fn all() -> Vec<Source> {
    let mut out = Vec::new();
    for folder in ["crates", "benches", "quality", "fuzz"] {
        under(folder, &mut out);
    }
    out
}

/// The folders in a folder.
pub(crate) fn folders(path: &str) -> Vec<String> {
    let entries = fs::read_dir(root().join(path)).unwrap_or_else(|e| panic!("{path}: {e}"));
    let entries = entries.map(|e| e.expect("a readable entry"));
    let mut out: Vec<String> = entries
        .filter(|e| e.path().is_dir())
        .map(|e| format!("{path}/{}", e.file_name().to_string_lossy()))
        .collect();
    out.sort();
    out
}

fn under(path: &str, out: &mut Vec<Source>) {
    let Ok(entries) = fs::read_dir(root().join(path)) else { return };
    let mut names: Vec<String> = entries
        .map(|e| e.expect("a readable entry").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    for name in names {
        let path = format!("{path}/{name}");
        let place = root().join(&path);
        if place.is_dir() && !matches!(name.as_str(), "target" | "fixtures") {
            under(&path, out);
        } else if Path::new(&name).extension().is_some_and(|e| e == "rs") {
            let text = fs::read_to_string(&place).unwrap_or_else(|e| panic!("{path}: {e}"));
            out.push(Source { path, text });
        }
    }
}

/// The text with blanks for comments, and its string literals.
fn scan(text: &str) -> (String, Vec<Literal>) {
    let mut code = String::with_capacity(text.len());
    let mut literals = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let word = code.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let raw = if word { None } else { raw_string(rest) };
        let (length, blank) = if rest.starts_with("//") {
            (rest.find('\n').unwrap_or(rest.len()), true)
        } else if rest.starts_with("/*") {
            (block_comment(rest), true)
        } else if let Some((length, inner)) = raw {
            literals.push((code.matches('\n').count() + 1, rest[inner].to_owned()));
            (length, false)
        } else if first == '"' {
            let length = quoted(rest);
            let inner = rest[1..length].strip_suffix('"').unwrap_or(&rest[1..length]);
            literals.push((code.matches('\n').count() + 1, inner.to_owned()));
            (length, false)
        } else {
            (character(rest).unwrap_or(first.len_utf8()), false)
        };
        let (piece, after) = rest.split_at(length);
        if blank {
            code.extend(piece.chars().map(|c| if c == '\n' { '\n' } else { ' ' }));
        } else {
            code.push_str(piece);
        }
        rest = after;
    }
    (code, literals)
}

fn block_comment(text: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < text.len() {
        match &text.as_bytes()[at..] {
            [b'/', b'*', ..] => (depth, at) = (depth + 1, at + 2),
            [b'*', b'/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            break;
        }
    }
    at
}

/// The length of `r#"…"#`, and what is in it.
fn raw_string(text: &str) -> Option<(usize, std::ops::Range<usize>)> {
    let after = text.strip_prefix("br").or_else(|| text.strip_prefix('r'))?;
    let hashes = after.len() - after.trim_start_matches('#').len();
    let begin = text.len() - after.len() + hashes + 1;
    after[hashes..].strip_prefix('"')?;
    let close = format!("\"{}", "#".repeat(hashes));
    let length = text[begin..].find(&close)?;
    Some((begin + length + close.len(), begin..begin + length))
}

/// The length of `"…"`.
fn quoted(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// The length of a character literal; `None` for a lifetime and everything else.
fn character(text: &str) -> Option<usize> {
    let mut chars = text.char_indices();
    chars.next().filter(|(_, c)| *c == '\'')?;
    match chars.next()? {
        (_, '\\') => text[3..].find('\'').map(|at| at + 4),
        _ => chars.next().filter(|(_, c)| *c == '\'').map(|(at, _)| at + 1),
    }
}

#[test]
fn comments_are_told_from_text() {
    let (code, literals) = scan("a /* \"x\" /* */ */ b // \"y\"\nlet s: &'a str = \"//z\\\"\";");
    assert_eq!(code.split_whitespace().collect::<String>(), "ablets:&'astr=\"//z\\\"\";");
    assert_eq!(literals, [(2, "//z\\\"".to_owned())]);
    let (code, literals) = scan("let q = '\"'; let e = '\\''; r#\"a \"b\" // c\"# // d");
    assert!(code.contains("// c") && !code.contains("// d"), "{code}");
    assert_eq!(literals, [(1, "a \"b\" // c".to_owned())]);
}
