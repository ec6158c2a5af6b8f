//! Markdown with YAML front matter.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use crate::document::{Document, Kind};
use crate::fields::{FieldMap, Roles};
use crate::format::Head;
use crate::front_matter::{self, Split, is_markdown_name, split};
use crate::input::Input;
use crate::problem::Reason;
use crate::readers::text;
use crate::reading::{Context, Outcome, Sink};
use crate::record::Record;
use crate::whole;

pub(crate) fn is_markdown(head: &Head<'_>) -> bool {
    head.is_text && is_markdown_name(head.name)
}

/// Reads Markdown. The text is the file as it is, with its front matter.
pub(crate) fn read(input: &Input, context: &Context<'_>, sink: &mut Sink<'_>) -> Outcome {
    let head = input.head_text();
    let (fields, body) = match split(&head) {
        Split::None => (Ok(Record::default()), &*head),
        Split::Unclosed => (Err("front matter that never ends".to_owned()), &*head),
        Split::Matter { yaml, body } => (record(yaml), body),
    };
    let fields = match fields {
        Ok(fields) => fields,
        Err(why) => {
            sink.problem(context.problem(Some(1), Reason::FellBack(why)))?;
            Record::default()
        }
    };
    text::read_as(input, context, sink, &template(fields, body, context))
}

/// A document with everything but its text.
fn template(fields: Record, body: &str, context: &Context<'_>) -> Document {
    let whole = context.whole || whole::says_so(fields.whole, fields.kind);
    let kind = match fields.kind {
        Some(kind) if kind != Kind::Note || !whole => kind,
        _ if whole => Kind::Runbook,
        _ => Kind::Note,
    };
    let title = fields.title.or_else(|| first_heading(body));
    Document {
        title: title.unwrap_or_else(|| context.stem().to_owned()),
        authors: fields.authors,
        date: fields.date,
        updated: fields.updated,
        tags: fields.tags,
        url: fields.url,
        metadata: fields.metadata,
        whole,
        ..context.document("", kind, String::new())
    }
}

/// The fields of front matter, sorted by what they hold.
fn record(yaml: &str) -> Result<Record, String> {
    Ok(Record::new(front_matter::fields(yaml)?.leaves, &mut Roles::new(&FieldMap::default())))
}

/// The text of the first heading.
fn first_heading(body: &str) -> Option<String> {
    let mut events = Parser::new_ext(body, Options::empty());
    events.find(|event| matches!(event, Event::Start(Tag::Heading { .. })))?;
    let mut title = String::new();
    for event in events {
        match event {
            Event::End(TagEnd::Heading(_)) => break,
            Event::Text(text) | Event::Code(text) => title.push_str(&text),
            Event::SoftBreak | Event::HardBreak => title.push(' '),
            _ => {}
        }
    }
    let title = title.trim();
    (!title.is_empty()).then(|| title.to_owned())
}
