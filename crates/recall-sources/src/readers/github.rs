//! GitHub: issues and pull requests as `gh issue list --json` and the REST interface give them, and
//! comments in a file of their own.

use serde_json::Value;

use crate::format::Head;
use crate::input::Input;
use crate::readers::ticket::{Comment, Ticket};
use crate::readers::ticket_json::{self, date, first_text, keys, list, names, text};
use crate::reading::{Context, Outcome, Sink};

/// Names of the field around the issues, as a search gives them.
const ENVELOPES: &[&str] = &["items", "issues"];
/// Fields of a comment in a file of its own that say where it belongs: under an issue or a pull
/// request, or at a line of the request's changes.
const ISSUE: &str = "issue_url";
const PULL: &str = "pull_request_url";

pub(crate) fn is_github(head: &Head<'_>) -> bool {
    keys(head, ENVELOPES).is_some_and(|keys| {
        let has_any = |names: &[&str]| names.iter().any(|name| keys.has(name));
        let is_issue = keys.has_all(&["number", "title"])
            && has_any(&["body", "state", "author", "user", "labels", "createdAt", "created_at"]);
        let is_comment = has_any(&[ISSUE, PULL]) && keys.has_all(&["body", "user"]);
        is_issue || is_comment
    })
}

/// Reads issues with their comments; comments alone are gathered by issue.
pub(crate) fn read(input: &Input, context: &Context<'_>, sink: &mut Sink<'_>) -> Outcome {
    ticket_json::read(input, context, sink, ENVELOPES, |value| match is_lone_comment(value) {
        true => lone_comment(value),
        false => issue(value),
    })
}

fn is_lone_comment(value: &Value) -> bool {
    !first_text(value, &[ISSUE, PULL]).is_empty() && text(value, "title").is_empty()
}

fn issue(value: &Value) -> Ticket {
    let url = first_text(value, &["html_url", "url", "repository_url"]);
    let mut ticket = Ticket {
        id: reference(&url, &text(value, "number")),
        title: text(value, "title"),
        body: comment(value),
        updated: date(value, &["updatedAt", "updated_at", "closedAt", "closed_at"]),
        tags: names(value, "labels"),
        source: source(&url),
        ..Ticket::default()
    };
    // A comment of nothing but a reaction has no text and is left out.
    let comments = [list(value, "comments"), list(value, "reviews"), list(value, "comments_list")];
    ticket.comments = comments.concat().iter().map(comment).collect();
    ticket.comments.sort_by_key(|comment| comment.date.map(|date| date.seconds));
    ticket.note("state", first_text(value, &["stateReason", "state"]).to_lowercase());
    ticket.note("milestone", text(value, "milestone.title"));
    ticket.note("assignee", assignees(value).join(", "));
    ticket.note("closed", first_text(value, &["closedAt", "closed_at"]));
    ticket.url = Some(url).filter(|url| url.starts_with("http"));
    ticket
}

/// The issue that a comment belongs to, as far as the comment tells.
fn lone_comment(value: &Value) -> Ticket {
    let issue = first_text(value, &[ISSUE, PULL]);
    let number = issue.rsplit('/').next().unwrap_or_default();
    let url = first_text(value, &["html_url"]);
    Ticket {
        id: reference(&issue, number),
        comments: vec![comment(value)],
        updated: date(value, &["updated_at", "created_at"]),
        url: url.split('#').next().filter(|url| !url.is_empty()).map(str::to_owned),
        source: source(&issue),
        ..Ticket::default()
    }
}

/// A comment (also of a file in a pull request), a review, or an issue's own text. Who deleted their account is nobody.
fn comment(value: &Value) -> Comment {
    let mut said = text(value, "body");
    let place = text(value, "path");
    if !said.is_empty() && !place.is_empty() {
        said = format!("{place}: {said}");
    }
    Comment {
        id: first_text(value, &["id", "node_id"]),
        author: first_text(value, &["author.login", "user.login", "author.name", "author", "user"]),
        date: date(value, &["createdAt", "created_at", "submittedAt", "submitted_at"]),
        text: said,
        private: false,
        url: first_text(value, &["html_url", "url"]),
    }
}

fn assignees(value: &Value) -> Vec<String> {
    list(value, "assignees").iter().map(|who| first_text(who, &["login", "name"])).collect()
}

/// `owner/repo#17`, or `#17` where the repository is not known.
fn reference(url: &str, number: &str) -> String {
    match (repository(url), number) {
        (_, "") => String::new(),
        (Some(repository), number) => format!("{repository}#{number}"),
        (None, number) => format!("#{number}"),
    }
}

/// `owner/repo` of an address of an issue.
fn repository(url: &str) -> Option<String> {
    let path = url.split_once("://")?.1;
    let mut parts = path
        .split('/')
        .skip(1)
        .skip_while(|part| *part == "repos" || *part == "api" || *part == "v3");
    match (parts.next(), parts.next()) {
        (Some(owner), Some(repo)) if !owner.is_empty() && !repo.is_empty() => {
            Some(format!("{owner}/{repo}"))
        }
        _ => None,
    }
}

fn source(url: &str) -> String {
    repository(url).map_or_else(|| "github".to_owned(), |repository| format!("github:{repository}"))
}
