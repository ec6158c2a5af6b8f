//! Which words in back-ticks are paths.

use std::sync::LazyLock;

use regex::Regex;

static PATH: LazyLock<Regex> = LazyLock::new(|| {
    // No blanks, globs, variables or quotes; an optional `:line` or `:line:column` at the end.
    Regex::new(r"^(?<path>\.{0,2}[^\s:*?<>|{}$'\x22()=,;@~\\]+?)(?::\d+(?:[:-]\d+)?)?$")
        .expect("the pattern is constant")
});

static FILE_NAME: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\.?[\p{L}\p{M}\d_][\p{L}\p{M}\d_.+-]*\.[A-Za-z][A-Za-z0-9]{0,9}$")
        .expect("the pattern is constant")
});

/// Extensions that make a bare word, without a slash, the name of a file.
const EXTENSIONS: [&str; 45] = [
    "bash",
    "c",
    "cc",
    "cfg",
    "cmd",
    "conf",
    "cpp",
    "css",
    "csv",
    "dockerfile",
    "env",
    "go",
    "gradle",
    "h",
    "hpp",
    "html",
    "ini",
    "ipynb",
    "java",
    "js",
    "json",
    "jsonl",
    "jsx",
    "kt",
    "lock",
    "log",
    "md",
    "mjs",
    "php",
    "pl",
    "ps1",
    "py",
    "rb",
    "rs",
    "scss",
    "sh",
    "sql",
    "swift",
    "tf",
    "toml",
    "ts",
    "tsx",
    "txt",
    "yaml",
    "yml",
];

/// A path that a text quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct QuotedPath<'a> {
    /// The path, with `/` between parts, without a line number.
    pub path: &'a str,
    /// Whether the words can be nothing but a path. If not, they are one only when their first
    /// part is a folder that exists (`src/walk`, but not `and/or`).
    pub certain: bool,
}

/// Reads the words between two back-ticks as a path in the repository; `None` when they are
/// something else: code, a flag, a web address, a path of another machine (`/etc/hosts`, `~/.x`).
pub(crate) fn quoted_path(quote: &str) -> Option<QuotedPath<'_>> {
    if quote.contains("://") || quote.starts_with(['-', '/', '#']) || quote.contains("//") {
        return None;
    }
    let path = PATH.captures(quote.trim())?.name("path")?.as_str();
    let path = path.strip_prefix("./").unwrap_or(path);
    if path.split('/').all(|part| matches!(part, "" | "." | "..")) {
        return None;
    }
    match path.rsplit_once('/') {
        None => is_known_file_name(path).then_some(QuotedPath { path, certain: true }),
        Some((folders, name)) => nested_path(path, folders, name),
    }
}

fn nested_path<'a>(path: &'a str, folders: &str, name: &str) -> Option<QuotedPath<'a>> {
    let first = folders.split('/').next().unwrap_or(folders);
    let web = first.contains('.') && !first.starts_with('.');
    let certain = name.is_empty() || FILE_NAME.is_match(name);
    (!web).then_some(QuotedPath { path: path.trim_end_matches('/'), certain })
}

fn is_known_file_name(name: &str) -> bool {
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    FILE_NAME.is_match(name) && EXTENSIONS.contains(&extension.to_ascii_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(quote: &str, expected: Option<(&str, bool)>) {
        let found = quoted_path(quote).map(|quoted| (quoted.path, quoted.certain));
        assert_eq!(found, expected, "{quote}");
    }

    #[test]
    fn paths_are_told_from_other_code() {
        check("src/walk.rs", Some(("src/walk.rs", true)));
        check("src/walk.rs:42", Some(("src/walk.rs", true)));
        check("./bin/run", Some(("bin/run", false)));
        check("../notes/x.md", Some(("../notes/x.md", true)));
        check("datasets/", Some(("datasets", true)));
        check("and/or", Some(("and/or", false)));
        check("Cargo.toml", Some(("Cargo.toml", true)));
        check(".ci/run", Some((".ci/run", false)));
        check("ghi chú/quyết-định.md", None);
        check("ghi-chú/quyết-định.md", Some(("ghi-chú/quyết-định.md", true)));
        for other in [
            "cargo test",
            "--dry-run",
            "-n",
            "https://example.org/a.md",
            "example.org/a.html",
            "/etc/hosts",
            "~/.ssh/config",
            "*.rs",
            "src/{a,b}.rs",
            "$HOME/x.md",
            "Vec<u8>",
            "std::fs",
            "1.0.21",
            "Node.x",
            "..",
            "",
            "a@b.md",
        ] {
            check(other, None);
        }
    }
}
