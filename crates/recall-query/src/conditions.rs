//! Conditions on the documents of an answer, as people write them: dates, sources, authors, kinds,
//! tags, paths and fields. Pure.

use jiff::ZonedDateTime;
use recall_index::Filter;
use recall_sources::Kind;
use serde::{Deserialize, Serialize};

use crate::error::{BadCondition, QueryError};
use crate::when;

/// Conditions on the documents of an answer. Several values of one condition are alternatives;
/// different conditions must all hold.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conditions {
    /// Not before this date: `2026-03`, `30d`, `last week` (see [`when`]).
    pub since: Option<String>,
    /// Not after this date.
    pub until: Option<String>,
    /// From these sources: `slack`, `slack:incidents`.
    pub sources: Vec<String>,
    /// By these authors: words of the name, ignoring case and accents.
    pub authors: Vec<String>,
    /// Of these kinds, by name.
    pub kinds: Vec<String>,
    /// With these tags.
    pub tags: Vec<String>,
    /// At paths that match these globs.
    pub paths: Vec<String>,
    /// With these values of metadata fields: (name, value).
    pub fields: Vec<(String, String)>,
}

impl Conditions {
    /// Converts the conditions into a filter, with dates as seen from `now`.
    ///
    /// # Errors
    /// [`QueryError::Condition`] for the first value that makes no sense.
    pub fn filter(&self, now: &ZonedDateTime) -> Result<Filter, QueryError> {
        let mut filter = Filter::default();
        let lists = [
            ("source", &self.sources),
            ("author", &self.authors),
            ("kind", &self.kinds),
            ("tag", &self.tags),
            ("path", &self.paths),
        ];
        let named =
            lists.into_iter().flat_map(|(name, values)| values.iter().map(move |v| (name, v)));
        let dates = [("since", &self.since), ("until", &self.until)];
        let dates = dates.into_iter().filter_map(|(name, value)| Some((name, value.as_ref()?)));
        for (name, value) in named.chain(dates) {
            apply(name, value, &mut filter, now)?;
        }
        filter.fields.clone_from(&self.fields);
        Ok(filter)
    }
}

/// Adds one condition to a filter.
pub(crate) fn apply(
    name: &str,
    value: &str,
    filter: &mut Filter,
    now: &ZonedDateTime,
) -> Result<(), BadCondition> {
    match name {
        "since" => filter.since = Some(when::parse(value, now)?.start),
        "until" => filter.until = Some(when::parse(value, now)?.end),
        "source" => filter.sources.push(value.to_owned()),
        "author" => filter.authors.push(value.to_owned()),
        "tag" => filter.tags.push(value.to_owned()),
        "kind" => filter.kinds.push(value.parse::<Kind>()?),
        "path" => {
            let glob = globset::GlobBuilder::new(value).literal_separator(false).build();
            filter.paths.push(glob?.compile_matcher());
        }
        _ => return Err(BadCondition::Name(name.to_owned())),
    }
    Ok(())
}
