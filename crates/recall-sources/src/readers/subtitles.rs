//! Subtitles and recorded meetings: WebVTT and SubRip.

use std::sync::LazyLock;

use regex::Regex;

use crate::document::{Document, Kind, Message};
use crate::format::Head;
use crate::input::Input;
use crate::readers::{content, html};
use crate::reading::{Context, Outcome, Sink};

/// Cues closer than this many milliseconds, said by the same person, are one paragraph…
const GAP_MS: u64 = 2_000;
/// …until it is this long.
const PARAGRAPH_MS: u64 = 30_000;

pub(crate) fn is_subtitles(head: &Head<'_>) -> bool {
    let begins_so = head.text.starts_with("WEBVTT");
    let has_cue = || head.text.lines().take(50).any(|line| timing(line).is_some());
    head.is_text && (begins_so || head.has_extension(&["vtt", "srt"]) && has_cue())
}

/// Reads one recording. Each paragraph is a message that begins with its time, `[00:12:31]`.
pub(crate) fn read(input: &Input, context: &Context<'_>, sink: &mut Sink<'_>) -> Outcome {
    let text = content::text(input, context)?;
    let mut cues = cues(&text);
    name_speakers(&mut cues);
    let paragraphs = paragraphs(cues);
    if paragraphs.is_empty() {
        return Err(context.malformed(0, "there is no cue"));
    }
    let mut document = context.document(context.name, Kind::Note, String::new());
    for paragraph in paragraphs {
        write(&mut document, paragraph);
    }
    let title = context.stem().to_owned();
    sink.document(Document { title, source: "subtitles".to_owned(), ..document })
}

/// What is said from one time to another.
#[derive(Debug, Default, PartialEq, Eq)]
struct Cue {
    start_ms: u64,
    end_ms: u64,
    speaker: String,
    lines: Vec<String>,
}

fn cues(text: &str) -> Vec<Cue> {
    let mut cues: Vec<Cue> = Vec::new();
    let mut open = false;
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        if let Some((start_ms, end_ms)) = timing(line) {
            cues.push(Cue { start_ms, end_ms, ..Cue::default() });
            open = true;
        } else if line.trim().is_empty() {
            open = false;
        } else if let Some(cue) = cues.last_mut().filter(|_| open) {
            // Without a blank line between, the next cue's number is no text.
            let is_number = line.trim().bytes().all(|byte| byte.is_ascii_digit());
            if !is_number || lines.peek().is_none_or(|next| timing(next).is_none()) {
                say(cue, line);
            }
        }
    }
    cues.retain(|cue| !cue.lines.is_empty());
    cues
}

/// Meetings name who speaks before what is said: `Linh Example: hello`. One such line may be chance.
fn name_speakers(cues: &mut [Cue]) {
    let named = cues.iter().filter(|cue| cue.spoken().is_some()).count();
    if named < 2 || named * 2 < cues.len() {
        return;
    }
    for cue in cues {
        if let Some((name, said)) = cue.spoken() {
            let (name, said) = (name.to_owned(), said.to_owned());
            cue.speaker = name;
            cue.lines[0] = said;
        }
    }
}

impl Cue {
    /// A name and what is said, where nothing else tells the speaker.
    fn spoken(&self) -> Option<(&str, &str)> {
        let (name, said) = self.lines.first()?.split_once(": ")?;
        let is_name = name.starts_with(char::is_alphabetic)
            && name.split_whitespace().count() <= 5
            && !name.contains(['.', ',', '?', '!', ';']);
        (self.speaker.is_empty() && is_name).then_some((name, said))
    }
}

/// Adds a line to a cue, without its tags, times and places; `<v Linh>` tells who speaks.
fn say(cue: &mut Cue, line: &str) {
    static MARK: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"<\d[\d:.]*>|\{\\[^}]*\}").expect("a constant"));
    static VOICE: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"<v(?:\.[^\s>]*)?\s+([^>]+)>").expect("a constant"));
    if let Some(voice) = VOICE.captures(line) {
        cue.speaker = voice[1].trim().to_owned();
    }
    let said = html::readable(&MARK.replace_all(line, "")).text;
    if !said.is_empty() {
        cue.lines.push(said);
    }
}

/// `00:12:31.500 --> 00:12:33,000`, in milliseconds.
fn timing(line: &str) -> Option<(u64, u64)> {
    let (start, end) = line.split_once("-->")?;
    Some((milliseconds(start.trim())?, milliseconds(end.split_whitespace().next()?)?))
}

fn milliseconds(text: &str) -> Option<u64> {
    let (time, fraction) = text.split_once(['.', ','])?;
    let mut total = 0_u64;
    for part in time.split(':') {
        total = total.checked_mul(60)?.checked_add(part.parse().ok()?)?;
    }
    total.checked_mul(1000)?.checked_add(fraction.get(..3).unwrap_or(fraction).parse().ok()?)
}

/// Joins cues that follow each other. Captions that roll repeat the line before: it is said once.
fn paragraphs(cues: Vec<Cue>) -> Vec<Cue> {
    let mut paragraphs: Vec<Cue> = Vec::new();
    for mut cue in cues {
        let Some(last) = paragraphs.last_mut() else {
            paragraphs.push(cue);
            continue;
        };
        while last.lines.last().is_some_and(|line| cue.lines.first() == Some(line)) {
            cue.lines.remove(0);
        }
        let follows = cue.start_ms <= last.end_ms.saturating_add(GAP_MS)
            && cue.end_ms.saturating_sub(last.start_ms) <= PARAGRAPH_MS
            && (cue.speaker == last.speaker || cue.speaker.is_empty());
        if follows || cue.lines.is_empty() {
            last.end_ms = last.end_ms.max(cue.end_ms);
            last.lines.append(&mut cue.lines);
        } else {
            paragraphs.push(cue);
        }
    }
    paragraphs
}

fn write(document: &mut Document, cue: Cue) {
    if !document.text.is_empty() {
        document.text.push('\n');
    }
    let start = document.text.len();
    let seconds = cue.start_ms / 1000;
    let time = format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
    let speaker = match cue.speaker.as_str() {
        "" => String::new(),
        name => format!("{name}: "),
    };
    document.text.push_str(&format!("[{time}] {speaker}{}", cue.lines.join(" ")));
    if !cue.speaker.is_empty() && !document.authors.contains(&cue.speaker) {
        document.authors.push(cue.speaker.clone());
    }
    document.messages.push(Message {
        id: time,
        author: cue.speaker,
        date: None,
        start,
        end: document.text.len(),
        tool: false,
        url: String::new(),
    });
}
