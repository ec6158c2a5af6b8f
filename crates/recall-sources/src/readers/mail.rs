//! Mail: one message is one document. Also each file of a maildir.

use std::sync::LazyLock;

use jiff::Timestamp;
use jiff::tz::Offset;
use mail_parser::{Address, DateTime, HeaderName, HeaderValue, Message, MessageParser};
use regex::bytes::Regex;

use crate::date::{self, Date};
use crate::document::{Document, Kind, Span};
use crate::format::Head;
use crate::input::Input;
use crate::problem::Reason;
use crate::readers::{content, mail_body};
use crate::reading::{Context, Outcome, Sink};

/// A message with its attachments may be this many times larger than a document.
pub(crate) const RAW_LIMIT: u64 = 4;
/// More parts that hold parts than this in one message are not opened.
const MAX_CONTAINERS: usize = 200;
/// So many addresses of a line of recipients are part of the text.
const MAX_ADDRESSES: usize = 20;

static PARSER: LazyLock<MessageParser> = LazyLock::new(|| {
    MessageParser::new()
        .with_mime_headers()
        .with_date_headers()
        .with_address_headers()
        .with_message_ids()
        .default_header_text()
});

pub(crate) fn is_mail(head: &Head<'_>) -> bool {
    // Files of a maildir have no extension but flags (`:2,S`), or only a number for a name.
    let is_named_freely = !head.name.contains('.')
        || head.name.contains(":2,")
        || head.name.starts_with(|c: char| c.is_ascii_digit());
    head.has_extension(&["eml"]) || is_named_freely && has_mail_headers(head.bytes)
}

/// The lines before the first blank one are headers, among them those that only mail has.
pub(crate) fn has_mail_headers(bytes: &[u8]) -> bool {
    let lines = bytes.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii_end);
    let mut names = Vec::new();
    for line in lines.take(200).take_while(|line| !line.is_empty()) {
        let colon = line.iter().position(|&byte| byte == b':');
        match colon {
            _ if line[0] == b' ' || line[0] == b'\t' => {}
            Some(colon) => names.push(line[..colon].to_ascii_lowercase()),
            None => return false,
        }
    }
    let has = |name: &str| names.iter().any(|found| found == name.as_bytes());
    has("from") && ["to", "subject", "date", "message-id"].iter().filter(|n| has(n)).count() > 1
        || has("received") && has("message-id")
}

/// Reads a file that is one message.
pub(crate) fn read(input: &Input, context: &Context<'_>, sink: &mut Sink<'_>) -> Outcome {
    let limit = context.options.max_document_bytes.saturating_mul(RAW_LIMIT);
    let raw = content::bytes(input, limit, context)?;
    if raw.trim_ascii().is_empty() {
        return Err(context.problem(None, Reason::Empty).into());
    }
    let message = parse(&raw, context.name, context)
        .ok_or_else(|| context.malformed(0, "there are no headers"))?;
    for what in message.cut {
        sink.problem(context.problem(None, Reason::Cut(what)))?;
    }
    sink.document(Document { source: source(context.name), ..message.document })
}

/// `maildir:Sent` for `.Sent/cur/1709542512.host:2,S`, else `mail:` and the folder.
fn source(name: &str) -> String {
    let mut folders = name.rsplit('/').skip(1);
    let (tool, folder) = match folders.next() {
        Some("cur" | "new") => ("maildir", folders.next()),
        folder => ("mail", folder),
    };
    // Maildirs mark a folder in another by a dot before its name.
    let folder = folder.map(|name| name.strip_prefix('.').unwrap_or(name));
    folder.map_or_else(|| tool.to_owned(), |folder| format!("{tool}:{folder}"))
}

/// A message as a document.
pub(crate) struct Parsed {
    pub(crate) document: Document,
    /// What was left out of the text.
    pub(crate) cut: Vec<String>,
}

impl Parsed {
    /// The same at `span`, from `source`.
    pub(crate) fn at(mut self, span: Span, source: &str) -> Self {
        self.document.span = Some(span);
        self.document.source = source.to_owned();
        self
    }
}

/// Maps one message; `place` is its id if it has none. `None` if it has no headers.
pub(crate) fn parse(raw: &[u8], place: &str, context: &Context<'_>) -> Option<Parsed> {
    let too_nested = containers(raw) > MAX_CONTAINERS;
    let message = if too_nested { PARSER.parse_headers(raw)? } else { PARSER.parse(raw)? };
    if message.headers().is_empty() {
        return None;
    }
    let mut body = mail_body::Body::new(context.options.max_document_bytes as usize);
    if too_nested {
        body.raw(raw, "parts nested too deeply");
    } else {
        body.add(&message);
    }
    Some(Parsed { document: document(&message, &body.text, place, context), cut: body.cut })
}

/// How many parts say that they hold parts or a message.
fn containers(raw: &[u8]) -> usize {
    static CONTAINER: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i)\b(?:multipart|message)/").expect("a constant that a test compiles")
    });
    CONTAINER.find_iter(raw).take(MAX_CONTAINERS + 1).count()
}

fn document(message: &Message<'_>, body: &str, place: &str, context: &Context<'_>) -> Document {
    let from = addresses(message.from().or_else(|| message.sender()));
    let id = message.message_id().map(str::trim).filter(|id| !id.is_empty());
    let heads =
        [("From", &from), ("To", &addresses(message.to())), ("Cc", &addresses(message.cc()))];
    let mut text: String = heads
        .iter()
        .filter(|(_, people)| !people.is_empty())
        .map(|(name, people)| format!("{name}: {}\n", listed(people)))
        .collect();
    text = format!("{text}\n{body}").trim().to_owned();
    let mut document = context.document(id.unwrap_or(place), Kind::Mail, text);
    document.title = mail_body::header_text(message, HeaderName::Subject).unwrap_or_default();
    document.authors = from.iter().map(|person| person.shown().to_owned()).collect();
    document.authors.dedup();
    let written = message.header_raw(HeaderName::Date).unwrap_or_default().trim();
    document.date = message.date().and_then(date).or_else(|| date::parse(written));
    let unread = if document.date.is_none() { written.to_owned() } else { String::new() };
    document.url =
        header(message, "Archived-At").map(|url| url.trim_matches(['<', '>']).to_owned());
    document.tags = tags(message);
    let attachments = mail_body::attachment_names(message).join(", ");
    let address = from.first().map(|person| person.address.clone()).unwrap_or_default();
    let known = [
        ("thread", thread(message).or(id.map(str::to_owned)).unwrap_or_default()),
        ("from", address),
        ("attachments", attachments),
        // A date that nobody can read is kept as it is.
        ("date", unread),
        ("list", header(message, "List-Id").unwrap_or_default()),
    ];
    let known = known.into_iter().filter(|(_, value)| !value.is_empty());
    document.metadata.extend(known.map(|(name, value)| (name.to_owned(), value)));
    document
}

/// Someone who wrote or received a message.
struct Person {
    name: String,
    address: String,
}

impl Person {
    fn shown(&self) -> &str {
        if self.name.is_empty() { &self.address } else { &self.name }
    }
}

fn addresses(header: Option<&Address<'_>>) -> Vec<Person> {
    let people = header.into_iter().flat_map(Address::iter).map(|address| Person {
        name: address.name().unwrap_or_default().trim().to_owned(),
        address: address.address().unwrap_or_default().trim().to_owned(),
    });
    people.filter(|person| !person.shown().is_empty()).collect()
}

/// `Name <address>, …`; of very many only the first.
fn listed(people: &[Person]) -> String {
    let show = |person: &Person| match (person.name.as_str(), person.address.as_str()) {
        ("", address) => address.to_owned(),
        (name, "") => name.to_owned(),
        (name, address) => format!("{name} <{address}>"),
    };
    let mut shown: Vec<String> = people.iter().take(MAX_ADDRESSES).map(show).collect();
    if people.len() > MAX_ADDRESSES {
        shown.push(format!("and {} more", people.len() - MAX_ADDRESSES));
    }
    shown.join(", ")
}

/// The id of the message that began the thread.
fn thread(message: &Message<'_>) -> Option<String> {
    let first = |value: &HeaderValue<'_>| match value {
        HeaderValue::Text(id) => Some(id.to_string()),
        HeaderValue::TextList(ids) => ids.first().map(ToString::to_string),
        _ => None,
    };
    first(message.references()).or_else(|| first(message.in_reply_to()))
}

fn header(message: &Message<'_>, name: &'static str) -> Option<String> {
    let value = mail_body::header_text(message, HeaderName::parse(name)?)?;
    Some(value.trim().to_owned()).filter(|value| !value.is_empty())
}

/// Labels, as Gmail exports them, and key words.
fn tags(message: &Message<'_>) -> Vec<String> {
    let labels = ["X-Gmail-Labels", "Keywords"];
    let labels = labels.into_iter().filter_map(|name| header(message, name));
    let mut tags: Vec<String> = Vec::new();
    for label in labels.collect::<Vec<_>>().join(",").split(',').map(str::trim) {
        if !label.is_empty() && !tags.iter().any(|tag| tag == label) {
            tags.push(label.to_owned());
        }
    }
    tags
}

/// A date that says something: the first second of 1970 stands for "unknown".
fn date(date: &DateTime) -> Option<Date> {
    let minutes = i32::from(date.tz_hour) * 60 + i32::from(date.tz_minute);
    let minutes = if date.tz_before_gmt { -minutes } else { minutes };
    let seconds = date.is_valid().then(|| date.to_timestamp()).filter(|seconds| *seconds != 0)?;
    let offset = Offset::from_seconds(minutes * 60).unwrap_or(Offset::UTC);
    Some(Date::at(Timestamp::from_second(seconds).ok()?, offset))
}
