//! This test program again, as a process that may die without taking the tests along.

use std::env;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use recall_embed::{EmbedError, Embedder, Home, ModelCatalogue, installed, pull};

/// What a child does.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Task {
    /// Loads the model and asks something.
    Ask,
    /// Pulls the model.
    Pull,
    /// Pulls the model without fetching.
    PullOffline,
}

/// A child with a home of its own; no variable of this process names a library or an endpoint to it.
pub(crate) fn start(task: Task, home: &Path, model: &str, variables: &[(&str, &str)]) -> Child {
    let mut command = Command::new(env::current_exe().unwrap());
    command.args(["--exact", "process::child", "--ignored", "--nocapture"]);
    let ours = ["RECALL_ORT", "ORT_DYLIB_PATH", "RECALL_PYTHON", "HF_ENDPOINT"];
    // What the runtime would take as a wish for no telemetry, so that ours is what it hears.
    let quiet =
        ["ORT_DISABLE_TELEMETRY", "ORT_TELEMETRY_DISABLED", "CI", "TF_BUILD", "GITHUB_ACTIONS"];
    for name in ours.into_iter().chain(quiet) {
        command.env_remove(name);
    }
    command.env("RECALL_HOME", home).env("TEST_TASK", format!("{task:?}")).env("TEST_MODEL", model);
    command.envs(variables.iter().copied()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

/// How long a child may take: seconds on an idle machine, far more on a crowded one, never for ever.
const PATIENCE: Duration = Duration::from_secs(240);

/// What a child came to: `Ok`, or the error's name and message. A child that dies, panics or
/// hangs fails the test.
pub(crate) fn run(task: Task, home: &Path, model: &str, variables: &[(&str, &str)]) -> String {
    let mut child = start(task, home, model, variables);
    let clock = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if clock.elapsed() > PATIENCE {
            child.kill().unwrap();
            panic!("{task:?} hangs");
        }
        thread::sleep(Duration::from_millis(20));
    }
    let output: Output = child.wait_with_output().unwrap();
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{:?}\n{stdout}\n{stderr}", output.status);
    let result =
        stdout.lines().find_map(|line| line.split_once("RESULT ")).map(|(_, result)| result);
    result.unwrap_or_else(|| panic!("no result\n{stdout}\n{stderr}")).to_owned()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
#[ignore = "run by other tests, in a process of its own"]
fn child() {
    let result = match env::var("TEST_TASK").unwrap_or_default().as_str() {
        "Ask" => ask(),
        "Pull" => fetch(false),
        "PullOffline" => fetch(true),
        other => panic!("no task {other:?}"),
    };
    let line = match result {
        Ok(()) => "Ok".to_owned(),
        Err(error) => format!("{error:?} | {error}").replace('\n', " "),
    };
    println!("\nRESULT {line}");
}

fn ask() -> Result<(), EmbedError> {
    let home = Home::from_env();
    let catalogue = ModelCatalogue::of(&home)?;
    let installed = installed(&home, catalogue.find(&env::var("TEST_MODEL").unwrap())?)?;
    let embedder = Embedder::load(&home, &installed, 2)?;
    embedder.passages(&["a passage", "another"], &|_| {})?;
    embedder.query("a question").map(drop)
}

fn fetch(offline: bool) -> Result<(), EmbedError> {
    let home = Home::from_env();
    let catalogue = ModelCatalogue::of(&home)?;
    let model = catalogue.find(&env::var("TEST_MODEL").unwrap())?;
    pull(&home, model, offline, &|_| {}).map(drop)
}
