//! The formats: how each is recognised and which reader takes it. One row a format.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::input::Input;
use crate::readers::{
    assistant_export, chatgpt, claude_ai, claude_code, codex, discord, docx, github, gitlab, html,
    irc, jira, json, jsonl, log, mail, markdown, mattermost, mbox, messenger, org, pdf, separated,
    slack, stackexchange, subtitles, teams, telegram, text, ticket_table, whatsapp, zendesk, zip,
};
use crate::reading::{Context, Outcome, Sink};

/// A kind of file or export that recall reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "FORMATS says what each is")]
pub enum Format {
    Slack,
    SlackChannel,
    Discord,
    Mattermost,
    Teams,
    Telegram,
    Messenger,
    Whatsapp,
    Irc,
    AssistantExport,
    ClaudeCode,
    Codex,
    Chatgpt,
    ClaudeAi,
    Zip,
    Mbox,
    Mail,
    Docx,
    Pdf,
    Subtitles,
    Log,
    Html,
    Github,
    Gitlab,
    Jira,
    JiraCsv,
    RedmineCsv,
    Zendesk,
    StackExchange,
    Jsonl,
    Json,
    Csv,
    Tsv,
    Markdown,
    Rst,
    Org,
    Code,
    Text,
}

/// How one format is recognised and read.
pub(crate) struct Row {
    pub(crate) format: Format,
    /// Its name, as in output.
    pub(crate) name: &'static str,
    pub(crate) sniff: Sniff,
    pub(crate) read: fn(&Input, &Context<'_>, &mut Sink<'_>) -> Outcome,
    /// When it turns out to be malformed before the first document, it is read as plain text.
    pub(crate) falls_back: bool,
}

/// What a format is recognised by.
pub(crate) enum Sniff {
    /// The name and the beginning of one file.
    File(fn(&Head<'_>) -> bool),
    /// The names of the files in a zip or in a folder (two levels of it), sorted. A folder is
    /// looked into only if it holds one of the `markers`; none means that folders are not meant.
    Files { markers: &'static [&'static str], is: fn(&[String]) -> bool },
}

/// The formats in the order in which they are tried: the first that fits takes the file.
/// What is recognised by content stands before what is recognised by the name's ending.
pub(crate) const FORMATS: &[Row] = &[
    row(
        Format::Slack,
        "slack",
        Sniff::Files { markers: slack::LISTS, is: slack::is_slack },
        slack::read,
        false,
    ),
    row(
        Format::SlackChannel,
        "slack-channel",
        Sniff::File(slack::is_slack_channel),
        slack::read_channel,
        true,
    ),
    row(Format::Discord, "discord", Sniff::File(discord::is_discord), discord::read, true),
    row(
        Format::Mattermost,
        "mattermost",
        Sniff::File(mattermost::is_mattermost),
        mattermost::read,
        true,
    ),
    row(Format::Teams, "teams", Sniff::File(teams::is_teams), teams::read, true),
    row(Format::Telegram, "telegram", Sniff::File(telegram::is_telegram), telegram::read, true),
    row(
        Format::Messenger,
        "messenger",
        Sniff::File(messenger::is_messenger),
        messenger::read,
        true,
    ),
    row(Format::Whatsapp, "whatsapp", Sniff::File(whatsapp::is_whatsapp), whatsapp::read, true),
    row(Format::Irc, "irc", Sniff::File(irc::is_irc), irc::read, true),
    row(
        Format::AssistantExport,
        "assistant-export",
        Sniff::Files {
            markers: assistant_export::MARKERS,
            is: assistant_export::is_assistant_export,
        },
        assistant_export::read,
        false,
    ),
    row(
        Format::ClaudeCode,
        "claude-code",
        Sniff::File(claude_code::is_claude_code),
        claude_code::read,
        true,
    ),
    row(Format::Codex, "codex", Sniff::File(codex::is_codex), codex::read, true),
    row(Format::Chatgpt, "chatgpt", Sniff::File(chatgpt::is_chatgpt), chatgpt::read, true),
    row(Format::ClaudeAi, "claude-ai", Sniff::File(claude_ai::is_claude_ai), claude_ai::read, true),
    row(Format::Zip, "zip", Sniff::File(zip::is_zip), zip::read, false),
    row(Format::Mbox, "mbox", Sniff::File(mbox::is_mbox), mbox::read, true),
    row(Format::Mail, "mail", Sniff::File(mail::is_mail), mail::read, true),
    row(Format::Github, "github", Sniff::File(github::is_github), github::read, true),
    row(Format::Gitlab, "gitlab", Sniff::File(gitlab::is_gitlab), gitlab::read, true),
    row(Format::Jira, "jira", Sniff::File(jira::is_jira), jira::read, true),
    row(
        Format::JiraCsv,
        "jira-csv",
        Sniff::File(ticket_table::is_jira_csv),
        ticket_table::read_jira,
        true,
    ),
    row(
        Format::RedmineCsv,
        "redmine-csv",
        Sniff::File(ticket_table::is_redmine_csv),
        ticket_table::read_redmine,
        true,
    ),
    row(Format::Zendesk, "zendesk", Sniff::File(zendesk::is_zendesk), zendesk::read, true),
    row(
        Format::StackExchange,
        "stack-exchange",
        Sniff::File(stackexchange::is_posts),
        stackexchange::read,
        true,
    ),
    row(Format::Jsonl, "jsonl", Sniff::File(jsonl::is_jsonl), jsonl::read, true),
    row(Format::Json, "json", Sniff::File(json::is_json), json::read, true),
    row(Format::Csv, "csv", Sniff::File(separated::is_csv), separated::read_csv, true),
    row(Format::Tsv, "tsv", Sniff::File(separated::is_tsv), separated::read_tsv, true),
    row(Format::Docx, "docx", Sniff::Files { markers: &[], is: docx::is_docx }, docx::read, false),
    row(Format::Pdf, "pdf", Sniff::File(pdf::is_pdf), pdf::read, false),
    row(
        Format::Subtitles,
        "subtitles",
        Sniff::File(subtitles::is_subtitles),
        subtitles::read,
        true,
    ),
    row(Format::Log, "log", Sniff::File(log::is_log), log::read, true),
    row(Format::Html, "html", Sniff::File(html::is_html), html::read, true),
    row(Format::Markdown, "markdown", Sniff::File(markdown::is_markdown), markdown::read, false),
    row(Format::Rst, "rst", Sniff::File(text::is_rst), text::read_rst, false),
    row(Format::Org, "org", Sniff::File(org::is_org), org::read, false),
    row(Format::Code, "code", Sniff::File(text::is_code), text::read, false),
    row(Format::Text, "text", Sniff::File(|head| head.is_text), text::read, false),
];

const fn row(
    format: Format,
    name: &'static str,
    sniff: Sniff,
    read: fn(&Input, &Context<'_>, &mut Sink<'_>) -> Outcome,
    falls_back: bool,
) -> Row {
    Row { format, name, sniff, read, falls_back }
}

/// What a file is recognised by.
pub struct Head<'a> {
    /// The name without folders and without `.gz`, in lower case.
    pub name: &'a str,
    /// What stands after the last dot of the name, or empty.
    pub extension: &'a str,
    /// The first bytes, unpacked if the file is gzip.
    pub bytes: &'a [u8],
    /// The first bytes as text (the last character may be broken); empty if it is not text.
    pub text: &'a str,
    /// It is text in an encoding we know.
    pub is_text: bool,
}

impl Head<'_> {
    /// The extension is one of these.
    pub fn has_extension(&self, extensions: &[&str]) -> bool {
        extensions.contains(&self.extension)
    }
}

impl Format {
    /// Every format, in the order in which they are tried.
    pub fn all() -> impl Iterator<Item = Self> {
        FORMATS.iter().map(|row| row.format)
    }

    /// The name by which a user can ask for it, as in output.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    pub(crate) fn row(self) -> &'static Row {
        FORMATS
            .iter()
            .find(|row| row.format == self)
            .expect("a test checks that each format has a row")
    }

    /// The format of `input`, which is called `name`; `None` if it is nothing that we read.
    pub(crate) fn recognise(input: &Input, name: &str, names: &[String]) -> Option<Self> {
        let name = name.to_lowercase();
        let name = name.rsplit('/').next().unwrap_or_default();
        let name = name.strip_suffix(".gz").unwrap_or(name);
        let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
        let text = input.head_text();
        let head =
            Head { name, extension, bytes: input.head(), text: &text, is_text: input.is_text() };
        let fits = |row: &&Row| match row.sniff {
            Sniff::File(is) => input.folder().is_none() && is(&head),
            Sniff::Files { is, .. } => !names.is_empty() && is(names),
        };
        FORMATS.iter().find(fits).map(|row| row.format)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The text is not the name of a [`Format`].
#[derive(Debug, Clone, thiserror::Error, PartialEq, Eq)]
#[error("unknown format `{0}`")]
pub struct UnknownFormat(pub String);

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(text: &str) -> Result<Self, UnknownFormat> {
        Self::all()
            .find(|format| format.name().eq_ignore_ascii_case(text))
            .ok_or_else(|| UnknownFormat(text.to_owned()))
    }
}
