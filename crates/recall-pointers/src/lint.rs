//! The linter.

mod entries;
mod pairs;
mod statements;

use std::fmt;
use std::path::Path;

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::budget::{Cap, Standing, standing};
use crate::finding::{LintFinding, Problem};
use crate::folder::{Folder, PageFile};
use crate::history::{self, HistoryNote};
use crate::memory::Memory;

/// The limits that the linter holds lines and pages to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// The most characters a statement may have.
    pub line_characters: usize,
    /// The days after which an entry of type `project` must be looked at again.
    pub project_days: u32,
    /// What the reader of the index takes in.
    pub cap: Cap,
}

impl Default for Limits {
    /// 240 characters, 90 days, 200 lines and 25 KB.
    fn default() -> Self {
        Self { line_characters: 240, project_days: 90, cap: Cap::default() }
    }
}

/// What the linter needs to know.
pub struct Lint<'a> {
    /// The day of the check.
    pub today: Date,
    /// The limits.
    pub limits: Limits,
    /// Whether the search index keeps the file at this path, with this content, whole. See
    /// [`recall_sources::is_kept_whole`].
    pub keeps_whole: &'a dyn Fn(&Path, &[u8]) -> bool,
    /// Also look for files that changed since an entry was written.
    pub git: bool,
}

/// What the linter found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Report {
    /// The pages that were read.
    pub pages: usize,
    /// The statements that were read.
    pub statements: usize,
    /// The notes and entries that were read.
    pub entries: usize,
    /// The findings, by folder, file and line. None: the memory is clean.
    pub findings: Vec<LintFinding>,
    /// What the history of the repository could not tell.
    pub notes: Vec<HistoryNote>,
}

/// Checks every page and entry.
pub fn check(memory: &Memory, lint: &Lint<'_>) -> Report {
    let mut findings = Vec::new();
    let mut notes = Vec::new();
    for folder in memory.folders() {
        let mut found = check_folder(memory, folder, lint);
        if lint.git {
            let history = history::suspects(folder);
            found.extend(history.findings);
            notes.extend(history.notes);
        }
        found.sort_by(|a, b| (&a.path, a.line).cmp(&(&b.path, b.line)));
        findings.append(&mut found);
    }
    Report {
        pages: memory.pages().count(),
        statements: memory.statements().count(),
        entries: memory.folders().iter().map(|folder| folder.entries.len()).sum(),
        findings,
        notes,
    }
}

fn check_folder(memory: &Memory, folder: &Folder, lint: &Lint<'_>) -> Vec<LintFinding> {
    let mut findings = Vec::new();
    for file in &folder.pages {
        let at = |line, problem| LintFinding::at(&folder.namespace, &file.path, line, problem);
        findings.extend(page_problems(file, lint).into_iter().map(|(line, found)| at(line, found)));
        for statement in file.page.statements() {
            let found = statements::problems(memory, folder, statement, lint);
            findings.extend(found.into_iter().map(|problem| at(statement.line, problem)));
        }
        let pairs = pairs::problems(folder, file.page.statements());
        findings.extend(pairs.into_iter().map(|(line, problem)| at(line, problem)));
    }
    findings.extend(entries::findings(folder, lint));
    findings.extend(folder.unreadable.iter().map(|unreadable| {
        let problem = Problem::Unreadable { reason: unreadable.reason.clone() };
        LintFinding::at(&folder.namespace, &unreadable.path, 1, problem)
    }));
    findings
}

/// What is wrong with a page as a whole, and with lines that are no statements.
fn page_problems(file: &PageFile, lint: &Lint<'_>) -> Vec<(usize, Problem)> {
    let mut problems = Vec::new();
    if let Some(line) = file.page.first_line_not_utf8() {
        problems.push((line, Problem::NotUtf8));
    }
    if let Standing::Cut { line } = standing(&file.page, lint.limits.cap) {
        let (lines, bytes) = (file.page.lines().len(), file.page.write().len());
        problems.push((line, Problem::OverBudget { lines, bytes }));
    }
    problems.extend(credentials(&file.page.write()));
    problems
}

/// The lines of `bytes` that hold something like a credential.
fn credentials(bytes: &[u8]) -> Vec<(usize, Problem)> {
    let text = String::from_utf8_lossy(bytes);
    let numbered = text.lines().enumerate();
    numbered
        .filter_map(|(at, line)| {
            let credential = crate::credential::credential_in(line)?;
            Some((at + 1, Problem::Credential { credential }))
        })
        .collect()
}

impl Report {
    /// Every finding with what `hint` says to do about it, the notes, and a line of counts.
    pub fn with_hints(&self, hint: impl Fn(&Problem) -> &'static str) -> String {
        let findings = self.findings.iter().map(|found| found.with_hint(hint(&found.problem)));
        let notes = self.notes.iter().map(|note| format!("note: {note}"));
        let Self { pages, statements, entries, .. } = self;
        let count = self.findings.len();
        let counts = format!(
            "{count} findings in {statements} statements on {pages} pages, {entries} notes"
        );
        findings.chain(notes).chain([counts]).collect::<Vec<_>>().join("\n")
    }
}

impl fmt::Display for Report {
    /// Every finding with its [hint](Problem::hint), the notes, and a line of counts.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.with_hints(Problem::hint))
    }
}
