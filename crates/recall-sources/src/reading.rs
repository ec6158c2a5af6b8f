//! What goes into a reader and what comes out: options, context, the sink, the end of a reading.

use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::ops::ControlFlow;

use crate::document::{Document, Kind};
use crate::fields::FieldMap;
use crate::format::Format;
use crate::globs::Globs;
use crate::problem::{Problem, Reason};
use crate::redact;

/// How files are turned into documents.
#[derive(Debug, Clone)]
pub struct ReadOptions {
    /// Read every file as this format instead of recognising it.
    pub format: Option<Format>,
    /// Which fields of a record hold what, where the usual names do not fit.
    pub map: FieldMap,
    /// Text files to keep whole as runbooks.
    pub whole: Globs,
    /// A whole document, or one record of a file, larger than this many bytes is named and skipped.
    pub max_document_bytes: u64,
    /// A file whose content (unpacked) is larger than this many bytes is named and skipped.
    pub max_bytes: u64,
    /// Mask credentials before a document is handed out.
    pub redact: bool,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            format: None,
            map: FieldMap::default(),
            whole: Globs::new(Globs::RUNBOOKS).unwrap_or_default(),
            max_document_bytes: 16 << 20,
            max_bytes: 4 << 30,
            redact: false,
        }
    }
}

/// What came of reading one file or export.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    /// The format it was read as.
    pub format: Format,
    /// Documents handed out.
    pub documents: u64,
    /// Messages in them; a ticket, or a document without messages, counts as one.
    pub messages: u64,
    /// Problems with parts of it; very many are not all handed out.
    pub problems: u64,
    /// Credentials masked, by kind; empty unless [`ReadOptions::redact`].
    pub redacted: BTreeMap<&'static str, u64>,
}

/// What a reader knows of the file besides its bytes.
#[derive(Debug, Clone)]
pub struct Context<'a> {
    /// Path relative to the indexed root, for [`Document::path`].
    pub path: &'a str,
    /// The id of a document that is all of the input: `path`, or `export.zip/notes/a.md` for a
    /// file in an archive.
    pub name: &'a str,
    /// The patterns of [`ReadOptions::whole`] name the file: it is a runbook, kept whole.
    pub whole: bool,
    /// How to read.
    pub options: &'a ReadOptions,
}

impl Context<'_> {
    /// The file's own name without folders.
    pub fn file_name(&self) -> &str {
        self.name.rsplit('/').next().unwrap_or(self.name)
    }

    /// The file's own name without folders and extension.
    pub fn stem(&self) -> &str {
        let name = self.file_name();
        match name.rfind('.') {
            None | Some(0) => name,
            Some(dot) => &name[..dot],
        }
    }

    /// The kind of the file's document where the document does not name its own.
    pub fn kind(&self) -> Kind {
        if self.whole { Kind::Runbook } else { Kind::Note }
    }

    /// A document of this file.
    pub fn document(&self, id: &str, kind: Kind, text: String) -> Document {
        Document::new(self.path, id, kind, text)
    }

    /// Ends the reading: the file is not well-formed at `line` (0 = unknown).
    pub fn malformed(&self, line: u64, what: impl ToString) -> Halt {
        Halt::Failed(self.problem((line > 0).then_some(line), Reason::Malformed(what.to_string())))
    }

    /// A problem with this file.
    pub fn problem(&self, line: Option<u64>, reason: Reason) -> Problem {
        let path = match self.name.strip_prefix(self.path) {
            Some(_) => self.name,
            None => self.path,
        };
        Problem { path: path.to_owned(), line, reason }
    }

    /// Ends the reading: `error` while reading.
    pub fn failed(&self, error: &io::Error) -> Halt {
        Halt::Failed(self.problem(None, Reason::from_io(error)))
    }
}

/// Why a reader stops before the end. Readers pass it on with `?`.
#[derive(Debug)]
pub enum Halt {
    /// Whoever receives the documents wants no more.
    Stopped,
    /// Nothing more can be read from the file; what was handed out stands.
    Failed(Problem),
}

impl From<Problem> for Halt {
    fn from(problem: Problem) -> Self {
        Self::Failed(problem)
    }
}

/// What every reader returns.
pub type Outcome = Result<(), Halt>;

/// So many problems of one file are listed one by one.
const MAX_PROBLEMS: u64 = 100;

/// Where documents and problems go.
pub(crate) type Receiver<'a> = &'a mut dyn FnMut(Result<Document, Problem>) -> ControlFlow<()>;

/// Takes what a reader finds, makes ids unique within the file, masks credentials and counts.
pub struct Sink<'a> {
    receiver: Receiver<'a>,
    redact: bool,
    has_places: bool,
    /// How often each id (hashed) was seen.
    ids: HashMap<u64, u32>,
    /// The first repeated id, and how many documents had one.
    repeated: Option<(String, u64)>,
    reading: Reading,
}

impl<'a> Sink<'a> {
    pub(crate) fn new(format: Format, options: &ReadOptions, receiver: Receiver<'a>) -> Self {
        let reading =
            Reading { format, documents: 0, messages: 0, problems: 0, redacted: BTreeMap::new() };
        Self {
            receiver,
            redact: options.redact,
            has_places: true,
            ids: HashMap::new(),
            repeated: None,
            reading,
        }
    }

    /// Hands out a document. A repeated id gets `~2`, `~3`, …
    ///
    /// # Errors
    /// [`Halt::Stopped`] if no more is wanted.
    pub fn document(&mut self, mut document: Document) -> Outcome {
        self.make_unique(&mut document.id);
        if self.redact {
            for (kind, count) in redact::document(&mut document) {
                *self.reading.redacted.entry(kind).or_default() += count;
            }
        }
        if !self.has_places {
            document.span = None;
        }
        self.reading.documents += 1;
        // A ticket is one record, however many comments it has.
        let is_talk = document.kind != Kind::Ticket;
        self.reading.messages += if is_talk { document.messages.len().max(1) as u64 } else { 1 };
        self.hand_out(Ok(document))
    }

    /// Names a problem; the reading goes on. Of very many in one file only the first are listed.
    ///
    /// # Errors
    /// [`Halt::Stopped`] if no more is wanted.
    pub fn problem(&mut self, problem: Problem) -> Outcome {
        self.reading.problems += 1;
        if self.reading.problems > MAX_PROBLEMS { Ok(()) } else { self.hand_out(Err(problem)) }
    }

    /// From here on the documents come from inside an archive, where they have no position in the file.
    pub fn forget_places(&mut self) {
        self.has_places = false;
    }

    /// How many documents were handed out so far.
    pub fn documents(&self) -> u64 {
        self.reading.documents
    }

    pub(crate) fn set_format(&mut self, format: Format) {
        self.reading.format = format;
    }

    /// Names what was too much to name one by one, and gives the counts.
    pub(crate) fn finish(mut self, context: &Context<'_>) -> Reading {
        let more = self.reading.problems.saturating_sub(MAX_PROBLEMS);
        let repeated = self.repeated.take().map(|(id, count)| {
            Reason::Repeated(format!("{id} and {count} in all, now numbered ~2 and on"))
        });
        for reason in repeated.into_iter().chain((more > 0).then_some(Reason::More(more))) {
            // Nothing follows, so it makes no difference whether more is wanted.
            let _ = self.hand_out(Err(context.problem(None, reason)));
        }
        self.reading
    }

    fn hand_out(&mut self, item: Result<Document, Problem>) -> Outcome {
        match (self.receiver)(item) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(Halt::Stopped),
        }
    }

    fn make_unique(&mut self, id: &mut String) {
        let mut seen = self.count(id);
        if seen == 1 {
            return;
        }
        let (_, repeats) = self.repeated.get_or_insert_with(|| (id.clone(), 0));
        *repeats += 1;
        loop {
            let numbered = format!("{id}~{seen}");
            if self.count(&numbered) == 1 {
                *id = numbered;
                return;
            }
            seen += 1;
        }
    }

    /// Notes that `id` is used and says how often it was by now.
    fn count(&mut self, id: &str) -> u32 {
        let mut hasher = DefaultHasher::new();
        id.hash(&mut hasher);
        let count = self.ids.entry(hasher.finish()).or_default();
        *count += 1;
        *count
    }
}
