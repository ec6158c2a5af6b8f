//! ChatGPT's `conversations.json`: an array of conversations, each a tree of messages.

use std::collections::HashSet;

use serde_json::{Map, Value};

use crate::document::Kind;
use crate::format::Head;
use crate::input::Input;
use crate::problem::Reason;
use crate::readers::conversation::{Conversation, Saying, add_line};
use crate::readers::json::Element;
use crate::readers::keys::Keys;
use crate::readers::{json, pointer};
use crate::reading::{Context, Outcome, Sink};

pub(crate) fn is_chatgpt(head: &Head<'_>) -> bool {
    let seems = head.has_extension(&["json"]) && head.text.contains("\"mapping\"");
    let is_conversation = |keys: Keys<'_>| {
        let others = ["title", "create_time", "current_node", "conversation_id"];
        keys.has("mapping") && others.iter().any(|name| keys.has(name))
    };
    seems && is_conversation(Keys::of(head.text))
}

/// Reads the visible branch of each conversation.
pub(crate) fn read(input: &Input, context: &Context<'_>, sink: &mut Sink<'_>) -> Outcome {
    json::elements(input, context, &[], |element: Element<Value>| {
        let line = Some(element.span.line_start);
        let Some(mapping) = element.value.get("mapping").and_then(Value::as_object) else {
            let reason = Reason::Malformed("a conversation without messages".to_owned());
            return sink.problem(context.problem(line, reason));
        };
        let mut conversation = conversation(&element, context);
        for id in branch(mapping, pointer::str(&element.value, "/current_node")) {
            if let Some(saying) = mapping.get(id).and_then(|node| saying(id, &node["message"])) {
                conversation.say(Saying { span: Some(element.span), ..saying }, sink)?;
            }
        }
        if conversation.len() == 0 && conversation.parts() == 0 {
            return sink.problem(context.problem(line, Reason::Empty));
        }
        conversation.flush(sink)
    })
}

fn conversation(element: &Element<Value>, context: &Context<'_>) -> Conversation {
    let value = &element.value;
    let id = pointer::text(value, &["/conversation_id", "/id"]);
    let place = format!("{}#{}", context.name, element.number);
    let known = if id.is_empty() { &place } else { &id };
    let mut template = context.document(known, Kind::Transcript, String::new());
    template.title = pointer::text(value, &["/title"]);
    template.source = "chatgpt".to_owned();
    template.date = pointer::date(value, &["/create_time"]);
    template.updated = pointer::date(value, &["/update_time"]);
    template.url = (!id.is_empty()).then(|| format!("https://chatgpt.com/c/{id}"));
    for (name, field) in [("model", "/default_model_slug"), ("gpt", "/gizmo_id")] {
        let value = pointer::text(value, &[field]);
        if !value.is_empty() {
            template.metadata.insert(name.to_owned(), value);
        }
    }
    Conversation::new(template)
}

/// The ids of the nodes from the root to `current`, else to the newest leaf.
fn branch<'a>(mapping: &'a Map<String, Value>, current: &'a str) -> Vec<&'a str> {
    let mut node = if mapping.contains_key(current) { current } else { newest_leaf(mapping) };
    let (mut ids, mut seen) = (Vec::new(), HashSet::new());
    while let Some((id, value)) = mapping.get_key_value(node) {
        if !seen.insert(id) {
            break;
        }
        ids.push(id.as_str());
        node = pointer::str(value, "/parent");
    }
    ids.reverse();
    ids
}

fn newest_leaf(mapping: &Map<String, Value>) -> &str {
    let leaves = mapping.iter().filter(|(_, node)| pointer::list(node, "/children").is_empty());
    let time = |node: &Value| node.pointer("/message/create_time").and_then(Value::as_f64);
    let newest = leaves.max_by(|(a_id, a), (b_id, b)| {
        let times = (time(a).unwrap_or(0.0), time(b).unwrap_or(0.0));
        times.0.total_cmp(&times.1).then(a_id.cmp(b_id))
    });
    newest.map_or("", |(id, _)| id)
}

/// What a node says; `None` for what is hidden or empty.
fn saying(id: &str, message: &Value) -> Option<Saying> {
    let role = pointer::str(message, "/author/role");
    let kind = pointer::str(message, "/content/content_type");
    let is_hidden = pointer::is_true(message, "/metadata/is_visually_hidden_from_conversation")
        || kind.ends_with("editable_context");
    let text = text(message, kind);
    if is_hidden || text.trim().is_empty() {
        return None;
    }
    let tool = !matches!(role, "user" | "assistant");
    let author = if tool {
        pointer::text(message, &["/author/name", "/author/role"])
    } else {
        role.to_owned()
    };
    Some(Saying {
        id: id.to_owned(),
        author,
        date: pointer::date(message, &["/create_time"]),
        edited: pointer::date(message, &["/update_time"]),
        text,
        tool,
        ..Saying::default()
    })
}

fn text(message: &Value, kind: &str) -> String {
    let mut text = String::new();
    for part in pointer::list(message, "/content/parts") {
        add_line(&mut text, &part_text(part));
    }
    let code = pointer::text(message, &["/content/language"]);
    let said = pointer::text(message, &["/content/text", "/content/content", "/content/result"]);
    match kind {
        "code" if code != "unknown" && !code.is_empty() => {
            add_line(&mut text, &format!("```{code}\n{said}\n```"));
        }
        "tether_quote" => {
            add_line(&mut text, pointer::str(message, "/content/title"));
            add_line(&mut text, pointer::str(message, "/content/url"));
            add_line(&mut text, &said);
        }
        _ => add_line(&mut text, &said),
    }
    for thought in pointer::list(message, "/content/thoughts") {
        let (summary, content) =
            (pointer::str(thought, "/summary"), pointer::str(thought, "/content"));
        add_line(&mut text, format!("(thinking) {summary} {content}").trim_end());
    }
    for file in pointer::list(message, "/metadata/attachments") {
        add_line(&mut text, &format!("[file: {}]", pointer::str(file, "/name")));
    }
    without_marks(&text)
}

fn part_text(part: &Value) -> String {
    match part {
        Value::String(text) => text.clone(),
        _ if pointer::str(part, "/content_type").starts_with("image") => "[image]".to_owned(),
        _ => pointer::text(part, &["/text", "/content"]),
    }
}

/// Text without the references for the screen, which stand between marks of their own.
fn without_marks(text: &str) -> String {
    const OPEN: char = '\u{e200}';
    const CLOSE: char = '\u{e201}';
    let (mut clean, mut rest) = (String::with_capacity(text.len()), text);
    while let Some((before, after)) = rest.split_once(OPEN) {
        clean.push_str(before);
        rest = after.split_once(CLOSE).map_or(after, |(_, after)| after);
    }
    clean + rest
}
