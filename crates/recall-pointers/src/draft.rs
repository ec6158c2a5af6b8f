//! A statement that somebody wants to write, and the line that it becomes.

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::section::LineKind;

/// Where a statement comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Provenance {
    /// The user said it.
    User,
    /// The code shows it.
    Code,
    /// A document says it.
    Doc,
}

impl Provenance {
    /// Every source, in the order that help texts list them.
    pub const ALL: [Self; 3] = [Self::User, Self::Code, Self::Doc];

    /// The word in the stamp of a line.
    pub fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Code => "code",
            Self::Doc => "doc",
        }
    }
}

/// A statement to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    /// What it says, in one line of Markdown.
    pub text: String,
    /// Why, if the text does not say so itself.
    pub reason: Option<String>,
    /// The note, runbook or entry that it points to, as a path from the page or a web address.
    pub link: Option<String>,
    /// Where it comes from.
    pub source: Option<Provenance>,
    /// The day from which it holds.
    pub date: Date,
}

impl Draft {
    /// The line, without list marker:
    ///
    /// - a decision: `2026-11-29 Text, because reason → [note](notes/note.md) (doc)`
    /// - a procedure: `[Text](runbooks/x.md) — reason (doc, 2026-11-29)`
    /// - an entry: `[file.md](file.md) — text`
    /// - anything else: `Text, because reason → [note](notes/note.md) (user, 2026-11-29)`
    pub(crate) fn line(&self, kind: LineKind) -> String {
        let text = self.text.trim();
        match (kind, &self.link) {
            (LineKind::Entry, Some(link)) => format!("[{link}]({}) — {text}", destination(link)),
            (LineKind::Procedure, Some(link)) => {
                let reason = self.reason.as_ref().map(|r| format!(" — {}", r.trim()));
                let reason = reason.unwrap_or_default();
                format!("[{text}]({}){reason}{}", destination(link), self.stamp())
            }
            (LineKind::Decision, _) => {
                let source = self.source.map(|source| format!(" ({})", source.name()));
                format!("{} {}{}", self.date, self.sentence(), source.unwrap_or_default())
            }
            _ => format!("{}{}", self.sentence(), self.stamp()),
        }
    }

    /// The text, its reason and its link.
    fn sentence(&self) -> String {
        let text = self.text.trim();
        let mut sentence = match &self.reason {
            Some(reason) => {
                let text = text.trim_end_matches('.');
                format!("{text}, {} {}", because(text), reason.trim())
            }
            None => text.to_owned(),
        };
        if let Some(link) = &self.link {
            sentence.push_str(&format!(" → [{}]({})", name_of(link), destination(link)));
        }
        sentence
    }

    fn stamp(&self) -> String {
        match self.source {
            Some(source) => format!(" ({}, {})", source.name(), self.date),
            None => format!(" ({})", self.date),
        }
    }
}

/// The word before a reason: Vietnamese where the text has letters that English has not.
fn because(text: &str) -> &'static str {
    let vietnamese = text.chars().any(|c| !c.is_ascii() && c.is_alphabetic());
    if vietnamese { "vì" } else { "because" }
}

/// A link's target as Markdown takes it.
fn destination(link: &str) -> String {
    let plain = !link.contains([' ', '(', ')', '<', '>']);
    if plain { link.to_owned() } else { format!("<{link}>") }
}

/// What a link to a note is called: its file without folders and extension.
fn name_of(link: &str) -> &str {
    let file = link.trim_end_matches('/').rsplit('/').next().unwrap_or(link);
    file.strip_suffix(".md").unwrap_or(file)
}
