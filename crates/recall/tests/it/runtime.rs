//! A runtime folder of a test's own, so that its resident process is met by nobody else.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::program::{Ran, command, ran};

/// A temporary `XDG_RUNTIME_DIR`; what runs in it ends with it.
pub(crate) struct Runtime {
    folder: tempfile::TempDir,
    idle: &'static str,
}

impl Runtime {
    /// One whose resident process stays for as long as a test may take.
    pub(crate) fn new() -> Self {
        Self::with_idle("5m")
    }

    /// One whose resident process ends after `idle`.
    pub(crate) fn with_idle(idle: &'static str) -> Self {
        Self { folder: tempfile::tempdir().expect("a temporary folder"), idle }
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn socket(&self) -> PathBuf {
        self.path().join("recall/resident.sock")
    }

    /// `recall` with a resident process.
    pub(crate) fn command(&self, folder: &Path, arguments: &[&str]) -> Command {
        let mut command = command(folder, arguments);
        command.env("RECALL_RESIDENT", "on").env("RECALL_RESIDENT_IDLE", self.idle);
        command.env("XDG_RUNTIME_DIR", self.path());
        command
    }

    /// Runs `recall` to its end.
    pub(crate) fn recall(&self, folder: &Path, arguments: &[&str]) -> Ran {
        ran(self.command(folder, arguments))
    }

    /// Starts `recall` and does not wait.
    pub(crate) fn start(&self, folder: &Path, arguments: &[&str]) -> Child {
        let mut command = self.command(folder, arguments);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("recall starts")
    }

    /// The JSON answer to a question; the exit code may be 0 or 1.
    #[track_caller]
    pub(crate) fn ask(&self, folder: &Path, arguments: &[&str]) -> Value {
        let arguments: Vec<&str> = ["query", "--json"].iter().chain(arguments).copied().collect();
        let ran = self.recall(folder, &arguments);
        assert!(matches!(ran.code, Some(0 | 1)), "recall {arguments:?}: {ran:?}");
        serde_json::from_str(&ran.stdout).expect("the answer is JSON")
    }

    /// How the resident process is; null without one.
    #[track_caller]
    pub(crate) fn status(&self) -> Value {
        let ran = self.recall(self.path(), &["serve", "--status", "--json"]);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        serde_json::from_str(&ran.stdout).expect("the status is JSON")
    }

    /// Its process id.
    #[track_caller]
    pub(crate) fn process(&self) -> u64 {
        let status = self.status();
        status["process"].as_u64().unwrap_or_else(|| panic!("no resident process: {status}"))
    }
}

impl Drop for Runtime {
    fn drop(&mut self) {
        self.recall(self.path(), &["serve", "--stop"]);
    }
}

/// Sends a signal to a process that a test started.
pub(crate) fn send(signal: &str, process: u64) {
    let sent = Command::new("kill").args([signal, &process.to_string()]).status();
    assert!(sent.expect("kill runs").success(), "{signal} to {process}");
}

/// Waits until something is so; a test that waits in vain fails.
#[track_caller]
pub(crate) fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let since = Instant::now();
    while !is_so() {
        assert!(since.elapsed() < Duration::from_secs(120), "not after two minutes: {what}");
        sleep(Duration::from_millis(50));
    }
}

/// Open files of a process.
pub(crate) fn open_files(process: u64) -> usize {
    fs::read_dir(format!("/proc/{process}/fd")).expect("it runs").count()
}
