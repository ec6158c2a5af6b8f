//! Why an edit is refused.

use std::path::PathBuf;

use jiff::civil::Date;
use recall_sources::credential::CredentialKind;

use crate::section::LineKind;
use crate::selector::{Place, SelectError, list};

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
        kind: LineKind,
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
        credential: CredentialKind,
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
        kind: LineKind,
    },
    /// Several lines are on the subject.
    #[error("several lines are on this subject:{}", list(places))]
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
            Self::NoReason => "give a reason, or link to the note that holds it",
            Self::NoSource => "say where it comes from: the user, the code or a doc",
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
            Self::WhichNamespace { .. } | Self::UnknownNamespace { .. } => "name one that is open",
            Self::NoSection { .. } => "add a heading such as `## Decisions` to the page by hand",
            Self::SeveralOnSubject { .. } => "remove all but one, or name the one to replace",
            Self::Select(error) => error.hint(),
            Self::RunsOn { .. } => "join it into one line by hand first",
            Self::NotUtf8 { .. } => "save the file as UTF-8 first",
            Self::OutsideFolder { .. } => "edit the file where it lies",
            Self::NoFrontMatter { .. } => {
                "start the file with `---`, name, description, type, `---`"
            }
            Self::Unchanged { .. } => "there is nothing to do",
        }
    }
}
