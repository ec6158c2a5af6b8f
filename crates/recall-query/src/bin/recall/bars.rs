//! Progress on a terminal; silence in a pipe.

use std::io::IsTerminal;
use std::sync::Mutex;
use std::time::Duration;

use indicatif::{HumanBytes, ProgressBar, ProgressDrawTarget, ProgressStyle};
use recall_embed::Progress as Fetch;
use recall_index::Step;

/// One line at the foot of the terminal that says how far the work is.
pub struct Bars {
    bar: Mutex<ProgressBar>,
    stage: Mutex<String>,
}

impl Bars {
    /// Bars on standard error, if that is a terminal.
    pub fn new() -> Self {
        let target = if std::io::stderr().is_terminal() {
            ProgressDrawTarget::stderr_with_hz(10)
        } else {
            ProgressDrawTarget::hidden()
        };
        let bar = ProgressBar::with_draw_target(None, target);
        Self { bar: Mutex::new(bar), stage: Mutex::new(String::new()) }
    }

    /// Shows a step of indexing.
    pub fn step(&self, step: Step) {
        match step {
            Step::Scan { units } => self.show("looking", units, None, "files"),
            Step::Read { done, total, documents } => {
                self.show("reading", done, Some(total), &format!("bytes, {documents} documents"));
            }
            Step::Searchable => self.clear(),
            Step::Embed { done, total, tokens } => {
                self.show("embedding", done, Some(total), &format!("texts, {tokens} tokens"));
            }
            Step::Graph { done, total } => self.show("linking", done, Some(total), "vectors"),
        }
    }

    /// Shows a step of fetching a model.
    pub fn fetch(&self, progress: Fetch) {
        let message = format!("of {}", HumanBytes(progress.total));
        self.show(progress.stage.name(), progress.done, Some(progress.total), &message);
    }

    /// Shows how many questions are asked.
    pub fn questions(&self, done: u64, total: u64) {
        self.show("asking", done, Some(total), "questions");
    }

    /// Takes the bar away.
    pub fn clear(&self) {
        lock(&self.bar).finish_and_clear();
        lock(&self.stage).clear();
    }

    fn show(&self, stage: &str, done: u64, total: Option<u64>, what: &str) {
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
        bar.set_message(what.to_owned());
    }
}

fn style(bounded: bool) -> ProgressStyle {
    let template = if bounded {
        "{prefix:>10} [{bar:30}] {percent:>3}% {msg} ({per_sec}, {eta} left)"
    } else {
        "{prefix:>10} {spinner} {pos} {msg}"
    };
    ProgressStyle::with_template(template)
        .unwrap_or_else(|_| ProgressStyle::default_bar())
        .progress_chars("=> ")
}

/// A bar that panicked elsewhere is still a bar.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
