//! What can be wrong with a statement by itself.

use unicode_normalization::UnicodeNormalization;

use crate::finding::Problem;
use crate::folder::Folder;
use crate::lint::Lint;
use crate::memory::Memory;
use crate::section::LineKind;
use crate::statement::{Link, Statement};
use crate::target::{Target, follow};
use crate::wording::{gives_reason, is_session_report, is_vague};

pub(super) fn problems(
    memory: &Memory,
    folder: &Folder,
    statement: &Statement,
    lint: &Lint<'_>,
) -> Vec<Problem> {
    let mut problems = shape_problems(statement, lint);
    problems.extend(wording_problems(statement));
    problems.extend(content_problems(statement, lint));
    for link in &statement.links {
        problems.extend(link_problem(memory, folder, link));
    }
    if statement.kind == LineKind::Procedure {
        problems.extend(runbook_problem(folder, statement, lint));
    }
    problems.extend(quote_problems(folder, statement));
    problems
}

fn shape_problems(statement: &Statement, lint: &Lint<'_>) -> Vec<Problem> {
    let mut problems = Vec::new();
    if statement.last_line > statement.line {
        problems.push(Problem::NotOneLine { last_line: statement.last_line });
    }
    let (characters, most) = (statement.text.nfc().count(), lint.limits.line_characters);
    if characters > most {
        problems.push(Problem::TooLong { characters, most });
    }
    problems
}

fn wording_problems(statement: &Statement) -> Option<Problem> {
    let said = said(statement);
    if is_session_report(&said) {
        return Some(Problem::SessionReport);
    }
    is_vague(&said).then_some(Problem::Vague)
}

/// The words of a statement; those of an entry's line are what stands after the link to it.
fn said(statement: &Statement) -> String {
    let named_by_file = |link: &&Link| link.text == link.target;
    match statement.links.first().filter(named_by_file) {
        Some(link) => statement
            .plain
            .replacen(&link.text, "", 1)
            .trim_matches([' ', '—', '–', '-'])
            .to_owned(),
        None => statement.plain.clone(),
    }
}

/// What the kind of a statement asks of it.
fn content_problems(statement: &Statement, lint: &Lint<'_>) -> Vec<Problem> {
    let mut problems = Vec::new();
    if statement.kind == LineKind::Decision {
        if statement.dates().is_empty() {
            problems.push(Problem::Undated);
        }
        if statement.links.is_empty() && !gives_reason(&statement.plain) {
            problems.push(Problem::NoReason);
        }
    }
    if let Some(date) = statement.newest_date().filter(|date| *date > lint.today) {
        problems.push(Problem::FutureDate { date });
    }
    problems
}

fn link_problem(memory: &Memory, folder: &Folder, link: &Link) -> Option<Problem> {
    let target = link.target.clone();
    match follow(folder, &link.target) {
        Target::Elsewhere(_) => None,
        Target::Missing(_) => Some(Problem::MissingTarget { target }),
        Target::File(real) | Target::Outside(real) => {
            let owner = memory.owner(&real);
            match owner.filter(|owner| owner.namespace != folder.namespace) {
                Some(owner) => {
                    Some(Problem::LeavesNamespace { target, owner: owner.namespace.clone() })
                }
                None if follow(folder, &link.target).file().is_none() => {
                    Some(Problem::LeavesProject { target })
                }
                None => None,
            }
        }
    }
}

fn runbook_problem(folder: &Folder, statement: &Statement, lint: &Lint<'_>) -> Option<Problem> {
    let Some(link) = statement.links.first() else { return Some(Problem::NoRunbook) };
    let target = follow(folder, &link.target);
    let path = target.file()?;
    let kept = std::fs::read(path).is_ok_and(|content| (lint.keeps_whole)(path, &content));
    (!kept).then(|| Problem::NotWhole { target: link.target.clone() })
}

fn quote_problems(folder: &Folder, statement: &Statement) -> Vec<Problem> {
    let linked = |quote: &str| statement.links.iter().any(|link| link.target == quote);
    let quotes = statement.quotes.iter().filter(|quote| !linked(quote));
    quotes
        .filter_map(|quote| folder.project.missing_quote(quote, &folder.path))
        .map(|quoted| Problem::MissingPath { quoted: quoted.to_owned() })
        .collect()
}
