//! Writes to standard output, and styles text for a terminal.

use std::io::{self, IsTerminal, Write};
use std::ops::Range;

use anstyle::{AnsiColor, Style};

use crate::failure::Failure;

/// Writes text to standard output; colours are removed unless it is a terminal.
pub(crate) fn out(text: &str) -> Result<(), Failure> {
    let mut stdout = anstream::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    stdout.flush()?;
    Ok(())
}

/// Writes bytes to standard output unchanged.
pub(crate) fn out_bytes(bytes: &[u8]) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(bytes)?;
    stdout.flush()?;
    Ok(())
}

/// Style of titles.
pub(crate) const TITLE: Style = Style::new().bold();
/// Style of paths and ids.
pub(crate) const PLACE: Style = AnsiColor::Cyan.on_default();
/// Style of secondary text.
pub(crate) const DIM: Style = Style::new().dimmed();
/// Style of matching words.
pub(crate) const MARK: Style = AnsiColor::Yellow.on_default().bold();
/// Style of warnings that a reader should see before trusting a hit.
pub(crate) const WARN: Style = AnsiColor::Red.on_default();

/// Applies a style to `text`.
pub(crate) fn paint(style: Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
}

/// Highlights `marks` in `text` with [`MARK`], and neutralises control characters.
pub(crate) fn marked(text: &str, marks: &[Range<usize>]) -> String {
    let mut out = String::with_capacity(text.len() + 16 * marks.len());
    let mut at = 0;
    for mark in marks.iter().filter(|mark| mark.end <= text.len()) {
        if mark.start < at {
            continue;
        }
        out.push_str(&harmless(&text[at..mark.start]));
        out.push_str(&paint(MARK, &harmless(&text[mark.clone()])));
        at = mark.end;
    }
    out.push_str(&harmless(&text[at..]));
    out
}

/// Replaces control characters, which could drive a terminal, with spaces; line breaks and tabs
/// stay.
pub(crate) fn harmless(text: &str) -> String {
    let shown = |c: char| match c {
        '\n' | '\t' => c,
        c if c.is_control() => ' ',
        c => c,
    };
    text.replace("\r\n", "\n").chars().map(shown).collect()
}

/// Returns the width of the terminal in columns, from 40 to 120; 100 if there is no terminal.
pub(crate) fn width() -> usize {
    match terminal_size::terminal_size() {
        Some((width, _)) if io::stdout().is_terminal() => usize::from(width.0).clamp(40, 120),
        _ => 100,
    }
}

/// Formats a size in bytes for people to read.
pub(crate) fn size(bytes: u64) -> String {
    indicatif::HumanBytes(bytes).to_string()
}
