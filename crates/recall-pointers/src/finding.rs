//! What the linter finds.

use std::fmt;
use std::path::{Path, PathBuf};

use jiff::civil::Date;
use recall_sources::credential::CredentialKind;
use serde::Serialize;

use crate::front_matter::FrontMatterError;

/// One finding, at one place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LintFinding {
    /// The namespace of the folder.
    pub namespace: String,
    /// The file.
    pub path: PathBuf,
    /// The line in it, counted from 1.
    pub line: usize,
    /// What is wrong.
    #[serde(flatten)]
    pub problem: Problem,
}

/// What can be wrong with a memory folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, thiserror::Error)]
#[serde(tag = "finding", rename_all = "snake_case")]
pub enum Problem {
    /// A link leads to a file that is not there.
    #[error("the link leads to `{target}`, which is not there")]
    MissingTarget {
        /// The link, as written.
        target: String,
    },
    /// A link leads out of the repository.
    #[error("the link `{target}` leads out of the project")]
    LeavesProject {
        /// The link, as written.
        target: String,
    },
    /// A link leads into the memory of another namespace.
    #[error("the link `{target}` leads into the memory of `{owner}`")]
    LeavesNamespace {
        /// The link, as written.
        target: String,
        /// The namespace that it leads into.
        owner: String,
    },
    /// A path in back-ticks is not there.
    #[error("`{quoted}` is quoted, but is not there")]
    MissingPath {
        /// The path, as quoted.
        quoted: String,
    },
    /// No line of the index points to this file.
    #[error("no line of the index points here")]
    Orphan,
    /// The statement is longer than a line should be.
    #[error("{characters} characters, the most is {most}")]
    TooLong {
        /// How long it is.
        characters: usize,
        /// How long it may be.
        most: usize,
    },
    /// The statement runs on over several lines.
    #[error("the statement runs on to line {last_line}")]
    NotOneLine {
        /// Its last line.
        last_line: usize,
    },
    /// The statement does not say anything that can be acted on.
    #[error("too vague to act on")]
    Vague,
    /// A decision or a project entry has no date.
    #[error("no date")]
    Undated,
    /// A date lies in the future.
    #[error("{date} is in the future")]
    FutureDate {
        /// The date.
        date: Date,
    },
    /// A decision has neither a reason nor a link to the note that holds it.
    #[error("no reason, and no link to the note that holds it")]
    NoReason,
    /// A procedure without a link to a runbook.
    #[error("a procedure without a link to its runbook")]
    NoRunbook,
    /// The statement tells what happened in a session.
    #[error("tells what happened, not what holds")]
    SessionReport,
    /// Two lines point at the same thing.
    #[error("points at `{target}`, as line {first} does")]
    SameTarget {
        /// The link, as written here.
        target: String,
        /// The line that came first.
        first: usize,
    },
    /// Two lines speak on the same subject.
    #[error("{} line {first} on `{subject}`", if *.opposed { "contradicts" } else { "speaks twice, with" })]
    SameSubject {
        /// The words that they share.
        subject: String,
        /// The line that came first.
        first: usize,
        /// One says yes and the other no.
        opposed: bool,
    },
    /// An entry file has no front matter.
    #[error("no front matter")]
    NoFrontMatter,
    /// The front matter of a file cannot be read or is not complete.
    #[error("front matter: {error}")]
    FrontMatter {
        /// What is wrong with it.
        error: FrontMatterError,
    },
    /// A `project` entry is older than such entries stay true.
    #[error("a project entry of {date}, older than {days} days")]
    OldProject {
        /// Its date.
        date: Date,
        /// The days after which such an entry must be looked at again.
        days: u32,
    },
    /// Something looks like a credential. It is not repeated here.
    #[error("looks like {credential}")]
    Credential {
        /// What it looks like.
        credential: CredentialKind,
    },
    /// The target of a procedure is not a document that is kept whole.
    #[error("`{target}` is not kept whole")]
    NotWhole {
        /// The link, as written.
        target: String,
    },
    /// The page is over the cap of its reader.
    #[error("{lines} lines and {bytes} bytes: the reader stops here")]
    OverBudget {
        /// The lines of the page.
        lines: usize,
        /// The bytes of the page.
        bytes: usize,
    },
    /// A quoted file changed since the entry was written.
    #[error("suspect: `{quoted}` changed since {since}")]
    Suspect {
        /// The file, as quoted.
        quoted: String,
        /// The commit or the date that the entry was true at.
        since: String,
    },
    /// The recorded commit is not in the repository.
    #[error("the commit `{commit}` is not in the repository")]
    UnknownCommit {
        /// The commit, as recorded.
        commit: String,
    },
    /// The file is not UTF-8.
    #[error("not UTF-8")]
    NotUtf8,
    /// The file or folder cannot be read.
    #[error("cannot be read: {reason}")]
    Unreadable {
        /// What the system said.
        reason: String,
    },
}

impl Problem {
    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::MissingTarget { .. } => "correct the link, or remove the line with its file",
            Self::LeavesProject { .. } => "copy the note into the project and link to the copy",
            Self::LeavesNamespace { .. } => {
                "say it in this folder's own words, or in the shared folder"
            }
            Self::MissingPath { .. } => {
                "the file moved or is gone: correct the path, or remove the statement"
            }
            Self::Orphan => "add a line for it to the index, or delete the file",
            Self::TooLong { .. } => "move the detail into a note and link to it",
            Self::NotOneLine { .. } => {
                "one statement, one line: join it, or move the rest into a note"
            }
            Self::Vague => "say what to do, with what, and when",
            Self::Undated => "add the date it was settled on, as 2026-11-29",
            Self::FutureDate { .. } => "correct the date",
            Self::NoReason => "add `because …`, or `→ [why](notes/….md)`",
            Self::NoRunbook => "link to the runbook: `- [Restore the index](runbooks/restore.md)`",
            Self::SessionReport => "state the rule that follows from it, in the present tense",
            Self::SameTarget { .. } => "keep one line for it",
            Self::SameSubject { .. } => "keep the one that holds",
            Self::NoFrontMatter => "start the file with `---`, name, description, type, `---`",
            Self::FrontMatter { .. } => "an entry has `name`, `description` and `type`",
            Self::OldProject { .. } => {
                "check that it still holds, then date it today, or remove it"
            }
            Self::Credential { .. } => {
                "remove it, and replace the credential itself: it is in the history"
            }
            Self::NotWhole { .. } => "move the file into a folder of runbooks, or mark it as one",
            Self::OverBudget { .. } => "move detail into notes, remove what no longer holds",
            Self::Suspect { .. } => "read the file again, then correct the entry or date it today",
            Self::UnknownCommit { .. } => {
                "record a commit that is in the history; a shallow clone has few"
            }
            Self::NotUtf8 => "save the file as UTF-8",
            Self::Unreadable { .. } => "check its permissions",
        }
    }
}

impl LintFinding {
    pub(crate) fn at(namespace: &str, path: &Path, line: usize, problem: Problem) -> Self {
        Self { namespace: namespace.to_owned(), path: path.to_owned(), line, problem }
    }

    /// The finding and, on a line of its own, what to do about it.
    pub fn with_hint(&self, hint: &str) -> String {
        format!("{}:{}: {}\n  hint: {hint}", self.path.display(), self.line, self.problem)
    }
}

impl fmt::Display for LintFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.with_hint(self.problem.hint()))
    }
}
