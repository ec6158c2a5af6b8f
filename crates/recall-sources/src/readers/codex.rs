//! Sessions of Codex: `rollout-….jsonl`.

use serde_json::Value;

use crate::document::{Kind, Span};
use crate::format::Head;
use crate::input::Input;
use crate::readers::conversation::{Conversation, Saying, add_line};
use crate::readers::pointer;
use crate::readers::records::Records;
use crate::readers::tool_calls::{self, OWN_ANSWER, ToolCalls};
use crate::reading::{Context, Outcome, Sink};

/// What the program puts before a user's first words.
const PREAMBLES: [&str; 5] = [
    "<environment_context>",
    "<user_instructions>",
    "<permissions",
    "<turn_aborted>",
    "# AGENTS.md instructions",
];

pub(crate) fn is_codex(head: &Head<'_>) -> bool {
    let has = |value: &str| head.text.contains(value);
    let is_new = || has("\"session_meta\"") || has("\"response_item\"") && has("\"payload\"");
    let is_old = || head.name.starts_with("rollout-") && has("\"timestamp\"");
    head.has_extension(&["jsonl"])
        && head.text.trim_start().starts_with('{')
        && (is_new() || is_old())
}

/// Reads a session.
pub(crate) fn read(input: &Input, context: &Context<'_>, sink: &mut Sink<'_>) -> Outcome {
    let mut template = context.document(context.stem(), Kind::Transcript, String::new());
    template.source = "codex:unknown".to_owned();
    let mut session =
        Session { conversation: Conversation::new(template), calls: ToolCalls::default() };
    let mut records = Records::open(input, context)?;
    while let Some(record) = records.next(sink)? {
        let line = &record.value;
        match pointer::str(line, "/type") {
            "session_meta" => session.meta(&line["payload"]),
            "response_item" => session.item(&line["payload"], line, record.span, sink)?,
            "compacted" => session.conversation.note(pointer::str(line, "/payload/message")),
            // What happened is said a second time for the screen.
            "event_msg" | "turn_context" => {}
            "" => session.meta(line),
            _ => session.item(line, line, record.span, sink)?,
        }
    }
    session.conversation.flush(sink)
}

struct Session {
    conversation: Conversation,
    calls: ToolCalls,
}

impl Session {
    /// Takes what the first line says of the session.
    fn meta(&mut self, meta: &Value) {
        let id = pointer::str(meta, "/id");
        if id.is_empty() {
            return;
        }
        let template = self.conversation.template();
        id.clone_into(&mut template.id);
        let folder = pointer::str(meta, "/cwd");
        if let Some(project) = folder.rsplit(['/', '\\']).find(|part| !part.is_empty()) {
            template.source = format!("codex:{project}");
        }
        let metadata =
            [("session", id), ("folder", folder), ("branch", pointer::str(meta, "/git/branch"))];
        let known = metadata.into_iter().filter(|(_, value)| !value.is_empty());
        template.metadata.extend(known.map(|(name, value)| (name.to_owned(), value.to_owned())));
    }

    fn item(&mut self, item: &Value, line: &Value, span: Span, sink: &mut Sink<'_>) -> Outcome {
        let Some((author, text, tool)) = self.said(item) else { return Ok(()) };
        if text.trim().is_empty() {
            return Ok(());
        }
        let saying = Saying {
            id: pointer::text(item, &["/id", "/call_id"]),
            author,
            date: pointer::date(line, &["/timestamp"]),
            text,
            tool,
            span: Some(span),
            ..Saying::default()
        };
        self.conversation.say(saying, sink)
    }

    /// Who says what, and whether it is output; `None` for what is not for people.
    fn said(&mut self, item: &Value) -> Option<(String, String, bool)> {
        let assistant = || "assistant".to_owned();
        let kind = pointer::str(item, "/type");
        match kind {
            "message" => Some(message(item)),
            "reasoning" => {
                let thoughts = ["/summary", "/content"].map(|list| pointer::list(item, list));
                let mut text = String::new();
                for thought in thoughts.into_iter().flatten() {
                    add_line(&mut text, pointer::str(thought, "/text"));
                }
                let text = if text.is_empty() { text } else { format!("(thinking) {text}") };
                Some((assistant(), text, false))
            }
            "function_call" | "custom_tool_call" | "local_shell_call" | "web_search_call" => {
                let name = pointer::text(item, &["/name", "/type"]);
                let input = arguments(item);
                self.calls.note(pointer::str(item, "/call_id"), &name, &input);
                Some((assistant(), tool_calls::shown(&name, &input), false))
            }
            _ if kind.ends_with("_output") => Some(self.output(item)),
            _ => None,
        }
    }

    fn output(&self, item: &Value) -> (String, String, bool) {
        let call = self.calls.of(pointer::str(item, "/call_id"));
        if call.is_own {
            return (call.name, OWN_ANSWER.to_owned(), true);
        }
        let output = item.get("output").unwrap_or(&Value::Null);
        // Some versions wrap the text in JSON in a string.
        let wrapped = output.as_str().and_then(|text| serde_json::from_str::<Value>(text).ok());
        let wrapped = wrapped.filter(|value| value.get("output").is_some());
        (call.name, tool_calls::output(wrapped.as_ref().unwrap_or(output)), true)
    }
}

/// The arguments of a call, which may be JSON in a string.
fn arguments(item: &Value) -> Value {
    let given = ["arguments", "input", "action", "query"].iter().find_map(|name| item.get(*name));
    match given {
        Some(Value::String(text)) => {
            serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.clone()))
        }
        Some(value) => value.clone(),
        None => Value::Null,
    }
}

fn message(item: &Value) -> (String, String, bool) {
    let text = tool_calls::output(item.get("content").unwrap_or(&Value::Null));
    let role = pointer::str(item, "/role");
    let is_preamble = PREAMBLES.iter().any(|preamble| text.trim_start().starts_with(preamble));
    let tool = !matches!(role, "user" | "assistant") || role == "user" && is_preamble;
    (role.to_owned(), text, tool)
}
