//! Libraries know no commands and no flags: hints that name them are put together in the program.

use regex::Regex;

use crate::none;
use crate::source;

/// Literals that look like a flag or a command and may stay: file, part of the text, reason.
const ALLOWED: &[(&str, &str, &str)] = &[(
    "crates/recall-eval/src/chart.rs",
    "{title}: recall eval</title>",
    "names what made the page",
)];

#[test]
fn libraries_speak_of_no_flags() {
    let told = Regex::new(r"recall (index|query|check|model|eval|tune|get|watch|serve|status|explain)\b|(^|\s)--[a-z]").expect("a pattern");
    let (mut found, mut unused) = (Vec::new(), ALLOWED.to_vec());
    for source in source::of_crates().iter().filter(|s| s.package() != "recall") {
        if source.name().ends_with("tests.rs") || is_command_line(&source.path) {
            continue;
        }
        for (line, literal) in source.literals() {
            if !told.is_match(&literal) {
                continue;
            }
            let allowed = |(path, part, _): &(&str, &str, &str)| {
                *path == source.path && literal.contains(part)
            };
            unused.retain(|entry| !allowed(entry));
            if !ALLOWED.iter().any(allowed) {
                found.push(format!("{}:{line}: {literal:?}", source.path));
            }
        }
    }
    for (path, part, _) in unused {
        eprintln!("no longer needed: {path}, {part:?}");
    }
    none("commands and flags in libraries", &found);
}

/// Files whose strings are command lines of other programs.
fn is_command_line(path: &str) -> bool {
    // pip's flags.
    path == "crates/recall-embed/src/package.rs"
        // git's flags.
        || path.starts_with("crates/recall-pointers/src/history")
        // recall's own calls in transcripts are recognised by their words.
        || path == "crates/recall-sources/src/readers/tool_calls.rs"
}
