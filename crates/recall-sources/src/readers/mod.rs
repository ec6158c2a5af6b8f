//! One file a format. This page is the contract for writing one.
//!
//! # A reader
//!
//! ```text
//! pub(crate) fn is_slack(names: &[String]) -> bool                  // or (head: &Head<'_>) -> bool
//! pub(crate) fn read(input: &Input, context: &Context<'_>, sink: &mut Sink<'_>) -> Outcome
//! ```
//!
//! To add one: `readers/slack.rs`, `pub mod slack;` below, and in `format.rs` a variant of
//! [`Format`](crate::Format) and a row of `FORMATS`. The first row that fits takes a file, so
//! rows that look at content stand above rows that look at the name's ending.
//!
//! # What a reader gets
//!
//! - [`Input`](crate::Input), which can be opened any number of times, always from the beginning:
//!   [`text`](crate::Input::text) is a `BufRead` of valid UTF-8 without a byte order mark, whatever
//!   the encoding, with [`places`](crate::input::Text::places) to point into the file;
//!   [`bytes`](crate::Input::bytes) is what the file holds (mail, with its own charsets);
//!   [`seekable`](crate::Input::seekable) has random access (PDF). Gzip is unpacked already.
//!   Two passes (names first, then messages) are fine; holding a file in memory is not.
//! - [`Archive::open(input, limit)`](crate::archive::Archive) for exports of many files: the same
//!   for a zip and for a folder. It gives sorted names, and an `Input` for each name.
//!   Size limits, path tricks and links are taken care of; report `refused()`.
//! - For JSON, [`json::elements`]: streams the elements of an array anywhere in a file into any
//!   `Deserialize` type, with their places. For lines, [`lines::Lines`]. For records that need no
//!   thought, `record::Record`.
//! - [`Context`](crate::Context): the path, the name to build ids from, the options.
//!
//! # What a reader gives
//!
//! - Documents as it finds them, through `sink.document(document)?`. Memory must not grow with the
//!   file: hand out and forget. The sink numbers repeated ids, masks credentials and counts.
//! - Problems with single records through `sink.problem(context.problem(line, reason))?`; then it
//!   goes on with the next record.
//! - [`Halt`](crate::reading::Halt) when nothing more can be read: `context.malformed(line, what)`
//!   or `context.failed(&io_error)`. A format that `falls_back` is then read as plain text, if no
//!   document had come.
//! - Conversations: fill `messages` with ranges of `text`; they may not overlap and must lie on
//!   character boundaries. `source` says the tool and the channel or folder (`slack:incidents`).
//! - Nothing for nothing: that no document came and no problem was named is said by the frame.
//! - A missing or broken date is `None` ([`date::parse`](crate::date::parse)). Nothing panics.

pub(crate) mod assistant_export;
mod channel;
pub(crate) mod chatgpt;
pub(crate) mod claude_ai;
pub(crate) mod claude_code;
pub(crate) mod codex;
pub(crate) mod content;
mod conversation;
pub(crate) mod discord;
pub(crate) mod docx;
pub(crate) mod github;
pub(crate) mod gitlab;
pub(crate) mod html;
pub(crate) mod irc;
mod irc_line;
pub(crate) mod jira;
pub(crate) mod jira_text;
pub mod json;
pub mod jsonl;
mod keys;
pub mod lines;
pub(crate) mod log;
pub(crate) mod mail;
pub(crate) mod mail_body;
pub mod markdown;
pub(crate) mod mattermost;
pub(crate) mod mbox;
pub(crate) mod messenger;
pub mod metered;
pub(crate) mod org;
pub(crate) mod pdf;
pub(crate) mod pdf_page;
mod pointer;
mod records;
pub mod separated;
pub(crate) mod slack;
mod slack_text;
pub(crate) mod stackexchange;
pub(crate) mod subtitles;
pub(crate) mod teams;
pub(crate) mod telegram;
pub mod text;
mod threads;
pub(crate) mod ticket;
pub(crate) mod ticket_json;
pub(crate) mod ticket_table;
mod tool_calls;
pub(crate) mod whatsapp;
mod whatsapp_line;
pub(crate) mod zendesk;
pub mod zip;
