//! What commands take that ask an index, or look something up in it.

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
    /// Not before: `2026-03`, `30d`, `last week`
    #[arg(long, value_name = "DATE")]
    pub since: Option<String>,
    /// Not after
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
    /// Hits at the most
    #[arg(short = 'k', long, default_value_t = 10, value_name = "N")]
    pub limit: usize,
    /// Which retrievers answer
    #[arg(long, value_enum, default_value_t = ModeFlag::Hybrid)]
    pub mode: ModeFlag,
    #[command(flatten)]
    pub filter: FilterFlags,
    /// How to print
    #[arg(long, value_enum, default_value_t = FormatFlag::Text)]
    pub format: FormatFlag,
    /// The same as --format json
    #[arg(long)]
    pub json: bool,
    /// Print every document in full
    #[arg(long)]
    pub full: bool,
    /// Bytes that whole documents may take together; one that does not fit is named instead
    #[arg(long, default_value_t = 24_000, value_name = "BYTES")]
    pub budget: usize,
    /// Show each retriever's rank, score and share
    #[arg(long)]
    pub explain: bool,
    /// Also print what is below the threshold
    #[arg(long)]
    pub show_weak: bool,
    /// Read the files of the hits again, to say which of them changed
    #[arg(long)]
    pub verify: bool,
    /// Answer by keywords rather than wait for the model to be loaded
    #[arg(long)]
    pub fast: bool,
    /// Refuse to answer unless the index was made with this model
    #[arg(long, value_name = "ID")]
    pub model: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct GetFlags {
    /// An id, a path or a name
    pub name: String,
}

#[derive(Debug, Args)]
pub(crate) struct ExplainFlags {
    /// The question
    pub text: String,
    /// An id, a path or a name
    pub name: String,
    #[command(flatten)]
    pub filter: FilterFlags,
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
}
