//! What can be typed.

use std::path::PathBuf;

use clap::{Parser, Subcommand};

use crate::engine::Kind;
use crate::peers::Peer;

/// Measure recall beside bare engines, and write benches/README.md and benches/figures.json.
#[derive(Debug, Parser)]
#[command(
    name = "recall-benches",
    after_help = "A run of every row also writes benches/README.md and benches/figures.json."
)]
pub(crate) struct Flags {
    /// Only these rows (see --list)
    #[arg(long, value_delimiter = ',', value_name = "ROW")]
    pub only: Vec<String>,
    /// List the rows and what each costs in time
    #[arg(long)]
    pub list: bool,
    /// Small sizes and few rounds: does everything run? The figures mean nothing
    #[arg(long)]
    pub quick: bool,
    /// A corpus in BEIR's layout (corpus.jsonl or corpus.jsonl.gz, queries.jsonl); else a generated chat
    #[arg(long, value_name = "DIR", env = "RECALL_BENCH_DATASET")]
    pub dataset: Option<PathBuf>,
    /// Times that each thing is measured
    #[arg(long, value_name = "N")]
    pub rounds: Option<usize>,
    /// Chunks of the large index with generated vectors, instead of a million
    #[arg(long, value_name = "N")]
    pub chunks: Option<usize>,
    /// The program to measure, instead of building it
    #[arg(long, value_name = "FILE")]
    pub program: Option<PathBuf>,
    /// Also embed the whole corpus with the model (20 minutes and more)
    #[arg(long)]
    pub full_embed: bool,
    /// Write benches/README.md and benches/figures.json after a run of some rows too: those rows are
    /// replaced
    #[arg(long)]
    pub write: bool,
    /// Also write every figure as JSON
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    #[command(subcommand)]
    pub part: Option<Part>,
}

/// What the program is when it runs as a child of itself.
#[derive(Debug, Subcommand)]
pub(crate) enum Part {
    /// Run a command and print what it used, as JSON
    #[command(hide = true)]
    Child {
        /// Program and arguments
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        command: Vec<String>,
    },
    /// Index texts with a bare engine and ask it one question
    #[command(hide = true)]
    Keyword {
        #[arg(value_enum)]
        peer: Peer,
        corpus: PathBuf,
        target: PathBuf,
        question: String,
    },
    /// Embed what is asked for on standard input
    #[command(hide = true)]
    Engine {
        #[arg(value_enum)]
        kind: Kind,
        threads: usize,
    },
}
