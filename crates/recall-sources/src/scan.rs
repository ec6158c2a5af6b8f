//! Walking a root: which files and exports there are, in a stable order, under ignore rules.

use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use ignore::{DirEntry, WalkBuilder};

use crate::globs::Globs;
use crate::pointer_page::is_pointer_page;
use crate::problem::{Problem, Reason};
use crate::source::{Source, is_export_folder};

/// Which files of a root are read.
#[derive(Debug, Clone)]
pub struct ScanOptions {
    /// Only files that match, if there are patterns.
    pub include: Globs,
    /// Files and folders to leave out.
    pub exclude: Globs,
    /// Pages of the pointer index besides those that are known by [name](crate::pointer_page): listed
    /// as a problem, never read.
    pub pointers: Globs,
    /// Files larger than this many bytes are named and left out.
    pub max_bytes: u64,
    /// Also read files and folders whose name begins with a dot.
    pub hidden: bool,
    /// Only what lies at or below these paths, which begin with the root's; everything without any.
    pub only: Vec<PathBuf>,
    /// Follow links. Links that lead out of the root are refused all the same.
    pub follow_links: bool,
}

impl Default for ScanOptions {
    fn default() -> Self {
        Self {
            include: Globs::none(),
            exclude: Globs::none(),
            pointers: Globs::none(),
            max_bytes: 4 << 30,
            hidden: false,
            follow_links: false,
            only: Vec::new(),
        }
    }
}

impl ScanOptions {
    /// Whether `path` is asked for, or leads there.
    fn is_on_the_way(&self, path: &Path) -> bool {
        let leads = |only: &PathBuf| only.starts_with(path) || path.starts_with(only);
        self.only.is_empty() || self.only.iter().any(leads)
    }
}

/// Every file and export under `root` (a folder or a file), sorted by path, folder by folder.
///
/// `.gitignore`, `.ignore` and `.recallignore` are obeyed, inside a git repository or not; `.git`
/// and `.recall` are never entered. What is left out for a reason a user should know comes as a
/// [`Problem`]; one with [`Reason::Unreadable`] names the file or folder (`.` = the root) of which
/// nothing is known, so that what was indexed from it is kept.
pub fn scan(root: &Path, options: &ScanOptions) -> impl Iterator<Item = Result<Source, Problem>> {
    let mut walk = Walk::new(root, options);
    let (root, options) = (root.to_owned(), options.clone());
    let kept = is_kept(&root, &options);
    let entries = walker(&root, &options).hidden(!options.hidden).filter_entry(kept).build();
    let all = entries.flat_map(move |entry| {
        let hidden = mail_folders(&entry, &root, &options);
        std::iter::once(entry).chain(hidden.into_iter().flatten())
    });
    all.filter_map(move |entry| walk.visit(entry))
}

fn walker(start: &Path, options: &ScanOptions) -> WalkBuilder {
    let mut builder = WalkBuilder::new(start);
    builder
        .require_git(false)
        // What is indexed depends on the files, not on who runs it.
        .git_global(false)
        .follow_links(options.follow_links)
        .add_custom_ignore_filename(".recallignore")
        .sort_by_file_name(|a, b| a.cmp(b));
    builder
}

/// Tells what is asked for, not excluded and not ours.
fn is_kept(root: &Path, options: &ScanOptions) -> impl Fn(&DirEntry) -> bool + use<> {
    let (root, options) = (root.to_owned(), options.clone());
    move |entry| {
        let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
        let is_ours = is_folder && matches!(entry.file_name().to_str(), Some(".git" | ".recall"));
        let is_out = || options.exclude.matches(&relative(&root, entry.path()), is_folder);
        let is_kept = entry.depth() == 0 || !is_ours && !is_out();
        is_kept && options.is_on_the_way(entry.path())
    }
}

/// What lies in the folders that a maildir hides in itself (`.Sent/cur/…`), if `entry` is one and
/// hidden folders are not read anyway.
fn mail_folders(
    entry: &Result<DirEntry, ignore::Error>,
    root: &Path,
    options: &ScanOptions,
) -> Option<ignore::Walk> {
    let folder = entry.as_ref().ok()?.path();
    let is_maildir = ["cur", "new"].iter().all(|name| folder.join(name).is_dir());
    if options.hidden || !is_maildir {
        return None;
    }
    let kept = is_kept(root, options);
    let is_meant = move |entry: &DirEntry| kept(entry) && is_mail_folder(entry);
    Some(walker(folder, options).hidden(false).filter_entry(is_meant).build())
}

/// Of a maildir: the hidden folders that hold mail, and what is not hidden in them.
fn is_mail_folder(entry: &DirEntry) -> bool {
    let is_hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
    match entry.depth() {
        0 => true,
        1 => is_hidden && entry.path().join("cur").is_dir(),
        _ => !is_hidden,
    }
}

/// `path` as seen from `root`, with `/` between parts; `.` for the root itself.
fn relative(root: &Path, path: &Path) -> String {
    let inner = path.strip_prefix(root).unwrap_or(path);
    let parts: Vec<_> = inner.iter().map(|part| part.to_string_lossy()).collect();
    if parts.is_empty() { ".".to_owned() } else { parts.join("/") }
}

struct Walk {
    root: PathBuf,
    /// The root without links, to tell what leads out of it.
    real_root: Option<PathBuf>,
    options: ScanOptions,
    /// A folder with nothing more to find: an export, or what a refused link leads to.
    done_below: Option<PathBuf>,
}

impl Walk {
    fn new(root: &Path, options: &ScanOptions) -> Self {
        Self {
            root: root.to_owned(),
            real_root: root.canonicalize().ok(),
            options: options.clone(),
            done_below: None,
        }
    }

    fn visit(&mut self, entry: Result<DirEntry, ignore::Error>) -> Option<Result<Source, Problem>> {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => return Some(Err(self.walk_problem(&error))),
        };
        let path = entry.path();
        if self.done_below.as_ref().is_some_and(|folder| path.starts_with(folder)) {
            return None;
        }
        let is_link = entry.path_is_symlink() && entry.depth() > 0;
        if let Some(reason) = is_link.then(|| self.refused_link(path)).flatten() {
            self.done_below = Some(path.to_owned());
            return Some(Err(self.problem(path, reason)));
        }
        let kind = entry.file_type()?;
        if kind.is_dir() {
            return self.export_folder(path).map(Ok);
        }
        if !kind.is_file() {
            return None;
        }
        self.file(&entry)
    }

    /// The folder as a source, if it is one export.
    fn export_folder(&mut self, path: &Path) -> Option<Source> {
        if !is_export_folder(path) {
            return None;
        }
        self.done_below = Some(path.to_owned());
        let (bytes, modified) = folder_size(path);
        Some(Source {
            path: relative(&self.root, path),
            absolute: path.to_owned(),
            bytes,
            modified,
            is_folder: true,
        })
    }

    fn file(&self, entry: &DirEntry) -> Option<Result<Source, Problem>> {
        let path = match entry.depth() {
            0 => entry.file_name().to_string_lossy().into_owned(),
            _ => relative(&self.root, entry.path()),
        };
        let wanted = self.options.include.is_empty() || self.options.include.matches(&path, false);
        wanted.then(|| self.source(path, entry))
    }

    /// Whether `path` is a page of the pointer index; the root, by whatever name it was reached,
    /// may be the folder that makes it one.
    fn is_pointer_index(&self, path: &str) -> bool {
        let root = self.real_root.as_deref().unwrap_or(&self.root);
        let folder = if root.is_file() { root.parent().unwrap_or(root) } else { root };
        is_pointer_page(&folder.join(path)) || self.options.pointers.matches(path, false)
    }

    fn source(&self, path: String, entry: &DirEntry) -> Result<Source, Problem> {
        let problem = |reason| Problem { path: path.clone(), line: None, reason };
        if self.is_pointer_index(&path) {
            return Err(problem(Reason::PointerIndex));
        }
        let metadata = entry.metadata().map_err(|error| match error.io_error() {
            Some(error) => problem(Reason::from_io(error)),
            None => problem(walk_reason(&error)),
        })?;
        let (size, limit) = (metadata.len(), self.options.max_bytes);
        if size == 0 {
            return Err(problem(Reason::Empty));
        }
        if size > limit {
            return Err(problem(Reason::TooLarge { size, limit }));
        }
        let (absolute, modified) = (entry.path().to_owned(), modified(&metadata));
        Ok(Source { path, absolute, bytes: size, modified, is_folder: false })
    }

    /// Why the link at `path` is not followed; `None` if what it leads to is found anyway.
    fn refused_link(&self, path: &Path) -> Option<Reason> {
        let what = match path.canonicalize() {
            Ok(target) if self.real_root.as_ref().is_some_and(|root| target.starts_with(root)) => {
                return None;
            }
            Ok(_) => "a link that leads out of the root",
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => "a link to nothing",
            Err(_) => "a link that leads nowhere (a loop?)",
        };
        Some(Reason::Refused(what.to_owned()))
    }

    fn walk_problem(&self, error: &ignore::Error) -> Problem {
        let path = path_of(error).map_or_else(|| ".".to_owned(), |path| relative(&self.root, path));
        Problem { path, line: None, reason: walk_reason(error) }
    }

    fn problem(&self, path: &Path, reason: Reason) -> Problem {
        Problem { path: relative(&self.root, path), line: None, reason }
    }
}

fn modified(metadata: &std::fs::Metadata) -> i128 {
    let Ok(time) = metadata.modified() else { return 0 };
    match time.duration_since(UNIX_EPOCH) {
        Ok(after) => i128::try_from(after.as_nanos()).unwrap_or(0),
        Err(before) => -i128::try_from(before.duration().as_nanos()).unwrap_or(0),
    }
}

/// Bytes of all files below `folder`, and the latest change; what cannot be read counts nothing.
fn folder_size(folder: &Path) -> (u64, i128) {
    let entries = WalkBuilder::new(folder).standard_filters(false).build();
    let files = entries.flatten().filter_map(|entry| entry.metadata().ok()).filter(|m| m.is_file());
    files.fold((0, 0), |(bytes, latest), file| (bytes + file.len(), latest.max(modified(&file))))
}

fn walk_reason(error: &ignore::Error) -> Reason {
    match error {
        ignore::Error::Loop { .. } => {
            Reason::Refused("a link that leads to a folder above it".into())
        }
        ignore::Error::WithPath { err, .. }
        | ignore::Error::WithDepth { err, .. }
        | ignore::Error::WithLineNumber { err, .. } => walk_reason(err),
        // Gone or forbidden, nothing is known of what is there: a drive may be unmounted.
        ignore::Error::Io(error) => Reason::Unreadable(error.to_string()),
        other => Reason::Malformed(other.to_string()),
    }
}

fn path_of(error: &ignore::Error) -> Option<&Path> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::Loop { child, .. } => Some(child),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => {
            path_of(err)
        }
        _ => None,
    }
}
