//! GitLab: issues as the interface gives them and as a project export holds them.

use serde_json::Value;

use crate::format::Head;
use crate::input::Input;
use crate::readers::ticket::{Comment, Ticket};
use crate::readers::ticket_json::{self, date, first_text, keys, list, names, text};
use crate::reading::{Context, Outcome, Sink};

const ENVELOPES: &[&str] = &["issues"];

pub(crate) fn is_gitlab(head: &Head<'_>) -> bool {
    keys(head, ENVELOPES).is_some_and(|keys| keys.has_all(&["iid", "title"]))
}

/// Reads issues and merge requests with their notes.
pub(crate) fn read(input: &Input, context: &Context<'_>, sink: &mut Sink<'_>) -> Outcome {
    ticket_json::read(input, context, sink, ENVELOPES, issue)
}

fn issue(value: &Value) -> Ticket {
    let url = text(value, "web_url");
    let number = format!("#{}", text(value, "iid"));
    let project = project(&url);
    let mut ticket = Ticket {
        id: match first_text(value, &["references.full"]) {
            full if !full.is_empty() => full,
            _ => format!("{}{number}", project.unwrap_or_default()),
        },
        title: text(value, "title"),
        body: Comment { text: text(value, "description"), ..said(value) },
        updated: date(value, &["updated_at", "closed_at"]),
        tags: labels(value),
        source: project.map_or_else(|| "gitlab".to_owned(), |project| format!("gitlab:{project}")),
        ..Ticket::default()
    };
    let threads = list(value, "discussions").iter().flat_map(|thread| list(thread, "notes"));
    let notes = list(value, "notes").iter().chain(list(value, "comments")).chain(threads);
    ticket.comments = notes.map(note).collect();
    ticket.note("state", text(value, "state"));
    ticket.note("milestone", text(value, "milestone.title"));
    ticket.note("assignee", names(value, "assignees").join(", "));
    ticket.note(
        "confidential",
        Some(text(value, "confidential")).filter(|it| it == "true").unwrap_or_default(),
    );
    ticket.url = Some(url).filter(|url| !url.is_empty());
    ticket
}

fn note(value: &Value) -> Comment {
    let private = ["internal", "confidential"].iter().any(|name| text(value, name) == "true");
    Comment { text: first_text(value, &["note", "body"]), private, ..said(value) }
}

/// Who, when and where.
fn said(value: &Value) -> Comment {
    Comment {
        id: text(value, "id"),
        author: first_text(value, &["author.name", "author.username", "author"]),
        date: date(value, &["created_at"]),
        url: text(value, "web_url"),
        ..Comment::default()
    }
}

/// Labels by name, as the interface lists them or as an export links them.
fn labels(value: &Value) -> Vec<String> {
    let linked = list(value, "label_links").iter().map(|link| text(link, "label.title"));
    names(value, "labels").into_iter().chain(linked).filter(|label| !label.is_empty()).collect()
}

/// `group/project` of the address of an issue.
fn project(url: &str) -> Option<&str> {
    let path = url.split_once("://")?.1.split_once('/')?.1;
    path.split_once("/-/").map(|(project, _)| project).filter(|project| !project.is_empty())
}
