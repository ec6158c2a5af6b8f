//! Loads a labelled set, from a folder in BEIR's layout or from files named one by one, and finds
//! its index.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use recall_embed::Home;
use recall_eval::label_file::{self, Problem};
use recall_eval::qrels::{self, Qrels};
use recall_eval::queries::{self, Query};
use recall_index::Snapshot;

use super::listed;
use crate::failure::Failure;
use crate::flags::{Flags, LabelFlags, ReadingFlags};
use crate::index::{self as indexing, Work};
use crate::index_folder;

/// A labelled set: questions and the documents that answer them.
#[derive(Debug, Default)]
pub(crate) struct Labelled {
    /// Name of the set.
    pub name: String,
    /// Questions that have labels, in the order of their file.
    pub queries: Vec<Query>,
    /// The labels.
    pub qrels: Qrels,
    /// Questions about the corpus that nothing in it answers.
    pub unanswerable: Vec<Query>,
    /// Questions about another corpus.
    pub off_topic: Vec<Query>,
    problems: Vec<Problem>,
    left_out: usize,
}

/// Paths of the files of a set.
struct Files {
    name: String,
    queries: Option<PathBuf>,
    qrels: Option<PathBuf>,
    unanswerable: Option<PathBuf>,
}

impl Files {
    fn of(options: &LabelFlags, only_labels: bool) -> Result<Self, Failure> {
        let folder = options.dataset.as_deref();
        let inside = |names: &[&str]| {
            let files = names.iter().filter_map(|name| folder.map(|f| f.join(name)));
            files.into_iter().find(|path| path.is_file())
        };
        let queries = options.queries.clone().or_else(|| inside(&["queries.jsonl", "queries.csv"]));
        if queries.is_none() && !(only_labels && options.qrels.is_some()) {
            return Err(no_questions(folder));
        }
        let named = folder.or(queries.as_deref()).or(options.qrels.as_deref());
        Ok(Self {
            name: named.map(set_name).unwrap_or_default(),
            queries,
            qrels: options.qrels.clone().or_else(|| inside(&["qrels/test.tsv", "qrels.tsv"])),
            unanswerable: options
                .unanswerable
                .clone()
                .or_else(|| inside(&["queries_unanswerable.jsonl"])),
        })
    }
}

fn no_questions(folder: Option<&Path>) -> Failure {
    match folder {
        Some(folder) => Failure::usage_hint(
            format!("{} has no queries.jsonl", folder.display()),
            "a set is a folder with corpus.jsonl, queries.jsonl and qrels/test.tsv",
        ),
        None => Failure::usage_hint(
            "no questions to ask",
            "name a set: recall eval DATASET; or questions for an index: recall eval --index DIR --queries FILE [--qrels FILE]",
        ),
    }
}

fn no_labels(name: &str) -> Failure {
    Failure::usage_hint(
        format!("{name} has questions but no labels"),
        "add --qrels FILE, or a column `relevant` with ids or paths beside each question",
    )
}

fn set_name(path: &Path) -> String {
    let absolute = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let name = if path.is_dir() { absolute.file_name() } else { absolute.file_stem() };
    name.map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
}

impl Labelled {
    /// Reads a set; with `only_labels` the questions may be missing.
    pub(crate) fn load(options: &LabelFlags, only_labels: bool) -> Result<Self, Failure> {
        let files = Files::of(options, only_labels)?;
        let mut problems = Vec::new();
        let mut questions = |path: Option<&PathBuf>| {
            let read = |path: &PathBuf| {
                label_file::read(path, queries::parse, Vec::is_empty, "question", &mut problems)
            };
            path.map_or_else(|| Ok(Vec::new()), read)
        };
        let asked = questions(files.queries.as_ref())?;
        let unanswerable = questions(files.unanswerable.as_ref())?;
        let off_topic = questions(options.off_topic.as_ref())?;
        let read = |path: &PathBuf| {
            label_file::read(path, qrels::parse, Qrels::is_empty, "label", &mut problems)
        };
        let mut qrels = files.qrels.as_ref().map_or_else(|| Ok(Qrels::new()), read)?;
        add_own_labels(&asked, &mut qrels);
        if qrels.is_empty() {
            return Err(no_labels(&files.name));
        }
        let set =
            Self { name: files.name, qrels, unanswerable, off_topic, problems, ..Self::default() };
        Ok(set.with_questions(asked))
    }

    /// Sorts questions into those that have labels, those that nothing answers, and the rest.
    fn with_questions(mut self, asked: Vec<Query>) -> Self {
        for query in asked {
            if self.qrels.contains_key(&query.id) {
                self.queries.push(query);
            } else if query.relevant.is_some() {
                self.unanswerable.push(query);
            } else {
                self.left_out += 1;
            }
        }
        self
    }

    /// Returns notes on what could not be used and on what counts as zero.
    pub(crate) fn notes(&self, shown: usize) -> Vec<String> {
        let mut notes = listed(&self.problems, shown);
        let mut say = |count: usize, what: &str| {
            if count > 0 {
                notes.push(format!("{count} {what}"));
            }
        };
        say(self.left_out, "questions have no labels and were left out");
        let asked: BTreeSet<&String> = self.queries.iter().map(|q| &q.id).collect();
        if !asked.is_empty() {
            let unasked = self.qrels.keys().filter(|id| !asked.contains(id)).count();
            say(unasked, "labelled questions have no text and count as 0");
        }
        let hopeless = self.qrels.values().filter(|grades| grades.values().all(|g| *g < 1));
        say(
            hopeless.count(),
            "questions have labels but no relevant document and count as 0, as in trec_eval",
        );
        notes
    }

    /// Returns a note on relevant documents that are not in the index, and so cannot be found.
    pub(crate) fn unknown_documents(&self, snapshot: &Snapshot) -> Result<Vec<String>, Failure> {
        let relevant = self.qrels.values().flatten().filter(|(_, grade)| **grade > 0);
        let mut unknown = Vec::new();
        for id in relevant.map(|(id, _)| id).collect::<BTreeSet<_>>() {
            let keyword = snapshot.keyword();
            if keyword.with_id(id)?.is_empty() && keyword.at_path(id)?.is_empty() {
                unknown.push(id.as_str());
            }
        }
        let shown = unknown.iter().take(5).copied().collect::<Vec<_>>().join(", ");
        let note = || {
            format!(
                "{} relevant documents are not in the index and count as missed: {shown}{}",
                unknown.len(),
                if unknown.len() > 5 { ", …" } else { "" }
            )
        };
        Ok((!unknown.is_empty()).then(note).into_iter().collect())
    }

    /// Returns a note on questions that have no value in `field` and so are answered from all
    /// documents.
    pub(crate) fn without_field(&self, field: &str) -> Option<String> {
        let count = self.queries.iter().filter(|q| !q.metadata.contains_key(field)).count();
        (count > 0)
            .then(|| format!("{count} questions have no `{field}`: answered among all documents"))
    }

    /// Keeps the first questions of each kind, and their labels.
    pub(crate) fn keep_first(&mut self, limit: usize) {
        for queries in [&mut self.queries, &mut self.unanswerable, &mut self.off_topic] {
            queries.truncate(limit);
        }
        let kept: BTreeSet<&String> = self.queries.iter().map(|q| &q.id).collect();
        self.qrels.retain(|id, _| kept.contains(id));
    }

    /// Returns the text of a question; empty if it is not known.
    pub(crate) fn text(&self, id: &str) -> String {
        self.queries.iter().find(|q| q.id == id).map(|q| q.text.clone()).unwrap_or_default()
    }
}

/// Adds the labels that the questions file contains; those of a qrels file take precedence.
fn add_own_labels(queries: &[Query], qrels: &mut Qrels) {
    for query in queries.iter().filter(|q| !qrels.contains_key(&q.id)).collect::<Vec<_>>() {
        let relevant = query.relevant.iter().flatten().map(|id| (id.clone(), 1));
        let grades: qrels::Grades = relevant.collect();
        if !grades.is_empty() {
            qrels.insert(query.id.clone(), grades);
        }
    }
}

/// Returns the index to query. The index of a set is brought up to date first (without vectors if
/// `keyword_only`, as none will be searched); any other is used as it is.
pub(crate) fn index(
    flags: &Flags,
    options: &LabelFlags,
    keyword_only: bool,
) -> Result<PathBuf, Failure> {
    let Some(dataset) = &options.dataset else {
        return index_folder::to_read(flags.index.as_deref());
    };
    let names = ["corpus.jsonl", "corpus.jsonl.gz"];
    let Some(corpus) = names.map(|name| dataset.join(name)).into_iter().find(|c| c.is_file())
    else {
        return Err(Failure::usage_hint(
            format!("{} has no corpus.jsonl", dataset.display()),
            "to measure an existing index: recall eval --index DIR --queries FILE",
        ));
    };
    let folder = match &flags.index {
        Some(given) => given.clone(),
        None => own_folder(dataset)?,
    };
    let reading = ReadingFlags { keyword_only, ..ReadingFlags::default() };
    indexing::update(&Work::new(Some(&folder), &[corpus], &reading)?, flags.offline)?;
    index_folder::to_read(Some(&folder))
}

/// Returns `.recall` in the set's folder, or a folder in recall's home if the set's folder is
/// read-only.
fn own_folder(dataset: &Path) -> Result<PathBuf, Failure> {
    let inside = dataset.join(index_folder::FOLDER);
    if std::fs::create_dir_all(&inside).is_ok() && is_writable(&inside) {
        return Ok(inside);
    }
    let absolute = dataset.canonicalize().map_err(Failure::io("open", dataset))?;
    let hash = blake3::hash(absolute.as_os_str().as_encoded_bytes()).to_hex();
    Ok(Home::from_env().path().join("eval").join(&hash[..16]))
}

fn is_writable(folder: &Path) -> bool {
    let probe = folder.join(format!("writable-{}", std::process::id()));
    std::fs::create_dir(&probe).and_then(|()| std::fs::remove_dir(&probe)).is_ok()
}
