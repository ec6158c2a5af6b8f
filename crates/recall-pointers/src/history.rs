//! Which quoted files changed since an entry was written, by the hashes of their blobs.
//!
//! Commits are compared, not the work tree: what is not committed yet does not count, and the
//! answer is the same on every machine.

mod git;

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fmt;
use std::path::{Path, PathBuf};

use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde::Serialize;

use self::git::{Git, GitError};
use crate::finding::{LintFinding, Problem};
use crate::folder::Folder;
use crate::project::slashed;
use crate::quoted_path::quoted_path;

/// Something that the history could not tell.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, thiserror::Error)]
#[serde(tag = "note", rename_all = "snake_case")]
pub enum HistoryNote {
    /// No repository holds the file.
    #[error("{}: in no git repository, so its age is unknown", path.display())]
    NoRepository {
        /// The quoted file.
        path: PathBuf,
    },
    /// The history does not reach back to the date of an entry.
    #[error("{}: the history of the repository starts after {date}", path.display())]
    StartsLater {
        /// The entry.
        path: PathBuf,
        /// Its date.
        date: Date,
    },
    /// The repository cannot be read.
    #[error("{}: {reason}", path.display())]
    Unreadable {
        /// The repository or file.
        path: PathBuf,
        /// What git said.
        reason: String,
    },
}

/// What the history says about a folder.
#[derive(Debug, Default)]
pub(crate) struct History {
    pub findings: Vec<LintFinding>,
    pub notes: Vec<HistoryNote>,
}

/// When something was last true.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Since {
    Commit(String),
    Date(Date),
}

/// Words of an entry or a line that quote files.
struct Claim<'a> {
    path: &'a Path,
    beside: &'a Path,
    since: Since,
    quotes: Vec<(usize, &'a str)>,
}

/// Compares every file that the dated lines and entries of `folder` quote.
pub(crate) fn suspects(folder: &Folder) -> History {
    let mut inquiry =
        Inquiry { folder, repositories: BTreeMap::new(), history: History::default() };
    for claim in entry_claims(folder).chain(line_claims(folder)) {
        inquiry.check(&claim);
    }
    inquiry.history.notes.sort();
    inquiry.history.notes.dedup();
    inquiry.history
}

fn entry_claims(folder: &Folder) -> impl Iterator<Item = Claim<'_>> {
    folder.entries.iter().filter_map(|entry| {
        let fields = entry.fields()?;
        let commit = fields.commit.clone().map(Since::Commit);
        Some(Claim {
            path: &entry.path,
            beside: entry.path.parent().unwrap_or(&folder.path),
            since: commit.or_else(|| fields.date.map(Since::Date))?,
            quotes: entry.quotes.iter().map(|quote| (quote.line, quote.text.as_str())).collect(),
        })
    })
}

fn line_claims(folder: &Folder) -> impl Iterator<Item = Claim<'_>> {
    folder.pages.iter().flat_map(|file| {
        file.page.statements().iter().filter_map(|statement| {
            let quotes = statement.quotes.iter().map(|quote| (statement.line, quote.as_str()));
            Some(Claim {
                path: &file.path,
                beside: &folder.path,
                since: Since::Date(statement.newest_date()?),
                quotes: quotes.collect(),
            })
        })
    })
}

struct Inquiry<'a> {
    folder: &'a Folder,
    /// Open repositories by work tree; `None` where there is none.
    repositories: BTreeMap<PathBuf, Option<Repository>>,
    history: History,
}

impl Inquiry<'_> {
    fn check(&mut self, claim: &Claim<'_>) {
        for (line, quote) in &claim.quotes {
            let Some(file) = self.quoted_file(quote, claim.beside) else { continue };
            match self.verdict(&file, claim) {
                Ok(None) => {}
                Ok(Some(problem)) => {
                    let problem = named(problem, quote);
                    let finding =
                        LintFinding::at(&self.folder.namespace, claim.path, *line, problem);
                    self.history.findings.push(finding);
                }
                Err(note) => self.history.notes.push(note),
            }
        }
    }

    fn quoted_file(&self, quote: &str, beside: &Path) -> Option<PathBuf> {
        let found = self.folder.project.find(quoted_path(quote)?.path, beside)?;
        found.canonicalize().ok().filter(|path| path.is_file())
    }

    /// What to say about a quoted file, if anything.
    fn verdict(&mut self, file: &Path, claim: &Claim<'_>) -> Result<Option<Problem>, HistoryNote> {
        let Some(repository) = self.repository_of(file) else {
            return Err(HistoryNote::NoRepository { path: file.to_owned() });
        };
        let then = match &claim.since {
            Since::Date(date) => repository.commit_at(*date).ok_or_else(|| {
                HistoryNote::StartsLater { path: claim.path.to_owned(), date: *date }
            })?,
            Since::Commit(commit) => match repository.commit_named(commit) {
                Some(id) => id,
                None => return Ok(Some(Problem::UnknownCommit { commit: commit.clone() })),
            },
        };
        let changed = repository.changed_since(&then, file).map_err(|e| unreadable(file, &e))?;
        let suspect = Problem::Suspect { quoted: String::new(), since: claim.since.to_string() };
        Ok(changed.then_some(suspect))
    }

    fn repository_of(&mut self, file: &Path) -> Option<&Repository> {
        let folder = file.parent().unwrap_or(file).to_owned();
        let opened = self.repositories.entry(folder);
        opened.or_insert_with_key(|folder| Repository::around(folder)).as_ref()
    }
}

fn named(problem: Problem, quote: &str) -> Problem {
    match problem {
        Problem::Suspect { since, .. } => Problem::Suspect { quoted: quote.to_owned(), since },
        other => other,
    }
}

fn unreadable(path: &Path, error: &GitError) -> HistoryNote {
    HistoryNote::Unreadable { path: path.to_owned(), reason: error.to_string() }
}

impl fmt::Display for Since {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Commit(commit) => f.write_str(commit),
            Self::Date(date) => date.fmt(f),
        }
    }
}

/// The hash of a commit or a blob, hexadecimal.
type ObjectId = String;

/// A git repository and the straight line of its commits.
struct Repository {
    git: Git,
    work_tree: PathBuf,
    head: ObjectId,
    /// The first parents of HEAD, newest first, with their times in seconds since 1970.
    commits: Vec<(i64, ObjectId)>,
}

impl Repository {
    /// The repository around `folder`; `None` where there is none, no commit in it yet, or no git
    /// on this machine.
    fn around(folder: &Path) -> Option<Self> {
        let arguments = ["rev-parse", "--show-toplevel", "HEAD^{commit}"].map(OsStr::new);
        let printed = Git::at(folder).ask(&arguments).ok()?;
        let printed = printed.strip_suffix(b"\n")?;
        let cut = printed.iter().rposition(|byte| *byte == b'\n')?;
        let work_tree = path_of(&printed[..cut]).canonicalize().ok()?;
        let head = String::from_utf8(printed[cut + 1..].to_vec()).ok()?;
        let git = Git::at(&work_tree);
        let commits = straight_line(&git, &head);
        Some(Self { work_tree, head, commits, git })
    }

    /// The newest commit made by the end of `date`.
    fn commit_at(&self, date: Date) -> Option<ObjectId> {
        let end =
            date.tomorrow().ok()?.to_zoned_datetime(TimeZone::UTC).ok()?.timestamp().as_second();
        self.commits.iter().find(|(time, _)| *time < end).map(|(_, id)| id.clone())
    }

    /// The commit with this id, in full or cut short to no fewer than four digits.
    fn commit_named(&self, id: &str) -> Option<ObjectId> {
        let id = id.to_ascii_lowercase();
        if id.len() < 4 || !id.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        let name = format!("{id}^{{commit}}");
        let arguments = ["rev-parse", "--quiet", "--verify", &name].map(OsStr::new);
        let printed = String::from_utf8(self.git.ask(&arguments).ok()?).ok()?;
        // A branch may be called like the beginning of a hash.
        Some(printed.trim_end().to_owned()).filter(|found| found.starts_with(&id))
    }

    fn changed_since(&self, then: &str, file: &Path) -> Result<bool, GitError> {
        let Ok(path) = file.strip_prefix(&self.work_tree) else { return Ok(false) };
        Ok(self.blob(then, path)? != self.blob(&self.head, path)?)
    }

    /// The blob of the file at `path` in a commit; `None` where it has none.
    fn blob(&self, commit: &str, path: &Path) -> Result<Option<ObjectId>, GitError> {
        let path = slashed(path);
        let arguments = ["ls-tree", "-z", "--full-tree", commit, "--", &path].map(OsStr::new);
        let printed = self.git.ask(&arguments)?;
        let row = printed.split(|byte| *byte == b'\t').next().unwrap_or_default();
        // Mode, type and hash; the path follows.
        Ok(String::from_utf8_lossy(row).split(' ').nth(2).map(str::to_owned))
    }
}

/// The first parents from `head` on, as far as the history is here: that of a shallow clone ends.
fn straight_line(git: &Git, head: &str) -> Vec<(i64, ObjectId)> {
    let arguments = ["rev-list", "--first-parent", "--timestamp", head, "--"].map(OsStr::new);
    let printed = git.ask(&arguments).unwrap_or_default();
    let commit = |line: &str| {
        let (time, id) = line.split_once(' ')?;
        Some((time.parse().ok()?, id.to_owned()))
    };
    String::from_utf8_lossy(&printed).lines().filter_map(commit).collect()
}

#[cfg(unix)]
fn path_of(bytes: &[u8]) -> PathBuf {
    let name: &OsStr = std::os::unix::ffi::OsStrExt::from_bytes(bytes);
    name.into()
}

#[cfg(not(unix))]
fn path_of(bytes: &[u8]) -> PathBuf {
    String::from_utf8_lossy(bytes).into_owned().into()
}
