//! The zip, or the folder it was unpacked to, that ChatGPT and Claude.ai hand out: conversations
//! and much that says the same again or nothing.

use crate::format::Format;
use crate::input::Input;
use crate::readers::{chatgpt, claude_ai, json, zip};
use crate::reading::{Context, Outcome, Sink};

/// A folder may be such an export if it holds this.
pub(crate) const MARKERS: &[&str] = &["conversations.json", "conversations-000.json"];
/// Stands beside the conversations in the exports of either tool.
const COMPANIONS: [&str; 5] =
    ["chat.html", "user.json", "users.json", "message_feedback.json", "projects.json"];

pub(crate) fn is_assistant_export(names: &[String]) -> bool {
    let has = |wanted: &dyn Fn(&str) -> bool| names.iter().any(|name| wanted(file_name(name)));
    has(&is_conversations) && has(&|name| COMPANIONS.contains(&name))
}

fn file_name(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

fn is_conversations(name: &str) -> bool {
    name.starts_with("conversations") && name.ends_with(".json")
}

/// Reads the conversations, the projects and what is remembered of them.
pub(crate) fn read(input: &Input, context: &Context<'_>, sink: &mut Sink<'_>) -> Outcome {
    let is_wanted = |name: &str| {
        let name = file_name(name);
        is_conversations(name) || matches!(name, "projects.json" | "memories.json")
    };
    zip::each_file(input, context, sink, is_wanted, |file, format, context, sink| match format {
        Ok(Format::Chatgpt) => chatgpt::read(file, context, sink),
        Ok(Format::ClaudeAi) => claude_ai::read(file, context, sink),
        _ => json::read(file, context, sink),
    })
}
