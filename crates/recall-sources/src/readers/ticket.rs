//! What all ticket systems have in common: a ticket, its comments, and how they become a document.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::ControlFlow;

use crate::date::Date;
use crate::document::{Document, Kind, Message, Span};
use crate::format::Format;
use crate::reading::{Context, Halt, Outcome, Sink};

/// Tickets that wait for more rows may hold this many bytes together.
const WAITING_BYTES: usize = 64 << 20;

/// The field of an answer that names its question.
pub(crate) const PARENT: &str = "parent";

/// One comment, or the description.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Comment {
    pub(crate) id: String,
    pub(crate) author: String,
    pub(crate) date: Option<Date>,
    pub(crate) text: String,
    /// Not for customers to see.
    pub(crate) private: bool,
    pub(crate) url: String,
}

/// A ticket, or what one row of an export says of it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Ticket {
    /// As people type it; rows with one id are one ticket. Empty if it has none.
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) body: Comment,
    pub(crate) comments: Vec<Comment>,
    pub(crate) updated: Option<Date>,
    pub(crate) tags: Vec<String>,
    pub(crate) url: Option<String>,
    pub(crate) source: String,
    pub(crate) metadata: BTreeMap<String, String>,
    pub(crate) span: Option<Span>,
    /// Its place in the file, counted from 1: what it is called without an id.
    pub(crate) number: u64,
}

impl Ticket {
    /// Notes a field by `name`, unless it is empty.
    pub(crate) fn note(&mut self, name: &str, value: impl Into<String>) {
        let value = value.into();
        if !value.trim().is_empty() {
            self.metadata.insert(name.to_owned(), value.trim().to_owned());
        }
    }

    /// Keeps a field of the tracker's own: words are part of the text, a mere value is noted.
    pub(crate) fn keep(&mut self, name: &str, value: &str) {
        match value.trim().contains(char::is_whitespace) {
            true => self.say(name, value),
            false => self.note(name, value),
        }
    }

    /// Adds a field to the text, unless it is empty.
    pub(crate) fn say(&mut self, name: &str, value: &str) {
        if value.trim().is_empty() {
            return;
        }
        if !self.body.text.trim().is_empty() {
            self.body.text.push_str("\n\n");
        }
        self.body.text.push_str(&format!("{name}: {}", value.trim()));
    }

    fn bytes(&self) -> usize {
        let comments = self.comments.iter().chain([&self.body]);
        let metadata = self.metadata.iter().map(|(name, value)| name.len() + value.len());
        let texts = comments.map(|comment| comment.text.len() + comment.author.len() + 100);
        texts.sum::<usize>() + metadata.sum::<usize>() + self.title.len() + 500
    }

    /// Adds what another row says of the same ticket.
    fn absorb(&mut self, other: Self) {
        if self.title.is_empty() {
            self.title = other.title;
        }
        let mut comments = other.comments;
        if self.body.text.is_empty() && !other.body.text.is_empty() {
            self.body = other.body;
        } else if !other.body.text.is_empty() && other.body.text != self.body.text {
            comments.insert(0, other.body);
        }
        for comment in comments {
            if !self.comments.contains(&comment) {
                self.comments.push(comment);
            }
        }
        for tag in other.tags {
            if !self.tags.contains(&tag) {
                self.tags.push(tag);
            }
        }
        self.updated =
            self.updated.into_iter().chain(other.updated).max_by_key(|date| date.seconds);
        self.url = self.url.take().or(other.url);
        for (name, value) in other.metadata {
            self.metadata.entry(name).or_insert(value);
        }
        // Rows that lie apart have no common place.
        self.span = None;
    }

    /// What it is called: an answer without its question by the answer's own id.
    fn own_id(&self, context: &Context<'_>) -> String {
        let is_lone = self.title.is_empty() && self.metadata.contains_key(PARENT);
        let lone = self.comments.first().filter(|answer| is_lone && !answer.id.is_empty());
        match lone.map_or(&self.id, |answer| &answer.id) {
            id if id.is_empty() => format!("{}#{}", context.name, self.number),
            id => id.clone(),
        }
    }

    fn into_document(self, context: &Context<'_>) -> Document {
        let id = self.own_id(context);
        let mut document = context.document(&id, Kind::Ticket, String::new());
        let description = Comment { id: id.clone(), ..self.body };
        let dates = self.comments.iter().map(|comment| comment.date);
        document.date = description.date.or_else(|| dates.flatten().next());
        if !description.author.is_empty() {
            document.authors.push(description.author.clone());
        }
        write(&mut document, description, false);
        for comment in self.comments {
            write(&mut document, comment, true);
        }
        if document.text.is_empty() {
            let lines = self.metadata.iter().map(|(name, value)| format!("{name}: {value}"));
            document.text = lines.collect::<Vec<_>>().join("\n");
        }
        document.title = self.title.trim().to_owned();
        document.updated = self.updated;
        document.tags = self.tags;
        document.url = self.url;
        document.source = self.source;
        document.metadata = self.metadata;
        if document.metadata.get(PARENT) == Some(&document.id) {
            document.metadata.remove(PARENT);
        }
        document.span = self.span;
        document
    }
}

/// Adds a comment to the text: `author: text`; the description is said by nobody.
fn write(document: &mut Document, comment: Comment, is_comment: bool) {
    let said = comment.text.trim();
    if said.is_empty() {
        return;
    }
    if !document.text.is_empty() {
        document.text.push_str("\n\n");
    }
    let start = document.text.len();
    let mark = if comment.private { " (private)" } else { "" };
    match (is_comment, comment.author.is_empty()) {
        (true, false) => document.text.push_str(&format!("{}{mark}: ", comment.author)),
        (true, true) if comment.private => document.text.push_str("(private) "),
        _ => {}
    }
    document.text.push_str(said);
    if !comment.author.is_empty() && !document.authors.contains(&comment.author) {
        document.authors.push(comment.author.clone());
    }
    let Comment { id, author, date, url, .. } = comment;
    let end = document.text.len();
    document.messages.push(Message { id, author, date, start, end, tool: false, url });
}

/// Takes one row of an export.
pub(crate) type Each<'a> = &'a mut dyn FnMut(Ticket, &mut Sink<'_>) -> Outcome;

/// Reads an export. `rows` hands its rows to its last argument, in order, and goes through it
/// twice: first to count how many rows each ticket has, so that it can be handed out with its last
/// one. What waits is bounded: when it is too much, the ticket that waits longest is handed out as
/// it is.
pub(crate) fn read(
    context: &Context<'_>,
    sink: &mut Sink<'_>,
    rows: impl Fn(&mut Sink<'_>, Each<'_>) -> Outcome,
) -> Outcome {
    let mut waiting = Waiting { rows_to_come: count(&rows, context)?, ..Waiting::default() };
    let outcome = rows(sink, &mut |ticket, sink| waiting.add(ticket, context, sink));
    if matches!(outcome, Err(Halt::Stopped)) {
        return outcome;
    }
    waiting.finish(context, sink)?;
    outcome
}

/// How many rows there are for each id (hashed) that has several. A file that is broken is counted
/// up to there.
fn count(
    rows: impl Fn(&mut Sink<'_>, Each<'_>) -> Outcome,
    context: &Context<'_>,
) -> Result<HashMap<u64, u32>, Halt> {
    let mut seen: HashMap<u64, u32> = HashMap::new();
    let mut nowhere = |_| ControlFlow::Continue(());
    let mut unseen = Sink::new(Format::Json, context.options, &mut nowhere);
    let outcome = rows(&mut unseen, &mut |ticket, _| {
        if !ticket.id.is_empty() {
            *seen.entry(hashed(&ticket.id)).or_default() += 1;
        }
        Ok(())
    });
    if matches!(outcome, Err(Halt::Stopped)) {
        return Err(Halt::Stopped);
    }
    seen.retain(|_, count| *count > 1);
    Ok(seen)
}

/// Millions of ids are counted: their hashes take less room.
fn hashed(id: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    id.hash(&mut hasher);
    hasher.finish()
}

/// Tickets of which more rows come.
#[derive(Default)]
struct Waiting {
    /// For ids (hashed) with several rows.
    rows_to_come: HashMap<u64, u32>,
    tickets: HashMap<String, Ticket>,
    /// Ids in the order in which they began to wait.
    order: VecDeque<String>,
    bytes: usize,
}

impl Waiting {
    fn add(&mut self, ticket: Ticket, context: &Context<'_>, sink: &mut Sink<'_>) -> Outcome {
        let id = ticket.id.clone();
        let Some(to_come) = self.rows_to_come.get_mut(&hashed(&id)) else {
            return sink.document(ticket.into_document(context));
        };
        *to_come = to_come.saturating_sub(1);
        let is_last = *to_come == 0;
        self.bytes += ticket.bytes();
        match self.tickets.get_mut(&id) {
            Some(known) => known.absorb(ticket),
            None => {
                self.order.push_back(id.clone());
                self.tickets.insert(id.clone(), ticket);
            }
        }
        if is_last {
            self.hand_out(&id, context, sink)?;
        }
        while self.bytes > WAITING_BYTES {
            let Some(oldest) = self.order.pop_front() else { break };
            self.hand_out(&oldest, context, sink)?;
        }
        Ok(())
    }

    fn hand_out(&mut self, id: &str, context: &Context<'_>, sink: &mut Sink<'_>) -> Outcome {
        let Some(ticket) = self.tickets.remove(id) else { return Ok(()) };
        self.bytes = self.bytes.saturating_sub(ticket.bytes());
        if self.tickets.is_empty() {
            (self.bytes, self.order) = (0, VecDeque::new());
        }
        sink.document(ticket.into_document(context))
    }

    fn finish(&mut self, context: &Context<'_>, sink: &mut Sink<'_>) -> Outcome {
        while let Some(id) = self.order.pop_front() {
            self.hand_out(&id, context, sink)?;
        }
        Ok(())
    }
}
