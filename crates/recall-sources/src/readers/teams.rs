//! Microsoft Teams: channel and chat messages as Graph and PowerShell give them, and the
//! `messages.json` that a person gets of their own account (also Skype's).

use serde_json::Value;

use crate::document::Kind;
use crate::format::Head;
use crate::input::Input;
use crate::readers::channel::{Channel, Conversations};
use crate::readers::conversation::{Saying, add_line};
use crate::readers::html;
use crate::readers::json::{Element, Json};
use crate::readers::keys::Keys;
use crate::readers::threads::{Ends, Threads};
use crate::readers::{json, pointer};
use crate::reading::{Context, Outcome, Sink};

pub(crate) fn is_teams(head: &Head<'_>) -> bool {
    if !head.has_extension(&["json"]) {
        return false;
    }
    let has = |name: &str| head.text.contains(name);
    if has("\"MessageList\"") && has("\"conversations\"") {
        return Keys::of(head.text).has("conversations");
    }
    has("essageType\"") && array_path(head.text).is_some()
}

/// Where the messages are: the whole file, or the `value` that Graph puts around them.
fn array_path(text: &str) -> Option<&'static [&'static str]> {
    let is_message = |keys: &Keys<'_>| {
        keys.is_array
            && (keys.has_all(&["Id", "Body", "MessageType"])
                || keys.has_all(&["id", "body", "messageType"]))
    };
    let keys = Keys::of(text);
    if is_message(&keys) {
        return Some(&[]);
    }
    ["value", "messages"]
        .iter()
        .position(|name| is_message(&keys.inside(name)))
        .map(|place| [&["value"], &["messages"]][place].as_slice())
}

/// Reads an export: posts with their replies are threads.
pub(crate) fn read(input: &Input, context: &Context<'_>, sink: &mut Sink<'_>) -> Outcome {
    let Some(path) = array_path(&input.head_text()) else {
        return read_conversations(input, context, sink);
    };
    let (mut ends, mut number) = (Ends::default(), 0);
    // What is wrong with the file is said when it is read again.
    let _ = json::elements(input, context, path, |element: Element<Value>| {
        number += 1;
        let root = pointer::text(&element.value, &["/ReplyToId", "/replyToId"]);
        match root.is_empty() {
            true => ends.pass("", &pointer::text(&element.value, &["/Id", "/id"]), number),
            false => ends.note("", &root, number),
        }
        Ok(())
    });
    let mut channel = channel("", context);
    channel.name = context.stem().to_owned();
    let (mut threads, mut number) = (Threads::new(&ends, "", channel), 0);
    let outcome = json::elements(input, context, path, |element: Element<Value>| {
        number += 1;
        let message = &element.value;
        if !is_spoken(message) {
            return Ok(());
        }
        let root = pointer::text(message, &["/ReplyToId", "/replyToId", "/Id", "/id"]);
        threads.say(&root, number, saying(message), sink)
    });
    threads.finish(sink)?;
    outcome
}

fn channel(name: &str, context: &Context<'_>) -> Channel {
    let mut template = context.document("", Kind::Chat, String::new());
    let shown = if name.is_empty() { context.stem() } else { name };
    template.source = format!("teams:{shown}");
    template.metadata.insert("channel".to_owned(), shown.to_owned());
    let prefix = if name.is_empty() { String::new() } else { format!("{name}/") };
    Channel { name: shown.to_owned(), prefix, template }
}

/// A person or an app said it; everything else is an event.
fn is_spoken(message: &Value) -> bool {
    let kind = pointer::text(message, &["/MessageType", "/messageType"]);
    let body = pointer::text(message, &["/Body/Content", "/body/content"]);
    kind.is_empty() && message.is_object()
        || kind.eq_ignore_ascii_case("message")
        || kind == "chatMessage" && !body.starts_with("<systemEventMessage")
}

fn saying(message: &Value) -> Saying {
    let mut text = pointer::text(message, &["/Subject", "/subject"]);
    let body = pointer::text(message, &["/Body/Content", "/body/content"]);
    let kind = pointer::text(message, &["/Body/ContentType", "/body/contentType"]);
    let body = if kind.eq_ignore_ascii_case("text") { body } else { html::readable(&body).text };
    add_line(&mut text, body.trim());
    for list in ["/Attachments", "/attachments"] {
        pointer::list(message, list).iter().for_each(|file| add_attachment(&mut text, file));
    }
    let deleted = pointer::date(message, &["/DeletedDateTime", "/deletedDateTime"]);
    if deleted.is_some() {
        add_line(&mut text, "(deleted)");
    }
    let edited = pointer::date(message, &["/LastEditedDateTime", "/lastEditedDateTime"]);
    Saying {
        id: pointer::text(message, &["/Id", "/id"]),
        author: author(message),
        date: pointer::date(message, &["/CreatedDateTime", "/createdDateTime"]),
        edited: deleted.or(edited),
        text,
        url: pointer::text(message, &["/WebUrl", "/webUrl"]),
        ..Saying::default()
    }
}

fn author(message: &Value) -> String {
    const NAMES: [&str; 12] = [
        "/From/User/DisplayName",
        "/from/user/displayName",
        "/From/Application/DisplayName",
        "/from/application/displayName",
        "/From/Device/DisplayName",
        "/from/device/displayName",
        "/From/User/Id",
        "/from/user/id",
        "/From/Application/Id",
        "/from/application/id",
        "/From/Device/Id",
        "/from/device/id",
    ];
    pointer::text(message, &NAMES)
}

/// A file's name; the text of a card, which is JSON in a string.
fn add_attachment(text: &mut String, attachment: &Value) {
    let name = pointer::text(attachment, &["/Name", "/name"]);
    if !name.is_empty() {
        add_line(text, &format!("[file: {name}]"));
    }
    let content = pointer::text(attachment, &["/Content", "/content"]);
    if let Ok(card) = serde_json::from_str::<Value>(&content) {
        add_card(text, &card);
    }
}

fn add_card(text: &mut String, card: &Value) {
    match card {
        Value::Array(list) => list.iter().for_each(|value| add_card(text, value)),
        Value::Object(fields) => {
            let label = pointer::text(card, &["/title", "/name"]);
            let value = pointer::str(card, "/value");
            if !value.is_empty() {
                return add_line(text, &format!("{label}: {value}"));
            }
            for name in ["title", "subtitle", "text", "messagePreview", "body", "items", "facts"] {
                match fields.get(name) {
                    Some(Value::String(said)) => add_line(text, &html::readable(said).text),
                    Some(inner) => add_card(text, inner),
                    None => {}
                }
            }
        }
        _ => {}
    }
}

/// Reads what a person gets of their own account: conversations with lists of messages.
fn read_conversations(input: &Input, context: &Context<'_>, sink: &mut Sink<'_>) -> Outcome {
    let mut json = Json::open(input, context)?;
    json.values(|json| {
        json.object(|json, name| match name {
            "conversations" => json.array(|json, _| read_conversation(json, context, sink)),
            _ => json.skip(),
        })
    })
}

fn read_conversation(json: &mut Json<'_>, context: &Context<'_>, sink: &mut Sink<'_>) -> Outcome {
    let (mut id, mut name) = (String::new(), String::new());
    json.object(|json, field| match field {
        "id" => json.element(0).map(|element| id = pointer::text(&element.value, &[""])),
        "displayName" => json.element(0).map(|element| name = pointer::text(&element.value, &[""])),
        "MessageList" => {
            let mut conversations =
                Conversations::new(channel(if name.is_empty() { &id } else { &name }, context));
            let outcome = json.array(|json, number| {
                let Element { value, span, .. } = json.element::<Value>(number)?;
                if !is_typed(&value) {
                    return Ok(());
                }
                conversations.say(Saying { span: Some(span), ..own_saying(&value) }, sink)
            });
            conversations.flush(sink)?;
            outcome
        }
        _ => json.skip(),
    })
}

fn is_typed(message: &Value) -> bool {
    let kind = pointer::str(message, "/messagetype");
    kind == "Text" || kind.starts_with("RichText")
}

fn own_saying(message: &Value) -> Saying {
    let from = pointer::text(message, &["/displayName", "/from"]);
    Saying {
        id: pointer::text(message, &["/id"]),
        // `8:live:name` and `8:orgid:…`
        author: from.strip_prefix("8:").unwrap_or(&from).to_owned(),
        date: pointer::date(message, &["/originalarrivaltime"]),
        edited: pointer::date(message, &["/properties/edittime"]),
        text: html::readable(pointer::str(message, "/content")).text,
        ..Saying::default()
    }
}
