//! Flags of `recall index` and `recall watch`.

use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Default, Args)]
pub(crate) struct IndexFlags {
    /// Files, folders and exports; by default those of the last run
    pub paths: Vec<PathBuf>,
    /// Show what would be done, and change nothing
    #[arg(long)]
    pub dry_run: bool,
    #[command(flatten)]
    pub reading: ReadingFlags,
    /// Return once keywords are searchable, and leave the vectors to the resident process
    #[arg(long, conflicts_with = "keyword_only")]
    pub background: bool,
    /// Start over; vectors of unchanged texts are kept
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
    /// Files, folders and exports; by default those of the last run
    pub paths: Vec<PathBuf>,
    #[command(flatten)]
    pub reading: ReadingFlags,
}

/// Which files are read, and how.
#[derive(Debug, Default, Args)]
pub(crate) struct ReadingFlags {
    /// Read every file as this format instead of recognising it
    #[arg(long, value_name = "NAME")]
    pub format: Option<String>,
    /// Which column holds a field of a record, for example `title=Summary`
    #[arg(long, value_name = "FIELD=COLUMN")]
    pub map: Vec<String>,
    /// Only files that match (as in .gitignore)
    #[arg(long, value_name = "GLOB")]
    pub include: Vec<String>,
    /// Leave out files that match
    #[arg(long, value_name = "GLOB")]
    pub exclude: Vec<String>,
    /// Keep matching documents whole, like runbooks
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
    /// Make no vectors in this run
    #[arg(long)]
    pub keyword_only: bool,
    /// Threads for embedding
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
}
