//! Sessions of Claude Code: one `.jsonl` a session, or an agent's part of one.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use serde_json::Value;

use crate::document::{Document, Kind, Span};
use crate::format::Head;
use crate::input::Input;
use crate::readers::conversation::{Conversation, Saying, add_line};
use crate::readers::pointer;
use crate::readers::records::Records;
use crate::readers::tool_calls::{self, OWN_ANSWER, ToolCalls};
use crate::reading::{Context, Outcome, Sink};

pub(crate) fn is_claude_code(head: &Head<'_>) -> bool {
    // Quotes in strings are escaped, so that these are names of fields.
    let has = |name: &str| {
        head.text.contains(&format!("\"{name}\":")) || head.text.contains(&format!("\"{name}\" :"))
    };
    head.has_extension(&["jsonl"])
        && head.text.trim_start().starts_with('{')
        && (has("sessionId") && has("type") && (has("parentUuid") || has("message"))
            || has("leafUuid"))
}

/// Reads a session; agents that ran in it are conversations of their own.
pub(crate) fn read(input: &Input, context: &Context<'_>, sink: &mut Sink<'_>) -> Outcome {
    let mut session = Session {
        context,
        conversations: BTreeMap::new(),
        chains: HashMap::new(),
        seen: HashSet::new(),
        calls: ToolCalls::default(),
        summaries: Vec::new(),
        title: String::new(),
    };
    let mut records = Records::open(input, context)?;
    while let Some(record) = records.next(sink)? {
        session.line(&record.value, record.span, sink)?;
    }
    session.finish(sink)
}

struct Session<'a> {
    context: &'a Context<'a>,
    /// By what tells them apart; the session itself is the empty name.
    conversations: BTreeMap<String, Conversation>,
    /// The agent's conversation that a message is in, by the message's hash.
    chains: HashMap<u64, String>,
    /// Hashes of the messages: a resumed session may hold some twice.
    seen: HashSet<u64>,
    calls: ToolCalls,
    /// Summaries with the hash of the message that they are about.
    summaries: Vec<(u64, String)>,
    /// The title that the session was given.
    title: String,
}

impl Session<'_> {
    fn line(&mut self, line: &Value, span: Span, sink: &mut Sink<'_>) -> Outcome {
        match pointer::str(line, "/type") {
            "user" | "human" | "assistant" => self.turn(line, span, sink),
            "attachment" if pointer::str(line, "/attachment/type") == "queued_command" => {
                let text = tool_calls::output(&line["attachment"]["prompt"]);
                let said = Saying { text, author: "user".to_owned(), ..self.saying(line, span) };
                self.say(line, vec![said], sink)
            }
            "summary" => {
                let about = hash(pointer::str(line, "/leafUuid"));
                self.summaries.push((about, pointer::text(line, &["/summary"])));
                Ok(())
            }
            "custom-title" | "ai-title" => {
                self.title = pointer::text(line, &["/customTitle", "/aiTitle", "/title"]);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn turn(&mut self, line: &Value, span: Span, sink: &mut Sink<'_>) -> Outcome {
        let id = pointer::str(line, "/uuid");
        let is_repeated = !id.is_empty() && !self.seen.insert(hash(id));
        if is_repeated {
            return Ok(());
        }
        let sayings = self.sayings(line, span);
        self.say(line, sayings, sink)
    }

    fn say(&mut self, line: &Value, sayings: Vec<Saying>, sink: &mut Sink<'_>) -> Outcome {
        let key = self.key(line);
        let context = self.context;
        for saying in sayings.into_iter().filter(|saying| !saying.text.trim().is_empty()) {
            let open = || Conversation::new(template(line, &key, context));
            self.conversations.entry(key.clone()).or_insert_with(open).say(saying, sink)?;
        }
        Ok(())
    }

    /// Which conversation the line belongs to.
    fn key(&mut self, line: &Value) -> String {
        if !pointer::is_true(line, "/isSidechain") {
            return String::new();
        }
        let agent = pointer::str(line, "/agentId");
        if !agent.is_empty() {
            return format!("agent-{agent}");
        }
        // In older files a chain is known by its first message only.
        let id = pointer::str(line, "/uuid");
        let parent = hash(pointer::str(line, "/parentUuid"));
        let chain = self.chains.get(&parent).cloned().unwrap_or_else(|| id.to_owned());
        self.chains.insert(hash(id), chain.clone());
        chain
    }

    /// What is common to all that the line says.
    fn saying(&self, line: &Value, span: Span) -> Saying {
        Saying {
            id: pointer::text(line, &["/uuid"]),
            date: pointer::date(line, &["/timestamp"]),
            span: Some(span),
            ..Saying::default()
        }
    }

    /// What the line says: words and calls of tools together, outputs each for itself.
    fn sayings(&mut self, line: &Value, span: Span) -> Vec<Saying> {
        let common = self.saying(line, span);
        let message = line.get("message").unwrap_or(line);
        let content = match message {
            Value::Object(_) => message.get("content").or(message.get("text")),
            other => Some(other),
        };
        let is_assistant = pointer::str(line, "/type") == "assistant";
        let (mut words, mut sayings) = (String::new(), Vec::new());
        match content {
            Some(Value::Array(blocks)) => {
                for block in blocks {
                    match pointer::str(block, "/type") {
                        "tool_result" => sayings.push(self.result(block, &common)),
                        _ => add_line(&mut words, &self.block(block)),
                    }
                }
            }
            Some(Value::String(text)) => words.clone_from(text),
            _ => {}
        }
        let author = if is_assistant { "assistant" } else { "user" }.to_owned();
        // Such lines were put there by the program.
        let tool = pointer::is_true(line, "/isMeta") || pointer::is_true(line, "/isCompactSummary");
        sayings.push(Saying { author, text: words, tool, ..common });
        sayings
    }

    fn result(&self, block: &Value, common: &Saying) -> Saying {
        let call = self.calls.of(pointer::str(block, "/tool_use_id"));
        let text = match call.is_own {
            true => OWN_ANSWER.to_owned(),
            false => tool_calls::output(block.get("content").unwrap_or(&Value::Null)),
        };
        Saying { author: call.name, text, tool: true, ..common.clone() }
    }

    fn block(&mut self, block: &Value) -> String {
        match pointer::str(block, "/type") {
            "tool_use" | "server_tool_use" => {
                let (id, name) = (pointer::str(block, "/id"), pointer::str(block, "/name"));
                let input = block.get("input").unwrap_or(&Value::Null);
                self.calls.note(id, name, input);
                tool_calls::shown(name, input)
            }
            "thinking" => match pointer::str(block, "/thinking") {
                "" => String::new(),
                thought => format!("(thinking) {thought}"),
            },
            "image" => "[image]".to_owned(),
            "document" => tool_calls::document(block),
            _ => pointer::text(block, &["/text"]),
        }
    }

    fn finish(mut self, sink: &mut Sink<'_>) -> Outcome {
        let seen = |about: &u64| self.seen.contains(about);
        let summary = self.summaries.iter().rfind(|(about, _)| seen(about));
        let title = match summary {
            Some((_, summary)) if self.title.is_empty() => summary,
            _ => &self.title,
        };
        if let (Some(main), false) = (self.conversations.get_mut(""), title.is_empty()) {
            main.set_title(title);
        }
        self.conversations.values_mut().try_for_each(|conversation| conversation.flush(sink))
    }
}

fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// The document that a conversation becomes whose first line is `line`.
fn template(line: &Value, key: &str, context: &Context<'_>) -> Document {
    let said = pointer::text(line, &["/sessionId"]);
    // A file is called as its session; a resumed one may hold lines of the session before.
    let is_uuid = context.stem().len() == 36 && context.stem().matches('-').count() == 4;
    let session = match said.as_str() {
        _ if is_uuid => context.stem().to_owned(),
        "" => context.stem().to_owned(),
        said => said.to_owned(),
    };
    let id = if key.is_empty() { session.clone() } else { format!("{session}/{key}") };
    let folder = pointer::str(line, "/cwd");
    let project = folder.rsplit(['/', '\\']).find(|part| !part.is_empty()).unwrap_or("unknown");
    let mut template = context.document(&id, Kind::Transcript, String::new());
    template.source = format!("claude-code:{project}");
    let metadata = [
        ("session", session.as_str()),
        ("folder", folder),
        ("branch", pointer::str(line, "/gitBranch")),
        ("agent", key),
    ];
    let known = metadata.into_iter().filter(|(_, value)| !value.is_empty());
    template.metadata.extend(known.map(|(name, value)| (name.to_owned(), value.to_owned())));
    template
}
