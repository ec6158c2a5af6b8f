//! What a Slack message says: marked-up text, blocks, attachments, files; and who says it.

use std::collections::HashMap;

use serde_json::Value;

use crate::readers::conversation::add_line;
use crate::readers::pointer;

/// Names by id.
#[derive(Debug, Default)]
pub(crate) struct Names {
    pub(crate) users: HashMap<String, String>,
    pub(crate) channels: HashMap<String, String>,
}

impl Names {
    /// A person or a bot of `users.json`.
    pub(crate) fn add_user(&mut self, user: &Value) {
        let name = name_of(user, "/profile");
        self.users.insert(pointer::text(user, &["/id"]), name);
    }

    /// The author of `message`, if the list of people lacks them and the message knows.
    pub(crate) fn learn(&mut self, message: &Value) {
        let user = pointer::str(message, "/user");
        if user.is_empty() || self.users.contains_key(user) {
            return;
        }
        let name = name_of(message, "/user_profile");
        if message.get("user_profile").is_some() && !name.is_empty() {
            self.users.insert(user.to_owned(), name);
        }
    }

    /// The name of the author of `message`, else their id.
    pub(crate) fn author(&self, message: &Value) -> String {
        let user = pointer::text(message, &["/user", "/bot_id", "/comment/user"]);
        match self.users.get(&user) {
            Some(name) if message.get("username").is_none() && !name.is_empty() => name.clone(),
            known => {
                let said = pointer::text(message, &["/username", "/bot_profile/name"]);
                if said.is_empty() { known.cloned().unwrap_or(user) } else { said }
            }
        }
    }

    /// `ids` (with spaces between) as names; a channel's name is no list of ids and stays.
    pub(crate) fn of_members(&self, ids: &str) -> String {
        let names: Vec<&str> = ids.split(' ').map(|id| self.user(id)).collect();
        names.join(", ")
    }

    fn user<'a>(&'a self, id: &'a str) -> &'a str {
        self.users.get(id).map_or(id, String::as_str)
    }

    fn channel(&self, id: &str) -> String {
        self.channels.get(id).map_or_else(|| id.to_owned(), |name| self.of_members(name))
    }
}

/// What others see as the name of a user whose profile is at `profile`.
fn name_of(user: &Value, profile: &str) -> String {
    let fields = ["display_name", "real_name", "name"].map(|name| format!("{profile}/{name}"));
    let [display, real, name] = fields.each_ref().map(String::as_str);
    pointer::text(user, &[display, real, "/real_name", name, "/name", "/id"])
}

/// `TEAM.slack.com`, if a link to a file in the message says so.
pub(crate) fn domain(message: &Value) -> Option<String> {
    let files = pointer::list(message, "/files").iter();
    let own = std::iter::once(message).chain(files).map(|value| pointer::str(value, "/permalink"));
    let host = |link: &str| {
        let host = link.strip_prefix("https://")?.split('/').next()?;
        let is_team = host.ends_with(".slack.com") && host != "files.slack.com";
        is_team.then(|| host.to_owned())
    };
    own.into_iter().find_map(host)
}

/// All that a message says.
pub(crate) fn of_message(message: &Value, names: &Names) -> String {
    let mut text = decode(pointer::str(message, "/text"), names);
    let blocks = pointer::list(message, "/blocks");
    // Rich text is what the author typed, and `text` says the same.
    let is_rich = |block: &Value| pointer::str(block, "/type") == "rich_text";
    let is_said = !text.trim().is_empty();
    for block in blocks.iter().filter(|block| !is_said || !is_rich(block)) {
        add_block(&mut text, block, names);
    }
    for attachment in pointer::list(message, "/attachments") {
        add_attachment(&mut text, attachment, names);
    }
    for file in pointer::list(message, "/files") {
        add_file(&mut text, file);
    }
    if text.is_empty() && pointer::str(message, "/subtype") == "message_deleted" {
        text.push_str("(deleted)");
    }
    text
}

/// Adds a line that does not stand there yet.
fn add_new(text: &mut String, line: &str) {
    let line = line.trim();
    if !text.contains(line) {
        add_line(text, line);
    }
}

fn add_attachment(text: &mut String, attachment: &Value, names: &Names) {
    let says = |field: &str| decode(pointer::str(attachment, field), names);
    for field in ["/pretext", "/author_name", "/title", "/title_link", "/text"] {
        add_new(text, &says(field));
    }
    for field in pointer::list(attachment, "/fields") {
        let (title, value) = (pointer::str(field, "/title"), pointer::str(field, "/value"));
        add_new(text, &decode(&format!("{title}: {value}"), names));
    }
    for list in ["/blocks", "/message_blocks"] {
        for block in pointer::list(attachment, list) {
            add_block(text, block.pointer("/message").unwrap_or(block), names);
        }
    }
    if ["/title", "/text", "/blocks"].iter().all(|field| attachment.pointer(field).is_none()) {
        add_new(text, &says("/fallback"));
    }
    for file in pointer::list(attachment, "/files") {
        add_file(text, file);
    }
}

fn add_file(text: &mut String, file: &Value) {
    let (title, name) = (pointer::str(file, "/title"), pointer::str(file, "/name"));
    match (title, name) {
        ("", "") => {}
        ("", one) | (one, "") => add_line(text, &format!("[file: {one}]")),
        (title, name) if title == name => add_line(text, &format!("[file: {name}]")),
        (title, name) => add_line(text, &format!("[file: {title} ({name})]")),
    }
    let content = pointer::text(file, &["/plain_text", "/preview_plain_text", "/preview"]);
    add_new(text, &content);
}

/// Adds what a block of whatever type says.
fn add_block(text: &mut String, block: &Value, names: &Names) {
    if pointer::str(block, "/type").starts_with("rich_text") {
        return add_new(text, &rich_text(block, names));
    }
    match block {
        Value::Array(list) => list.iter().for_each(|value| add_block(text, value, names)),
        Value::Object(fields) => {
            const SPEAKING: [&str; 9] = [
                "title",
                "text",
                "description",
                "fields",
                "elements",
                "rows",
                "blocks",
                "alt_text",
                "message",
            ];
            let values = SPEAKING.iter().filter_map(|name| fields.get(*name));
            values.for_each(|value| add_block(text, value, names));
        }
        Value::String(said) => add_new(text, &decode(said, names)),
        _ => {}
    }
}

/// Rich text, with a line for each of its sections and list items.
fn rich_text(element: &Value, names: &Names) -> String {
    let children = || pointer::list(element, "/elements").iter();
    let name = |pointer: &str| pointer::str(element, pointer);
    let lines = |mark: &str| {
        let lines = children().map(|child| format!("{mark}{}", rich_text(child, names)));
        lines.collect::<Vec<_>>().join("\n")
    };
    match name("/type") {
        "rich_text" => lines(""),
        "rich_text_list" => lines("- "),
        "link" if name("/text").is_empty() => name("/url").to_owned(),
        "link" => labelled(name("/text"), name("/url")),
        "user" => format!("@{}", names.user(name("/user_id"))),
        "channel" => format!("#{}", names.channel(name("/channel_id"))),
        "usergroup" => format!("@{}", name("/usergroup_id")),
        "broadcast" => format!("@{}", name("/range")),
        "emoji" => format!(":{}:", name("/name")),
        "date" => name("/fallback").to_owned(),
        _ if children().len() > 0 => children().map(|child| rich_text(child, names)).collect(),
        _ => name("/text").to_owned(),
    }
}

/// Slack's markup as plain text: `<@U1>`, `<#C1|name>`, `<https://…|label>`, `&lt;`.
pub(crate) fn decode(text: &str, names: &Names) -> String {
    let (mut decoded, mut rest) = (String::with_capacity(text.len()), text);
    while let Some((before, after)) = rest.split_once('<') {
        decoded.push_str(&unescape(before));
        let Some((inner, after)) = after.split_once('>') else {
            decoded.push('<');
            rest = after;
            continue;
        };
        decoded.push_str(&unescape(&reference(inner, names)));
        rest = after;
    }
    decoded + &unescape(rest)
}

fn unescape(text: &str) -> String {
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
}

fn reference(inner: &str, names: &Names) -> String {
    let (target, label) = inner.split_once('|').unwrap_or((inner, ""));
    let or_label = |name: &str| if label.is_empty() { name.to_owned() } else { label.to_owned() };
    match target.chars().next() {
        Some('@') => match names.users.get(&target[1..]) {
            Some(name) => format!("@{name}"),
            None => format!("@{}", or_label(&target[1..])),
        },
        Some('#') if label.is_empty() => format!("#{}", names.channel(&target[1..])),
        Some('#') => format!("#{label}"),
        Some('!') if label.is_empty() => {
            format!("@{}", target[1..].split('^').next_back().unwrap_or_default())
        }
        Some('!') => label.to_owned(),
        _ => labelled(label, target.strip_prefix("mailto:").unwrap_or(target)),
    }
}

fn labelled(label: &str, url: &str) -> String {
    match label.is_empty() || url.contains(label) {
        true => url.to_owned(),
        false => format!("{label} ({url})"),
    }
}
