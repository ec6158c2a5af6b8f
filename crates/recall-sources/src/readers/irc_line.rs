//! One line of an IRC log, as the clients write it: irssi, weechat, HexChat, ZNC, ubuntu's bots.

use std::sync::LazyLock;

use jiff::civil;
use regex::Regex;

/// `[2024-03-04 08:55:12] `, `08:55 `, `Mar 04 08:55:12 `
static STAMP: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?x)^ \[?
        (?:(?P<date>\d{4}[-/]\d\d[-/]\d\d|[A-Z][a-z]{2}\x20\d\d)[T\x20]\x20?\[?)?
        (?P<hour>\d{1,2}):(?P<minute>\d\d)(?::(?P<second>\d\d))?
        (?:\.\d+)? (?:Z|[+-]\d\d:?\d\d)? \]? (?P<gap>\s)",
    )
    .expect("a test reads every client's log with it")
});

/// `<@nick> text`; irssi puts a space where there is no mark.
static SPOKEN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^<[ @+%&~!]*(?P<nick>[^>\s]{1,64})>(?:\s(?P<text>.*))?$")
        .expect("a test reads every client's log with it")
});

/// What happened, in the words of the clients.
const EVENTS: [&str; 12] = [
    " has joined",
    " has left",
    " has quit",
    " sets mode",
    " gives ",
    " removes ",
    " is now known as ",
    " joined",
    " Joins",
    " Parts",
    " Quits",
    " changed mode",
];

/// What one line is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Line<'a> {
    /// Somebody says or does something.
    Said { at: Stamp, nick: &'a str, text: String },
    /// Somebody came, went, or was given a mode.
    Event,
    /// The topic was changed or shown.
    Topic(&'a str),
    /// From here on it is this day.
    Day(civil::Date),
    /// None of these.
    Other,
}

/// When, as far as the line says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp {
    pub(crate) day: Option<civil::Date>,
    pub(crate) time: civil::Time,
}

impl<'a> Line<'a> {
    pub(crate) fn parse(line: &'a str) -> Self {
        if let Some(day) = day(line) {
            return Self::Day(day);
        }
        let Some(found) = STAMP.captures(line) else {
            let is_event =
                ["=== ", "--- ", "*** ", "-!- "].iter().any(|mark| line.starts_with(mark));
            return if is_event { event(line) } else { Self::Other };
        };
        let Some(at) = stamp(&found) else { return Self::Other };
        let rest = &line[found.get_match().end()..];
        match &found["gap"] {
            "\t" => in_columns(at, rest),
            _ => in_words(at, rest.trim_start_matches([' ', '\t'])),
        }
    }
}

fn stamp(found: &regex::Captures<'_>) -> Option<Stamp> {
    let number = |name| found.name(name).map_or(Some(0), |digits| digits.as_str().parse().ok());
    let time = civil::Time::new(number("hour")?, number("minute")?, number("second")?, 0).ok()?;
    let day = found.name("date").and_then(|date| date.as_str().replace('/', "-").parse().ok());
    Some(Stamp { day, time })
}

/// `nick <TAB> text`, as weechat writes.
fn in_columns(at: Stamp, rest: &str) -> Line<'_> {
    let Some((mark, text)) = rest.split_once('\t') else { return Line::Other };
    match mark.trim() {
        "-->" | "<--" | "=!=" | "" => Line::Event,
        "--" => event(text),
        "*" => action(at, text),
        nick if nick.contains(' ') => Line::Other,
        nick => said(at, nick, text.to_owned()),
    }
}

/// `<nick> text`, `* nick does`, `-nick- notice`, `*** nick came`.
fn in_words(at: Stamp, rest: &str) -> Line<'_> {
    if let Some(found) = SPOKEN.captures(rest) {
        let nick = found.name("nick").map_or("", |nick| nick.as_str());
        let text = found.name("text").map_or("", |text| text.as_str()).trim_start_matches('\t');
        return said(at, nick, text.to_owned());
    }
    if ["-!-", "***", "===", "---", "-->", "<--"].iter().any(|mark| rest.starts_with(mark)) {
        return event(rest);
    }
    if let Some(done) = rest.strip_prefix("* ").or_else(|| rest.strip_prefix("*\t")) {
        return action(at, done.trim_start());
    }
    match rest.strip_prefix('-').and_then(|rest| rest.split_once("- ")) {
        Some((nick, text)) if !nick.is_empty() && !nick.contains(' ') => {
            // `-nick:#channel- text`
            said(at, nick.split(':').next().unwrap_or(nick), text.to_owned())
        }
        _ => Line::Other,
    }
}

fn said(at: Stamp, nick: &str, text: String) -> Line<'_> {
    let nick = nick.trim_start_matches(['@', '+', '%', '&', '~', '!', ' ']);
    if nick.is_empty() { Line::Other } else { Line::Said { at, nick, text } }
}

/// HexChat marks events as it marks actions.
fn action(at: Stamp, text: &str) -> Line<'_> {
    let Some((nick, done)) = text.split_once([' ', '\t']) else { return Line::Event };
    if EVENTS.iter().any(|event| text[nick.len()..].starts_with(event)) {
        return Line::Event;
    }
    said(at, nick, format!("* {done}"))
}

fn event(text: &str) -> Line<'_> {
    if text.to_lowercase().contains("topic") { Line::Topic(text) } else { Line::Event }
}

/// `--- Day changed Tue Mar 05 2024`, `**** BEGIN LOGGING AT Mon Mar  4 08:00:00 2024`
fn day(line: &str) -> Option<civil::Date> {
    const MARKS: [&str; 5] = [
        "--- Log opened ",
        "--- Day changed ",
        "**** BEGIN LOGGING AT ",
        "Session Start: ",
        "Session Time: ",
    ];
    let date = MARKS.iter().find_map(|mark| line.strip_prefix(mark))?.trim();
    let date = date.split_whitespace().collect::<Vec<_>>().join(" ");
    ["%a %b %d %H:%M:%S %Y", "%a %b %d %Y"]
        .iter()
        .find_map(|pattern| civil::Date::strptime(pattern, &date).ok())
}
