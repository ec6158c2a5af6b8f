//! Messages laid out as a document: `Author: text`, one after the other.

use crate::date::Date;
use crate::document::{Document, Message, Span};
use crate::reading::{Outcome, Sink};

/// A conversation whose text is larger than this many bytes comes in parts.
const PART_BYTES: usize = 4 << 20;
/// A title taken from a message is cut to this many characters.
const TITLE_CHARS: usize = 100;

/// A message as an export gives it, before it has its place in a text.
#[derive(Debug, Clone, Default)]
pub(crate) struct Saying {
    pub(crate) id: String,
    pub(crate) author: String,
    pub(crate) date: Option<Date>,
    /// When it was last edited.
    pub(crate) edited: Option<Date>,
    pub(crate) text: String,
    /// It is output of a tool or program.
    pub(crate) tool: bool,
    pub(crate) url: String,
    /// What follows it in the text but is no message: a changed topic, output of a tool that came
    /// with an answer. Empty for none.
    pub(crate) aside: String,
    /// Where it stands in the file.
    pub(crate) span: Option<Span>,
}

impl Saying {
    fn bytes(&self) -> usize {
        self.author.len() + self.text.len() + self.aside.len() + self.id.len() + self.url.len()
    }
}

/// Adds `line` to `text`, on a line of its own.
pub(crate) fn add_line(text: &mut String, line: &str) {
    if line.is_empty() {
        return;
    }
    if !text.is_empty() {
        text.push('\n');
    }
    text.push_str(line);
}

/// A thread, messages without a long silence between them, a session: messages that become one document.
#[derive(Debug)]
pub(crate) struct Conversation {
    /// The document without what its messages say.
    template: Document,
    /// What stands before the first message.
    lead: String,
    sayings: Vec<Saying>,
    bytes: usize,
    parts: u32,
}

impl Conversation {
    /// A conversation that becomes a document like `template`. Without a title it gets the first
    /// line that somebody wrote.
    pub(crate) fn new(template: Document) -> Self {
        Self { template, lead: String::new(), sayings: Vec::new(), bytes: 0, parts: 0 }
    }

    /// Adds a message. What is large enough for a part is handed out.
    pub(crate) fn say(&mut self, saying: Saying, sink: &mut Sink<'_>) -> Outcome {
        self.bytes += saying.bytes();
        self.sayings.push(saying);
        if self.bytes > PART_BYTES { self.flush(sink) } else { Ok(()) }
    }

    /// Adds a line that is no message.
    pub(crate) fn note(&mut self, line: &str) {
        self.bytes += line.len();
        let place = self.sayings.last_mut().map_or(&mut self.lead, |last| &mut last.aside);
        add_line(place, line);
    }

    /// Gives it a title, unless a part of it was handed out.
    pub(crate) fn set_title(&mut self, title: &str) {
        if self.parts == 0 {
            title.clone_into(&mut self.template.title);
        }
    }

    /// The document's other fields, for what becomes known on the way.
    pub(crate) fn template(&mut self) -> &mut Document {
        &mut self.template
    }

    /// Messages that were not handed out yet.
    pub(crate) fn len(&self) -> usize {
        self.sayings.len()
    }

    /// Parts that were handed out.
    pub(crate) fn parts(&self) -> u32 {
        self.parts
    }

    /// Bytes that were not handed out yet.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Hands out what there is as a document, or as the next part of it.
    pub(crate) fn flush(&mut self, sink: &mut Sink<'_>) -> Outcome {
        if self.sayings.is_empty() {
            return Ok(());
        }
        self.parts += 1;
        self.bytes = 0;
        let mut sayings = std::mem::take(&mut self.sayings);
        if runs_backwards(&sayings) {
            sayings.reverse();
        }
        if self.template.title.is_empty() {
            self.template.title = title_of(&sayings);
        }
        let mut document = self.template.clone();
        if self.parts > 1 {
            document.id = format!("{}#part{}", document.id, self.parts);
        }
        document.text = std::mem::take(&mut self.lead);
        lay_out(&mut document, sayings);
        sink.document(document)
    }
}

/// Some exports give the newest message first.
fn runs_backwards(sayings: &[Saying]) -> bool {
    let mut dates = sayings.iter().filter_map(|saying| saying.date);
    match (dates.next(), dates.next_back()) {
        (Some(first), Some(last)) => first.seconds > last.seconds,
        _ => false,
    }
}

fn lay_out(document: &mut Document, sayings: Vec<Saying>) {
    let dates = || sayings.iter().filter_map(|saying| saying.date);
    let changes = sayings.iter().flat_map(|saying| [saying.date, saying.edited]).flatten();
    // Where no message has a date, what the whole conversation says of itself stands.
    document.date = dates().next().or(document.date);
    document.updated = changes.max_by_key(|date| date.seconds).or(document.updated);
    document.span = hull(&sayings);
    for saying in sayings {
        write(document, saying);
    }
}

/// The range of the file from the first to the last of them, if all have one.
fn hull(sayings: &[Saying]) -> Option<Span> {
    let spans: Option<Vec<Span>> = sayings.iter().map(|saying| saying.span).collect();
    spans?.into_iter().reduce(|a, b| Span {
        byte_start: a.byte_start.min(b.byte_start),
        byte_end: a.byte_end.max(b.byte_end),
        line_start: a.line_start.min(b.line_start),
        line_end: a.line_end.max(b.line_end),
    })
}

fn write(document: &mut Document, saying: Saying) {
    let Saying { id, author, date, text, tool, url, aside, .. } = saying;
    if !document.text.is_empty() {
        document.text.push('\n');
    }
    let start = document.text.len();
    if !author.is_empty() {
        document.text.push_str(&author);
        document.text.push_str(": ");
    }
    document.text.push_str(text.trim_end());
    let end = document.text.len();
    add_line(&mut document.text, &aside);
    if !tool && !author.is_empty() && !document.authors.contains(&author) {
        document.authors.push(author.clone());
    }
    document.messages.push(Message { id, author, date, start, end, tool, url });
}

/// The first line that a person or an assistant wrote; markup is what a program added.
fn title_of(sayings: &[Saying]) -> String {
    let spoken = sayings.iter().filter(|saying| !saying.tool);
    let mut lines = spoken.flat_map(|saying| saying.text.lines()).map(str::trim);
    let line = lines.find(|line| !line.is_empty() && !line.starts_with('<'));
    shorten(line.unwrap_or_default())
}

fn shorten(line: &str) -> String {
    match line.char_indices().nth(TITLE_CHARS) {
        Some((cut, _)) => format!("{}…", line[..cut].trim_end()),
        None => line.to_owned(),
    }
}
