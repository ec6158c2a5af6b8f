//! The user's own `git`, asked about one folder. It only reads: no lock is taken, nothing is fetched,
//! and no pager, prompt or hook runs.

use std::ffi::OsStr;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// How long an answer is waited for: reading the history of a large repository takes seconds.
const PATIENCE: Duration = Duration::from_secs(60);

/// What would point git at another repository than the one around the folder. A hook of git's, from
/// which a linter is often called, sets some of them.
const ELSEWHERE: [&str; 8] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_COMMON_DIR",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_NAMESPACE",
    "GIT_PREFIX",
];

/// Why git gave no answer.
#[derive(Debug, thiserror::Error)]
pub(super) enum GitError {
    /// It could not be started or spoken to.
    #[error("cannot run git: {0}")]
    Start(#[from] io::Error),
    /// It did not come to an end.
    #[error("git did not answer within {} s", PATIENCE.as_secs())]
    Slow,
    /// It refused.
    #[error("{0}")]
    Refused(String),
}

/// Git, in one folder.
pub(super) struct Git {
    folder: PathBuf,
}

impl Git {
    pub(super) fn at(folder: &Path) -> Self {
        Self { folder: folder.to_owned() }
    }

    /// What `git ARGUMENTS` prints.
    pub(super) fn ask(&self, arguments: &[&OsStr]) -> Result<Vec<u8>, GitError> {
        let mut child = self.command(arguments).spawn()?;
        let pipes = (child.stdout.take(), child.stderr.take());
        let (send, receive) = mpsc::channel();
        thread::spawn(move || send.send((all(pipes.0), all(pipes.1))));
        let answer = receive.recv_timeout(PATIENCE);
        if answer.is_err() {
            child.kill()?;
        }
        let status = child.wait()?;
        let (printed, complaint) = answer.map_err(|_| GitError::Slow)?;
        match status.success() {
            true => Ok(printed?),
            false => Err(GitError::Refused(first_line(&complaint?))),
        }
    }

    fn command(&self, arguments: &[&OsStr]) -> Command {
        let mut git = Command::new("git");
        git.args(["--no-pager", "--literal-pathspecs", "-C"]).arg(&self.folder).args(arguments);
        git.env("GIT_OPTIONAL_LOCKS", "0").env("GIT_NO_LAZY_FETCH", "1").env("LC_ALL", "C");
        for name in ELSEWHERE {
            git.env_remove(name);
        }
        git.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        git
    }
}

fn all(pipe: Option<impl Read>) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if let Some(mut pipe) = pipe {
        pipe.read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

fn first_line(complaint: &[u8]) -> String {
    let text = String::from_utf8_lossy(complaint);
    let line = text.lines().next().unwrap_or("git gave no reason");
    line.trim_start_matches("fatal: ").to_owned()
}
