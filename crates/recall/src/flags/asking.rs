//! Flags of the commands that query an index or look up a document in it.

use clap::{Args, ValueEnum};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ModeFlag {
    #[default]
    Hybrid,
    Keyword,
    Vector,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum FormatFlag {
    #[default]
    Text,
    Json,
    Jsonl,
    Paths,
}

#[derive(Debug, Clone, Default, Args)]
pub(crate) struct FilterFlags {
    /// Only documents from this date on: `2026-03`, `30d`, `last week`
    #[arg(long, value_name = "DATE")]
    pub since: Option<String>,
    /// Only documents up to this date
    #[arg(long, value_name = "DATE")]
    pub until: Option<String>,
    /// Only documents from this source: `slack`, `slack:incidents`
    #[arg(long, value_name = "SOURCE")]
    pub source: Vec<String>,
    /// Only documents by this author
    #[arg(long, value_name = "NAME")]
    pub author: Vec<String>,
    /// Only documents of this kind: note, ticket, chat, mail, runbook, memory, transcript, log
    #[arg(long, value_name = "KIND")]
    pub kind: Vec<String>,
    /// Only documents with this tag
    #[arg(long, value_name = "TAG")]
    pub tag: Vec<String>,
    /// Only documents whose path matches
    #[arg(long, value_name = "GLOB")]
    pub path: Vec<String>,
    /// Only documents with this value of a metadata field
    #[arg(long, value_name = "NAME=VALUE")]
    pub field: Vec<String>,
}

#[derive(Debug, Default, Args)]
pub(crate) struct QueryFlags {
    /// The question; read from standard input if it is `-` or missing
    pub text: Vec<String>,
    /// Maximum number of hits
    #[arg(short = 'k', long, default_value_t = 10, value_name = "N")]
    pub limit: usize,
    /// The retrievers to use
    #[arg(long, value_enum, default_value_t = ModeFlag::Hybrid)]
    pub mode: ModeFlag,
    #[command(flatten)]
    pub filter: FilterFlags,
    /// Output format
    #[arg(long, value_enum, default_value_t = FormatFlag::Text)]
    pub format: FormatFlag,
    /// Same as --format json
    #[arg(long)]
    pub json: bool,
    /// Print every document in full
    #[arg(long)]
    pub full: bool,
    /// Total bytes that whole documents may take; one that does not fit is only named
    #[arg(long, default_value_t = 24_000, value_name = "BYTES")]
    pub budget: usize,
    /// Show each retriever's rank, score and share of the score
    #[arg(long)]
    pub explain: bool,
    /// Also print hits below the threshold
    #[arg(long)]
    pub show_weak: bool,
    /// Read the files of the hits again, and say which of them have changed
    #[arg(long)]
    pub verify: bool,
    /// Answer by keywords alone rather than wait for the model to load
    #[arg(long)]
    pub fast: bool,
    /// Refuse to answer unless the index was made with this model
    #[arg(long, value_name = "ID")]
    pub model: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct GetFlags {
    /// The document's id, path or name
    pub name: String,
}

#[derive(Debug, Args)]
pub(crate) struct ExplainFlags {
    /// The question
    pub text: String,
    /// The document's id, path or name
    pub name: String,
    #[command(flatten)]
    pub filter: FilterFlags,
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
}
