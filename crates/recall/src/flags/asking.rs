//! Flags of the commands that ask an index: query, get, explain.

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
    /// Only from this source: `slack`, `slack:incidents`
    #[arg(long, value_name = "SOURCE")]
    pub source: Vec<String>,
    /// Only by this author
    #[arg(long, value_name = "NAME")]
    pub author: Vec<String>,
    /// Only of this kind: note, ticket, chat, mail, runbook, memory, transcript, log
    #[arg(long, value_name = "KIND")]
    pub kind: Vec<String>,
    /// Only with this tag
    #[arg(long, value_name = "TAG")]
    pub tag: Vec<String>,
    /// Only at paths that match
    #[arg(long, value_name = "GLOB")]
    pub path: Vec<String>,
    /// Only with this value of a metadata field
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
    /// Which retrievers to use
    #[arg(long, value_enum, default_value_t = ModeFlag::Hybrid)]
    pub mode: ModeFlag,
    #[command(flatten)]
    pub filter: FilterFlags,
    /// Output format
    #[arg(long, value_enum, default_value_t = FormatFlag::Text)]
    pub format: FormatFlag,
    /// The same as --format json
    #[arg(long)]
    pub json: bool,
    /// Print every document in full
    #[arg(long)]
    pub full: bool,
    /// Byte budget for all whole documents together; one that does not fit is named instead
    #[arg(long, default_value_t = 24_000, value_name = "BYTES")]
    pub budget: usize,
    /// Show each retriever's rank, score and share of the score
    #[arg(long)]
    pub explain: bool,
    /// Also print hits below the relevance threshold
    #[arg(long)]
    pub show_weak: bool,
    /// Re-read the files of the hits and flag those that changed
    #[arg(long)]
    pub verify: bool,
    /// Answer from keywords alone if the model is not loaded yet
    #[arg(long)]
    pub fast: bool,
    /// Refuse to answer unless the index was made with this model
    #[arg(long, value_name = "ID")]
    pub model: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct GetFlags {
    /// Id, path or name of a document
    pub name: String,
}

#[derive(Debug, Args)]
pub(crate) struct ExplainFlags {
    /// The question
    pub text: String,
    /// Id, path or name of a document
    pub name: String,
    #[command(flatten)]
    pub filter: FilterFlags,
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
}
