//! Markdown with YAML front matter.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use serde_saphyr::DuplicateKeyPolicy;

use crate::document::{Document, Kind};
use crate::fields::{FieldMap, Roles};
use crate::format::Head;
use crate::input::Input;
use crate::leaves::Leaves;
use crate::problem::Reason;
use crate::readers::text;
use crate::reading::{Context, Outcome, Sink};
use crate::record::Record;

const EXTENSIONS: &[&str] = &["md", "markdown", "mdx", "mdown", "mkd", "qmd", "rmd"];

/// By its name; what a template language adds to the name (`deploy.md.erb`) does not matter.
pub(crate) fn is_markdown(head: &Head<'_>) -> bool {
    let is_template = || {
        let inner = head.name.strip_suffix(head.extension)?.strip_suffix('.')?;
        inner.rsplit_once('.').filter(|(_, extension)| EXTENSIONS.contains(extension))
    };
    head.is_text
        && (head.has_extension(EXTENSIONS)
            || head.has_extension(&["erb", "j2", "tmpl"]) && is_template().is_some())
}

/// Reads Markdown. The text is the file as it is, with its front matter.
pub(crate) fn read(input: &Input, context: &Context<'_>, sink: &mut Sink<'_>) -> Outcome {
    let head = input.head_text();
    let (front, body) = split(&head);
    let fields = match front {
        Front::None => Ok(Record::default()),
        Front::Open => Err("front matter that never ends".to_owned()),
        Front::Matter(yaml) => parse(yaml),
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
    let whole = context.whole || fields.whole || fields.kind == Some(Kind::Runbook);
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

enum Front<'a> {
    None,
    /// It begins and never ends.
    Open,
    Matter(&'a str),
}

/// Splits the front matter off. A rule (`---`) with no field after it is not the beginning of one.
fn split(text: &str) -> (Front<'_>, &str) {
    let mut lines = text.split_inclusive('\n');
    let Some(first) = lines.next().filter(|line| line.trim_end() == "---") else {
        return (Front::None, text);
    };
    let mut end = first.len();
    for line in lines {
        if matches!(line.trim_end(), "---" | "...") {
            return (Front::Matter(&text[first.len()..end]), &text[end + line.len()..]);
        }
        end += line.len();
    }
    let next = text[first.len()..].lines().next().unwrap_or_default();
    let is_field = next.split_once(':').is_some_and(|(name, _)| !name.trim().contains(' '));
    (if is_field { Front::Open } else { Front::None }, text)
}

fn parse(yaml: &str) -> Result<Record, String> {
    if yaml.trim().is_empty() {
        return Ok(Record::default());
    }
    // A repeated field is no reason to lose the others; both values are taken.
    let options = serde_saphyr::options! { duplicate_keys: DuplicateKeyPolicy::PassThrough };
    let leaves: Leaves = serde_saphyr::from_str_with_options(yaml, options)
        .map_err(|error| format!("front matter: {}", first_line(&error.to_string())))?;
    if !leaves.is_object {
        return Err("front matter that has no fields".to_owned());
    }
    Ok(Record::new(leaves.leaves, &mut Roles::new(&FieldMap::default())))
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
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
