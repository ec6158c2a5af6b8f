//! What `recall index` and `recall watch` take.

use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Default, Args)]
pub(crate) struct IndexFlags {
    /// Files, folders and exports; without any, those of the last run
    pub paths: Vec<PathBuf>,
    /// Say what would be done, and do nothing
    #[arg(long)]
    pub dry_run: bool,
    #[command(flatten)]
    pub reading: ReadingFlags,
    /// Leave the vectors to the resident process, and return once words are searchable
    #[arg(long, conflicts_with = "keyword_only")]
    pub background: bool,
    /// Begin anew; vectors of unchanged texts are kept
    #[arg(long)]
    pub rebuild: bool,
    /// Merge all segments at the end
    #[arg(long)]
    pub optimize: bool,
    /// Print the summary as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Default, Args)]
pub(crate) struct WatchFlags {
    /// Files, folders and exports; without any, those of the last run
    pub paths: Vec<PathBuf>,
    #[command(flatten)]
    pub reading: ReadingFlags,
}

/// What is read, and how.
#[derive(Debug, Default, Args)]
pub(crate) struct ReadingFlags {
    /// Read every file as this format instead of recognising it
    #[arg(long, value_name = "NAME")]
    pub format: Option<String>,
    /// Where a field of a record is found, for example `title=Summary`
    #[arg(long, value_name = "FIELD=COLUMN")]
    pub map: Vec<String>,
    /// Only files that match (as in .gitignore)
    #[arg(long, value_name = "GLOB")]
    pub include: Vec<String>,
    /// Leave out files that match
    #[arg(long, value_name = "GLOB")]
    pub exclude: Vec<String>,
    /// Keep documents that match whole, as runbooks are
    #[arg(long, value_name = "GLOB")]
    pub whole: Vec<String>,
    /// Also read hidden files
    #[arg(long)]
    pub hidden: bool,
    /// Mask well-known credential shapes before anything is indexed
    #[arg(long)]
    pub redact: bool,
    /// The embedding model of a new index
    #[arg(long, value_name = "ID")]
    pub model: Option<String>,
    /// Leave the vectors for later
    #[arg(long)]
    pub keyword_only: bool,
    /// Threads for embedding
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
}
