//! Tickets in tables: Jira's CSV, in which columns repeat, and Redmine's.

use std::ops::{Range, RangeInclusive};

use csv::{ByteRecord, ReaderBuilder};

use crate::date::{self, Date};
use crate::document::Span;
use crate::format::Head;
use crate::input::Input;
use crate::readers::jira::source;
use crate::readers::jira_text::markdown;
use crate::readers::metered::Metered;
use crate::readers::ticket::{self, Comment, Each, Ticket};
use crate::reading::{Context, Halt, Outcome, Sink};

pub(crate) fn is_jira_csv(head: &Head<'_>) -> bool {
    has_columns(head, &["Issue key", "Summary"])
}

pub(crate) fn is_redmine_csv(head: &Head<'_>) -> bool {
    has_columns(head, &["#", "Tracker", "Subject"])
}

fn has_columns(head: &Head<'_>, names: &[&str]) -> bool {
    if !head.is_text || !head.has_extension(&["csv", "tsv", "txt"]) {
        return false;
    }
    let text = head.text.trim_start_matches('\u{feff}');
    let first = text.lines().next().unwrap_or_default();
    let delimiter = char::from(delimiter(first));
    let columns: Vec<&str> =
        first.split(delimiter).map(|name| name.trim().trim_matches('"')).collect();
    names.iter().all(|name| columns.contains(name))
}

/// What separates the names in the first line.
fn delimiter(first: &str) -> u8 {
    let count = |byte: u8| first.bytes().filter(|&other| other == byte).count();
    [b';', b'\t'].into_iter().find(|&other| count(other) > count(b',')).unwrap_or(b',')
}

/// Reads Jira's table of issues.
pub(crate) fn read_jira(input: &Input, context: &Context<'_>, sink: &mut Sink<'_>) -> Outcome {
    ticket::read(context, sink, |sink, each| rows(jira, input, context, sink, each))
}

/// Reads Redmine's table of issues.
pub(crate) fn read_redmine(input: &Input, context: &Context<'_>, sink: &mut Sink<'_>) -> Outcome {
    ticket::read(context, sink, |sink, each| rows(redmine, input, context, sink, each))
}

fn rows(
    map: fn(&Row<'_>) -> Ticket,
    input: &Input,
    context: &Context<'_>,
    sink: &mut Sink<'_>,
    each: Each<'_>,
) -> Outcome {
    let head = input.head_text();
    let first = head.split('\n').next().unwrap_or_default();
    let text = input.text().map_err(|error| context.failed(&error))?;
    let places = text.places();
    let (metered, meter) = Metered::new(text, context.options.max_document_bytes);
    let mut reader =
        ReaderBuilder::new().delimiter(delimiter(first)).flexible(true).from_reader(metered);
    let names = reader.byte_headers().map_err(|error| failed(error, context))?.clone();
    let names: Vec<String> = names.iter().map(|name| text_of(name).trim().to_owned()).collect();
    let (mut cells, mut number) = (ByteRecord::new(), 0);
    while reader.read_byte_record(&mut cells).map_err(|error| failed(error, context))? {
        meter.reset();
        number += 1;
        let start = cells.position().map_or((0, 1), |start| (start.byte(), start.line()));
        let end = (reader.position().byte(), reader.position().line());
        let (bytes, lines) = place(start, end, first.ends_with('\r'));
        let span: Span = places.span(bytes, lines);
        let row = Row { names: &names, cells: &cells };
        let mut ticket = map(&row);
        row.keep_unread_dates(&mut ticket);
        each(Ticket { number, span: Some(span), ..ticket }, sink)?;
    }
    Ok(())
}

/// The bytes and lines of a row. The `csv` crate takes the `\n` of a `\r\n` for the beginning of the
/// next row, and stands on the next line after a mere `\n`.
fn place(start: (u64, u64), end: (u64, u64), is_crlf: bool) -> (Range<u64>, RangeInclusive<u64>) {
    let mark = u64::from(is_crlf);
    let (first, last) = (start.1 + mark, end.1.saturating_sub(1 - mark));
    (start.0 + mark..end.0.saturating_sub(mark).max(start.0 + mark), first..=last.max(first))
}

fn failed(error: csv::Error, context: &Context<'_>) -> Halt {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => context.failed(&error),
        other => context.malformed(0, format!("{other:?}")),
    }
}

/// The input is valid UTF-8 and is cut at ASCII only: nothing is replaced here.
fn text_of(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).replace("\r\n", "\n")
}

/// A row with the names of its columns.
struct Row<'a> {
    names: &'a [String],
    cells: &'a ByteRecord,
}

impl Row<'_> {
    /// All filled cells of the columns called `name`.
    fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = String> + 'a {
        let cells = self.names.iter().zip(self.cells).filter(move |(known, _)| *known == name);
        cells.map(|(_, cell)| text_of(cell)).filter(|cell| !cell.trim().is_empty())
    }

    /// The first filled cell of the columns called so, or empty.
    fn one(&self, name: &str) -> String {
        self.all(name).next().unwrap_or_default()
    }

    /// The names of columns that are so, in order, each once.
    fn called(&self, is_so: impl Fn(&str) -> bool) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for name in self.names.iter().map(String::as_str).filter(|name| is_so(name)) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    /// Dates that cannot be read, as they are: `03/05/2024` may be two days.
    fn keep_unread_dates(&self, ticket: &mut Ticket) {
        for name in ["Created", "Updated"] {
            if self.date(name).is_none() {
                ticket.note(&name.to_lowercase(), self.one(name));
            }
        }
    }

    fn date(&self, name: &str) -> Option<Date> {
        date::parse(&self.one(name))
    }
}

fn jira(row: &Row<'_>) -> Ticket {
    let id = row.one("Issue key").trim().to_owned();
    let mut ticket = Ticket {
        title: row.one("Summary"),
        body: Comment {
            author: person(row, "Reporter"),
            date: row.date("Created"),
            text: markdown(&row.one("Description")),
            ..Comment::default()
        },
        comments: row
            .all("Comment")
            .map(|cell| comment(&cell))
            .chain(row.all("Log Work").map(|cell| work(&cell)))
            .collect(),
        updated: row.date("Updated"),
        tags: distinct(
            row.all("Labels").chain(row.all("Component/s")).chain(row.all("Components")),
        ),
        source: source(&id),
        id,
        ..Ticket::default()
    };
    ticket.say("environment", &row.one("Environment"));
    ticket.note("type", row.one("Issue Type"));
    for name in ["Status", "Priority", "Resolution", "Due date"] {
        ticket.note(&name.to_lowercase(), row.one(name));
    }
    ticket.note("assignee", person(row, "Assignee"));
    ticket.note(
        "fix versions",
        row.all("Fix Version/s").chain(row.all("Fix versions")).collect::<Vec<_>>().join(", "),
    );
    // `date;who;name;address`.
    let attached =
        row.all("Attachment").map(|cell| cell.split(';').nth(2).unwrap_or(&cell).to_owned());
    ticket.note("attachments", attached.collect::<Vec<_>>().join(", "));
    for name in row.called(|name| name.starts_with(OWN_FIELD)) {
        let values = row.all(name).collect::<Vec<_>>().join(", ");
        ticket.keep(inner(name), &values);
    }
    ticket.note("links", links(row).join(", "));
    ticket
}

fn person(row: &Row<'_>, name: &str) -> String {
    row.one(name).trim().to_owned()
}

/// The beginning of the name of a column that the site added: `Custom field (Root cause)`.
const OWN_FIELD: &str = "Custom field (";

/// What stands in the parentheses of a column's name.
fn inner(name: &str) -> &str {
    name.split_once('(').map_or(name, |(_, inner)| inner.strip_suffix(')').unwrap_or(inner))
}

/// `Blocks from RED-1`, `Blocks to RED-2`
fn links(row: &Row<'_>) -> Vec<String> {
    let ways = [("Inward issue link (", "from"), ("Outward issue link (", "to")];
    let columns = ways.into_iter().flat_map(|(begin, way)| {
        row.called(|name| name.starts_with(begin)).into_iter().map(move |name| (name, way))
    });
    columns
        .flat_map(|(name, way)| {
            row.all(name).map(move |key| format!("{} {way} {}", inner(name), key.trim()))
        })
        .collect()
}

/// `text;date;who;seconds`
fn work(cell: &str) -> Comment {
    let mut parts = cell.rsplitn(4, ';').skip(1);
    let (who, when, text) = (parts.next(), parts.next(), parts.next());
    said(cell, when, who, text)
}

/// `date;who;text`
fn comment(cell: &str) -> Comment {
    let mut parts = cell.splitn(3, ';');
    said(cell, parts.next(), parts.next(), parts.next())
}

/// What stands in the parts of `cell`; one that has not all of them is all text.
fn said(cell: &str, when: Option<&str>, who: Option<&str>, text: Option<&str>) -> Comment {
    match (when.and_then(date::parse), who, text) {
        (Some(date), Some(who), Some(text)) => Comment {
            author: who.trim().to_owned(),
            date: Some(date),
            text: markdown(text),
            ..Comment::default()
        },
        _ => Comment { text: markdown(cell), ..Comment::default() },
    }
}

/// Columns of Redmine that are fields whatever they hold.
const REDMINE_NOTED: [&str; 6] =
    ["Tracker", "Status", "Priority", "Assignee", "Target version", "Parent task"];
/// Columns of Redmine that are read for what they are; those in neither list are kept by name.
const REDMINE_READ: [&str; 14] = [
    "#",
    "Project",
    "Subject",
    "Author",
    "Created",
    "Start date",
    "Description",
    "Updated",
    "Closed",
    "Tags",
    "Category",
    "Last notes",
    "Last updated by",
    "",
];

fn redmine(row: &Row<'_>) -> Ticket {
    let (id, project) = (row.one("#"), row.one("Project"));
    let mut ticket = Ticket {
        id: if id.trim().is_empty() { String::new() } else { format!("#{}", id.trim()) },
        title: row.one("Subject"),
        body: Comment {
            author: person(row, "Author"),
            date: row.date("Created").or_else(|| row.date("Start date")),
            text: row.one("Description"),
            ..Comment::default()
        },
        updated: row.date("Updated").or_else(|| row.date("Closed")),
        tags: distinct(row.all("Tags").chain(row.all("Category"))),
        source: if project.is_empty() {
            "redmine".to_owned()
        } else {
            format!("redmine:{project}")
        },
        ..Ticket::default()
    };
    let notes = row.all("Last notes").map(|text| Comment {
        author: person(row, "Last updated by"),
        date: row.date("Updated"),
        text,
        ..Comment::default()
    });
    ticket.comments = notes.collect();
    for name in REDMINE_NOTED {
        ticket.note(&name.to_lowercase(), row.one(name));
    }
    for name in row.called(|name| !REDMINE_READ.contains(&name) && !REDMINE_NOTED.contains(&name)) {
        ticket.keep(&name.to_lowercase(), &row.one(name));
    }
    ticket
}

fn distinct(values: impl Iterator<Item = String>) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for value in values.map(|value| value.trim().to_owned()) {
        if !kept.contains(&value) {
            kept.push(value);
        }
    }
    kept
}
