//! IRC logs.

use std::sync::LazyLock;

use jiff::ToSpan;
use jiff::civil;
use regex::Regex;

use crate::date::{self, Date};
use crate::document::Kind;
use crate::format::Head;
use crate::input::Input;
use crate::problem::Reason;
use crate::readers::channel::{Channel, Conversations};
use crate::readers::conversation::Saying;
use crate::readers::irc_line::{Line, Stamp};
use crate::readers::lines::Lines;
use crate::reading::{Context, Outcome, Sink};

/// So many lines are looked at to tell the format.
const LOOKED_AT: usize = 200;
/// Files called so are something else, whatever their lines look like.
const OTHERS: &[&str] =
    &["json", "jsonl", "ndjson", "csv", "tsv", "md", "html", "htm", "xml", "mbox", "eml", "org"];
/// In the column where weechat has names, programs have these.
const LEVELS: [&str; 10] =
    ["TRACE", "DEBUG", "INFO", "NOTICE", "WARN", "WARNING", "ERROR", "CRITICAL", "FATAL", "SEVERE"];

/// `2024-03-04`, `2024/03/04` or `20240304` in a path.
static DAY: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?:^|\D)((?:19|20)\d\d)[-/_]?(\d\d)[-/_]?(\d\d)(?:\D|$)")
        .expect("a test finds days with it")
});
/// `#ops` at the end of a line, between spaces or in a file's name.
static CHANNEL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?:^|[\s/._-])([#&]{1,2}[\w-]{1,50})").expect("a test finds channels with it")
});

pub(crate) fn is_irc(head: &Head<'_>) -> bool {
    if !head.is_text || head.has_extension(OTHERS) {
        return false;
    }
    let lines = head.text.lines().filter(|line| !line.trim().is_empty()).take(LOOKED_AT);
    let (mut said, mut known, mut all, mut sure) = (0, 0, 0, head.extension == "weechatlog");
    for line in lines {
        all += 1;
        let parsed = Line::parse(line);
        known += usize::from(parsed != Line::Other);
        if let Line::Said { nick, .. } = parsed {
            said += usize::from(!LEVELS.contains(&nick.to_uppercase().as_str()));
        }
        // Three columns alone are no log of talk.
        let marks = ["\t-->\t", "\t<--\t", "\t--\t", "\t *\t", "\t@", "<", " * "];
        sure |= marks.iter().any(|mark| line.contains(mark));
    }
    sure && said > 0 && known * 10 >= all * 6
}

/// Reads one log. Lines that nobody says are left out, but for topics.
pub(crate) fn read(input: &Input, context: &Context<'_>, sink: &mut Sink<'_>) -> Outcome {
    let mut conversations = Conversations::new(channel(input, context));
    let limit = context.options.max_document_bytes;
    let mut lines = Lines::new(input, limit).map_err(|error| context.failed(&error))?;
    let (mut clock, mut text, mut found) = (Clock::of(context.name), String::new(), false);
    while let Some(line) = lines.next(&mut text).map_err(|error| context.failed(&error))? {
        if let Some(size) = line.cut {
            let reason = Reason::TooLarge { size, limit };
            sink.problem(context.problem(Some(line.number), reason))?;
        }
        match Line::parse(&text) {
            Line::Said { at, nick, text } => {
                found = true;
                let (author, date) = (nick.to_owned(), clock.date(at));
                let span = Some(line.span);
                conversations
                    .say(Saying { author, date, text, span, ..Saying::default() }, sink)?;
            }
            Line::Day(day) => clock.set(day),
            Line::Topic(topic) => conversations.note(topic),
            Line::Event => {}
            Line::Other => conversations.note(text.trim()),
        }
    }
    conversations.flush(sink)?;
    if found { Ok(()) } else { Err(context.malformed(0, "nobody says anything")) }
}

/// Which day it is, in a log whose lines say only the time.
struct Clock {
    day: Option<civil::Date>,
    last: Option<civil::Time>,
}

impl Clock {
    /// Starts on the day that the file's name says.
    fn of(name: &str) -> Self {
        let day = DAY.captures_iter(name).filter_map(|found| {
            let (_, [year, month, day]) = found.extract();
            format!("{year}-{month}-{day}").parse().ok()
        });
        Self { day: day.last(), last: None }
    }

    fn set(&mut self, day: civil::Date) {
        (self.day, self.last) = (Some(day), None);
    }

    /// The moment of a line. When the time goes back by half a day, midnight has passed.
    fn date(&mut self, at: Stamp) -> Option<Date> {
        if let Some(day) = at.day {
            self.set(day);
        }
        let back = self.last.is_some_and(|last| last.hour() >= at.time.hour() + 12);
        if let (true, Some(day)) = (back, self.day) {
            self.day = day.checked_add(1.day()).ok();
        }
        self.last = Some(at.time);
        date::parse(&self.day?.to_datetime(at.time).to_string())
    }
}

/// The channel that the file's name or its first lines name, else the file's name.
fn channel(input: &Input, context: &Context<'_>) -> Channel {
    let head = input.head_text();
    let of_events = || {
        let events = head.lines().take(LOOKED_AT).filter(|line| Line::parse(line) == Line::Event);
        events.into_iter().find_map(find_channel)
    };
    let name = find_channel(context.file_name()).or_else(of_events);
    let name = name.unwrap_or_else(|| context.stem().to_owned());
    let mut template = context.document("", Kind::Chat, String::new());
    template.source = format!("irc:{name}");
    template.metadata.insert("channel".to_owned(), name.clone());
    Channel { name, prefix: format!("{}#", context.name), template }
}

fn find_channel(text: &str) -> Option<String> {
    let found = CHANNEL.captures(text)?;
    Some(found[1].trim_end_matches(['-', '_']).to_owned())
}
