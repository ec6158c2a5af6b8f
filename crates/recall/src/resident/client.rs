//! Client of the resident process: connects to it, starts or replaces it, and sends calls. `None`
//! means that the caller does the work itself.

use std::os::fd::BorrowedFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use nix::fcntl::{FcntlArg, FdFlag, fcntl};
use recall_index::Manifest;
use recall_query::{Answer, Query};

use super::message::{self, Call, Envelope, Lines, REPLY_BYTES, Reply};
use super::socket::{self, is_seated};
use super::status::{Job, JobStatus, OtherBuild, Status};
use crate::index_folder;

/// The resident process sends a sign of life every second; silence for this long means that it is
/// stuck.
const SILENCE: Duration = Duration::from_secs(5);
/// Maximum time that a caller waits for an answer, despite signs of life.
const PATIENCE: Duration = Duration::from_secs(300);
/// Maximum time until the resident process stops writing an index.
const RELEASE_PATIENCE: Duration = Duration::from_secs(30);
/// Maximum time until a started process listens.
const START_PATIENCE: Duration = Duration::from_secs(10);
/// Interval between checks whether it listens, or is gone.
const START_TICK: Duration = Duration::from_millis(4);

/// Asks the resident process for an answer, starting it if necessary.
pub(crate) fn answer(query: &Query) -> Option<Answer> {
    // An index without vectors needs no model, and so no resident process.
    let manifest = Manifest::read(&query.folder).ok()?;
    (manifest.model.is_some() && manifest.counts.vectors > 0).then_some(())?;
    let generation = Manifest::identity(&query.folder).ok()?;
    let call = Call::Query { query: Box::new(query.clone()), generation };
    let Reply::Answer(answer) = ask_or_start(call)? else { return None };
    Some(*answer)
}

/// Asks the resident process, starting it if necessary, to make the vectors that an index lacks.
/// Returns whether it accepted.
pub(crate) fn embed(job: Job) -> bool {
    matches!(ask_or_start(Call::Embed(job)), Some(Reply::Done))
}

/// Makes the resident process stop writing the index in `folder`. Returns whether it was writing or
/// had that work waiting.
pub(crate) fn release(folder: &Path) -> bool {
    if is_off() {
        return false;
    }
    match ask_if_there(Call::Release { folder: index_folder::real(folder) }) {
        Some(Reply::OtherBuild) => wait_until_gone(RELEASE_PATIENCE),
        reply => matches!(reply, Some(Reply::Done)),
    }
}

/// Returns the progress of the resident process on the index in `folder`, if it has a job for it.
pub(crate) fn job_of(folder: &Path) -> Option<JobStatus> {
    let folder = index_folder::real(folder);
    let reply = if is_off() { None } else { ask_if_there(Call::Status) };
    let Some(Reply::Status(status)) = reply else { return None };
    status.jobs.into_iter().find(|job| job.folder == folder)
}

/// Returns the status of the resident process: `None` if none is running, an error if it is another
/// build.
pub(crate) fn status() -> Option<Result<Status, OtherBuild>> {
    match ask_if_there(Call::Status)? {
        Reply::Status(status) => Some(Ok(status)),
        _ => Some(Err(OtherBuild)),
    }
}

/// Stops the resident process and waits until it is gone. Returns whether it was gone in time; `None` if
/// no process was running.
pub(crate) fn stop(patience: Duration) -> Option<bool> {
    ask_if_there(Call::Stop).map(|_| wait_until_gone(patience))
}

/// Waits until the resident process is gone. Returns whether that was in time.
fn wait_until_gone(patience: Duration) -> bool {
    let Ok(folder) = socket::folder() else { return false };
    let since = Instant::now();
    while is_seated(&folder) && since.elapsed() < patience {
        thread::sleep(START_TICK);
    }
    !is_seated(&folder)
}

/// Whether the user turned the resident process off (`RECALL_RESIDENT=off`).
fn is_off() -> bool {
    let wish = std::env::var_os("RECALL_RESIDENT").unwrap_or_default();
    ["off", "0", "no", "false"].iter().any(|no| wish.eq_ignore_ascii_case(no))
}

fn ask_if_there(call: Call) -> Option<Reply> {
    let call = message::line(&Envelope::new(call)?).ok()?;
    let stream = socket::connect(&socket::folder().ok()?)?;
    exchange(&stream, &call, RELEASE_PATIENCE)
}

fn ask_or_start(call: Call) -> Option<Reply> {
    if is_off() {
        return None;
    }
    let call = message::line(&Envelope::new(call)?).ok()?;
    if call.len() as u64 > message::CALL_BYTES {
        return None;
    }
    let folder = socket::folder().ok()?;
    let stream = match socket::connect(&folder) {
        Some(stream) => stream,
        None => started(&folder)?,
    };
    match exchange(&stream, &call, PATIENCE)? {
        // The other build is on its way out.
        Reply::OtherBuild => exchange(&started(&folder)?, &call, PATIENCE),
        reply => Some(reply),
    }
}

fn exchange(stream: &UnixStream, call: &[u8], patience: Duration) -> Option<Reply> {
    use std::io::Write;
    stream.set_read_timeout(Some(SILENCE)).ok()?;
    stream.set_write_timeout(Some(SILENCE)).ok()?;
    let mut writer = stream;
    writer.write_all(call).ok()?;
    let mut lines = Lines::new(stream, REPLY_BYTES);
    let since = Instant::now();
    while since.elapsed() < patience {
        match lines.next().ok()? {
            Reply::Working => {}
            reply => return Some(reply),
        }
    }
    None
}

/// Starts a resident process and connects to it, or to one that another caller started meanwhile.
fn started(folder: &Path) -> Option<UnixStream> {
    let mut child = spawn(folder).ok()?;
    let since = Instant::now();
    while since.elapsed() < START_PATIENCE {
        if let Some(stream) = socket::connect(folder) {
            // If this process outlives the child, the child must be reaped.
            let _ = thread::Builder::new().spawn(move || child.wait());
            return Some(stream);
        }
        if matches!(child.try_wait(), Ok(Some(status)) if !status.success()) {
            return None;
        }
        thread::sleep(START_TICK);
    }
    None
}

fn spawn(folder: &Path) -> std::io::Result<Child> {
    keep_descriptors();
    Command::new(std::env::current_exe()?)
        .args(["serve", "--detached"])
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(socket::log(folder)?)
        .spawn()
}

/// Marks inherited descriptors close-on-exec. A pipe of a build tool, for instance, must not stay
/// open in the resident process: its reader would wait for as long as that process lives.
fn keep_descriptors() {
    let open = std::fs::read_dir("/dev/fd").into_iter().flatten().flatten();
    let numbers = open.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    for number in numbers.filter(|number| *number > 2) {
        // SAFETY: the descriptor is only passed to a call that fails if it has been closed since.
        let descriptor = unsafe { BorrowedFd::borrow_raw(number) };
        let _ = fcntl(descriptor, FcntlArg::F_SETFD(FdFlag::FD_CLOEXEC));
    }
}
