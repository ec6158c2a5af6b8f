//! The program `recall`: built, and run with an index.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::outcome::Outcome;

/// The program to measure.
#[derive(Debug, Clone)]
pub(crate) struct Program(PathBuf);

impl Program {
    /// The one that was named, else the one of this workspace, built as this program was.
    pub(crate) fn find(named: Option<&Path>) -> Outcome<Self> {
        if let Some(path) = named {
            return Ok(Self(std::path::absolute(path)?));
        }
        let own = std::env::current_exe()?;
        let folder = own.parent().ok_or("this program is in no folder")?;
        let path = folder.join(format!("recall{}", std::env::consts::EXE_SUFFIX));
        if let Some(cargo) = std::env::var_os("CARGO") {
            let mut build = Command::new(cargo);
            build.args(["build", "--package", "recall-query", "--bin", "recall"]);
            build.current_dir(env!("CARGO_MANIFEST_DIR"));
            if !cfg!(debug_assertions) {
                build.arg("--release");
            }
            if !build.status()?.success() {
                return Err("recall could not be built".into());
            }
        }
        if !path.is_file() {
            return Err(format!("{} is not there; name one with --program", path.display()).into());
        }
        Ok(Self(path))
    }

    /// A command on `index`, offline, without a resident process.
    pub(crate) fn command(&self, index: &Path, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.0);
        command.arg("--offline").arg("--index").arg(index).args(arguments);
        command.env("RECALL_RESIDENT", "off").env_remove("RECALL_INDEX");
        command
    }

    /// Start to exit of a command whose output is dropped.
    pub(crate) fn time(command: &mut Command) -> Outcome<Duration> {
        let command = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let started = Instant::now();
        let status = command.status()?;
        let took = started.elapsed();
        // 1 is "nothing relevant": an answer.
        match status.code() {
            Some(0 | 1) => Ok(took),
            code => Err(format!("{command:?} ended with {code:?}").into()),
        }
    }

    /// Whether it knows a subcommand.
    pub(crate) fn knows(&self, subcommand: &str) -> bool {
        let mut command = Command::new(&self.0);
        command.args([subcommand, "--help"]);
        Self::time(&mut command).is_ok()
    }
}
