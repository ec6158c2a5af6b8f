//! Which quoted files changed since an entry was written, by the hashes of their blobs.
//!
//! Commits are compared, not the work tree: what is not committed yet does not count, and the
//! answer is the same on every machine.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use gix::ObjectId;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde::Serialize;

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
        /// What the git library said.
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
        let changed = repository.changed_since(then, file).map_err(|e| unreadable(file, &e))?;
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

fn unreadable(path: &Path, error: &gix::Error) -> HistoryNote {
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

/// A git repository and the straight line of its commits.
struct Repository {
    git: gix::Repository,
    work_tree: PathBuf,
    head: ObjectId,
    /// The first parents of HEAD, newest first, with their times in seconds since 1970.
    commits: Vec<(i64, ObjectId)>,
}

impl Repository {
    /// The repository around `folder`; `None` where there is none, or no commit in it yet.
    fn around(folder: &Path) -> Option<Self> {
        let git = gix::discover(folder).ok()?;
        let work_tree = git.workdir()?.canonicalize().ok()?;
        let head = git.head_id().ok()?.detach();
        let commits = straight_line(&git, head);
        Some(Self { work_tree, head, commits, git })
    }

    /// The newest commit made by the end of `date`.
    fn commit_at(&self, date: Date) -> Option<ObjectId> {
        let end =
            date.tomorrow().ok()?.to_zoned_datetime(TimeZone::UTC).ok()?.timestamp().as_second();
        self.commits.iter().find(|(time, _)| *time < end).map(|(_, id)| *id)
    }

    /// The commit with this id, in full or cut short.
    fn commit_named(&self, id: &str) -> Option<ObjectId> {
        let prefix = gix::hash::Prefix::from_hex(id).ok()?;
        let found = self.git.objects.lookup_prefix(prefix, None).ok()??.ok()?;
        self.git.find_commit(found).ok().map(|commit| commit.id)
    }

    fn changed_since(&self, then: ObjectId, file: &Path) -> Result<bool, gix::Error> {
        let Ok(path) = file.strip_prefix(&self.work_tree) else { return Ok(false) };
        Ok(self.blob(then, path)? != self.blob(self.head, path)?)
    }

    fn blob(&self, commit: ObjectId, path: &Path) -> Result<Option<ObjectId>, gix::Error> {
        let tree = self.git.find_commit(commit)?.tree()?;
        let entry = tree.lookup_entry_by_path(slashed(path))?;
        Ok(entry.map(|entry| entry.object_id()))
    }
}

/// The walk ends where a shallow clone does.
fn straight_line(git: &gix::Repository, head: ObjectId) -> Vec<(i64, ObjectId)> {
    let mut commits = Vec::new();
    let mut next = Some(head);
    while let Some(id) = next {
        let Ok(commit) = git.find_commit(id) else { break };
        let Ok(time) = commit.time() else { break };
        commits.push((time.seconds, id));
        next = commit.parent_ids().next().map(gix::Id::detach);
    }
    commits
}
