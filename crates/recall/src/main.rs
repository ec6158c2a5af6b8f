//! The program `recall`: parses the flags, runs one command and returns its exit code.

mod answer_json;
mod bars;
mod check;
mod conditions;
mod config;
mod demo;
mod eval;
mod explain;
mod failure;
mod flags;
mod get;
mod hint;
mod index;
mod index_folder;
mod model;
mod pointers;
mod print;
mod query;
mod resident;
mod serve;
mod status;
mod stop;
mod tune;
mod watch;

use std::process::ExitCode;

use clap::Parser;

use failure::Failure;
use flags::{Command, Flags};

fn main() -> ExitCode {
    quiet_panics();
    let flags = match Flags::try_parse_from(flags::arguments(std::env::args_os().collect())) {
        Ok(flags) => flags,
        Err(error) => {
            // Help and version are answers; anything else is misuse.
            let code = if error.use_stderr() { 2 } else { 0 };
            let _ = error.print();
            return ExitCode::from(code);
        }
    };
    match std::panic::catch_unwind(|| run(&flags)) {
        Ok(Ok(code)) => ExitCode::from(code),
        Ok(Err(failure)) => fail(&failure),
        Err(_) => {
            eprintln!("error: recall stopped on an internal error; the index is unchanged");
            eprintln!("\nhint: please report the command with the lines above");
            ExitCode::from(2)
        }
    }
}

/// Runs the command and returns the exit code of an answer: 0 or 1.
fn run(flags: &Flags) -> Result<u8, Failure> {
    match &flags.command {
        Command::Index(options) => index::run(flags, options),
        Command::Query(options) => query::run(flags, options),
        Command::Watch(options) => watch::run(flags, options),
        Command::Serve(options) => serve::run(options),
        Command::Get(options) => get::run(flags, options),
        Command::Status(options) => status::run(flags, options),
        Command::Explain(options) => explain::run(flags, options),
        Command::Check(options) => check::run(flags, options),
        Command::Eval(options) => eval::run(flags, options),
        Command::Tune(options) => tune::run(flags, options),
        Command::Model(options) => model::run(flags, options),
        Command::Pointers(options) => pointers::run(options),
        Command::Demo => demo::run(flags),
    }
}

fn fail(failure: &Failure) -> ExitCode {
    if !matches!(failure, Failure::Closed) {
        eprintln!("error: {failure}");
        if let Some(hint) = failure.hint() {
            eprintln!("\nhint: {hint}");
        }
    }
    ExitCode::from(failure.code())
}

/// Silences the default panic message, whose backtrace is of no use to a user: `main` reports a
/// caught panic in one line. `RUST_BACKTRACE` brings the details back.
fn quiet_panics() {
    std::panic::set_hook(Box::new(|info| {
        if std::env::var_os("RUST_BACKTRACE").is_some() {
            eprintln!("{info}\n{}", std::backtrace::Backtrace::capture());
        }
    }));
}
