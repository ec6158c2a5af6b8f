//! One JSON object a line.

use crate::document::Document;
use crate::fields::Roles;
use crate::format::Head;
use crate::input::Input;
use crate::leaves::Leaves;
use crate::problem::Reason;
use crate::readers::lines::Lines;
use crate::reading::{Context, Outcome, Sink};
use crate::record::Record;

pub(crate) const EXTENSIONS: &[&str] = &["jsonl", "ndjson", "jsonlines"];

pub(crate) fn is_jsonl(head: &Head<'_>) -> bool {
    let first = head.text.trim_start().lines().next().unwrap_or_default().trim_end();
    // An array, or objects over many lines each, is JSON whatever its name.
    let is_json = first.starts_with('[') || first == "{";
    let is_named_so = head.has_extension(EXTENSIONS) && !is_json;
    let looks_so = || head.has_extension(&["json"]) && begins_with_lines_of_json(head.text);
    head.is_text && (is_named_so || looks_so())
}

/// The first line is a complete object and another object follows.
fn begins_with_lines_of_json(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let (first, second) = (lines.next().unwrap_or_default(), lines.next().unwrap_or_default());
    first.starts_with('{')
        && second.starts_with('{')
        && serde_json::from_str::<serde::de::IgnoredAny>(first).is_ok()
}

/// Reads one record a line; a line that is not an object is named and left out.
pub(crate) fn read(input: &Input, context: &Context<'_>, sink: &mut Sink<'_>) -> Outcome {
    let limit = context.options.max_document_bytes;
    let mut lines = Lines::new(input, limit).map_err(|error| context.failed(&error))?;
    let mut roles = Roles::new(&context.options.map);
    let mut text = String::new();
    while let Some(line) = lines.next(&mut text).map_err(|error| context.failed(&error))? {
        if text.trim().is_empty() {
            continue;
        }
        let read = match line.cut {
            Some(size) => Err(Reason::TooLarge { size, limit }),
            None => record(&text, context, line.number, &mut roles),
        };
        match read {
            Ok(document) => sink.document(Document { span: Some(line.span), ..document })?,
            Err(reason) => sink.problem(context.problem(Some(line.number), reason))?,
        }
    }
    Ok(())
}

fn record(
    text: &str,
    context: &Context<'_>,
    number: u64,
    roles: &mut Roles,
) -> Result<Document, Reason> {
    let leaves: Leaves = serde_json::from_str(text).map_err(|error| {
        // The line is said already; the library would say line 1.
        let what = error.to_string();
        let what = what.split(" at line ").next().unwrap_or_default();
        Reason::Malformed(format!("{what} at column {}", error.column()))
    })?;
    if !leaves.is_object {
        return Err(Reason::Malformed("not an object".to_owned()));
    }
    let place = format!("{}#{number}", context.name);
    Record::new(leaves.leaves, roles).into_document(context.path, &place).ok_or(Reason::Empty)
}
