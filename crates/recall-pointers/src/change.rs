//! The four edits: add, replace, remove, touch.

mod entry_date;
mod place;
mod readback;

use jiff::civil::Date;

use self::entry_date::touch_entry;
use self::place::{marker_for, page_for, section_end};
use crate::draft::Draft;
use crate::edit::{Action, Change, Edit};
use crate::folder::{Folder, PageFile};
use crate::lint::Limits;
use crate::markdown::marker_of;
use crate::memory::Memory;
use crate::page::Page;
use crate::policy;
use crate::refusal::Refusal;
use crate::section::{HeadingWords, LineKind};
use crate::selector::{Selected, select};
use crate::statement::Statement;
use crate::subject::Subject;
use crate::target::{Target, follow};

/// What drafts are held against.
#[derive(Debug, Clone)]
pub struct Rules {
    /// The day of the edit.
    pub today: Date,
    /// The limits of lines and pages.
    pub limits: Limits,
    /// The heading words that the memory was opened with.
    pub words: HeadingWords,
}

/// Adds a line of `kind` to the memory of `namespace` (needed when several are open). A line that
/// points at the same thing or is on the same subject is replaced instead: see [`Edit::action`]
/// and [`Edit::old`].
///
/// # Errors
///
/// [`Refusal`] when the draft is against the policy, or there is no place for it.
pub fn add(
    memory: &Memory,
    namespace: Option<&str>,
    kind: LineKind,
    draft: &Draft,
    rules: &Rules,
) -> Result<Edit, Refusal> {
    let folder = the_folder(memory, namespace)?;
    check_draft(memory, folder, draft, kind, rules)?;
    let file = page_for(folder, kind)?;
    let line = draft.line(kind);
    match on_same_subject(folder, file, &line, kind, rules)? {
        Some(old) => replacing(Selected { folder, file, statement: old }, &line, rules),
        None => adding(folder, file, kind, &line, rules),
    }
}

/// Puts `draft` in the place of the line that `name` means.
///
/// # Errors
///
/// [`Refusal`] when the draft is against the policy, or `name` does not mean one line.
pub fn replace(memory: &Memory, name: &str, draft: &Draft, rules: &Rules) -> Result<Edit, Refusal> {
    let old = select(memory, name)?;
    let kind = old.statement.kind;
    check_draft(memory, old.folder, draft, kind, rules)?;
    let line = draft.line(kind);
    match on_same_subject(old.folder, old.file, &line, kind, rules)? {
        Some(other) if other.line != old.statement.line => {
            let places = vec![old.place(), Selected { statement: other, ..old }.place()];
            Err(Refusal::SeveralOnSubject { places })
        }
        _ => replacing(old, &line, rules),
    }
}

/// Removes the line that `name` means. The file behind it stays; `check` then names it.
///
/// # Errors
///
/// [`Refusal`] when `name` does not mean one line.
pub fn remove(memory: &Memory, name: &str) -> Result<Edit, Refusal> {
    let old = select(memory, name)?;
    check_editable(&old)?;
    let after = old.file.page.editable().removing(old.statement.line);
    let change = change_of(&old, Action::Remove, None);
    Edit::of(old.folder, &old.file.path, change, old.file.page.write(), after)
}

/// Dates the line that `name` means `today`: it was checked and still holds. For the line of an
/// entry, the date in the front matter of its file is set.
///
/// # Errors
///
/// [`Refusal`] when `name` does not mean one line, or the date is there already.
pub fn touch(memory: &Memory, name: &str, today: Date) -> Result<Edit, Refusal> {
    let old = select(memory, name)?;
    if old.statement.kind == LineKind::Entry {
        return touch_entry(&old, today);
    }
    check_editable(&old)?;
    let text = old.statement.stamped(today);
    if text == old.statement.text.trim_end() {
        return Err(Refusal::Unchanged { path: old.file.path.clone() });
    }
    let after = with_text(&old, &text);
    let change = change_of(&old, Action::Touch, Some(text));
    Edit::of(old.folder, &old.file.path, change, old.file.page.write(), after)
}

fn the_folder<'a>(memory: &'a Memory, namespace: Option<&str>) -> Result<&'a Folder, Refusal> {
    let folders = memory.folders();
    match (namespace, folders) {
        (None, [only]) => Ok(only),
        (None, _) => {
            let namespaces = folders.iter().map(|folder| folder.namespace.clone()).collect();
            Err(Refusal::WhichNamespace { namespaces })
        }
        (Some(namespace), _) => folders
            .iter()
            .find(|folder| folder.namespace == namespace)
            .ok_or_else(|| Refusal::UnknownNamespace { namespace: namespace.to_owned() }),
    }
}

fn check_draft(
    memory: &Memory,
    folder: &Folder,
    draft: &Draft,
    kind: LineKind,
    rules: &Rules,
) -> Result<(), Refusal> {
    policy::check(draft, kind, rules.today, rules.limits)?;
    let Some(link) = draft.link.clone() else { return Ok(()) };
    match follow(folder, &link) {
        Target::Elsewhere(_) => Ok(()),
        Target::Missing(_) => Err(Refusal::LinkMissing { link }),
        Target::Outside(_) => Err(Refusal::LinkOutside { link }),
        Target::File(real) => match memory.owner(&real) {
            Some(owner) if owner.namespace != folder.namespace => {
                Err(Refusal::LinkOutside { link })
            }
            _ => Ok(()),
        },
    }
}

/// The one line of the page that the new line would say again.
fn on_same_subject<'a>(
    folder: &Folder,
    file: &'a PageFile,
    line: &str,
    kind: LineKind,
    rules: &Rules,
) -> Result<Option<&'a Statement>, Refusal> {
    let Some(new) = reread(line, file, kind, &rules.words) else { return Ok(None) };
    let old = file.page.statements().iter().filter(|old| says_again(folder, old, &new, kind));
    match old.collect::<Vec<_>>()[..] {
        [] => Ok(None),
        [only] => Ok(Some(only)),
        ref several => {
            let place = |statement| Selected { folder, file, statement }.place();
            Err(Refusal::SeveralOnSubject {
                places: several.iter().map(|old| place(old)).collect(),
            })
        }
    }
}

fn says_again(folder: &Folder, old: &Statement, new: &Statement, kind: LineKind) -> bool {
    let first = |statement: &Statement| statement.links.first().map(|l| follow(folder, &l.target));
    let same_target = first(old).is_some() && first(old) == first(new);
    if kind.is_statement() {
        // Several statements may rest on one note, and are told apart by their subject.
        return old.kind.is_statement()
            && !old.opens_with_link()
            && (Subject::of(old).same_as(&Subject::of(new))
                || same_target && kind != LineKind::Decision);
    }
    same_target
}

/// The line as it reads as the only list item of a page.
fn reread(line: &str, file: &PageFile, kind: LineKind, words: &HeadingWords) -> Option<Statement> {
    let page = Page::parse(format!("- {line}\n").as_bytes(), file.page.shape(), words);
    let mut statement = page.statements().first()?.clone();
    statement.kind = kind;
    Some(statement)
}

fn adding(
    folder: &Folder,
    file: &PageFile,
    kind: LineKind,
    text: &str,
    rules: &Rules,
) -> Result<Edit, Refusal> {
    check_utf8(file)?;
    let end = section_end(&file.page, kind).ok_or(Refusal::NoSection { kind })?;
    let marker = marker_for(&file.page, kind);
    let after = file.page.editable().inserting(end, &format!("{marker}{text}"));
    let (line, new) = (end + 1, Some(text.to_owned()));
    let change = Change { action: Action::Add, line, old: None, new };
    readback::check(file, &after, &change, rules)?;
    Edit::of(folder, &file.path, change, file.page.write(), after)
}

fn replacing(old: Selected<'_>, text: &str, rules: &Rules) -> Result<Edit, Refusal> {
    check_editable(&old)?;
    if old.statement.text.trim_end() == text {
        return Err(Refusal::Unchanged { path: old.file.path.clone() });
    }
    let after = with_text(&old, text);
    let change = change_of(&old, Action::Replace, Some(text.to_owned()));
    readback::check(old.file, &after, &change, rules)?;
    Edit::of(old.folder, &old.file.path, change, old.file.page.write(), after)
}

/// The page with other words behind the marker of the line.
fn with_text(old: &Selected<'_>, text: &str) -> Vec<u8> {
    let (page, line) = (&old.file.page, old.statement.line);
    let marker = marker_of(&page.lines()[line - 1]);
    page.editable().replacing(line, &[marker, text.as_bytes()].concat())
}

fn change_of(old: &Selected<'_>, action: Action, new: Option<String>) -> Change {
    let (line, old) = (old.statement.line, Some(old.statement.text.clone()));
    Change { action, line, old, new }
}

fn check_editable(line: &Selected<'_>) -> Result<(), Refusal> {
    check_utf8(line.file)?;
    let Statement { line: first, last_line, .. } = *line.statement;
    if last_line > first {
        let path = line.file.path.clone();
        return Err(Refusal::RunsOn { path, line: first, last_line });
    }
    Ok(())
}

fn check_utf8(file: &PageFile) -> Result<(), Refusal> {
    match file.page.first_line_not_utf8() {
        Some(_) => Err(Refusal::NotUtf8 { path: file.path.clone() }),
        None => Ok(()),
    }
}
