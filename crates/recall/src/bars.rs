//! Progress bars on a terminal, and nothing in a pipe.

use std::io::IsTerminal;
use std::sync::Mutex;
use std::time::Duration;

use indicatif::{HumanBytes, ProgressBar, ProgressDrawTarget, ProgressStyle};
use recall_embed::PullProgress;
use recall_index::IndexProgress;

/// One line at the bottom of the terminal that shows the progress of the work.
pub(crate) struct Bars {
    bar: Mutex<ProgressBar>,
    stage: Mutex<String>,
}

impl Bars {
    /// Creates a bar on standard error, visible only on a terminal.
    pub(crate) fn new() -> Self {
        let target = if std::io::stderr().is_terminal() {
            ProgressDrawTarget::stderr_with_hz(10)
        } else {
            ProgressDrawTarget::hidden()
        };
        let bar = ProgressBar::with_draw_target(None, target);
        Self { bar: Mutex::new(bar), stage: Mutex::new(String::new()) }
    }

    /// Shows the progress of indexing.
    pub(crate) fn step(&self, step: IndexProgress) {
        let (stage, done, total) = match step {
            IndexProgress::Searchable => return self.clear(),
            IndexProgress::Scan { sources } => ("scanning", sources, None),
            IndexProgress::Read { done, total, .. } => ("reading", done, Some(total)),
            IndexProgress::Embed { done, total, .. } => ("embedding", done, Some(total)),
            IndexProgress::Graph { done, total } => ("linking", done, Some(total)),
        };
        self.show(stage, done, total, |seconds| message(step, seconds));
    }

    /// Shows the progress of fetching a model.
    pub(crate) fn fetch(&self, progress: PullProgress) {
        let message = |seconds| {
            let speed = HumanBytes(per_second(progress.done, seconds));
            format!("of {}, {speed}/s", HumanBytes(progress.total))
        };
        self.show(progress.stage.name(), progress.done, Some(progress.total), message);
    }

    /// Shows how many questions have been asked.
    pub(crate) fn questions(&self, done: u64, total: u64) {
        self.show("asking", done, Some(total), |seconds| {
            format!("of {total} questions, {}/s", per_second(done, seconds))
        });
    }

    /// Removes the bar.
    pub(crate) fn clear(&self) {
        lock(&self.bar).finish_and_clear();
        lock(&self.stage).clear();
    }

    /// Shows the progress of a stage; `message` receives the seconds since it began.
    fn show(
        &self,
        stage: &str,
        done: u64,
        total: Option<u64>,
        message: impl FnOnce(f64) -> String,
    ) {
        let bar = lock(&self.bar);
        let mut current = lock(&self.stage);
        if *current != stage {
            stage.clone_into(&mut current);
            bar.reset();
            bar.set_style(style(total.is_some()));
            bar.set_prefix(stage.to_owned());
            bar.enable_steady_tick(Duration::from_millis(200));
        }
        if let Some(total) = total {
            bar.set_length(total);
        }
        bar.set_position(done);
        bar.set_message(message(bar.elapsed().as_secs_f64()));
    }
}

/// Formats the message for a step, given the seconds since its stage began.
fn message(step: IndexProgress, seconds: f64) -> String {
    let speed = |count| per_second(count, seconds);
    match step {
        IndexProgress::Scan { sources } => format!("{sources} files"),
        IndexProgress::Read { documents, .. } => {
            format!("{documents} documents, {} documents/s", speed(documents))
        }
        IndexProgress::Embed { done, total, tokens } => {
            format!("{done} of {total} texts, {} tokens/s", speed(tokens))
        }
        IndexProgress::Graph { done, total } => {
            format!("{done} of {total} vectors, {} vectors/s", speed(done))
        }
        IndexProgress::Searchable => String::new(),
    }
}

fn per_second(count: u64, seconds: f64) -> u64 {
    // Too little time has passed to tell the speed.
    if seconds < 0.1 { 0 } else { (count as f64 / seconds).round() as u64 }
}

fn style(bounded: bool) -> ProgressStyle {
    let template = if bounded {
        "{prefix:>10} [{bar:30}] {percent:>3}% {msg}, {eta} left"
    } else {
        "{prefix:>10} {spinner} {msg}"
    };
    ProgressStyle::with_template(template)
        .unwrap_or_else(|_| ProgressStyle::default_bar())
        .progress_chars("=> ")
}

/// Locks a mutex even if another thread panicked while holding it: a bar stays usable.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(step: IndexProgress, seconds: f64, expected: &str) {
        assert_eq!(message(step, seconds), expected);
    }

    #[test]
    fn both_speeds_are_told() {
        let read = IndexProgress::Read { done: 10, total: 20, documents: 500 };
        check(read, 0.0, "500 documents, 0 documents/s");
        check(read, 2.0, "500 documents, 250 documents/s");
        let embed = IndexProgress::Embed { done: 3, total: 9, tokens: 1000 };
        check(embed, 4.0, "3 of 9 texts, 250 tokens/s");
        check(IndexProgress::Scan { sources: 7 }, 1.0, "7 files");
    }
}
