//! The program as a user runs it: a real process, its output and its exit code.

use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;

/// What a run printed and how it ended.
#[derive(Debug)]
pub(crate) struct Ran {
    pub stdout: String,
    pub stderr: String,
    /// `None` if a signal ended it.
    pub code: Option<i32>,
}

/// `recall` with `arguments`, in `folder`.
pub(crate) fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_recall"));
    command.args(arguments).current_dir(folder).stdin(Stdio::null());
    // A test is no reason to leave a process behind.
    command.env("RECALL_RESIDENT", "off");
    command.env_remove("RECALL_INDEX").env_remove("RECALL_OFFLINE").env_remove("RUST_BACKTRACE");
    command
}

/// Runs `recall` to its end.
pub(crate) fn recall(folder: &Path, arguments: &[&str]) -> Ran {
    ran(command(folder, arguments))
}

/// Runs a command to its end.
pub(crate) fn ran(mut command: Command) -> Ran {
    let Output { stdout, stderr, status } = command.output().expect("recall starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("recall prints UTF-8");
    Ran { stdout: text(stdout), stderr: text(stderr), code: status.code() }
}

/// Runs `recall` and expects exit code 0.
#[track_caller]
pub(crate) fn good(folder: &Path, arguments: &[&str]) -> Ran {
    let ran = recall(folder, arguments);
    assert_eq!(ran.code, Some(0), "recall {arguments:?}: {ran:?}");
    ran
}

/// Starts `recall` and does not wait.
pub(crate) fn start(folder: &Path, arguments: &[&str]) -> Child {
    let mut command = command(folder, arguments);
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("recall starts")
}

/// The JSON answer to a question; the exit code may be 0 or 1.
#[track_caller]
pub(crate) fn ask(folder: &Path, arguments: &[&str]) -> Value {
    let arguments: Vec<&str> = ["query", "--json"].iter().chain(arguments).copied().collect();
    let ran = recall(folder, &arguments);
    assert!(matches!(ran.code, Some(0 | 1)), "recall {arguments:?}: {ran:?}");
    serde_json::from_str(&ran.stdout).expect("the answer is JSON")
}

/// The ids of the hits of an answer.
pub(crate) fn ids(answer: &Value) -> Vec<String> {
    let hits = answer["hits"].as_array().expect("hits is a list");
    hits.iter().map(|hit| hit["id"].as_str().expect("ids are text").to_owned()).collect()
}
