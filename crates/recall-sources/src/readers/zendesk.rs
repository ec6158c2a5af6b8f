//! Zendesk: tickets as its exports give them, in one JSON text or one a line.

use std::collections::HashMap;

use serde_json::Value;

use crate::format::Head;
use crate::input::Input;
use crate::readers::keys::Keys;
use crate::readers::ticket::{Comment, Ticket};
use crate::readers::ticket_json::{self, date, first_text, keys, list, names, text};
use crate::readers::{html, json};
use crate::reading::{Context, Outcome, Sink};

const ENVELOPES: &[&str] = &["tickets", "results"];

pub(crate) fn is_zendesk(head: &Head<'_>) -> bool {
    keys(head, ENVELOPES).is_some_and(|keys| {
        let own = ["requester_id", "raw_subject", "via", "brand_id", "submitter_id", "comments"];
        keys.has_all(&["subject", "description"]) && own.iter().any(|name| keys.has(name))
    })
}

/// Reads tickets with their comments; private ones are marked.
pub(crate) fn read(input: &Input, context: &Context<'_>, sink: &mut Sink<'_>) -> Outcome {
    let people = people(input, context);
    ticket_json::read(input, context, sink, ENVELOPES, |value| ticket(value, &people))
}

/// Names by id, where the export has them beside the tickets.
fn people(input: &Input, context: &Context<'_>) -> HashMap<String, String> {
    let mut people = HashMap::new();
    if Keys::of(&input.head_text()).is_array {
        return people;
    }
    // Most exports have no such list; ids are shown then.
    let _ = json::elements(input, context, &["users"], |user: json::Element<Value>| {
        people.insert(text(&user.value, "id"), first_text(&user.value, &["name", "email"]));
        Ok(())
    });
    people
}

fn ticket(value: &Value, people: &HashMap<String, String>) -> Ticket {
    let requester = who(value, &["requester", "requester_id", "submitter_id"], people);
    let id = text(value, "id");
    let mut ticket = Ticket {
        id: if id.is_empty() { id } else { format!("#{id}") },
        title: first_text(value, &["subject", "raw_subject"]),
        updated: date(value, &["updated_at"]),
        tags: names(value, "tags"),
        source: "zendesk".to_owned(),
        url: agent_url(&text(value, "url")),
        ..Ticket::default()
    };
    ticket.comments = list(value, "comments").iter().map(|it| comment(it, people)).collect();
    let body = Comment {
        author: requester,
        date: date(value, &["created_at"]),
        text: text(value, "description"),
        ..Comment::default()
    };
    // The first comment is the description again.
    if ticket.comments.first().is_some_and(|first| first.text.trim() == body.text.trim()) {
        ticket.comments.remove(0);
    }
    ticket.body = body;
    for name in ["status", "priority", "type"] {
        ticket.note(name, text(value, name));
    }
    for field in list(value, "custom_fields") {
        ticket.keep(&format!("field {}", text(field, "id")), &text(field, "value"));
    }
    ticket.keep("satisfaction", &text(value, "satisfaction_rating.comment"));
    ticket.note("channel", text(value, "via.channel"));
    ticket.note("assignee", who(value, &["assignee", "assignee_id"], people));
    ticket
}

fn comment(value: &Value, people: &HashMap<String, String>) -> Comment {
    let plain = first_text(value, &["plain_body", "body"]);
    let said = match plain.is_empty() {
        true => html::readable(&text(value, "html_body")).text,
        false => plain,
    };
    let attached = list(value, "attachments").iter().map(|it| text(it, "file_name"));
    let attached = attached.filter(|name| !name.is_empty());
    let lines = [said].into_iter().chain(attached.map(|name| format!("[attachment: {name}]")));
    Comment {
        id: text(value, "id"),
        author: who(value, &["author", "author_id"], people),
        date: date(value, &["created_at"]),
        text: lines.collect::<Vec<_>>().join("\n"),
        private: text(value, "public") == "false",
        url: String::new(),
    }
}

/// A name, where one is known, else the id.
fn who(value: &Value, fields: &[&str], people: &HashMap<String, String>) -> String {
    let named = fields.iter().map(|field| text(value, &format!("{field}.name")));
    if let Some(name) = named.into_iter().find(|name| !name.is_empty()) {
        return name;
    }
    let id = first_text(value, fields);
    people.get(&id).filter(|name| !name.is_empty()).cloned().unwrap_or(id)
}

/// The page that people open, from the address of the interface.
fn agent_url(url: &str) -> Option<String> {
    let url = url.strip_suffix(".json")?;
    Some(url.replace("/api/v2/tickets/", "/agent/tickets/"))
}
