//! The zip, or the folder it was unpacked to, that ChatGPT and Claude.ai hand out: conversations
//! and much that says the same again or nothing.

use crate::archive::Archive;
use crate::format::Format;
use crate::input::Input;
use crate::problem::Reason;
use crate::readers::{chatgpt, claude_ai, json, zip};
use crate::reading::{Context, Halt, Outcome, Sink};
use crate::unit::recognise_content;

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

/// Reads the conversations and the projects.
pub(crate) fn read(input: &Input, context: &Context<'_>, sink: &mut Sink<'_>) -> Outcome {
    let limit = context.options.max_bytes;
    let archive = Archive::open(input, limit).map_err(|error| context.failed(&error))?;
    zip::report_refused(&archive, context, sink)?;
    for inner in archive.names() {
        let name = file_name(inner);
        if !is_conversations(name) && !matches!(name, "projects.json" | "memories.json") {
            continue;
        }
        let full = format!("{}/{inner}", context.name);
        let context = Context { name: &full, ..context.clone() };
        match read_file(&archive, inner, &context, sink) {
            Err(Halt::Failed(problem)) => sink.problem(problem)?,
            outcome => outcome?,
        }
    }
    Ok(())
}

fn read_file(
    archive: &Archive<'_>,
    inner: &str,
    context: &Context<'_>,
    sink: &mut Sink<'_>,
) -> Outcome {
    let file = archive.file(inner).map_err(|error| context.failed(&error))?;
    if file.head().is_empty() {
        return Err(context.problem(None, Reason::Empty).into());
    }
    match recognise_content(&file, inner, context.options.max_bytes) {
        Ok(Format::Chatgpt) => chatgpt::read(&file, context, sink),
        Ok(Format::ClaudeAi) => claude_ai::read(&file, context, sink),
        _ => json::read(&file, context, sink),
    }
}
