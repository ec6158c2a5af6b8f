//! Which field of a record holds its title, its text, its date: by the usual names or by a map.

use std::collections::HashMap;
use std::str::FromStr;

/// What a field of a record can hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Field {
    /// The id people use for the record.
    Id,
    /// A heading, subject or summary.
    Title,
    /// The text.
    Text,
    /// When it was written.
    Date,
    /// The time of day, where the date is only a day.
    Time,
    /// When it last changed.
    Updated,
    /// Who wrote it.
    Author,
    /// Labels.
    Tags,
    /// A link to it.
    Url,
    /// What it is: a [`Kind`](crate::Kind).
    Kind,
    /// It is never cut into pieces.
    Whole,
}

impl Field {
    /// How many there are.
    pub(crate) const COUNT: usize = FIELDS.len();
}

/// Each field, the name it is mapped by, and the usual names of columns that hold it, best first.
/// Names are compared without case and without anything but letters and digits.
const FIELDS: [(Field, &str, &[&str]); 11] = [
    (
        Field::Id,
        "id",
        &["id", "_id", "key", "issuekey", "number", "uuid", "uid", "docid", "issueid", "ticketid"],
    ),
    (Field::Title, "title", &["title", "summary", "subject", "headline", "name"]),
    (
        Field::Text,
        "text",
        &["text", "body", "description", "content", "message", "selftext", "comment", "note"],
    ),
    (
        Field::Date,
        "date",
        &[
            "date",
            "created",
            "createdat",
            "createdate",
            "createdon",
            "createdtime",
            "timestamp",
            "ts",
            "datetime",
            "published",
            "publishedat",
            "publishdate",
            "sent",
            "sentat",
            "opened",
            "openedat",
            "createtime",
            "creationdate",
            "createdatutc",
        ],
    ),
    (Field::Time, "time", &["time"]),
    (
        Field::Updated,
        "updated",
        &[
            "updated",
            "updatedat",
            "updatedon",
            "updatetime",
            "modified",
            "modifiedat",
            "lastmodified",
            "lastupdated",
            "lastmod",
            "edited",
            "editedat",
            "updatedatutc",
        ],
    ),
    (
        Field::Author,
        "author",
        &[
            "author",
            "authors",
            "user",
            "username",
            "from",
            "reporter",
            "sender",
            "nick",
            "nickname",
            "speaker",
            "creator",
            "createdby",
            "requester",
            "owner",
            "assignee",
        ],
    ),
    (
        Field::Tags,
        "tags",
        &["tags", "tag", "labels", "label", "keywords", "categories", "category"],
    ),
    (Field::Url, "url", &["url", "htmlurl", "link", "permalink", "weburl", "uri", "href"]),
    (Field::Kind, "kind", &["kind", "type", "doctype"]),
    (Field::Whole, "whole", &["whole"]),
];

/// Names that hold a value inside an object: `author.login`, `labels.name`.
const INNER: [&str; 7] = ["name", "login", "displayname", "username", "realname", "email", "value"];

/// Objects whose fields count as the record's own.
const WRAPPERS: [&str; 5] = ["metadata", "fields", "source", "attributes", "data"];

/// Which columns hold which fields, as the user says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FieldMap(Vec<(Field, String)>);

/// A field map that is not `field=column`.
#[derive(Debug, Clone, thiserror::Error, PartialEq, Eq)]
pub enum BadFieldMap {
    /// There is no `=`, or nothing on one side of it.
    #[error("`{0}` is not FIELD=COLUMN")]
    Shape(String),
    /// There is no such field.
    #[error(
        "unknown field `{0}`; known are id, title, text, date, time, updated, author, tags, url, kind, whole"
    )]
    Field(String),
}

impl FieldMap {
    /// Adds `field=column`. `column` may be a path into objects, such as `fields.summary`. The
    /// same field may be mapped several times: the first column that a record has counts.
    ///
    /// # Errors
    /// `pair` is not of that shape, or the field is unknown.
    pub fn add(&mut self, pair: &str) -> Result<(), BadFieldMap> {
        let shape = || BadFieldMap::Shape(pair.to_owned());
        let (field, column) = pair.split_once('=').ok_or_else(shape)?;
        let (field, column) = (field.trim(), column.trim());
        if field.is_empty() || column.is_empty() {
            return Err(shape());
        }
        let known = FIELDS.iter().find(|(_, name, _)| name.eq_ignore_ascii_case(field));
        let (field, _, _) = known.ok_or_else(|| BadFieldMap::Field(field.to_owned()))?;
        self.0.push((*field, column.to_owned()));
        Ok(())
    }

    /// Nothing is mapped.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl FromStr for FieldMap {
    type Err = BadFieldMap;

    /// Several `field=column` with commas between.
    fn from_str(text: &str) -> Result<Self, BadFieldMap> {
        let mut map = Self::default();
        for pair in text.split(',').filter(|pair| !pair.trim().is_empty()) {
            map.add(pair)?;
        }
        Ok(map)
    }
}

/// What a column holds, and how good it is for that: the lowest rank wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Role {
    pub(crate) field: Field,
    pub(crate) rank: usize,
}

/// Finds the role of each column, once.
#[derive(Debug)]
pub(crate) struct Roles {
    map: FieldMap,
    known: HashMap<String, Option<Role>>,
}

impl Roles {
    pub(crate) fn new(map: &FieldMap) -> Self {
        Self { map: map.clone(), known: HashMap::new() }
    }

    /// The role of the column at `path` (`metadata.date`).
    pub(crate) fn of(&mut self, path: &str) -> Option<Role> {
        if let Some(role) = self.known.get(path) {
            return *role;
        }
        let role = mapped(&self.map, path).or_else(|| self.usual(path));
        self.known.insert(path.to_owned(), role);
        role
    }

    /// By the usual names, for fields that are not mapped.
    fn usual(&self, path: &str) -> Option<Role> {
        let is_mapped = |field| self.map.0.iter().any(|(mapped, _)| *mapped == field);
        usual(path).filter(|role| !is_mapped(role.field))
    }
}

fn mapped(map: &FieldMap, path: &str) -> Option<Role> {
    let rank = map.0.iter().position(|(_, column)| column.eq_ignore_ascii_case(path))?;
    Some(Role { field: map.0[rank].0, rank })
}

fn usual(path: &str) -> Option<Role> {
    let mut parts: Vec<String> = path.split('.').map(plain).collect();
    let mut depth = 0;
    while parts.len() > 1 && WRAPPERS.contains(&parts[0].as_str()) {
        parts.remove(0);
        depth += 1;
    }
    let inner = match parts.as_slice() {
        [_] => 0,
        [_, inner] => 1 + INNER.iter().position(|name| name == inner)?,
        _ => return None,
    };
    let (field, place) = FIELDS.iter().find_map(|(field, _, names)| {
        names.iter().position(|name| plain(name) == parts[0]).map(|place| (*field, place))
    })?;
    let takes_objects = matches!(field, Field::Author | Field::Tags | Field::Kind);
    (inner == 0 || takes_objects)
        .then_some(Role { field, rank: (depth * 100 + place) * 10 + inner })
}

/// Letters and digits only, in lower case.
fn plain(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}
