//! A record (a JSON object, a row of a table, a front matter) as a document.

use std::collections::BTreeMap;
use std::mem;

use crate::date::{self, Date};
use crate::document::{Document, Kind};
use crate::fields::{Field, Role, Roles};
use crate::leaves::Leaf;
use crate::whole;

/// Other fields up to this many bytes, on one line, are metadata; longer ones belong to the text.
const MAX_METADATA_BYTES: usize = 200;

/// What is in this object of a record is always kept as metadata, whatever else it is used for.
const METADATA: &str = "metadata.";

/// The fields of a record, sorted by what they hold.
#[derive(Debug, Default)]
pub(crate) struct Record {
    pub(crate) id: Option<String>,
    pub(crate) title: Option<String>,
    pub(crate) text: Option<String>,
    pub(crate) date: Option<Date>,
    pub(crate) updated: Option<Date>,
    pub(crate) authors: Vec<String>,
    pub(crate) tags: Vec<String>,
    pub(crate) url: Option<String>,
    pub(crate) kind: Option<Kind>,
    pub(crate) whole: bool,
    pub(crate) metadata: BTreeMap<String, String>,
    /// `name: value` lines of strings that are neither of the above.
    pub(crate) rest: Vec<String>,
}

impl Record {
    /// Sorts `leaves` by the `roles` of their paths.
    pub(crate) fn new(mut leaves: Vec<Leaf>, roles: &mut Roles) -> Self {
        leaves.retain(|leaf| !leaf.value.trim().is_empty());
        let found: Vec<Option<Role>> = leaves.iter().map(|leaf| role(leaf, roles)).collect();
        let mut best = [usize::MAX; Field::COUNT];
        for Role { field, rank } in found.iter().flatten() {
            best[*field as usize] = best[*field as usize].min(*rank);
        }
        let mut values: [Vec<String>; Field::COUNT] = Default::default();
        let mut record = Self::default();
        for (leaf, role) in leaves.into_iter().zip(found) {
            match role.filter(|role| best[role.field as usize] == role.rank) {
                None => record.keep(&leaf),
                Some(role) => {
                    if leaf.path.starts_with(METADATA) {
                        record.keep(&leaf);
                    }
                    values[role.field as usize].push(leaf.value);
                }
            }
        }
        record.fill(values);
        record
    }

    /// Keeps a field that is not one of the known ones.
    fn keep(&mut self, leaf: &Leaf) {
        let is_short = leaf.value.len() <= MAX_METADATA_BYTES && !leaf.value.contains('\n');
        if leaf.in_list || !is_short {
            let is_said = !leaf.in_list || date::parse(&leaf.value).is_none();
            if leaf.is_string && is_said {
                self.rest.push(format!("{}: {}", leaf.path, leaf.value));
            }
            return;
        }
        let name = leaf.path.strip_prefix(METADATA).unwrap_or(&leaf.path);
        let kept = self.metadata.entry(name.to_owned()).or_default();
        if !kept.is_empty() {
            kept.push_str(", ");
        }
        kept.push_str(&leaf.value);
    }

    /// `values` by field.
    fn fill(&mut self, mut values: [Vec<String>; Field::COUNT]) {
        let mut all = |field: Field| mem::take(&mut values[field as usize]);
        self.authors = distinct(all(Field::Author));
        self.tags = distinct(split_tags(all(Field::Tags)));
        let mut one = |field| joined(all(field));
        self.id = one(Field::Id).map(|id| id.trim().to_owned());
        self.title = one(Field::Title).map(|title| title.trim().to_owned());
        self.text = one(Field::Text);
        self.url = one(Field::Url);
        self.whole = one(Field::Whole).is_some_and(|whole| whole::is_yes(&whole));
        let (date, time) = (one(Field::Date), one(Field::Time));
        self.date = self.when("date", date, time);
        let updated = one(Field::Updated);
        self.updated = self.when("updated", updated, None);
        if let Some(kind) = one(Field::Kind) {
            self.kind = kind_named(&kind);
            self.metadata.insert("type".to_owned(), kind);
        }
    }

    /// A date that cannot be read is kept as it is in the metadata.
    fn when(&mut self, name: &str, date: Option<String>, time: Option<String>) -> Option<Date> {
        let date = date?;
        let at_a_time = time.and_then(|time| date::parse(&format!("{date} {time}")));
        let parsed = at_a_time.or_else(|| date::parse(&date));
        if parsed.is_none() {
            self.metadata.insert(name.to_owned(), date);
        }
        parsed
    }

    /// The record as a document of the file `path`; `place` is its id if it has none.
    /// `None` if there is nothing to search.
    pub(crate) fn into_document(self, path: &str, place: &str) -> Option<Document> {
        let mut lines: Vec<String> = self.text.into_iter().collect();
        let has_text = !lines.is_empty();
        lines.extend(self.rest);
        if !has_text {
            lines
                .splice(0..0, self.metadata.iter().map(|(name, value)| format!("{name}: {value}")));
        }
        let text = lines.join(if has_text { "\n\n" } else { "\n" });
        let title = self.title.unwrap_or_default();
        if text.trim().is_empty() && title.is_empty() {
            return None;
        }
        let kind = self.kind.unwrap_or(Kind::Ticket);
        Some(Document {
            title,
            authors: self.authors,
            date: self.date,
            updated: self.updated,
            tags: self.tags,
            url: self.url,
            whole: whole::says_so(self.whole, self.kind),
            metadata: self.metadata,
            ..Document::new(path, self.id.as_deref().unwrap_or(place), kind, text)
        })
    }
}

/// Values of one field as one; `None` without any.
fn joined(mut values: Vec<String>) -> Option<String> {
    if values.len() > 1 { Some(values.join("\n")) } else { values.pop() }
}

/// What `leaf` is for. Objects in a list are not the record itself: only labels are taken from them.
fn role(leaf: &Leaf, roles: &mut Roles) -> Option<Role> {
    roles.of(&leaf.path).filter(|role| !leaf.in_list || role.field == Field::Tags)
}

/// The kind that a `type` names; the types of memory entries are kinds of memory.
pub(crate) fn kind_named(name: &str) -> Option<Kind> {
    let name = name.trim().to_lowercase();
    match name.as_str() {
        "user" | "feedback" | "project" | "reference" => Some(Kind::Memory),
        _ => name.parse().ok(),
    }
}

/// One value may hold several labels: `a, b; c`.
fn split_tags(values: Vec<String>) -> Vec<String> {
    match values.as_slice() {
        [one] => one.split([',', ';']).map(str::to_owned).collect(),
        _ => values,
    }
}

fn distinct(values: Vec<String>) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for value in values {
        let value = value.trim();
        if !value.is_empty() && !kept.iter().any(|seen| seen == value) {
            kept.push(value.to_owned());
        }
    }
    kept
}
