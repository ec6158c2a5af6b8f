//! Flags of `recall eval` and `recall tune`.

use std::path::PathBuf;

use clap::Args;

use super::ModeFlag;

#[derive(Debug, Args)]
pub(crate) struct EvalFlags {
    #[command(flatten)]
    pub labels: LabelFlags,
    /// Measure only this mode; may be repeated
    #[arg(long, value_enum, value_name = "MODE")]
    pub mode: Vec<ModeFlag>,
    /// Also report results by this metadata field of the questions
    #[arg(long, value_name = "FIELD")]
    pub by: Option<String>,
    /// List what the keyword retriever misses and the vector retriever finds, and vice versa
    #[arg(long)]
    pub misses: bool,
    /// Ask only the first N questions of each kind
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
    /// Exit with code 2 if hybrid (or the mode measured instead) is below this: `ndcg@10=0.6`
    #[arg(long, value_name = "METRIC=VALUE")]
    pub fail_under: Vec<String>,
    /// Write the rankings as a TREC run; with several modes, one file each: `run.keyword.txt`
    #[arg(long, value_name = "FILE")]
    pub run_out: Option<PathBuf>,
    /// Compare two TREC runs question by question against the labels, without searching
    #[arg(long, num_args = 2, value_names = ["RUN_A", "RUN_B"])]
    pub compare: Vec<PathBuf>,
    /// Write an HTML page with a chart for every figure
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
}

/// Flags that select the questions and the index; `recall eval` and `recall tune` share them.
#[derive(Debug, Args)]
pub(crate) struct LabelFlags {
    /// A labelled set: a folder with corpus.jsonl (or .gz), queries.jsonl and qrels/test.tsv (BEIR's layout).
    /// Its index is kept in DATASET/.recall unless --index names another place
    #[arg(value_name = "DATASET")]
    pub dataset: Option<PathBuf>,
    /// Questions: BEIR's queries.jsonl, or CSV or JSON lines with `query` and `relevant`
    #[arg(long, value_name = "FILE")]
    pub queries: Option<PathBuf>,
    /// Labels: a TREC or BEIR qrels file; documents by id or path
    #[arg(long, value_name = "FILE")]
    pub qrels: Option<PathBuf>,
    /// Questions about the corpus that nothing in it answers
    #[arg(long, value_name = "FILE")]
    pub unanswerable: Option<PathBuf>,
    /// Questions about another corpus, which nothing here answers either
    #[arg(long, value_name = "FILE")]
    pub off_topic: Option<PathBuf>,
    /// For each question, search only documents with the question's value in this metadata field
    #[arg(long, value_name = "FIELD")]
    pub filter_field: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct TuneFlags {
    #[command(flatten)]
    pub labels: LabelFlags,
    /// Show what would be stored, without storing it
    #[arg(long)]
    pub dry_run: bool,
    /// Discard the stored settings, without fitting new ones
    #[arg(long)]
    pub reset: bool,
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
}
