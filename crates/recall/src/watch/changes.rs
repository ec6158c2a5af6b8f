//! Collects changes on disk until no more arrive for a moment.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use notify::event::ModifyKind;
use notify::{Config, Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};

use crate::config;

/// Changes closer together than this are one batch: a single save causes several.
const QUIET: Duration = Duration::from_millis(50);
/// Maximum time that changes are held back, however busy the disk is.
const LATEST: Duration = Duration::from_secs(2);
/// With more changed paths than this, everything is rescanned.
const PATHS: usize = 1000;
/// Files that decide which others in their folder are read.
const IGNORE_FILES: [&str; 3] = [".gitignore", ".ignore", ".recallignore"];

/// What to rescan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Changes {
    /// Everything.
    All,
    /// These paths and everything below them.
    At(BTreeSet<PathBuf>),
}

impl Changes {
    /// Returns the paths; empty for everything.
    pub(super) fn paths(&self) -> Vec<PathBuf> {
        match self {
            Self::All => Vec::new(),
            Self::At(paths) => paths.iter().cloned().collect(),
        }
    }

    /// Whether `recall.toml` may have changed.
    pub(super) fn touch_settings(&self) -> bool {
        match self {
            Self::All => true,
            Self::At(paths) => paths.iter().any(|path| path.ends_with(config::FILE)),
        }
    }

    fn add(&mut self, path: &Path) {
        let Self::At(paths) = self else { return };
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let folder = path.parent().filter(|_| IGNORE_FILES.contains(&name));
        paths.insert(folder.unwrap_or(path).to_owned());
        if paths.len() > PATHS || name == config::FILE {
            *self = Self::All;
        }
    }
}

/// Receives the system's notifications of changes below some roots.
pub(super) struct Watcher {
    roots: Vec<PathBuf>,
    /// The index folder, which changes with every update and is ignored.
    index: PathBuf,
    events: Receiver<notify::Result<Event>>,
    why_blind: Option<String>,
    _watcher: Option<RecommendedWatcher>,
}

impl Watcher {
    /// Watches `roots`; if that is not possible, the watcher is blind and
    /// [`why_blind`](Self::why_blind) says why.
    pub(super) fn new(roots: &[PathBuf], index: &Path) -> Self {
        let roots: Vec<PathBuf> =
            roots.iter().filter(|root| !root.as_os_str().is_empty()).cloned().collect();
        let (send, events) = mpsc::channel();
        let watching = watch(&roots, send);
        let why_blind = watching.as_ref().err().map(ToString::to_string);
        let index = index.canonicalize().unwrap_or_else(|_| index.to_owned());
        Self { roots, index, events, why_blind, _watcher: watching.ok() }
    }

    /// Whether changes are no longer reported.
    pub(super) fn is_blind(&self) -> bool {
        self.why_blind.is_some()
    }

    /// Why changes are no longer reported, if they are not.
    pub(super) fn why_blind(&self) -> Option<&str> {
        self.why_blind.as_deref()
    }

    /// Returns the next batch of changes, if one begins within `patience`.
    pub(super) fn next(&mut self, patience: Duration) -> Option<Changes> {
        if self.is_blind() {
            std::thread::sleep(patience);
            return None;
        }
        let mut changes = Changes::At(BTreeSet::new());
        let mut wait = patience;
        let mut since = None;
        loop {
            match self.events.recv_timeout(wait) {
                Ok(event) => self.take(event, &mut changes),
                Err(RecvTimeoutError::Timeout) => break,
                Err(RecvTimeoutError::Disconnected) => {
                    self.why_blind = Some("the watcher ended".to_owned());
                    break;
                }
            }
            if changes != Changes::At(BTreeSet::new()) {
                wait = QUIET;
                if since.get_or_insert_with(Instant::now).elapsed() > LATEST {
                    break;
                }
            }
        }
        (changes != Changes::At(BTreeSet::new())).then_some(changes)
    }

    fn take(&mut self, event: notify::Result<Event>, changes: &mut Changes) {
        let event = match event {
            Ok(event) => event,
            Err(error) => {
                self.why_blind = Some(error.to_string());
                *changes = Changes::All;
                return;
            }
        };
        // The system could not keep up and dropped some events.
        if event.need_rescan() {
            eprintln!("some changes were missed; rescanning everything");
            *changes = Changes::All;
        }
        // Reading a file is not a change; writing it is reported as one before it is closed.
        if matches!(event.kind, EventKind::Access(_)) {
            return;
        }
        for path in &event.paths {
            if is_departure(event.kind) && self.roots.contains(path) && !path.exists() {
                self.why_blind = Some(format!("{} is gone", path.display()));
            }
            if self.is_meant(path) {
                changes.add(path);
            }
        }
    }

    /// Whether a path is in a root, and neither in the index nor in a `.git` or `.recall` folder.
    fn is_meant(&self, path: &Path) -> bool {
        let inside = self.roots.iter().find_map(|root| path.strip_prefix(root).ok());
        let is_ours = |part: &std::ffi::OsStr| part == ".git" || part == ".recall";
        inside.is_some_and(|inside| !inside.iter().any(is_ours)) && !path.starts_with(&self.index)
    }
}

fn is_departure(kind: EventKind) -> bool {
    matches!(kind, EventKind::Remove(_) | EventKind::Modify(ModifyKind::Name(_)))
}

fn watch(
    roots: &[PathBuf],
    send: mpsc::Sender<notify::Result<Event>>,
) -> notify::Result<RecommendedWatcher> {
    let config = Config::default().with_follow_symlinks(false);
    let mut watcher = RecommendedWatcher::new(send, config)?;
    for root in roots {
        if !root.exists() {
            return Err(notify::Error::path_not_found().add_path(root.clone()));
        }
        if root.is_dir() {
            watcher.watch(root, RecursiveMode::Recursive)?;
        } else {
            // Saving by rename replaces the file, so its folder is watched instead.
            let folder = root.parent().unwrap_or(root);
            watcher.watch(folder, RecursiveMode::NonRecursive)?;
        }
    }
    Ok(watcher)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(paths: &[&str], expected: &[&str]) {
        let mut changes = Changes::At(BTreeSet::new());
        paths.iter().for_each(|path| changes.add(Path::new(path)));
        let expected: Vec<PathBuf> = expected.iter().map(PathBuf::from).collect();
        assert_eq!(changes.paths(), expected);
    }

    #[test]
    fn a_file_of_rules_stands_for_its_folder_and_settings_for_everything() {
        check(&["/r/a.md", "/r/a.md"], &["/r/a.md"]);
        check(&["/r/b/.gitignore", "/r/a.md"], &["/r/a.md", "/r/b"]);
        check(&["/r/a.md", "/r/recall.toml"], &[]);
        let many: Vec<String> = (0..=PATHS).map(|number| format!("/r/{number}")).collect();
        check(&many.iter().map(String::as_str).collect::<Vec<_>>(), &[]);
    }
}
