//! What the front matter of an entry file says. Where it begins and ends is a rule of
//! `recall-sources`.

use std::fmt;
use std::str::FromStr;

use jiff::civil::Date;
use recall_sources::front_matter::{Split, split};
use serde::{Deserialize, Serialize};

use crate::date::dates_in;

/// What an entry is about, as its front matter says under `type`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EntryType {
    /// Who the user is and what they prefer.
    User,
    /// What the user said about the work.
    Feedback,
    /// What is going on in the project; grows old.
    Project,
    /// Where something is to be found.
    Reference,
}

impl FromStr for EntryType {
    type Err = FrontMatterError;

    fn from_str(text: &str) -> Result<Self, FrontMatterError> {
        match text {
            "user" => Ok(Self::User),
            "feedback" => Ok(Self::Feedback),
            "project" => Ok(Self::Project),
            "reference" => Ok(Self::Reference),
            _ => Err(FrontMatterError::UnknownType { found: text.to_owned() }),
        }
    }
}

/// The fields of an entry's front matter that recall reads; the others are left alone.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct FrontMatter {
    /// `name`.
    pub name: Option<String>,
    /// `description`: one line on what the entry says.
    pub description: Option<String>,
    /// `type`, or `type` under `metadata`.
    pub kind: Option<EntryType>,
    /// The newest of `date`, `created`, `updated` and `checked`.
    pub date: Option<Date>,
    /// `commit`: the commit that the entry was true at, in full or cut short.
    pub commit: Option<String>,
}

/// What is wrong with the front matter of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, thiserror::Error)]
#[serde(tag = "problem", rename_all = "snake_case")]
pub enum FrontMatterError {
    /// The block has a first `---` and no second one.
    #[error("the block opened by `---` is never closed")]
    Unclosed,
    /// The block is not YAML, or a field is not text.
    #[error("not readable as YAML: {reason}")]
    Yaml {
        /// The line of the file, counted from 1.
        line: usize,
        /// What the YAML parser says.
        reason: String,
    },
    /// A field that every entry needs is missing or empty.
    #[error("`{field}` is missing")]
    Missing {
        /// The name of the field.
        field: &'static str,
    },
    /// `type` is none of the four types.
    #[error("type `{found}` is none of user, feedback, project, reference")]
    UnknownType {
        /// What stands there.
        found: String,
    },
    /// A date field holds no date.
    #[error("`{field}` is not a date: `{found}`")]
    NotADate {
        /// The name of the field.
        field: &'static str,
        /// What stands there.
        found: String,
    },
}

impl FrontMatterError {
    /// The line of the file that it concerns, counted from 1.
    pub fn line(&self) -> usize {
        match self {
            Self::Yaml { line, .. } => *line,
            _ => 1,
        }
    }
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Written {
    name: Option<String>,
    description: Option<String>,
    r#type: Option<String>,
    metadata: Option<Nested>,
    date: Option<String>,
    created: Option<String>,
    updated: Option<String>,
    checked: Option<String>,
    commit: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Nested {
    r#type: Option<String>,
}

/// The front matter of `text`; `None` when there is none.
///
/// # Errors
///
/// [`FrontMatterError`] when the block cannot be read. Fields that are absent are not an error
/// here: see [`FrontMatter::complete`].
pub(crate) fn parse(text: &str) -> Result<Option<FrontMatter>, FrontMatterError> {
    let Some(block) = block(text)? else { return Ok(None) };
    if block.trim().is_empty() {
        return Ok(Some(FrontMatter::default()));
    }
    let written: Written = serde_saphyr::from_str(block).map_err(|error| yaml_error(&error))?;
    written.read().map(Some)
}

/// The YAML of the front matter of `text`.
fn block(text: &str) -> Result<Option<&str>, FrontMatterError> {
    match split(text) {
        Split::None => Ok(None),
        Split::Unclosed => Err(FrontMatterError::Unclosed),
        Split::Matter { yaml, .. } => Ok(Some(yaml)),
    }
}

/// The line, from 1, that closes the front matter of `text`.
pub(crate) fn end_line(text: &str) -> Option<usize> {
    Some(block(text).ok()??.lines().count() + 2)
}

fn yaml_error(error: &serde_saphyr::Error) -> FrontMatterError {
    // The block starts on the second line of the file.
    let line = error.location().map_or(1, |at| usize::try_from(at.line()).unwrap_or(1)) + 1;
    let reason = error.without_snippet().to_string();
    FrontMatterError::Yaml { line, reason: reason.lines().next().unwrap_or_default().to_owned() }
}

impl Written {
    fn read(self) -> Result<FrontMatter, FrontMatterError> {
        let kind = self.r#type.or(self.metadata.and_then(|nested| nested.r#type));
        let dates = [
            ("date", &self.date),
            ("created", &self.created),
            ("updated", &self.updated),
            ("checked", &self.checked),
        ];
        let mut newest = None;
        for (field, written) in dates {
            newest = newest.max(date(field, written.as_deref())?);
        }
        Ok(FrontMatter {
            name: said(self.name),
            description: said(self.description),
            kind: said(kind).map(|kind| kind.parse()).transpose()?,
            date: newest,
            commit: said(self.commit),
        })
    }
}

fn said(field: Option<String>) -> Option<String> {
    field.filter(|text| !text.trim().is_empty())
}

fn date(field: &'static str, written: Option<&str>) -> Result<Option<Date>, FrontMatterError> {
    let Some(text) = written else { return Ok(None) };
    match dates_in(text).first() {
        Some(date) => Ok(Some(*date)),
        None => Err(FrontMatterError::NotADate { field, found: text.to_owned() }),
    }
}

impl FrontMatter {
    /// Whether the fields that an entry must have are all there.
    ///
    /// # Errors
    ///
    /// [`FrontMatterError::Missing`] with the first field that is not.
    pub fn complete(&self) -> Result<(), FrontMatterError> {
        let fields = [
            ("name", self.name.is_some()),
            ("description", self.description.is_some()),
            ("type", self.kind.is_some()),
        ];
        match fields.into_iter().find(|(_, there)| !there) {
            Some((field, _)) => Err(FrontMatterError::Missing { field }),
            None => Ok(()),
        }
    }
}

impl fmt::Display for EntryType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::User => "user",
            Self::Feedback => "feedback",
            Self::Project => "project",
            Self::Reference => "reference",
        })
    }
}
