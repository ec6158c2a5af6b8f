//! Claude.ai's `conversations.json`: an array of conversations.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use crate::document::Kind;
use crate::format::Head;
use crate::input::Input;
use crate::problem::Reason;
use crate::readers::conversation::{Conversation, Saying, add_line};
use crate::readers::json::Element;
use crate::readers::keys::Keys;
use crate::readers::tool_calls;
use crate::readers::{json, pointer};
use crate::reading::{Context, Outcome, Sink};

pub(crate) fn is_claude_ai(head: &Head<'_>) -> bool {
    let seems = head.has_extension(&["json"]) && head.text.contains("\"chat_messages\"");
    seems && Keys::of(head.text).has_all(&["uuid", "chat_messages"])
}

/// Reads each conversation.
pub(crate) fn read(input: &Input, context: &Context<'_>, sink: &mut Sink<'_>) -> Outcome {
    json::elements(input, context, &[], |element: Element<Value>| {
        let mut conversation = conversation(&element, context);
        for message in branch(&element.value) {
            let saying = saying(message);
            if !saying.text.trim().is_empty() || !saying.aside.is_empty() {
                conversation.say(Saying { span: Some(element.span), ..saying }, sink)?;
            }
        }
        if conversation.len() == 0 && conversation.parts() == 0 {
            let line = Some(element.span.line_start);
            return sink.problem(context.problem(line, Reason::Empty));
        }
        conversation.flush(sink)
    })
}

fn conversation(element: &Element<Value>, context: &Context<'_>) -> Conversation {
    let value = &element.value;
    let id = pointer::text(value, &["/uuid"]);
    let place = format!("{}#{}", context.name, element.number);
    let known = if id.is_empty() { &place } else { &id };
    let mut template = context.document(known, Kind::Transcript, String::new());
    template.title = pointer::text(value, &["/name"]);
    template.source = "claude-ai".to_owned();
    template.date = pointer::date(value, &["/created_at"]);
    template.updated = pointer::date(value, &["/updated_at"]);
    template.url = (!id.is_empty()).then(|| format!("https://claude.ai/chat/{id}"));
    for (name, field) in [("project", "/project/name"), ("model", "/model")] {
        let value = pointer::text(value, &[field]);
        if !value.is_empty() {
            template.metadata.insert(name.to_owned(), value);
        }
    }
    let mut conversation = Conversation::new(template);
    conversation.note(pointer::str(value, "/summary"));
    conversation
}

/// The messages that one sees: all, or the branch that the conversation says is current.
fn branch(conversation: &Value) -> Vec<&Value> {
    let messages = pointer::list(conversation, "/chat_messages");
    let by_id: HashMap<&str, &Value> =
        messages.iter().map(|message| (pointer::str(message, "/uuid"), message)).collect();
    let (mut branch, mut seen) = (Vec::new(), HashSet::new());
    let mut id = pointer::str(conversation, "/current_leaf_message_uuid");
    while let Some(&message) = by_id.get(id) {
        if !seen.insert(id) {
            break;
        }
        branch.push(message);
        id = pointer::str(message, "/parent_message_uuid");
    }
    branch.reverse();
    if branch.is_empty() { messages.iter().collect() } else { branch }
}

/// Output of tools comes in the middle of an answer; it follows it here, and is no message.
fn saying(message: &Value) -> Saying {
    let (mut text, mut aside) = (String::new(), String::new());
    for block in pointer::list(message, "/content") {
        match pointer::str(block, "/type") {
            "tool_result" => {
                let output = tool_calls::output(block.get("content").unwrap_or(&Value::Null));
                let name = pointer::text(block, &["/name"]);
                add_line(&mut aside, &format!("(output of {name}) {output}"));
            }
            _ => add_line(&mut text, &block_text(block)),
        }
    }
    if text.is_empty() {
        text = pointer::text(message, &["/text"]);
    }
    for file in pointer::list(message, "/attachments") {
        add_line(&mut text, &format!("[file: {}]", pointer::str(file, "/file_name")));
        add_line(&mut text, pointer::str(file, "/extracted_content"));
    }
    for file in pointer::list(message, "/files") {
        add_line(&mut text, &format!("[file: {}]", pointer::str(file, "/file_name")));
    }
    let sender = pointer::text(message, &["/sender"]);
    Saying {
        id: pointer::text(message, &["/uuid"]),
        author: if sender == "human" { "user".to_owned() } else { sender },
        date: pointer::date(message, &["/created_at"]),
        text: text.trim().to_owned(),
        aside,
        ..Saying::default()
    }
}

fn block_text(block: &Value) -> String {
    match pointer::str(block, "/type") {
        "thinking" => match pointer::str(block, "/thinking") {
            "" => String::new(),
            thought => format!("(thinking) {thought}"),
        },
        "tool_use" => {
            let input = block.get("input").unwrap_or(&Value::Null);
            tool_calls::shown(pointer::str(block, "/name"), input)
        }
        "voice_note" => pointer::text(block, &["/text", "/title"]),
        _ => pointer::text(block, &["/text"]),
    }
}
