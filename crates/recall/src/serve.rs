//! `recall serve`: runs the resident process in the foreground, stops it, or shows its status.

use std::time::Duration;

use crate::failure::Failure;
use crate::flags::ServeFlags;
use crate::print::out;
use crate::resident::{self, JobStatus, Status};

/// How long a resident process started by a query stays without another call.
const IDLE: Duration = Duration::from_secs(15 * 60);
/// How long a process that was told to stop may take.
const PATIENCE: Duration = Duration::from_secs(15);

/// Runs `recall serve`.
pub(crate) fn run(options: &ServeFlags) -> Result<u8, Failure> {
    if options.stop {
        return stop();
    }
    if options.status {
        return status(options.json);
    }
    let idle = options.idle.map(|idle| idle.unsigned_abs());
    if options.detached {
        resident::detach();
        resident::serve(idle.or(Some(IDLE)), PATIENCE)?;
        return Ok(0);
    }
    if !resident::serve(idle, Duration::ZERO)? {
        return Err(Failure::usage_hint(
            "a resident process is already running",
            "show it with: recall serve --status; stop it with: recall serve --stop",
        ));
    }
    Ok(0)
}

fn stop() -> Result<u8, Failure> {
    match resident::stop(PATIENCE) {
        Some(true) => Ok(0),
        Some(false) => Err(Failure::usage_hint(
            format!("the resident process did not stop within {} s", PATIENCE.as_secs()),
            "see its process id with: recall serve --status",
        )),
        None => {
            eprintln!("no resident process is running");
            Ok(0)
        }
    }
}

fn status(json: bool) -> Result<u8, Failure> {
    let status = match resident::status() {
        Some(Ok(status)) => Some(status),
        Some(Err(_)) => {
            return Err(Failure::usage_hint(
                "the resident process is another build of recall",
                "the next question replaces it; stop it now with: recall serve --stop",
            ));
        }
        None => None,
    };
    if json {
        let text = serde_json::to_string(&status).map_err(std::io::Error::from)?;
        out(&format!("{text}\n"))?;
    } else {
        out(&status.map_or_else(|| "no resident process is running\n".to_owned(), |s| text(&s)))?;
    }
    Ok(0)
}

fn text(status: &Status) -> String {
    let mut text = format!(
        "process {} of recall {}, since {}\n{}\n{} questions answered, {} callers now\n",
        status.process,
        status.version,
        status.since,
        status.socket.display(),
        status.answered,
        status.callers,
    );
    for model in &status.models {
        text.push_str(&format!("model {model}\n"));
    }
    for (folder, generation) in &status.indexes {
        text.push_str(&format!("index {}, generation {generation}\n", folder.display()));
    }
    for job in &status.jobs {
        text.push_str(&format!("{}: {}\n", job.folder.display(), progress(job)));
    }
    text
}

/// Describes the progress of vectors that are made in the background.
pub(crate) fn progress(job: &JobStatus) -> String {
    if let Some(why) = &job.failed {
        return format!("the vectors could not be finished: {why}");
    }
    if job.total == 0 {
        return "vectors are waiting to be made".to_owned();
    }
    let left = job.seconds_left.map_or_else(String::new, |seconds| {
        let left = indicatif::HumanDuration(Duration::from_secs_f64(seconds));
        format!(", {left} left")
    });
    format!(
        "{} of {} texts embedded, {:.0} tokens/s{left}",
        job.done, job.total, job.tokens_per_second
    )
}
