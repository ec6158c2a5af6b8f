//! Flags of `recall index` and `recall watch`.

use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Default, Args)]
pub(crate) struct IndexFlags {
    /// Files, folders and exports; if omitted, those of the last run
    pub paths: Vec<PathBuf>,
    /// Show what would be done, without doing it
    #[arg(long)]
    pub dry_run: bool,
    #[command(flatten)]
    pub reading: ReadingFlags,
    /// Let the resident process make the vectors, and return once keyword search works
    #[arg(long, conflicts_with = "keyword_only")]
    pub background: bool,
    /// Rebuild from scratch, keeping the vectors of unchanged texts
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
    /// Files, folders and exports; if omitted, those of the last run
    pub paths: Vec<PathBuf>,
    #[command(flatten)]
    pub reading: ReadingFlags,
}

/// Flags that say which files are read, and how.
#[derive(Debug, Default, Args)]
pub(crate) struct ReadingFlags {
    /// Read every file as this format instead of recognising it
    #[arg(long, value_name = "NAME")]
    pub format: Option<String>,
    /// The column that holds a field of a record, for example `title=Summary`
    #[arg(long, value_name = "FIELD=COLUMN")]
    pub map: Vec<String>,
    /// Read only files that match (as in .gitignore)
    #[arg(long, value_name = "GLOB")]
    pub include: Vec<String>,
    /// Leave out files that match
    #[arg(long, value_name = "GLOB")]
    pub exclude: Vec<String>,
    /// Show matching documents whole or not at all, as runbooks are
    #[arg(long, value_name = "GLOB")]
    pub whole: Vec<String>,
    /// Also read hidden files
    #[arg(long)]
    pub hidden: bool,
    /// Mask anything that looks like a well-known credential before indexing
    #[arg(long)]
    pub redact: bool,
    /// The embedding model of a new index
    #[arg(long, value_name = "ID")]
    pub model: Option<String>,
    /// Index for keyword search only, and leave the vectors for later
    #[arg(long)]
    pub keyword_only: bool,
    /// Number of threads for embedding
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
}
