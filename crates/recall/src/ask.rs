//! A question with all that its asker's surroundings decide, so that another process can answer it.

use std::path::{Path, PathBuf};

use jiff::ZonedDateTime;
use recall_index::Filter;
use recall_query::question;
use recall_query::search::{Mode, Request};
use recall_query::when;
use recall_sources::Kind;
use serde::{Deserialize, Serialize};

use crate::failure::Failure;
use crate::flags::{FilterFlags, ModeFlag, QueryFlags};
use crate::place;

/// A question to one index.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Ask {
    /// The index, by its one name.
    pub folder: PathBuf,
    /// The question as it was asked.
    pub text: String,
    /// Which documents may answer, as it was typed.
    pub filter: FilterFlags,
    /// What `30d` and `last week` are seen from.
    pub now: ZonedDateTime,
    /// Which retrievers answer.
    pub mode: Mode,
    /// Hits at the most.
    pub limit: usize,
    /// Also what is below the threshold.
    pub show_weak: bool,
    /// Every document in full.
    pub full: bool,
    /// Bytes that whole documents may take together.
    pub budget: usize,
    /// Read the files of the hits again.
    pub verify: bool,
    /// The only model that may answer.
    pub model: Option<String>,
    /// Answer by keywords rather than wait for the model to be loaded.
    pub fast: bool,
}

impl Ask {
    /// The question `text` to the index in `folder`, as the flags have it.
    pub fn new(folder: &Path, text: String, flags: &QueryFlags) -> Self {
        Self {
            folder: place::real(folder),
            text,
            filter: flags.filter.clone(),
            now: ZonedDateTime::now(),
            mode: mode(flags.mode),
            limit: flags.limit,
            show_weak: flags.show_weak,
            full: flags.full,
            budget: flags.budget,
            verify: flags.verify,
            model: flags.model.clone(),
            fast: flags.fast,
        }
    }

    /// The question taken apart.
    pub fn request(&self) -> Result<Request, Failure> {
        let request = parsed(&self.text, &self.filter, &self.now)?;
        Ok(Request { k: self.limit, mode: self.mode, ..request })
    }
}

fn mode(flag: ModeFlag) -> Mode {
    match flag {
        ModeFlag::Hybrid => Mode::Hybrid,
        ModeFlag::Keyword => Mode::Keyword,
        ModeFlag::Vector => Mode::Vector,
    }
}

/// A request for `text` with these filters, asked now: hybrid, ten hits.
pub fn request(text: &str, flags: &FilterFlags) -> Result<Request, Failure> {
    parsed(text, flags, &ZonedDateTime::now())
}

fn parsed(text: &str, flags: &FilterFlags, now: &ZonedDateTime) -> Result<Request, Failure> {
    let question = question::parse(text, &|name, value| {
        apply(name, value, &mut Filter::default(), now).is_ok()
    });
    let mut filter = Filter::default();
    let lists = [
        ("source", &flags.source),
        ("author", &flags.author),
        ("kind", &flags.kind),
        ("tag", &flags.tag),
        ("path", &flags.path),
    ];
    let typed = lists.into_iter().flat_map(|(name, values)| values.iter().map(move |v| (name, v)));
    let dates = [("since", &flags.since), ("until", &flags.until)];
    let dates = dates.into_iter().filter_map(|(name, value)| Some((name, value.as_ref()?)));
    let own = question.filters.iter().map(|(name, value)| (name.as_str(), value));
    for (name, value) in typed.chain(dates).chain(own) {
        apply(name, value, &mut filter, now).map_err(Failure::usage)?;
    }
    for pair in &flags.field {
        let (name, value) = pair.split_once('=').ok_or_else(|| {
            Failure::usage_hint(
                format!("`{pair}` is not NAME=VALUE"),
                "for example: --field status=open",
            )
        })?;
        filter.fields.push((name.to_owned(), value.to_owned()));
    }
    Ok(Request { question, filter, k: 10, mode: Mode::Hybrid })
}

/// Adds one condition to a filter, or says why its value cannot be used.
fn apply(name: &str, value: &str, filter: &mut Filter, now: &ZonedDateTime) -> Result<(), String> {
    match name {
        "since" => filter.since = Some(when::parse(value, now).map_err(|e| e.to_string())?.start),
        "until" => filter.until = Some(when::parse(value, now).map_err(|e| e.to_string())?.end),
        "source" => filter.sources.push(value.to_owned()),
        "author" => filter.authors.push(value.to_owned()),
        "tag" => filter.tags.push(value.to_owned()),
        "kind" => filter.kinds.push(value.parse().map_err(
            |e: recall_sources::document::UnknownKind| {
                let known: Vec<&str> = Kind::ALL.iter().map(|k| k.name()).collect();
                format!("{e}; kinds are {}", known.join(", "))
            },
        )?),
        "path" => {
            let glob = globset::GlobBuilder::new(value).literal_separator(false).build();
            filter.paths.push(glob.map_err(|e| e.to_string())?.compile_matcher());
        }
        _ => return Err(format!("no filter is called {name}")),
    }
    Ok(())
}
