//! Writing to standard output, and the look of text on a terminal.

use std::io::{self, IsTerminal, Write};
use std::ops::Range;

use anstyle::{AnsiColor, Style};

use crate::failure::Failure;

/// Writes data to standard output; colour only reaches a terminal.
pub(crate) fn out(text: &str) -> Result<(), Failure> {
    let mut stdout = anstream::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    stdout.flush()?;
    Ok(())
}

/// Writes bytes to standard output as they are.
pub(crate) fn out_bytes(bytes: &[u8]) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(bytes)?;
    stdout.flush()?;
    Ok(())
}

/// Styles of the parts of a hit.
pub(crate) const TITLE: Style = Style::new().bold();
/// Paths and ids.
pub(crate) const PLACE: Style = AnsiColor::Cyan.on_default();
/// Secondary text.
pub(crate) const DIM: Style = Style::new().dimmed();
/// Words that match.
pub(crate) const MARK: Style = AnsiColor::Yellow.on_default().bold();
/// Warnings about a hit.
pub(crate) const WARN: Style = AnsiColor::Red.on_default();

/// `text` in a style.
pub(crate) fn paint(style: Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
}

/// `text` with `marks` in [`MARK`], control characters made harmless.
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

/// Without the control characters that could drive a terminal; line breaks and tabs stay.
pub(crate) fn harmless(text: &str) -> String {
    let shown = |c: char| match c {
        '\n' | '\t' => c,
        c if c.is_control() => ' ',
        c => c,
    };
    text.replace("\r\n", "\n").chars().map(shown).collect()
}

/// Columns of the terminal; 100 where there is none.
pub(crate) fn width() -> usize {
    match terminal_size::terminal_size() {
        Some((width, _)) if io::stdout().is_terminal() => usize::from(width.0).clamp(40, 120),
        _ => 100,
    }
}

/// A size for people.
pub(crate) fn size(bytes: u64) -> String {
    indicatif::HumanBytes(bytes).to_string()
}
