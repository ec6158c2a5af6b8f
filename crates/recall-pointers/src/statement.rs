//! One line of an index.

use std::sync::LazyLock;

use jiff::civil::Date;
use regex::Regex;
use serde::Serialize;

use crate::date::dates_in;
use crate::section::LineKind;

/// A link of a statement, as written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Link {
    /// What the reader sees.
    pub text: String,
    /// Where it leads: a path, a web address, the name of a note in double brackets.
    pub target: String,
}

/// One list item of an index: a statement, a pointer, or both.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Statement {
    /// Its first line in the page, counted from 1.
    pub line: usize,
    /// Its last line; the same as `line` unless it breaks the rule of one line.
    pub last_line: usize,
    /// What it is, by its section.
    pub kind: LineKind,
    /// The heading above it; empty if there is none.
    pub heading: String,
    /// Its Markdown, without the list marker.
    pub text: String,
    /// Its words, without the markup.
    pub plain: String,
    /// The words in bold at its start; empty if there are none.
    pub bold: String,
    /// Its links in order, those after a plain arrow (`→ notes/x.md`) too.
    pub links: Vec<Link>,
    /// What it quotes in back-ticks.
    pub quotes: Vec<String>,
}

static ARROW: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?:→|⇒|->|=>)\s*`?(?<target>[^\s`\[\]()<>]+\.[A-Za-z0-9]+(?:#[^\s`)]*)?)")
        .expect("the pattern is constant")
});

static STAMP: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\((?:(?<source>user|code|doc)(?:, *)?)?(?<date>\d{4}-\d{2}-\d{2})?\)\s*$")
        .expect("the pattern is constant")
});

impl Statement {
    /// The dates that it states, in order; those inside link targets do not count.
    pub fn dates(&self) -> Vec<Date> {
        dates_in(&self.plain)
    }

    /// The newest date that it states.
    pub fn newest_date(&self) -> Option<Date> {
        self.dates().into_iter().max()
    }

    /// Whether it opens with a link, as the line of an entry or a runbook does.
    pub fn opens_with_link(&self) -> bool {
        self.text.starts_with('[')
    }

    /// Its Markdown with the date of its closing stamp, `(user, 2026-11-29)`, set to `today`.
    /// A line without a stamp gets one; the other dates of the line stay.
    pub fn stamped(&self, today: Date) -> String {
        let text = self.text.trim_end();
        let Some(stamp) = STAMP.captures(text).filter(|found| found[0].trim_end() != "()") else {
            return format!("{text} ({today})");
        };
        let start = stamp.get(0).map_or(text.len(), |whole| whole.start());
        match stamp.name("source") {
            Some(source) => format!("{}({}, {today})", &text[..start], source.as_str()),
            None => format!("{}({today})", &text[..start]),
        }
    }
}

/// The targets that stand after a plain arrow, without link markup.
pub(crate) fn arrow_targets(text: &str) -> Vec<Link> {
    ARROW
        .captures_iter(text)
        .map(|found| found["target"].to_owned())
        .map(|target| Link { text: target.clone(), target })
        .collect()
}
