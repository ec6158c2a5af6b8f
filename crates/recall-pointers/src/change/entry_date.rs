//! The date in the front matter of an entry.

use jiff::civil::Date;

use crate::edit::{Action, Change, Edit};
use crate::entry::Entry;
use crate::folder::Folder;
use crate::front_matter;
use crate::lines::{Lines, content};
use crate::refusal::Refusal;
use crate::selector::Selected;
use crate::target::{Target, follow};

/// Dates the entry file behind `line`.
pub(super) fn touch_entry(line: &Selected<'_>, today: Date) -> Result<Edit, Refusal> {
    let link = line.statement.links.first();
    let target = link.map(|link| follow(line.folder, &link.target));
    let real = target.as_ref().and_then(Target::file);
    let entries = &line.folder.entries;
    let entry = entries.iter().find(|entry| entry.path.canonicalize().ok().as_deref() == real);
    match entry {
        Some(entry) => dating(line.folder, entry, today),
        None => Err(Refusal::OutsideFolder { path: line.file.path.clone() }),
    }
}

/// Sets the date in the front matter of an entry: that of `updated`, `checked` or `date`, or else
/// a new field `updated`.
fn dating(folder: &Folder, entry: &Entry, today: Date) -> Result<Edit, Refusal> {
    let Some(end) = front_matter::end_line(&entry.text()).filter(|_| entry.fields().is_some())
    else {
        return Err(Refusal::NoFrontMatter { path: entry.path.clone() });
    };
    let lines = Lines::parse(&entry.bytes);
    let text = |line: usize| String::from_utf8_lossy(content(&lines.all()[line - 1])).into_owned();
    let field = ["updated", "checked", "date"]
        .iter()
        .find_map(|field| Some((field, (2..end).find(|line| is_field(&text(*line), field))?)));
    let (action, line, old, new) = match field {
        Some((field, line)) => (Action::Touch, line, Some(text(line)), format!("{field}: {today}")),
        None => (Action::Touch, end, None, format!("updated: {today}")),
    };
    if old.as_deref() == Some(new.as_str()) {
        return Err(Refusal::Unchanged { path: entry.path.clone() });
    }
    let after = match old {
        Some(_) => lines.replacing(line, new.as_bytes()),
        None => lines.inserting(line - 1, &new),
    };
    let change = Change { action, line, old, new: Some(new) };
    Edit::of(folder, &entry.path, change, entry.bytes.clone(), after)
}

fn is_field(line: &str, field: &str) -> bool {
    line.strip_prefix(field).is_some_and(|rest| rest.trim_start().starts_with(':'))
}
