//! A question to one index, with all that its asker's surroundings decide, so that another process
//! can answer it.

use std::path::PathBuf;

use jiff::ZonedDateTime;
use recall_index::Filter;
use serde::{Deserialize, Serialize};

use crate::conditions::{self, Conditions};
use crate::error::QueryError;
use crate::question::{self, Question};

/// Which retrievers answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Both, fused.
    Hybrid,
    /// Words and identifiers only.
    Keyword,
    /// Vectors only.
    Vector,
}

/// A question to one index. Plain data: it can be stored, and sent to another process.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Query {
    /// The index folder. Where several processes share an [`Engine`](crate::Engine), they must call
    /// it by the same path.
    pub folder: PathBuf,
    /// The question as it was asked: plain words, with the syntax of [`question`].
    pub text: String,
    /// Which documents may answer, beside what the question itself says of that.
    pub conditions: Conditions,
    /// What `30d` and `last week` count from.
    pub now: ZonedDateTime,
    /// Which retrievers answer.
    pub mode: Mode,
    /// Maximum number of hits.
    pub limit: usize,
    /// Also return what is below the threshold.
    pub show_weak: bool,
    /// Return every document in full.
    pub full: bool,
    /// Bytes that whole documents may take together; one that does not fit is named instead.
    pub budget: usize,
    /// Read the files of the hits again, to say which of them changed.
    pub verify: bool,
    /// Refuse to answer unless the index was made with this model.
    pub model: Option<String>,
    /// Answer by keywords rather than wait for a model to be loaded.
    pub fast: bool,
}

impl Query {
    /// `text` asked of the index in `folder` now: in hybrid mode, for ten hits, whole documents within
    /// 24,000 bytes, from everything that is indexed.
    pub fn new(folder: impl Into<PathBuf>, text: impl Into<String>) -> Self {
        Self {
            folder: folder.into(),
            text: text.into(),
            conditions: Conditions::default(),
            now: ZonedDateTime::now(),
            mode: Mode::Hybrid,
            limit: 10,
            show_weak: false,
            full: false,
            budget: 24_000,
            verify: false,
            model: None,
            fast: false,
        }
    }

    /// The question taken apart: once, before anything is opened.
    ///
    /// # Errors
    /// [`QueryError::Condition`] if a condition has a value that means nothing.
    pub fn request(&self) -> Result<Request, QueryError> {
        let question = question::parse(&self.text, &|name, value| {
            conditions::apply(name, value, &mut Filter::default(), &self.now).is_ok()
        });
        let mut filter = self.conditions.filter(&self.now)?;
        for (name, value) in &question.filters {
            conditions::apply(name, value, &mut filter, &self.now)?;
        }
        Ok(Request { question, filter, k: self.limit, mode: self.mode })
    }
}

/// What to look for: a [`Query`] taken apart.
#[derive(Debug, Clone)]
pub struct Request {
    /// The words, and what must and must not be there.
    pub question: Question,
    /// Which documents may answer.
    pub filter: Filter,
    /// How many hits at the most.
    pub k: usize,
    /// Which retrievers answer.
    pub mode: Mode,
}

impl Request {
    /// `text` without conditions, in `mode`: what evaluation and examples ask.
    pub fn plain(text: &str, mode: Mode) -> Self {
        let question = question::parse(text, &|_, _| false);
        Self { question, filter: Filter::default(), k: 10, mode }
    }

    /// Whether an answer takes a model: keyword mode does without, and so does a question of no words.
    pub fn needs_model(&self) -> bool {
        self.mode != Mode::Keyword && !self.question.text.trim().is_empty()
    }
}
