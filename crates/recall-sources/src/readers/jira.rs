//! Jira issues in JSON, as its interface gives them: texts in wiki markup or as documents (ADF).

use serde_json::Value;

use crate::format::Head;
use crate::input::Input;
use crate::readers::jira_text::{adf, markdown};
use crate::readers::ticket::{Comment, Ticket};
use crate::readers::ticket_json::{self, at, date, first_text, keys, list, names, text};
use crate::reading::{Context, Outcome, Sink};

const ENVELOPES: &[&str] = &["issues"];

pub(crate) fn is_jira(head: &Head<'_>) -> bool {
    keys(head, ENVELOPES).is_some_and(|keys| keys.has_all(&["key", "fields"]))
}

/// Reads issues with their comments.
pub(crate) fn read(input: &Input, context: &Context<'_>, sink: &mut Sink<'_>) -> Outcome {
    ticket_json::read(input, context, sink, ENVELOPES, issue)
}

fn issue(value: &Value) -> Ticket {
    let id = text(value, "key");
    let fields = value.get("fields").unwrap_or(&Value::Null);
    let mut ticket = Ticket {
        title: text(fields, "summary"),
        body: Comment {
            author: person(fields, &["reporter", "creator"]),
            date: date(fields, &["created"]),
            text: body(fields, "description"),
            ..Comment::default()
        },
        comments: comments(fields).iter().map(comment).chain(work(fields)).collect(),
        updated: date(fields, &["updated", "resolutiondate"]),
        tags: [names(fields, "labels"), names(fields, "components")].concat(),
        url: browse(&text(value, "self"), &id),
        source: source(&id),
        id,
        ..Ticket::default()
    };
    ticket.say("environment", &body(fields, "environment"));
    let simple = [
        ("type", "issuetype.name"),
        ("status", "status.name"),
        ("priority", "priority.name"),
        ("resolution", "resolution.name"),
        ("parent", "parent.key"),
    ];
    for (name, path) in simple {
        ticket.note(name, text(fields, path));
    }
    ticket.note("assignee", person(fields, &["assignee"]));
    ticket.note("fix versions", names(fields, "fixVersions").join(", "));
    let attached = list(fields, "attachment").iter().map(|it| text(it, "filename"));
    ticket.note("attachments", attached.collect::<Vec<_>>().join(", "));
    ticket
        .note("links", list(fields, "issuelinks").iter().map(link).collect::<Vec<_>>().join(", "));
    let parts = list(fields, "subtasks").iter().map(|it| text(it, "key"));
    ticket.note("subtasks", parts.collect::<Vec<_>>().join(", "));
    for (name, value) in fields.as_object().into_iter().flatten() {
        // Numbers and objects of apps (rank, sprint, development) say nothing without their app.
        if name.starts_with("customfield_") {
            ticket.keep(name, &own_field(value));
        }
    }
    ticket
}

/// What a field of the site's own says: a text, a choice, or several of them.
fn own_field(value: &Value) -> String {
    match value {
        Value::String(said) if !said.starts_with('{') => markdown(said),
        Value::Object(_) if value["type"] == "doc" => adf(value),
        Value::Object(_) => first_text(value, &["value", "displayName"]),
        Value::Array(several) => {
            let said = several.iter().map(own_field).filter(|said| !said.is_empty());
            said.collect::<Vec<_>>().join(", ")
        }
        _ => String::new(),
    }
}

/// `blocks OPS-2`
fn link(value: &Value) -> String {
    let ends = [("outward", "outwardIssue"), ("inward", "inwardIssue")];
    let said = ends.map(|(way, end)| {
        (text(value, &format!("type.{way}")), text(value, &format!("{end}.key")))
    });
    let linked = said.iter().find(|(_, key)| !key.is_empty());
    linked.map_or_else(String::new, |(way, key)| format!("{way} {key}"))
}

/// What people noted beside the time that they logged.
fn work(fields: &Value) -> impl Iterator<Item = Comment> {
    list(fields, "worklog.worklogs").iter().map(|value| Comment {
        date: date(value, &["started", "created"]),
        text: body(value, "comment"),
        ..comment(value)
    })
}

/// Comments of the interface (`comment.comments`) or of other exports (a list).
fn comments(fields: &Value) -> &[Value] {
    match list(fields, "comment.comments") {
        [] => list(fields, "comment"),
        comments => comments,
    }
}

fn comment(value: &Value) -> Comment {
    let is_internal = text(value, "jsdPublic") == "false" || value.get("visibility").is_some();
    Comment {
        id: text(value, "id"),
        author: person(value, &["author", "updateAuthor"]),
        date: date(value, &["created", "updated"]),
        text: body(value, "body"),
        private: is_internal,
        url: String::new(),
    }
}

/// A text in either of the two ways to write it.
fn body(value: &Value, name: &str) -> String {
    match at(value, name) {
        Some(Value::Object(_)) => adf(&value[name]),
        _ => markdown(&text(value, name)),
    }
}

fn person(value: &Value, fields: &[&str]) -> String {
    let names = ["displayName", "name", "emailAddress", "accountId"];
    let paths = fields.iter().flat_map(|field| names.map(|name| format!("{field}.{name}")));
    let named = paths.map(|path| text(value, &path)).find(|name| !name.is_empty());
    named.unwrap_or_else(|| first_text(value, fields))
}

/// The page that people open, from the address of the interface.
fn browse(own: &str, id: &str) -> Option<String> {
    let (site, _) = own.split_once("/rest/")?;
    Some(format!("{site}/browse/{id}"))
}

/// `jira:OPS`.
pub(crate) fn source(id: &str) -> String {
    match id.rsplit_once('-') {
        Some((project, _)) if !project.is_empty() => format!("jira:{project}"),
        _ => "jira".to_owned(),
    }
}
