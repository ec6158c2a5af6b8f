//! What can be wrong with the notes and entries beside the pages.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::date::days_before;
use crate::entry::Entry;
use crate::finding::{LintFinding, Problem};
use crate::folder::Folder;
use crate::front_matter::{EntryType, FrontMatter};
use crate::lint::{Lint, credentials};
use crate::shape::Shape;
use crate::target::follow;

pub(super) fn findings(folder: &Folder, lint: &Lint<'_>) -> Vec<LintFinding> {
    let pointed_at = pointed_at(folder);
    let mut findings = Vec::new();
    for entry in &folder.entries {
        let at = |(line, problem)| LintFinding::at(&folder.namespace, &entry.path, line, problem);
        findings.extend(problems(folder, entry, lint).into_iter().map(at));
        let real = entry.path.canonicalize();
        if !real.is_ok_and(|real| pointed_at.contains(&real)) {
            findings.push(at((1, Problem::Orphan)));
        }
    }
    findings
}

/// The files that the lines of the pages link to.
fn pointed_at(folder: &Folder) -> BTreeSet<PathBuf> {
    let statements = folder.pages.iter().flat_map(|file| file.page.statements());
    statements
        .flat_map(|statement| &statement.links)
        .filter_map(|link| follow(folder, &link.target).file().map(Path::to_owned))
        .collect()
}

fn problems(folder: &Folder, entry: &Entry, lint: &Lint<'_>) -> Vec<(usize, Problem)> {
    let mut problems = front_matter_problems(folder, entry, lint);
    if std::str::from_utf8(&entry.bytes).is_err() {
        problems.push((1, Problem::NotUtf8));
    }
    problems.extend(credentials(&entry.bytes));
    let beside = entry.path.parent().unwrap_or(&folder.path);
    problems.extend(entry.quotes.iter().filter_map(|quote| {
        let quoted = folder.project.missing_quote(&quote.text, beside)?.to_owned();
        Some((quote.line, Problem::MissingPath { quoted }))
    }));
    problems
}

/// The entries of `MEMORY.md` must have front matter; the notes of `INDEX.md` may.
fn front_matter_problems(folder: &Folder, entry: &Entry, lint: &Lint<'_>) -> Vec<(usize, Problem)> {
    let required = folder.page(Shape::Memory).is_some();
    match &entry.front_matter {
        Err(error) => vec![(error.line(), Problem::FrontMatter { error: error.clone() })],
        Ok(None) if required => vec![(1, Problem::NoFrontMatter)],
        Ok(None) => Vec::new(),
        Ok(Some(fields)) => field_problems(fields, required, lint),
    }
}

fn field_problems(fields: &FrontMatter, required: bool, lint: &Lint<'_>) -> Vec<(usize, Problem)> {
    let mut problems = Vec::new();
    if let Err(error) = fields.complete()
        && required
    {
        problems.push((1, Problem::FrontMatter { error }));
    }
    problems.extend(age_problem(fields, lint).map(|problem| (1, problem)));
    problems
}

fn age_problem(fields: &FrontMatter, lint: &Lint<'_>) -> Option<Problem> {
    let days = lint.limits.project_days;
    match fields.date {
        Some(date) if date > lint.today => Some(Problem::FutureDate { date }),
        Some(date) if fields.kind == Some(EntryType::Project) => {
            (date < days_before(lint.today, days)).then_some(Problem::OldProject { date, days })
        }
        None if fields.kind == Some(EntryType::Project) => Some(Problem::Undated),
        _ => None,
    }
}
