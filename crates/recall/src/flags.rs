//! What can be typed: a plain record, parsed by clap and resolved elsewhere.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};
use serde::{Deserialize, Serialize};

use crate::eval::labelled::LabelFlags;
use crate::tune::TuneFlags;

/// Search what you and your agents need to remember.
///
/// recall indexes years of tickets, chat, mail, notes and runbooks on this machine and answers
/// questions from them: by exact words and identifiers first, by meaning for what words miss, and
/// with "nothing relevant" where nothing is.
#[derive(Debug, Parser)]
#[command(name = "recall", version, max_term_width = 100, after_help = EXIT_CODES)]
pub struct Flags {
    /// The index to use, instead of the `.recall` folder found upward from here
    #[arg(long, global = true, value_name = "DIR", env = "RECALL_INDEX")]
    pub index: Option<PathBuf>,
    /// Never use the network
    #[arg(long, global = true, env = "RECALL_OFFLINE", value_parser = clap::builder::FalseyValueParser::new())]
    pub offline: bool,
    #[command(subcommand)]
    pub command: Command,
}

const EXIT_CODES: &str = "Exit codes: 0 hits, 1 nothing relevant, 2 error, 130 interrupted.";

/// The arguments, with a question that looks like a flag (`recall query --no-verify`) marked as text.
/// Only a question that is one such token: with any other text beside it, it is a misspelt flag.
pub fn arguments(typed: Vec<OsString>) -> Vec<OsString> {
    let command = Flags::command();
    let Some(at) = command_at(&command, &typed).filter(|at| typed[*at] == "query") else {
        return typed;
    };
    if typed[at..].iter().any(|a| a == "--") {
        return typed;
    }
    let Some(query) = command.find_subcommand("query") else { return typed };
    let known: Vec<&clap::Arg> = query.get_arguments().chain(command.get_arguments()).collect();
    let mut unknown = Vec::new();
    let mut takes_value = false;
    for (i, argument) in typed.iter().enumerate().skip(at + 1) {
        let text = argument.to_string_lossy();
        if std::mem::take(&mut takes_value) {
            continue;
        }
        match flag(&known, &text) {
            Some(arg) => takes_value = arg.get_action().takes_values() && !text.contains('='),
            None if matches!(text.as_ref(), "-h" | "--help") => return typed,
            None => unknown.push(i),
        }
    }
    match unknown.as_slice() {
        [one] if typed[*one].to_string_lossy().starts_with('-') => {
            let mut out = typed;
            let question = out.remove(*one);
            out.extend(["--".into(), question]);
            out
        }
        _ => typed,
    }
}

/// Where the command stands: the first argument that is no flag and no flag's value.
fn command_at(command: &clap::Command, typed: &[OsString]) -> Option<usize> {
    let known: Vec<&clap::Arg> = command.get_arguments().collect();
    let mut takes_value = false;
    typed.iter().enumerate().skip(1).find_map(|(at, argument)| {
        let text = argument.to_string_lossy();
        if std::mem::take(&mut takes_value) {
            return None;
        }
        if !text.starts_with('-') {
            return Some(at);
        }
        takes_value = flag(&known, &text)
            .is_some_and(|arg| arg.get_action().takes_values() && !text.contains('='));
        None
    })
}

/// The flag that an argument is.
fn flag<'a>(known: &[&'a clap::Arg], text: &str) -> Option<&'a clap::Arg> {
    let name = text.split('=').next().unwrap_or(text);
    known.iter().copied().find(|arg| match name.strip_prefix("--") {
        Some(long) => arg.get_long() == Some(long),
        None => name.strip_prefix('-').is_some_and(|short| {
            arg.get_short().is_some_and(|known| short.starts_with(known) && short.len() == 1)
        }),
    })
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Bring an index up to date with files, folders and exports
    Index(IndexFlags),
    /// Ask a question
    Query(QueryFlags),
    /// Keep an index current while files change
    Watch(WatchFlags),
    /// Keep a model and opened indexes for all who ask: started by itself, seldom by hand
    Serve(ServeFlags),
    /// Print a document whole, as on disk
    Get(GetFlags),
    /// Say what is indexed, what was skipped and why
    Status(StatusFlags),
    /// Say where a document stands for a question, and why
    Explain(ExplainFlags),
    /// Verify every byte of an index, or rebuild what is damaged
    Check(CheckFlags),
    /// Measure the answers on labelled questions
    Eval(EvalFlags),
    /// Fit this index's settings to labelled questions, and keep what helps on others
    Tune(TuneFlags),
    /// List, fetch and verify embedding models
    Model(ModelFlags),
    /// Print, check and edit the pointer index: loaded whole, kept by people, never ranked
    Pointers(PointersFlags),
    /// Try recall on its own small corpus
    Demo,
}

#[derive(Debug, Default, Args)]
pub struct IndexFlags {
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
pub struct WatchFlags {
    /// Files, folders and exports; without any, those of the last run
    pub paths: Vec<PathBuf>,
    #[command(flatten)]
    pub reading: ReadingFlags,
}

/// What is read, and how.
#[derive(Debug, Default, Args)]
pub struct ReadingFlags {
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

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum ModeFlag {
    #[default]
    Hybrid,
    Keyword,
    Vector,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum FormatFlag {
    #[default]
    Text,
    Json,
    Jsonl,
    Paths,
}

#[derive(Debug, Clone, Default, Args, Serialize, Deserialize)]
pub struct FilterFlags {
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
pub struct QueryFlags {
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
    /// Show each arm's rank, score and share
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

#[derive(Debug, Default, Args)]
pub struct ServeFlags {
    /// End the resident process
    #[arg(long, conflicts_with = "status")]
    pub stop: bool,
    /// Say what the resident process holds and does
    #[arg(long)]
    pub status: bool,
    /// Print the status as JSON
    #[arg(long, requires = "status")]
    pub json: bool,
    /// End after this time without a question: `15m`, `2h`
    #[arg(long, value_name = "TIME", env = "RECALL_RESIDENT_IDLE")]
    pub idle: Option<jiff::SignedDuration>,
    /// How a question starts it: without a terminal, and ending by itself
    #[arg(long, hide = true)]
    pub detached: bool,
}

#[derive(Debug, Args)]
pub struct GetFlags {
    /// An id, a path or a name
    pub name: String,
}

#[derive(Debug, Args)]
pub struct StatusFlags {
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct ExplainFlags {
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

#[derive(Debug, Args)]
pub struct CheckFlags {
    /// Rebuild what is damaged
    #[arg(long)]
    pub repair: bool,
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct PointersFlags {
    /// A folder with an INDEX.md or MEMORY.md; without any, the one found upward from here
    #[arg(long, global = true, value_name = "[NAME=]DIR")]
    pub folder: Vec<String>,
    /// Print as JSON
    #[arg(long, global = true)]
    pub json: bool,
    /// Say how much of the reader's cap each page uses
    #[arg(long)]
    pub budget: bool,
    /// Print the policy of what may be written, for a system prompt
    #[arg(long)]
    pub policy: bool,
    #[command(subcommand)]
    pub command: Option<PointersCommand>,
}

#[derive(Debug, Subcommand)]
pub enum PointersCommand {
    /// Find what is wrong with the index and its entries; exit code 1 with findings
    Check {
        /// Also name entries whose quoted files changed since they were written
        #[arg(long)]
        git: bool,
        /// Days after which a `project` entry must be looked at again
        #[arg(long, value_name = "N")]
        project_days: Option<u32>,
    },
    /// Add a line, or replace the one on its subject
    Add {
        /// What it is: preference, decision, procedure, entry
        #[arg(long, value_name = "KIND")]
        kind: String,
        /// Which folder, where several are open
        #[arg(long, value_name = "NAME")]
        namespace: Option<String>,
        #[command(flatten)]
        draft: DraftFlags,
    },
    /// Replace a line
    Replace {
        /// The line: its number, file, subject, or words of it
        name: String,
        #[command(flatten)]
        draft: DraftFlags,
    },
    /// Remove a line
    Remove {
        /// The line: its number, file, subject, or words of it
        name: String,
        /// Show the edit and do nothing
        #[arg(long)]
        dry_run: bool,
    },
    /// Say that a line still holds today
    Touch {
        /// The line: its number, file, subject, or words of it
        name: String,
        /// Show the edit and do nothing
        #[arg(long)]
        dry_run: bool,
    },
    /// Print the note or the runbook behind a line, whole
    Open {
        /// The line: its number, file, subject, or words of it
        name: String,
    },
}

#[derive(Debug, Args)]
pub struct DraftFlags {
    /// What it says, in one line
    pub text: String,
    /// Why
    #[arg(long)]
    pub reason: Option<String>,
    /// The note or runbook it points to
    #[arg(long, value_name = "PATH")]
    pub link: Option<String>,
    /// Where it comes from: user, code, doc
    #[arg(long, value_name = "SOURCE")]
    pub source: Option<String>,
    /// The day from which it holds; today if left out
    #[arg(long, value_name = "YYYY-MM-DD")]
    pub date: Option<String>,
    /// Show the edit and do nothing
    #[arg(long)]
    pub dry_run: bool,
}

#[derive(Debug, Args)]
pub struct ModelFlags {
    #[command(subcommand)]
    pub command: ModelCommand,
}

#[derive(Debug, Subcommand)]
pub enum ModelCommand {
    /// The models that are known, and which are here
    List {
        /// Print as JSON
        #[arg(long)]
        json: bool,
    },
    /// Fetch a model and the ONNX Runtime
    Pull {
        /// The model; the default one if left out
        id: Option<String>,
    },
    /// Compare every file with what was installed
    Verify {
        /// The model; the default one if left out
        id: Option<String>,
    },
    /// Print the folder of a model
    Path {
        /// The model; the default one if left out
        id: Option<String>,
    },
}

#[derive(Debug, Args)]
pub struct EvalFlags {
    #[command(flatten)]
    pub labels: LabelFlags,
    /// Only this mode; may be repeated
    #[arg(long, value_enum, value_name = "MODE")]
    pub mode: Vec<ModeFlag>,
    /// Also report by this metadata field of the questions
    #[arg(long, value_name = "FIELD")]
    pub by: Option<String>,
    /// List what the keyword arm misses and the vector arm finds, and the other way round
    #[arg(long)]
    pub misses: bool,
    /// Ask only the first N questions of each kind
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
    /// Exit with 2 if hybrid (or what was measured instead) is below: `ndcg@10=0.6`
    #[arg(long, value_name = "METRIC=VALUE")]
    pub fail_under: Vec<String>,
    /// Write the rankings as a TREC run; with several modes one file each, `run.keyword.txt`
    #[arg(long, value_name = "FILE")]
    pub run_out: Option<PathBuf>,
    /// Compare two TREC runs by the labels, question by question, and ask nothing
    #[arg(long, num_args = 2, value_names = ["RUN_A", "RUN_B"])]
    pub compare: Vec<PathBuf>,
    /// Write a page with a chart for every figure
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
}
