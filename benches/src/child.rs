//! A command run as a child: how long, how much memory, how much of the processor.
//!
//! Linux counts into a child's peak what its parent held at the fork, so a small process of its own
//! starts the command and waits for it.

use std::process::{Command, Stdio};
use std::time::Instant;

use serde::{Deserialize, Serialize};
use wait4::Wait4;

use crate::outcome::Outcome;

/// What a command used.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct Used {
    /// Start to exit.
    pub seconds: f64,
    /// On all cores together.
    pub processor_seconds: f64,
    /// Peak of the resident set, mapped files included.
    pub peak_bytes: u64,
    /// Its exit code; `None` if a signal ended it.
    pub code: Option<i32>,
}

/// Runs a command with its output dropped, and prints what it used.
pub(crate) fn serve(command: &[String]) -> Outcome<()> {
    let (program, arguments) = command.split_first().ok_or("no command")?;
    let started = Instant::now();
    let mut child = Command::new(program);
    let child = child.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).spawn()?;
    let ended = child.wait4()?;
    let used = Used {
        seconds: started.elapsed().as_secs_f64(),
        processor_seconds: (ended.rusage.utime + ended.rusage.stime).as_secs_f64(),
        peak_bytes: ended.rusage.maxrss,
        code: ended.status.code(),
    };
    println!("{}", serde_json::to_string(&used)?);
    Ok(())
}

/// Runs `command` through [`serve`]; `watch` is called while it runs, about every ten milliseconds.
/// A command that fails is an error with the end of what it said.
pub(crate) fn run(command: &Command, watch: &mut dyn FnMut()) -> Outcome<Used> {
    let mut through = Command::new(std::env::current_exe()?);
    through.arg("child").arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => through.env(name, value),
            None => through.env_remove(name),
        };
    }
    let mut child = through.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let said = drain(child.stderr.take());
    while child.try_wait()?.is_none() {
        watch();
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let output = child.wait_with_output()?;
    let said = said.join().unwrap_or_default();
    let used: Used = serde_json::from_slice(&output.stdout).map_err(|_| tail(&said))?;
    match used.code {
        Some(0 | 1) => Ok(used),
        _ => Err(tail(&said).into()),
    }
}

/// Reads all of a pipe, so that whoever writes to it never waits.
fn drain(pipe: Option<impl std::io::Read + Send + 'static>) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut text = Vec::new();
        if let Some(mut pipe) = pipe {
            let _ = pipe.read_to_end(&mut text);
        }
        String::from_utf8_lossy(&text).into_owned()
    })
}

fn tail(said: &str) -> String {
    let last: Vec<&str> = said.lines().rev().take(3).collect();
    last.into_iter().rev().collect::<Vec<_>>().join(" / ")
}
