//! Reads files and prints what came, for expectations.

use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::path::Path;

use recall_sources::{Document, Problem, ReadOptions, Reading, ScanOptions, Source, scan};

/// Everything that came of one file.
pub(crate) struct Outcome {
    pub documents: Vec<Document>,
    pub problems: Vec<Problem>,
    pub end: Result<Reading, Problem>,
}

/// Writes `bytes` to a file called `name` and reads it.
pub(crate) fn read(name: &str, bytes: &[u8], options: &ReadOptions) -> Outcome {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let path = folder.path().join(name);
    std::fs::create_dir_all(path.parent().expect("a file in a folder")).expect("its folder");
    std::fs::write(&path, bytes).expect("the file is written");
    read_source(&source(folder.path(), name), options)
}

/// The source at `path` below `root`, whether a scan would find it or not.
pub(crate) fn source(root: &Path, path: &str) -> Source {
    let absolute = root.join(path);
    let metadata = absolute.metadata().expect("the test wrote it");
    let (path, bytes) = (path.to_owned(), metadata.len());
    Source { path, absolute, bytes, modified: 0, is_folder: metadata.is_dir() }
}

pub(crate) fn read_source(source: &Source, options: &ReadOptions) -> Outcome {
    let (mut documents, mut problems) = (Vec::new(), Vec::new());
    let end = source.read(options, &mut |item| {
        match item {
            Ok(document) => documents.push(document),
            Err(problem) => problems.push(problem),
        }
        ControlFlow::Continue(())
    });
    Outcome { documents, problems, end }
}

/// What came of the file `name` with these bytes, in lines.
pub(crate) fn shown(name: &str, bytes: &[u8]) -> String {
    lines(&read(name, bytes, &ReadOptions::default()))
}

/// One line for each document, then the problems, then how it ended.
pub(crate) fn lines(outcome: &Outcome) -> String {
    let mut lines = String::new();
    for document in &outcome.documents {
        line(document, &mut lines);
    }
    for problem in &outcome.problems {
        let _ = writeln!(lines, "! {problem}");
    }
    let _ = match &outcome.end {
        Ok(reading) => writeln!(lines, "= {}, {} documents", reading.format, reading.documents),
        Err(problem) => writeln!(lines, "= FAILED {problem}"),
    };
    lines
}

/// `id kind(whole) "title" "text" bytes@lines`, then what else is known.
fn line(document: &Document, lines: &mut String) {
    let whole = if document.whole { " whole" } else { "" };
    let _ = write!(lines, "{} {}{whole} {:?}", document.id, document.kind, document.title);
    let _ = write!(lines, " {:?}", document.text);
    if let Some(span) = document.span {
        let _ = write!(lines, " {}..{}", span.byte_start, span.byte_end);
        let _ = write!(lines, "@{}-{}", span.line_start, span.line_end);
    }
    let dates = [("date", document.date), ("updated", document.updated)];
    for (name, date) in dates.into_iter().filter_map(|(name, date)| Some((name, date?))) {
        let _ = write!(lines, " {name}={date}");
    }
    for author in &document.authors {
        let _ = write!(lines, " by={author}");
    }
    for tag in &document.tags {
        let _ = write!(lines, " #{tag}");
    }
    if let Some(url) = &document.url {
        let _ = write!(lines, " {url}");
    }
    for (name, value) in &document.metadata {
        let _ = write!(lines, " {name}={value:?}");
    }
    lines.push('\n');
}

/// The paths that a scan of `root` gives, and its problems, in order.
pub(crate) fn scanned(root: &Path, options: &ScanOptions) -> Vec<String> {
    scan(root, options)
        .map(|found| match found {
            Ok(source) => source.path,
            Err(problem) => format!("! {problem}"),
        })
        .collect()
}
