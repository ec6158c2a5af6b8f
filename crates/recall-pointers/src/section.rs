//! The sections of an index and what they hold, told by the words of their headings.

use serde::{Deserialize, Serialize};

use crate::fold::words;

/// What a line of the index is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LineKind {
    /// Something the user asked for.
    Preference,
    /// Something that was settled, with the note that holds the reason.
    Decision,
    /// A link to a whole runbook.
    Procedure,
    /// The line of an entry file: `- [file.md](file.md) — description`.
    Entry,
    /// Anything else.
    Other,
}

impl LineKind {
    /// Every kind, in the order that help texts list them.
    pub const ALL: [Self; 5] =
        [Self::Preference, Self::Decision, Self::Procedure, Self::Entry, Self::Other];

    /// The lower-case name, as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Preference => "preference",
            Self::Decision => "decision",
            Self::Procedure => "procedure",
            Self::Entry => "entry",
            Self::Other => "other",
        }
    }

    /// Whether a line of this kind says something itself, rather than only pointing somewhere.
    pub fn is_statement(self) -> bool {
        matches!(self, Self::Preference | Self::Decision | Self::Other)
    }
}

/// A heading and the lines that belong to it alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// What its lines are; `None` where neither this heading nor one above it says so.
    pub kind: Option<LineKind>,
    /// The heading, without markup.
    pub title: String,
    /// The line of the heading, counted from 1.
    pub line: usize,
    /// The level of the heading, 1 to 6.
    pub level: u8,
    /// The last line before the next heading.
    pub last_line: usize,
}

/// The heading words that name each kind. Case, accents and Unicode form do not matter; a phrase
/// matches where its words stand together in the heading.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HeadingWords {
    /// Headings of preferences.
    pub preferences: Vec<String>,
    /// Headings of decisions.
    pub decisions: Vec<String>,
    /// Headings of procedures.
    pub procedures: Vec<String>,
}

impl Default for HeadingWords {
    /// English and Vietnamese.
    fn default() -> Self {
        let list = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        Self {
            preferences: list(&[
                "preference",
                "preferences",
                "prefers",
                "wishes",
                "sở thích",
                "ưu tiên",
                "ý muốn",
                "mong muốn",
                "thói quen",
            ]),
            decisions: list(&["decision", "decisions", "decided", "quyết định"]),
            procedures: list(&[
                "procedure",
                "procedures",
                "runbook",
                "runbooks",
                "how to",
                "playbook",
                "playbooks",
                "quy trình",
                "hướng dẫn",
                "cách làm",
                "thao tác",
            ]),
        }
    }
}

impl HeadingWords {
    /// The kind that a heading names, if it names one.
    pub fn kind_of(&self, heading: &str) -> Option<LineKind> {
        let heading = words(heading);
        let named = |phrases: &[String]| phrases.iter().any(|phrase| holds(&heading, phrase));
        [
            (LineKind::Preference, &self.preferences),
            (LineKind::Decision, &self.decisions),
            (LineKind::Procedure, &self.procedures),
        ]
        .into_iter()
        .find_map(|(kind, phrases)| named(phrases).then_some(kind))
    }
}

fn holds(heading: &[String], phrase: &str) -> bool {
    let phrase = words(phrase);
    !phrase.is_empty() && heading.windows(phrase.len()).any(|window| window == phrase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_name_their_kind_in_english_and_vietnamese() {
        let words = HeadingWords::default();
        for (heading, kind) in [
            ("Preferences (said by the user)", Some(LineKind::Preference)),
            ("DECISIONS", Some(LineKind::Decision)),
            ("How to …", Some(LineKind::Procedure)),
            ("Sở thích của người dùng", Some(LineKind::Preference)),
            ("Các quyết định", Some(LineKind::Decision)),
            ("quye\u{302}\u{301}t d\u{323}inh", Some(LineKind::Decision)),
            ("Quy trình vận hành", Some(LineKind::Procedure)),
            ("Glossary", None),
            ("", None),
        ] {
            assert_eq!(words.kind_of(heading), kind, "{heading}");
        }
    }

    #[test]
    fn configured_words_replace_the_defaults() {
        let words =
            HeadingWords { decisions: vec!["Entscheidungen".into()], ..HeadingWords::default() };
        assert_eq!(words.kind_of("Entscheidungen"), Some(LineKind::Decision));
        assert_eq!(words.kind_of("Decisions"), None);
    }
}
