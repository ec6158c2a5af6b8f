//! What rows share: the corpus, the indexes made of it, and what making them cost.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Instant;

use indicatif::ProgressBar;
use recall_index::Manifest;

use crate::beir;
use crate::child::{self, Used};
use crate::outcome::Outcome;
use crate::program::Program;
use crate::scaled::Scaled;
use crate::scratch::Scratch;
use crate::size::Size;

/// Messages of the corpus that is generated where none is given: as many as `irc-messages` has.
const GENERATED_DOCUMENTS: usize = 220_000;

/// A corpus on disk.
pub(crate) struct Corpus {
    /// For the reader of the table.
    pub name: String,
    /// JSON lines, packed or not.
    pub file: PathBuf,
    pub documents: usize,
    /// Bytes of titles and texts.
    pub text_bytes: u64,
    pub questions: Vec<String>,
}

/// An index that `recall index` made.
pub(crate) struct Made {
    pub folder: PathBuf,
    /// What each run used, one a round.
    pub used: Vec<Used>,
    /// Seconds until the manifest named every document, one a round.
    pub searchable: Vec<f64>,
}

/// What a run was given.
#[derive(Debug, Clone, Default)]
pub(crate) struct Source {
    /// A corpus in BEIR's layout.
    pub dataset: Option<PathBuf>,
    /// The program to measure.
    pub program: Option<PathBuf>,
}

/// The shared things of a run, made when first asked for and gone with it.
pub(crate) struct Stage {
    pub scratch: Scratch,
    pub size: Size,
    source: Source,
    program: OnceLock<Program>,
    corpus: OnceLock<Corpus>,
    sample: OnceLock<Corpus>,
    keyword: OnceLock<Made>,
    embedded: OnceLock<Made>,
    few: OnceLock<Scaled>,
    many: OnceLock<Scaled>,
}

/// The value of a cell, made if it has none.
fn once<T>(cell: &OnceLock<T>, make: impl FnOnce() -> Outcome<T>) -> Outcome<&T> {
    if let Some(value) = cell.get() {
        return Ok(value);
    }
    let value = make()?;
    Ok(cell.get_or_init(|| value))
}

impl Stage {
    pub(crate) fn new(size: Size, source: Source, bar: ProgressBar) -> Outcome<Self> {
        Ok(Self {
            scratch: Scratch::new(bar)?,
            size,
            source,
            program: OnceLock::new(),
            corpus: OnceLock::new(),
            sample: OnceLock::new(),
            keyword: OnceLock::new(),
            embedded: OnceLock::new(),
            few: OnceLock::new(),
            many: OnceLock::new(),
        })
    }

    /// The program to measure, built first if none was named.
    pub(crate) fn program(&self) -> Outcome<&Program> {
        once(&self.program, || {
            self.say("building recall");
            Program::find(self.source.program.as_deref())
        })
    }

    /// Says what is being done, on a terminal.
    pub(crate) fn say(&self, what: impl Into<String>) {
        self.scratch.say(what);
    }

    /// A new folder's path, gone at the end; nothing is there yet.
    pub(crate) fn folder(&self, name: &str) -> PathBuf {
        self.scratch.path(name)
    }

    /// The corpus: the one that was given, or as many generated messages.
    pub(crate) fn corpus(&self) -> Outcome<&Corpus> {
        once(&self.corpus, || {
            self.say("reading the corpus");
            let Some(folder) = &self.source.dataset else { return self.generated() };
            let mut file = beir::corpus(folder)?;
            if self.size.documents < usize::MAX {
                let head = self.folder("corpus.jsonl");
                beir::head(&file, self.size.documents, &head)?;
                file = head;
            }
            let name = folder.file_name().map_or_else(String::new, |n| n.to_string_lossy().into());
            measured(name, file, beir::questions(folder)?)
        })
    }

    fn generated(&self) -> Outcome<Corpus> {
        let count = GENERATED_DOCUMENTS.min(self.size.documents);
        let file = self.folder("corpus.jsonl");
        self.scratch.generator.write_file(&file, 0..count)?;
        let questions = (0..1000).map(|number| self.scratch.generator.question(number)).collect();
        measured("generated chat".to_owned(), file, questions)
    }

    /// The first documents of the corpus, as many as get vectors from the model.
    pub(crate) fn sample(&self) -> Outcome<&Corpus> {
        once(&self.sample, || self.head(self.size.embedded))
    }

    /// The first `count` documents of the corpus as a corpus.
    pub(crate) fn head(&self, count: usize) -> Outcome<Corpus> {
        let whole = self.corpus()?;
        let file = self.folder(&format!("first-{count}.jsonl"));
        beir::head(&whole.file, count, &file)?;
        measured(whole.name.clone(), file, whole.questions.clone())
    }

    /// The questions of one round, spread over all there are.
    pub(crate) fn questions(&self) -> Outcome<Vec<String>> {
        let all = &self.corpus()?.questions;
        let step = (all.len() / self.size.questions).max(1);
        Ok(all.iter().step_by(step).take(self.size.questions).cloned().collect())
    }

    /// The keyword index of the whole corpus, made anew in every round.
    pub(crate) fn keyword(&self) -> Outcome<&Made> {
        once(&self.keyword, || {
            let corpus = self.corpus()?;
            let mut made: Option<Made> = None;
            for round in 0..self.size.rounds {
                self.say(format!("recall index --keyword-only, round {}", round + 1));
                let one = self.index("keyword", corpus, &["--keyword-only"])?;
                made = Some(match made {
                    Some(mut made) => {
                        made.used.extend(one.used);
                        made.searchable.extend(one.searchable);
                        made
                    }
                    None => one,
                });
            }
            Ok(made.ok_or("no round")?)
        })
    }

    /// The index of the sample, with vectors of the model.
    pub(crate) fn embedded(&self) -> Outcome<&Made> {
        once(&self.embedded, || {
            let sample = self.sample()?;
            self.say(format!("recall index, {} documents with the model", sample.documents));
            self.index("embedded", sample, &[])
        })
    }

    /// The small index with generated vectors.
    pub(crate) fn few(&self) -> Outcome<&Scaled> {
        once(&self.few, || Scaled::build(&self.scratch, self.size.few))
    }

    /// The large one.
    pub(crate) fn many(&self) -> Outcome<&Scaled> {
        once(&self.many, || Scaled::build(&self.scratch, self.size.many))
    }

    /// Indexes a corpus into a folder of this name, emptied first.
    pub(crate) fn index(&self, name: &str, corpus: &Corpus, flags: &[&str]) -> Outcome<Made> {
        let folder = self.folder(name);
        if folder.exists() {
            std::fs::remove_dir_all(&folder)?;
        }
        std::fs::create_dir_all(&folder)?;
        let mut command = self.program()?.command(&folder, &["index"]);
        command.arg(&corpus.file).args(flags);
        let started = Instant::now();
        let mut searchable = None;
        let used = child::run(&command, &mut || {
            if searchable.is_none() && documents(&folder) >= corpus.documents {
                searchable = Some(started.elapsed().as_secs_f64());
            }
        })?;
        let found = documents(&folder);
        if found != corpus.documents {
            return Err(format!("{found} of {} documents indexed", corpus.documents).into());
        }
        let searchable = vec![searchable.unwrap_or(used.seconds).min(used.seconds)];
        Ok(Made { folder, used: vec![used], searchable })
    }
}

/// Documents that the index in a folder answers from.
fn documents(index: &Path) -> usize {
    Manifest::read(index).map_or(0, |manifest| manifest.counts.documents as usize)
}

/// Bytes of an index on disk.
pub(crate) fn index_bytes(index: &Path) -> Outcome<u64> {
    Ok(Manifest::read(index)?.files().map(|(_, file)| file.bytes).sum())
}

fn measured(name: String, file: PathBuf, questions: Vec<String>) -> Outcome<Corpus> {
    let (mut documents, mut text_bytes) = (0, 0);
    for document in beir::documents(&file)? {
        let document = document?;
        documents += 1;
        text_bytes += (document.title.len() + document.text.len()) as u64;
    }
    Ok(Corpus { name, file, documents, text_bytes, questions })
}
