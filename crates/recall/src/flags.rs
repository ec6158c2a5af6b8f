//! The command line: plain records of flags, parsed by clap and resolved elsewhere.

mod asking;
mod indexing;
mod measuring;
mod pointers;
mod upkeep;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{CommandFactory, Parser, Subcommand};

pub(crate) use asking::{ExplainFlags, FilterFlags, FormatFlag, GetFlags, ModeFlag, QueryFlags};
pub(crate) use indexing::{IndexFlags, ReadingFlags, WatchFlags};
pub(crate) use measuring::{EvalFlags, LabelFlags, TuneFlags};
pub(crate) use pointers::{DraftFlags, PointersCommand, PointersFlags};
pub(crate) use upkeep::{CheckFlags, ModelCommand, ModelFlags, ServeFlags, StatusFlags};

/// Search what you and your agents need to remember.
///
/// recall indexes years of tickets, chat, mail, notes and runbooks on this machine and answers
/// questions from them: by exact words and identifiers first, by meaning for what words miss, and
/// with "nothing relevant" where nothing is.
#[derive(Debug, Parser)]
#[command(name = "recall", version, max_term_width = 100, after_help = EXIT_CODES)]
pub(crate) struct Flags {
    /// The index to use, instead of the nearest `.recall` folder here or above
    #[arg(long, global = true, value_name = "DIR", env = "RECALL_INDEX")]
    pub index: Option<PathBuf>,
    /// Never use the network
    #[arg(long, global = true, env = "RECALL_OFFLINE", value_parser = clap::builder::FalseyValueParser::new())]
    pub offline: bool,
    #[command(subcommand)]
    pub command: Command,
}

const EXIT_CODES: &str = "Exit codes: 0 hits, 1 nothing relevant, 2 error, 130 interrupted.";

/// Returns the arguments with a question that looks like a flag (`recall query --no-verify`) marked
/// as text. This applies only if the question is that one token: with any other text beside it, it
/// is taken for a misspelt flag.
pub(crate) fn arguments(typed: Vec<OsString>) -> Vec<OsString> {
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

/// Position of the command: the first argument that is neither a flag nor a flag's value.
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

/// Finds the flag that an argument names.
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
pub(crate) enum Command {
    /// Bring an index up to date with files, folders and exports
    Index(IndexFlags),
    /// Ask a question
    Query(QueryFlags),
    /// Keep an index up to date as files change
    Watch(WatchFlags),
    /// Run the process that keeps the model loaded (started automatically when needed)
    Serve(ServeFlags),
    /// Print a whole document as it is on disk
    Get(GetFlags),
    /// Show what is indexed, and what was skipped and why
    Status(StatusFlags),
    /// Show where a document ranks for a question, and why
    Explain(ExplainFlags),
    /// Verify every byte of an index, or rebuild what is damaged
    Check(CheckFlags),
    /// Measure answer quality on labelled questions
    Eval(EvalFlags),
    /// Fit this index's settings to labelled questions, keeping what helps on held-out ones
    Tune(TuneFlags),
    /// List, fetch and verify embedding models
    Model(ModelFlags),
    /// Print, check and edit the pointer index (kept by people, loaded whole, never ranked)
    Pointers(PointersFlags),
    /// Try recall on its own small corpus
    Demo,
}
