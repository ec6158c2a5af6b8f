//! Telegram Desktop's `result.json`: one chat, or all chats of an account.

use serde_json::Value;

use crate::date::Date;
use crate::document::Kind;
use crate::format::Head;
use crate::input::Input;
use crate::problem::Reason;
use crate::readers::channel::{Channel, Conversations};
use crate::readers::conversation::{Saying, add_line};
use crate::readers::json::Json;
use crate::readers::keys::Keys;
use crate::readers::pointer;
use crate::reading::{Context, Outcome, Sink};

pub(crate) fn is_telegram(head: &Head<'_>) -> bool {
    let has = |name: &str| head.text.contains(name);
    let seems = head.has_extension(&["json"])
        && (has("\"text_entities\"") || has("\"from_id\"") || has("\"actor_id\""));
    if !seems {
        return false;
    }
    let keys = Keys::of(head.text);
    !keys.is_array && (keys.has_all(&["type", "messages"]) || keys.has("chats"))
}

/// Reads one chat or many; they are told apart on the way.
pub(crate) fn read(input: &Input, context: &Context<'_>, sink: &mut Sink<'_>) -> Outcome {
    let mut json = Json::open(input, context)?;
    let mut reader = Reader { context, about: About::default(), sink };
    json.values(|json| {
        json.object(|json, name| match name {
            "chats" | "left_chats" => json.object(|json, name| match name {
                "list" => json.array(|json, _| reader.chat(json)),
                _ => json.skip(),
            }),
            _ => reader.field(json, name),
        })
    })
}

/// What a chat says of itself before its messages.
#[derive(Debug, Default)]
struct About {
    name: String,
    kind: String,
    id: String,
}

struct Reader<'a, 'b> {
    context: &'a Context<'a>,
    about: About,
    sink: &'a mut Sink<'b>,
}

impl Reader<'_, '_> {
    fn chat(&mut self, json: &mut Json<'_>) -> Outcome {
        self.about = About::default();
        json.object(|json, name| self.field(json, name))
    }

    fn field(&mut self, json: &mut Json<'_>, name: &str) -> Outcome {
        let place = match name {
            "name" => &mut self.about.name,
            "type" => &mut self.about.kind,
            "id" => &mut self.about.id,
            "messages" => return self.messages(json),
            _ => return json.skip(),
        };
        let value: Value = json.element(0)?.value;
        *place = pointer::text(&value, &[""]);
        Ok(())
    }

    fn messages(&mut self, json: &mut Json<'_>) -> Outcome {
        let mut conversations = Conversations::new(self.channel());
        let outcome = json.array(|json, number| {
            let element = json.element::<Value>(number)?;
            let message = &element.value;
            match pointer::str(message, "/type") {
                "message" => {
                    let saying = Saying { span: Some(element.span), ..saying(message) };
                    conversations.say(saying, self.sink)
                }
                "service" => {
                    news(message).iter().for_each(|line| conversations.note(line));
                    Ok(())
                }
                other => {
                    let reason = Reason::Malformed(format!("a message of type `{other}`"));
                    let line = Some(element.span.line_start);
                    self.sink.problem(self.context.problem(line, reason))
                }
            }
        });
        conversations.flush(self.sink)?;
        outcome
    }

    /// Chats with people who are gone have no name.
    fn channel(&self) -> Channel {
        let About { name, kind, id } = &self.about;
        let mut name = name.clone();
        if name.is_empty() {
            let fallback = if kind == "saved_messages" { "saved messages" } else { id };
            fallback.clone_into(&mut name);
        }
        let mut template = self.context.document("", Kind::Chat, String::new());
        template.source = format!("telegram:{name}");
        template.metadata.insert("channel".to_owned(), name.clone());
        let prefix = if id.is_empty() { format!("{name}/") } else { format!("{id}/") };
        Channel { name, prefix, template }
    }
}

/// What a service message has to say, if it is more than that somebody came or went.
fn news(message: &Value) -> Option<String> {
    let what = match pointer::str(message, "/action") {
        "create_group" | "create_channel" | "edit_group_title" | "topic_created" | "topic_edit" => {
            pointer::text(message, &["/title", "/new_title"])
        }
        _ => return None,
    };
    Some(format!("* {}: {what}", pointer::text(message, &["/actor", "/actor_id"])))
}

fn saying(message: &Value) -> Saying {
    let mut text = match message.get("text") {
        Some(Value::Array(pieces)) => pieces.iter().map(piece).collect(),
        Some(value) => piece(value),
        None => String::new(),
    };
    if text.is_empty() {
        text = pointer::list(message, "/text_entities").iter().map(piece).collect();
    }
    add_media(&mut text, message);
    Saying {
        id: pointer::text(message, &["/id"]),
        // A deleted account has an id and no name.
        author: pointer::text(message, &["/from", "/author", "/from_id"]),
        date: date(message, "/date_unixtime", "/date"),
        edited: date(message, "/edited_unixtime", "/edited"),
        text,
        ..Saying::default()
    }
}

/// The moment at `unix`, with the offset that tells it from the clock of the exporting computer.
fn date(message: &Value, unix: &str, clock: &str) -> Option<Date> {
    const MAX_OFFSET: i64 = 15 * 60;
    let shown = pointer::date(message, &[clock]);
    let (Some(date), Some(shown)) = (pointer::date(message, &[unix]), shown) else { return shown };
    let minutes = (shown.seconds - date.seconds) / 60;
    let offset = i16::try_from(minutes).ok().filter(|_| minutes.abs() <= MAX_OFFSET);
    Some(Date { offset_minutes: offset.unwrap_or(0), ..date })
}

/// A string, or a link, a mention, code…; a labelled link also says where it leads.
fn piece(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        _ => {
            let (text, link) = (pointer::str(value, "/text"), pointer::str(value, "/href"));
            if link.is_empty() { text.to_owned() } else { format!("{text} ({link})") }
        }
    }
}

fn add_media(text: &mut String, message: &Value) {
    let forwarded = pointer::str(message, "/forwarded_from");
    if !forwarded.is_empty() {
        *text = format!("(forwarded from {forwarded}) {text}");
    }
    let media = pointer::text(message, &["/media_type", "/mime_type"]);
    let file = pointer::text(message, &["/file_name", "/file", "/title"]);
    match (media.as_str(), file.as_str()) {
        ("", "") => {}
        (media, "") => add_line(text, &format!("[{media}]")),
        ("", file) => add_line(text, &format!("[file: {file}]")),
        (media, file) => add_line(text, &format!("[{media}: {file}]")),
    }
    if message.get("photo").is_some() {
        add_line(text, "[photo]");
    }
    add_line(text, pointer::str(message, "/poll/question"));
    for answer in pointer::list(message, "/poll/answers") {
        add_line(text, &format!("- {}", pointer::str(answer, "/text")));
    }
    let contact = ["/first_name", "/last_name", "/phone_number"]
        .map(|field| pointer::str(message, &format!("/contact_information{field}")).to_owned());
    add_line(text, contact.join(" ").trim());
    add_place(text, message);
    for button in
        pointer::list(message, "/inline_bot_buttons").iter().flat_map(|row| pointer::list(row, ""))
    {
        let (label, link) = (pointer::str(button, "/text"), pointer::str(button, "/data"));
        let link = if link.contains("://") { format!(" ({link})") } else { String::new() };
        add_line(text, &format!("[{label}]{link}"));
    }
}

/// Where it is: a place with its name, or only where on the globe.
fn add_place(text: &mut String, message: &Value) {
    add_line(text, &pointer::text(message, &["/place_name", "/game_title"]));
    add_line(text, pointer::str(message, "/address"));
    let place = ["/latitude", "/longitude"]
        .map(|field| pointer::text(message, &[&format!("/location_information{field}")]));
    if !place[0].is_empty() {
        add_line(text, &format!("[location: {}]", place.join(", ")));
    }
}
