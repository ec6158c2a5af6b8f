//! What may be written into the index, and why a draft is refused.

use std::path::PathBuf;
use std::sync::LazyLock;

use jiff::civil::Date;
use regex::{Regex, RegexSet};

use crate::credential::{Credential, credential_in};
use crate::draft::Draft;
use crate::fold::fold;
use crate::lint::Limits;
use crate::section::Kind;
use crate::selector::{Place, SelectError};
use crate::wording::{gives_reason, is_session_report, is_vague};

/// The write policy, for a system prompt.
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
8. Remove a line when it no longer holds. `touch` it when you checked that it does.

Use `recall pointers add | replace | remove | touch`; show the user the diff (`--dry-run`) before
you write. Read the file behind a line with `recall pointers open NAME`.
";

/// Why an edit is refused. Nothing was written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The draft has a line break in it.
    #[error("a statement is one line")]
    NotOneLine,
    /// The line would not read back as a list item of the page.
    #[error("the line would not read as a statement: `{text}`")]
    NotAStatement {
        /// The line.
        text: String,
    },
    /// The line is too long.
    #[error("the line has {characters} characters, the most is {most}")]
    TooLong {
        /// How long it is.
        characters: usize,
        /// How long it may be.
        most: usize,
    },
    /// The text is too vague.
    #[error("too vague to act on")]
    Vague,
    /// The text tells what happened in a session.
    #[error("tells what happened, not what holds")]
    SessionReport,
    /// There is neither a reason nor a link to one.
    #[error("no reason")]
    NoReason,
    /// There is no source.
    #[error("no source")]
    NoSource,
    /// The date lies in the future.
    #[error("{date} is in the future")]
    FutureDate {
        /// The date.
        date: Date,
    },
    /// A procedure or entry without a link.
    #[error("a {} is a link", kind.name())]
    NoLink {
        /// What was to be written.
        kind: Kind,
    },
    /// The link leads nowhere.
    #[error("`{link}` is not there")]
    LinkMissing {
        /// The link.
        link: String,
    },
    /// The link leads out of the project, or into another namespace.
    #[error("`{link}` is outside this memory and its project")]
    LinkOutside {
        /// The link.
        link: String,
    },
    /// The text looks like a credential. It is not repeated here.
    #[error("looks like {credential}")]
    Credential {
        /// What it looks like.
        credential: Credential,
    },
    /// The text is a piece of a file.
    #[error("looks like the contents of a file")]
    FileContents,
    /// The text is what a command printed.
    #[error("looks like the output of a command")]
    CommandOutput,
    /// The text says what anybody can see in the repository.
    #[error("can be read from the repository in a minute")]
    InRepository,
    /// The page would be over its cap.
    #[error("{} would be over its cap", path.display())]
    OverBudget {
        /// The page.
        path: PathBuf,
    },
    /// Several folders are open and none was named.
    #[error("which memory: {}?", namespaces.join(", "))]
    WhichNamespace {
        /// The namespaces that are open.
        namespaces: Vec<String>,
    },
    /// No folder of that namespace is open.
    #[error("no memory is open as `{namespace}`")]
    UnknownNamespace {
        /// The namespace.
        namespace: String,
    },
    /// The page has no section for the kind.
    #[error("no section for a {}", kind.name())]
    NoSection {
        /// What was to be written.
        kind: Kind,
    },
    /// Several lines are on the subject.
    #[error("several lines are on this subject:{}", places.iter().map(|p| format!("\n  {p}")).collect::<String>())]
    SeveralOnSubject {
        /// The lines.
        places: Vec<Place>,
    },
    /// The name does not mean one line.
    #[error(transparent)]
    Select(#[from] SelectError),
    /// The line to change runs on over several lines.
    #[error("{}:{line} runs on to line {last_line}", path.display())]
    RunsOn {
        /// The page.
        path: PathBuf,
        /// Its first line.
        line: usize,
        /// Its last line.
        last_line: usize,
    },
    /// The file is not UTF-8.
    #[error("{} is not UTF-8", path.display())]
    NotUtf8 {
        /// The file.
        path: PathBuf,
    },
    /// The file to change lies outside the memory folder.
    #[error("{} lies outside its memory folder", path.display())]
    OutsideFolder {
        /// The file.
        path: PathBuf,
    },
    /// The entry has no front matter to put a date into.
    #[error("{} has no front matter that can be read", path.display())]
    NoFrontMatter {
        /// The entry.
        path: PathBuf,
    },
    /// The edit would change nothing.
    #[error("{} says so already", path.display())]
    Unchanged {
        /// The file.
        path: PathBuf,
    },
}

impl Refusal {
    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::NotOneLine | Self::TooLong { .. } => "put the detail into a note and link to it",
            Self::NotAStatement { .. } => "write plain words, without list or block markup",
            Self::Vague => "say what to do, with what, and when",
            Self::SessionReport => "state the rule that follows from it, in the present tense",
            Self::NoReason => "give `--because`, or link to the note that holds the reason",
            Self::NoSource => "say where it comes from: `--source user`, `code` or `doc`",
            Self::FutureDate { .. } => "give the day on which it was settled",
            Self::NoLink { .. } => "write the runbook or entry first, then link to it",
            Self::LinkMissing { .. } => "write the file first; the path starts at the page",
            Self::LinkOutside { .. } => "copy the note into the project and link to the copy",
            Self::Credential { .. } => "say where it is kept, never what it is",
            Self::FileContents => "link to the file instead",
            Self::CommandOutput => "state the rule that follows from the output",
            Self::InRepository => "write only what the files do not show",
            Self::OverBudget { .. } => {
                "remove a line that no longer holds, or move detail into a note"
            }
            Self::WhichNamespace { .. } | Self::UnknownNamespace { .. } => {
                "name an open one with `--namespace`"
            }
            Self::NoSection { .. } => "add a heading such as `## Decisions` to the page by hand",
            Self::SeveralOnSubject { .. } => {
                "remove all but one, or `replace` the one that is meant"
            }
            Self::Select(error) => error.hint(),
            Self::RunsOn { .. } => "join it into one line by hand first",
            Self::NotUtf8 { .. } => "save the file as UTF-8 first",
            Self::OutsideFolder { .. } => "edit the file where it lies",
            Self::NoFrontMatter { .. } => "`recall pointers check` says what is wrong with it",
            Self::Unchanged { .. } => "there is nothing to do",
        }
    }
}

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
pub(crate) fn check(draft: &Draft, kind: Kind, today: Date, limits: Limits) -> Result<(), Refusal> {
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
fn check_grounds(draft: &Draft, kind: Kind, today: Date) -> Result<(), Refusal> {
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
    if kind != Kind::Entry && draft.source.is_none() { Err(Refusal::NoSource) } else { Ok(()) }
}
