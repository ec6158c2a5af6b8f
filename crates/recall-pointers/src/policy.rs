//! What may be written into the index.

use std::sync::LazyLock;

use jiff::civil::Date;
use regex::{Regex, RegexSet};

use crate::credential::credential_in;
use crate::draft::Draft;
use crate::fold::fold;
use crate::lint::Limits;
use crate::refusal::Refusal;
use crate::section::LineKind;
use crate::wording::{gives_reason, is_session_report, is_vague};

/// The write policy, for a system prompt. How to carry it out is for the program to say.
pub const POLICY: &str = "\
What belongs in the pointer index, and how to write it

The index is one page that every session reads whole. Each line costs every session.

Write a line when the user states a preference, when something is decided, or when there is a
runbook that must be found. Before writing, ask: would a session go wrong without this line, and
could it not see the same in the repository within a minute? If not, write nothing.

1. One statement, one line, present tense. State the rule, not the story of how it came about.
2. Give the reason (`because …`) or link to the note that holds it.
3. Give a date and a source: `user` said it, the `code` shows it, a `doc` says it.
4. Decisions carry the day they were settled and link to their note. Procedures are a link to a
   whole runbook: no steps in the index.
5. Nothing that can be read from the repository in a minute: no file lists, versions, counts, or
   places of functions.
6. No file contents, no command output, no credentials.
7. A new statement on the subject of an old one replaces it. Do not keep both.
8. Remove a line when it no longer holds. Date it anew (touch it) when you checked that it does.
";

static COMMAND_OUTPUT: LazyLock<RegexSet> = LazyLock::new(|| {
    RegexSet::new([
        r"^\s*[$#>] \S",
        r"\x1b\[",
        r"(?i)^(?:warning|error|fatal|panic|npm err!)(?:\[\w+\])?:",
        r"error\[E\d{4}\]",
        r"Traceback \(most recent call last\)",
        r"test result: |\b\d+ (?:passed|failed)\b|\bexit (?:status|code):? \d",
        r"^[-d](?:[r-][w-][x-]){3}\s",
        r"^\s*at \S+:\d+:\d+",
        r"^[0-9a-f]{7,40} \S",
    ])
    .expect("the patterns are constant")
});

static FILE_CONTENTS: LazyLock<RegexSet> = LazyLock::new(|| {
    RegexSet::new([
        r"```|~~~",
        r"`[^`]{80,}`",
        r#"[{\[]\s*"[^"]+"\s*:"#,
        r"^\s*(?:pub )?(?:fn|struct|enum|impl|def|class|function|import|package|use|const|let|var)\s+[\w:.*{}<>]+\s*[({;:=]",
        r"^\s*(?:#include|#!/|<\?|<!DOCTYPE|<html)",
        r"[;{]\s*$",
    ])
    .expect("the patterns are constant")
});

/// Folded text whose news is a place, a version, a count or the language of the project.
static IN_REPOSITORY: LazyLock<RegexSet> = LazyLock::new(|| {
    RegexSet::new([
        r"\b(?:is|are|lives?|located|defined|declared|implemented|found|stored|nam|dat|khai bao|viet)\s+(?:in|at|under|o|trong|tai)\s+`[^`]+`\W*$",
        r"\b(?:version|phien ban)\b.{0,30}\b\d+\.\d+",
        r"^(?:there (?:is|are)|has|it has|co)\s+\d+\s",
        r"^(?:the |this )?(?:project|repo|repository|codebase|code|du an|ma nguon)\s+(?:uses|is written in|dung|duoc viet bang|viet bang)\b",
        r"\bdepends on `[^`]+`\W*$",
    ])
    .expect("the patterns are constant")
});

static CODE_SPAN: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"`[^`]*`").expect("the pattern is constant"));

/// Holds a draft against the policy, as far as its own words go.
pub(crate) fn check(
    draft: &Draft,
    kind: LineKind,
    today: Date,
    limits: Limits,
) -> Result<(), Refusal> {
    let line = draft.line(kind);
    check_substance(&line, draft)?;
    check_wording(draft)?;
    check_grounds(draft, kind, today)?;
    let (characters, most) = (line.chars().count(), limits.line_characters);
    if characters > most { Err(Refusal::TooLong { characters, most }) } else { Ok(()) }
}

fn check_substance(line: &str, draft: &Draft) -> Result<(), Refusal> {
    if let Some(credential) = credential_in(line) {
        return Err(Refusal::Credential { credential });
    }
    let parts = [&draft.text].into_iter().chain(&draft.reason);
    for part in parts {
        if COMMAND_OUTPUT.is_match(part) {
            return Err(Refusal::CommandOutput);
        }
        if FILE_CONTENTS.is_match(part) {
            return Err(Refusal::FileContents);
        }
    }
    if line.contains(['\n', '\r']) {
        return Err(Refusal::NotOneLine);
    }
    if IN_REPOSITORY.is_match(&fold(&draft.text)) { Err(Refusal::InRepository) } else { Ok(()) }
}

fn check_wording(draft: &Draft) -> Result<(), Refusal> {
    let plain = CODE_SPAN.replace_all(&draft.text, "code");
    if is_session_report(&plain) {
        return Err(Refusal::SessionReport);
    }
    if is_vague(&plain) { Err(Refusal::Vague) } else { Ok(()) }
}

/// A statement rests on a reason, a source and a date; a pointer rests on what it points to.
fn check_grounds(draft: &Draft, kind: LineKind, today: Date) -> Result<(), Refusal> {
    if draft.date > today {
        return Err(Refusal::FutureDate { date: draft.date });
    }
    if !kind.is_statement() && draft.link.is_none() {
        return Err(Refusal::NoLink { kind });
    }
    let reasoned = draft.reason.is_some() || draft.link.is_some() || gives_reason(&draft.text);
    if kind.is_statement() && !reasoned {
        return Err(Refusal::NoReason);
    }
    // An entry's source and date are in its front matter.
    if kind != LineKind::Entry && draft.source.is_none() { Err(Refusal::NoSource) } else { Ok(()) }
}
