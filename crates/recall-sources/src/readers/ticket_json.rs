//! Where the tickets lie in a JSON export, whatever the tool, and how its fields are read.

use serde_json::Value;

use crate::date::{self, Date};
use crate::document::Span;
use crate::format::Head;
use crate::input::Input;
use crate::problem::Reason;
use crate::readers::json;
use crate::readers::keys::Keys;
use crate::readers::records::Records;
use crate::readers::ticket::{self, Ticket};
use crate::reading::{Context, Outcome, Sink};

const EXTENSIONS: &[&str] = &["json", "jsonl", "ndjson"];

/// The names of a ticket's fields, if the file is JSON: in an array, in one of the `envelopes`, one
/// a line, or alone.
pub(crate) fn keys<'a>(head: &Head<'a>, envelopes: &[&str]) -> Option<Keys<'a>> {
    if !head.is_text || !head.has_extension(EXTENSIONS) {
        return None;
    }
    let keys = Keys::of(head.text);
    Some(match envelopes.iter().find(|name| keys.has(name)) {
        Some(name) if !keys.is_array => keys.inside(name),
        _ => keys,
    })
}

/// Reads an export: `ticket` says what one JSON object is.
pub(crate) fn read(
    input: &Input,
    context: &Context<'_>,
    sink: &mut Sink<'_>,
    envelopes: &[&str],
    ticket: impl Fn(&Value) -> Ticket,
) -> Outcome {
    ticket::read(context, sink, |sink, each| {
        values(input, context, sink, envelopes, &mut |value, span, number, sink| {
            each(Ticket { number, span: Some(span), ..ticket(&value) }, sink)
        })
    })
}

/// Hands each object to `each`, with its place and number (from 1).
fn values(
    input: &Input,
    context: &Context<'_>,
    sink: &mut Sink<'_>,
    envelopes: &[&str],
    each: &mut dyn FnMut(Value, Span, u64, &mut Sink<'_>) -> Outcome,
) -> Outcome {
    let head = input.head_text();
    if is_one_a_line(&head) {
        let mut records = Records::open(input, context)?;
        let mut number = 0;
        while let Some(record) = records.next(sink)? {
            number += 1;
            each(record.value, record.span, number, sink)?;
        }
        return Ok(());
    }
    let keys = Keys::of(&head);
    let envelope = envelopes.iter().filter(|_| !keys.is_array).find(|name| keys.has(name));
    let path: Vec<&str> = envelope.into_iter().copied().collect();
    json::elements(input, context, &path, |element: json::Element<Value>| {
        if !element.value.is_object() {
            let reason = Reason::Malformed(format!("element {} is not an object", element.number));
            return sink.problem(context.problem(Some(element.span.line_start), reason));
        }
        each(element.value, element.span, element.number.max(1), sink)
    })
}

/// The first line is an object, and the next line, if there is one, begins another.
fn is_one_a_line(head: &str) -> bool {
    let mut lines = head.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.next().unwrap_or_default();
    first.starts_with('{')
        && lines.next().is_some_and(|second| second.starts_with('{'))
        && first.ends_with('}')
}

/// The string or number in the field at `path` (`author.login`), or empty.
pub(crate) fn text(value: &Value, path: &str) -> String {
    match at(value, path) {
        Some(Value::String(text)) => text.replace("\r\n", "\n"),
        Some(Value::Number(number)) => number.to_string(),
        Some(Value::Bool(flag)) => flag.to_string(),
        _ => String::new(),
    }
}

/// The first of the fields at `paths` that says something.
pub(crate) fn first_text(value: &Value, paths: &[&str]) -> String {
    paths.iter().map(|path| text(value, path)).find(|text| !text.is_empty()).unwrap_or_default()
}

/// The date in the first of these fields that has one.
pub(crate) fn date(value: &Value, paths: &[&str]) -> Option<Date> {
    paths.iter().find_map(|path| date::parse(&text(value, path)))
}

/// The objects in the list at `path`.
pub(crate) fn list<'a>(value: &'a Value, path: &str) -> &'a [Value] {
    at(value, path).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// The strings of a list, or the `name` fields of its objects (`name`, `title`).
pub(crate) fn names(value: &Value, path: &str) -> Vec<String> {
    let name = |item: &Value| match item {
        Value::String(name) => name.clone(),
        other => first_text(other, &["name", "title", "value"]),
    };
    list(value, path).iter().map(name).filter(|name| !name.is_empty()).collect()
}

/// What stands at `path`: names with `.` between.
pub(crate) fn at<'a>(value: &'a Value, path: &str) -> Option<&'a Value> {
    path.split('.').try_fold(value, |value, name| value.get(name))
}
