//! Facebook Messenger and Instagram conversations (`message_1.json`).

use serde_json::Value;

use crate::document::Kind;
use crate::format::Head;
use crate::input::Input;
use crate::problem::Reason;
use crate::readers::channel::{Channel, Conversations};
use crate::readers::conversation::{Saying, add_line};
use crate::readers::json::Element;
use crate::readers::keys::Keys;
use crate::readers::{json, pointer};
use crate::reading::{Context, Halt, Outcome, Sink};

pub(crate) fn is_messenger(head: &Head<'_>) -> bool {
    let seems = head.has_extension(&["json"])
        && (head.text.contains("\"sender_name\"") || head.text.contains("\"senderName\""));
    seems && Keys::of(head.text).has_all(&["participants", "messages"])
}

/// Reads one conversation. The newest message may come first.
pub(crate) fn read(input: &Input, context: &Context<'_>, sink: &mut Sink<'_>) -> Outcome {
    let mut conversations = Conversations::new(channel(input, context)?);
    let outcome = json::elements(input, context, &["messages"], |element: Element<Value>| {
        if !element.value.is_object() {
            let reason = Reason::Malformed("a message that is no object".to_owned());
            return sink.problem(context.problem(Some(element.span.line_start), reason));
        }
        let saying = Saying { span: Some(element.span), ..saying(&element.value) };
        conversations.say(saying, sink)
    });
    conversations.flush(sink)?;
    outcome
}

/// The title stands behind the messages; a conversation without one has its people's names.
fn channel(input: &Input, context: &Context<'_>) -> Result<Channel, Halt> {
    let mut title = String::new();
    for name in ["title", "threadName"] {
        // What is wrong with the file is said when the messages are read.
        if let Ok(Some(found)) = json::field(input, context, name) {
            title = repaired(found.as_str().unwrap_or_default());
            break;
        }
    }
    let people = json::field(input, context, "participants")?.unwrap_or_default();
    let people: Vec<_> = pointer::list(&people, "")
        .iter()
        .map(|who| repaired(&pointer::text(who, &["/name", ""])))
        .collect();
    let name = if title.is_empty() { people.join(", ") } else { title };
    let mut template = context.document("", Kind::Chat, String::new());
    template.source = format!("messenger:{name}");
    template.metadata.insert("channel".to_owned(), name.clone());
    Ok(Channel { prefix: format!("{}#", context.name), name, template })
}

fn saying(message: &Value) -> Saying {
    let mut text = repaired(&pointer::text(message, &["/content", "/text"]));
    add_line(&mut text, &repaired(pointer::str(message, "/share/share_text")));
    let link = pointer::str(message, "/share/link");
    if !text.contains(link) {
        add_line(&mut text, link);
    }
    for media in ["photos", "videos", "audio_files", "gifs", "files", "media"] {
        for file in pointer::list(message, &format!("/{media}")) {
            let uri = repaired(pointer::str(file, "/uri"));
            let name = uri.rsplit('/').next().unwrap_or_default();
            add_line(&mut text, &format!("[{media}: {name}]"));
        }
    }
    if !pointer::str(message, "/sticker/uri").is_empty() {
        add_line(&mut text, "[sticker]");
    }
    if pointer::is_true(message, "/is_unsent") || pointer::is_true(message, "/isUnsent") {
        add_line(&mut text, "(deleted)");
    }
    Saying {
        author: repaired(&pointer::text(message, &["/sender_name", "/senderName"])),
        date: pointer::date(message, &["/timestamp_ms", "/timestamp"]),
        text,
        ..Saying::default()
    }
}

/// The exporter writes each byte of UTF-8 as a character of its own (`Ä\u{90}` for `Đ`). Text in
/// which that is not so stays as it is.
fn repaired(text: &str) -> String {
    let bytes: Option<Vec<u8>> = text.chars().map(|c| u8::try_from(c).ok()).collect();
    bytes.and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_else(|| text.to_owned())
}
