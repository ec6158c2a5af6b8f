//! Discord channels as DiscordChatExporter writes them in JSON.

use serde_json::Value;

use crate::document::Kind;
use crate::format::Head;
use crate::input::Input;
use crate::readers::channel::{Channel, Conversations};
use crate::readers::conversation::{Saying, add_line};
use crate::readers::json::Element;
use crate::readers::keys::Keys;
use crate::readers::{json, pointer};
use crate::reading::{Context, Outcome, Sink};

/// Types of messages that people write; all others tell what happened.
const SPOKEN: [&str; 7] = [
    "Default",
    "Reply",
    "ThreadStarterMessage",
    "ChatInputCommand",
    "ContextMenuCommand",
    "0",
    "19",
];

pub(crate) fn is_discord(head: &Head<'_>) -> bool {
    let seems = head.has_extension(&["json"]) && head.text.contains("\"guild\"");
    seems && Keys::of(head.text).has_all(&["guild", "channel", "messages"])
}

/// Reads one channel. A channel that is itself a thread is one document.
pub(crate) fn read(input: &Input, context: &Context<'_>, sink: &mut Sink<'_>) -> Outcome {
    let guild = json::field(input, context, "guild")?.unwrap_or_default();
    let about = json::field(input, context, "channel")?.unwrap_or_default();
    let link = link(&guild, &about);
    let channel = channel(&guild, &about, context);
    let is_thread = pointer::str(&about, "/type").contains("Thread");
    let (mut thread, mut conversations) = (None, Conversations::new(channel));
    let outcome = json::elements(input, context, &["messages"], |element: Element<Value>| {
        let message = &element.value;
        let kind = pointer::text(message, &["/type"]);
        if !kind.is_empty() && !SPOKEN.contains(&kind.as_str()) {
            return Ok(());
        }
        let mut saying = saying(message);
        saying.span = Some(element.span);
        if !link.is_empty() {
            saying.url = format!("{link}/{}", saying.id);
        }
        if !is_thread {
            return conversations.say(saying, sink);
        }
        thread.get_or_insert_with(|| conversations.channel.thread(&saying.id)).say(saying, sink)
    });
    thread.map_or(Ok(()), |mut thread| thread.flush(sink))?;
    conversations.flush(sink)?;
    outcome
}

fn channel(guild: &Value, about: &Value, context: &Context<'_>) -> Channel {
    let mut name = pointer::text(about, &["/name", "/id"]);
    if name.is_empty() {
        context.stem().clone_into(&mut name);
    }
    let mut template = context.document("", Kind::Chat, String::new());
    template.source = format!("discord:{name}");
    let metadata = [
        ("channel", name.as_str()),
        ("category", pointer::str(about, "/category")),
        ("server", pointer::str(guild, "/name")),
    ];
    let known = metadata.into_iter().filter(|(_, value)| !value.is_empty());
    template.metadata.extend(known.map(|(name, value)| (name.to_owned(), value.to_owned())));
    Channel { prefix: format!("{name}/"), name, template }
}

/// Links to messages are this, `/` and their id. Direct messages have the server `@me`.
fn link(guild: &Value, about: &Value) -> String {
    let (guild, channel) = (pointer::text(guild, &["/id"]), pointer::text(about, &["/id"]));
    match (guild.as_str(), channel.is_empty()) {
        ("", _) | (_, true) => String::new(),
        ("0", _) => format!("https://discord.com/channels/@me/{channel}"),
        (guild, _) => format!("https://discord.com/channels/{guild}/{channel}"),
    }
}

fn saying(message: &Value) -> Saying {
    let mut text = String::new();
    let forwarded = message.get("forwardedMessage");
    for message in std::iter::once(message).chain(forwarded) {
        add_line(&mut text, pointer::str(message, "/content"));
        pointer::list(message, "/embeds").iter().for_each(|embed| add_embed(&mut text, embed));
        for file in pointer::list(message, "/attachments") {
            add_line(&mut text, &format!("[file: {}]", pointer::str(file, "/fileName")));
        }
        for sticker in pointer::list(message, "/stickers") {
            add_line(&mut text, &format!("[sticker: {}]", pointer::str(sticker, "/name")));
        }
    }
    Saying {
        id: pointer::text(message, &["/id"]),
        author: pointer::text(message, &["/author/nickname", "/author/name", "/author/id"]),
        date: pointer::date(message, &["/timestamp"]),
        edited: pointer::date(message, &["/timestampEdited"]),
        text,
        ..Saying::default()
    }
}

fn add_embed(text: &mut String, embed: &Value) {
    for field in ["/author/name", "/title", "/url", "/description"] {
        let said = pointer::str(embed, field);
        if !text.contains(said) {
            add_line(text, said);
        }
    }
    for field in pointer::list(embed, "/fields") {
        let (name, value) = (pointer::str(field, "/name"), pointer::str(field, "/value"));
        add_line(text, &format!("{name}: {value}"));
    }
    add_line(text, pointer::str(embed, "/footer/text"));
}
