//! Calls of tools in transcripts: what they say, and which ones are recall's own.

use std::collections::HashMap;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use crate::readers::conversation::add_line;
use crate::readers::pointer;

/// Stands for an answer of recall, which is a copy of what is indexed already.
pub(crate) const OWN_ANSWER: &str = "(an answer of recall, not indexed again)";

/// A command line that asks recall, perhaps among other commands or in a shell of its own.
static ASKS_RECALL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r#"(?x)(?:^|[;&|(\n`]|\s-l?c\s)\s*["']? (?:\w+=\S*\s+)* (?:[^\s"'=]*/)?
        recall(?:\.exe)? \s+ (?:-\S+\s+)* (?:query|get|search|show)\b"#,
    )
    .expect("a test finds calls with it")
});

/// The calls of a session that were made so far.
#[derive(Debug, Default)]
pub(crate) struct ToolCalls {
    by_id: HashMap<String, Call>,
}

/// Whose output something is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Call {
    /// The tool.
    pub(crate) name: String,
    /// It asks recall.
    pub(crate) is_own: bool,
}

impl ToolCalls {
    /// Notes the call `id` of the tool `name` with `input`.
    pub(crate) fn note(&mut self, id: &str, name: &str, input: &Value) {
        let is_own = name.starts_with("mcp__recall") || ASKS_RECALL.is_match(&command(input));
        self.by_id.insert(id.to_owned(), Call { name: name.to_owned(), is_own });
    }

    /// The call whose output has come.
    pub(crate) fn of(&self, id: &str) -> Call {
        let unknown = || Call { name: "tool".to_owned(), is_own: false };
        self.by_id.get(id).cloned().unwrap_or_else(unknown)
    }
}

/// The command line of a call of a shell, as a string or as a list of words; else empty.
fn command(input: &Value) -> String {
    let words = |list: &[Value]| {
        let words: Vec<&str> = list.iter().filter_map(Value::as_str).collect();
        words.join(" ")
    };
    match input {
        Value::String(line) => line.clone(),
        _ => ["/command", "/cmd"]
            .iter()
            .find_map(|field| match input.pointer(field)? {
                Value::String(line) => Some(line.clone()),
                Value::Array(list) => Some(words(list)),
                _ => None,
            })
            .unwrap_or_default(),
    }
}

/// A call as a person would read it: `[Bash] ls -l`, or a line for each of several fields.
pub(crate) fn shown(name: &str, input: &Value) -> String {
    let line = command(input);
    let fields = match input {
        Value::Object(fields) => fields,
        _ => return format!("[{name}] {}", value(input)),
    };
    if !line.is_empty() && !fields.contains_key("content") {
        return format!("[{name}] {line}");
    }
    let mut text = format!("[{name}]");
    match fields.len() {
        1 => text.extend(fields.values().map(|one| format!(" {}", value(one)))),
        _ => {
            for (field, one) in fields {
                add_line(&mut text, &format!("{field}: {}", value(one)));
            }
        }
    }
    text
}

fn value(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

/// What a tool gave back: text, or blocks of text and pictures.
pub(crate) fn output(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            let mut text = String::new();
            blocks.iter().for_each(|block| add_line(&mut text, &self::block(block)));
            text
        }
        Value::Object(_) => block(content),
        _ => String::new(),
    }
}

/// A document that is part of a message: its name, and what it says if that is text.
pub(crate) fn document(block: &Value) -> String {
    let mut text = match pointer::text(block, &["/title", "/name"]) {
        name if name.is_empty() => "[document]".to_owned(),
        name => format!("[document: {name}]"),
    };
    if pointer::str(block, "/source/type") == "text" {
        add_line(&mut text, pointer::str(block, "/source/data"));
    }
    text
}

fn block(block: &Value) -> String {
    match pointer::str(block, "/type") {
        "image" | "input_image" => "[image]".to_owned(),
        "document" => document(block),
        _ => match block {
            Value::String(text) => text.clone(),
            _ => pointer::text(block, &["/text", "/content", "/output", "/title"]),
        },
    }
}
