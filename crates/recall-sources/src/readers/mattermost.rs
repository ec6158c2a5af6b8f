//! Mattermost's bulk export: one object a line, first names, then posts with their replies.

use std::collections::{BTreeMap, HashMap};

use serde_json::Value;

use crate::document::Kind;
use crate::format::Head;
use crate::input::Input;
use crate::problem::Reason;
use crate::readers::channel::{Channel, Conversations};
use crate::readers::conversation::{Saying, add_line};
use crate::readers::pointer;
use crate::readers::records::Records;
use crate::reading::{Context, Outcome, Sink};

pub(crate) fn is_mattermost(head: &Head<'_>) -> bool {
    let first = head.text.trim_start().lines().next().unwrap_or_default();
    let is = |kind: &str| {
        serde_json::from_str::<Value>(first).is_ok_and(|line| pointer::str(&line, "/type") == kind)
    };
    let seems = head.has_extension(&["jsonl", "ndjson", "json"]) && first.starts_with('{');
    seems && is("version") && head.text.contains("\"type\"")
}

/// Reads an export: a post with replies is a thread, the others of a channel are its talk.
pub(crate) fn read(input: &Input, context: &Context<'_>, sink: &mut Sink<'_>) -> Outcome {
    let mut export = Export { context, names: Names::default(), talk: BTreeMap::new() };
    let mut records = Records::open(input, context)?;
    while let Some(record) = records.next(sink)? {
        let Some(kind) = record.value.get("type").and_then(Value::as_str) else {
            let reason = Reason::Malformed("a line without a type".to_owned());
            sink.problem(context.problem(Some(record.span.line_start), reason))?;
            continue;
        };
        match kind {
            "user" => export.names.add_user(&record.value["user"]),
            "channel" => export.names.add_channel(&record.value["channel"]),
            "post" | "direct_post" => {
                let post = &record.value[kind];
                let saying = Saying { span: Some(record.span), ..export.names.saying(post) };
                export.post(post, saying, sink)?;
            }
            _ => {}
        }
    }
    export.talk.into_values().try_for_each(|mut conversations| conversations.flush(sink))
}

#[derive(Default)]
struct Names {
    /// By user name.
    people: HashMap<String, String>,
    /// By team and name.
    channels: HashMap<(String, String), String>,
}

impl Names {
    fn add_user(&mut self, user: &Value) {
        let (first, last) = (pointer::str(user, "/first_name"), pointer::str(user, "/last_name"));
        let full = format!("{first} {last}").trim().to_owned();
        let name = if full.is_empty() { pointer::text(user, &["/nickname"]) } else { full };
        if !name.is_empty() {
            self.people.insert(pointer::text(user, &["/username"]), name);
        }
    }

    fn add_channel(&mut self, channel: &Value) {
        let shown = pointer::text(channel, &["/display_name", "/name"]);
        let key = (pointer::text(channel, &["/team"]), pointer::text(channel, &["/name"]));
        self.channels.insert(key, shown);
    }

    fn person(&self, user: &str) -> String {
        self.people.get(user).map_or_else(|| user.to_owned(), Clone::clone)
    }

    fn saying(&self, post: &Value) -> Saying {
        let mut text = pointer::str(post, "/message").to_owned();
        for attachment in pointer::list(post, "/props/attachments") {
            for field in ["/pretext", "/title", "/text", "/fallback"] {
                let said = pointer::str(attachment, field);
                if !text.contains(said) {
                    add_line(&mut text, said);
                }
            }
            for field in pointer::list(attachment, "/fields") {
                let (title, value) = ("/title", "/value");
                let (title, value) =
                    (pointer::text(field, &[title]), pointer::text(field, &[value]));
                add_line(&mut text, &format!("{title}: {value}"));
            }
        }
        for file in pointer::list(post, "/attachments") {
            let path = pointer::str(file, "/path");
            let name = path.rsplit('/').next().unwrap_or_default();
            add_line(&mut text, &format!("[file: {name}]"));
        }
        let deleted = pointer::date(post, &["/delete_at"]);
        if deleted.is_some() {
            add_line(&mut text, "(deleted)");
        }
        let webhook = pointer::text(post, &["/props/override_username"]);
        Saying {
            id: pointer::text(post, &["/id"]),
            author: if webhook.is_empty() {
                self.person(pointer::str(post, "/user"))
            } else {
                webhook
            },
            date: pointer::date(post, &["/create_at"]),
            edited: deleted.or_else(|| pointer::date(post, &["/edit_at"])),
            text,
            ..Saying::default()
        }
    }

    /// The place that `post` is in.
    fn channel(&self, post: &Value, context: &Context<'_>) -> Channel {
        let (team, name) = (pointer::text(post, &["/team"]), pointer::text(post, &["/channel"]));
        let members = pointer::list(post, "/channel_members").iter().filter_map(Value::as_str);
        let (key, shown) = if name.is_empty() {
            let people: Vec<String> = members.clone().map(|user| self.person(user)).collect();
            (members.collect::<Vec<_>>().join(","), people.join(", "))
        } else {
            let known = self.channels.get(&(team.clone(), name.clone())).cloned();
            (name.clone(), known.unwrap_or(name))
        };
        let mut template = context.document("", Kind::Chat, String::new());
        template.source = format!("mattermost:{key}");
        template.metadata.insert("channel".to_owned(), shown.clone());
        if !team.is_empty() {
            template.metadata.insert("team".to_owned(), team);
        }
        Channel { name: shown, prefix: format!("{}#", context.name), template }
    }
}

struct Export<'a> {
    context: &'a Context<'a>,
    names: Names,
    /// By the source of its channel.
    talk: BTreeMap<String, Conversations>,
}

impl Export<'_> {
    fn post(&mut self, post: &Value, saying: Saying, sink: &mut Sink<'_>) -> Outcome {
        // `system_join_channel` and the like
        if pointer::str(post, "/type").starts_with("system_") {
            return Ok(());
        }
        let channel = self.names.channel(post, self.context);
        let replies = pointer::list(post, "/replies");
        if replies.is_empty() {
            let key = channel.template.metadata.get("team").cloned().unwrap_or_default()
                + &channel.template.source;
            let conversations = self.talk.entry(key).or_insert_with(|| Conversations::new(channel));
            return conversations.say(saying, sink);
        }
        let span = saying.span;
        let line = span.map_or(0, |span| span.line_start).to_string();
        let mut thread = channel.thread(&line);
        thread.say(saying, sink)?;
        for reply in replies {
            thread.say(Saying { span, ..self.names.saying(reply) }, sink)?;
        }
        thread.flush(sink)
    }
}
