//! A source: one file, or one folder that is an export. It is hashed and read as a whole.

use std::fs::File;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use crate::archive::Archive;
use crate::document::Document;
use crate::format::{FORMATS, Format, Sniff};
use crate::input::Input;
use crate::problem::{Problem, Reason};
use crate::readers::text;
use crate::reading::{Context, Halt, ReadOptions, Reading, Sink};

/// A file, or a folder whose files are one export (threads run across them) and are read together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// Relative to the root, with `/` between parts; the file's name if the root is a file.
    pub path: String,
    /// Where it lies.
    pub absolute: PathBuf,
    /// Size in bytes; of all files for a folder.
    pub bytes: u64,
    /// Last change in nanoseconds since 1970 (0 = unknown); the latest of all files for a folder.
    pub modified: i128,
    /// It is a folder that is read as one export.
    pub is_folder: bool,
}

impl Source {
    /// BLAKE3 of the content; for a folder, of its files' names and contents.
    ///
    /// # Errors
    /// [`Reason::Unreadable`] or [`Reason::Vanished`].
    pub fn hash(&self) -> Result<blake3::Hash, Problem> {
        let mut hasher = blake3::Hasher::new();
        let done = if self.is_folder {
            hash_folder(&self.absolute, &mut hasher)
        } else {
            File::open(&self.absolute).and_then(|file| hasher.update_reader(file).map(drop))
        };
        done.map_err(|error| self.problem(&error))?;
        Ok(hasher.finalize())
    }

    /// The format it will be read as, told from its beginning.
    ///
    /// # Errors
    /// It cannot be opened, is empty, or is nothing that we read ([`Reason::Binary`]).
    pub fn recognise(&self, options: &ReadOptions) -> Result<Format, Problem> {
        self.open(options).map(|(_, format)| format)
    }

    /// Reads it. `receiver` gets each document and each problem as it is found and may break off.
    ///
    /// Memory stays bounded whatever the size of the file.
    ///
    /// # Errors
    /// It could not be read, or not to its end. What `receiver` got before stands.
    pub fn read(
        &self,
        options: &ReadOptions,
        receiver: &mut dyn FnMut(Result<Document, Problem>) -> ControlFlow<()>,
    ) -> Result<Reading, Problem> {
        let (input, format) = self.open(options)?;
        read_input(&input, &self.path, format, options, receiver)
    }

    fn open(&self, options: &ReadOptions) -> Result<(Input, Format), Problem> {
        let limit = options.max_bytes;
        let input = Input::open(&self.absolute, limit).map_err(|error| self.problem(&error))?;
        let reason = match recognise(&input, &self.path, options) {
            Ok(format) => return Ok((input, format)),
            Err(reason) => reason,
        };
        Err(Problem { path: self.path.clone(), line: None, reason })
    }

    fn problem(&self, error: &io::Error) -> Problem {
        Problem { path: self.path.clone(), line: None, reason: Reason::from_io(error) }
    }
}

/// What `input`, called `name`, is to be read as.
pub(crate) fn recognise(
    input: &Input,
    name: &str,
    options: &ReadOptions,
) -> Result<Format, Reason> {
    if input.folder().is_none() && input.head().is_empty() {
        return Err(Reason::Empty);
    }
    match options.format {
        Some(format) => Ok(format),
        None => recognise_content(input, name, options.max_bytes),
    }
}

/// What `input`, called `name`, is by itself.
pub(crate) fn recognise_content(input: &Input, name: &str, limit: u64) -> Result<Format, Reason> {
    let names = names_inside(input, limit)?;
    Format::recognise(input, name, &names).ok_or(Reason::Binary)
}

/// The names of the files in a folder or a zip.
fn names_inside(input: &Input, limit: u64) -> Result<Vec<String>, Reason> {
    if let Some(folder) = input.folder() {
        return Ok(two_levels(folder));
    }
    if !input.head().starts_with(b"PK\x03\x04") {
        return Ok(Vec::new());
    }
    let archive = Archive::open(input, limit).map_err(|error| Reason::from_io(&error))?;
    Ok(archive.names().to_vec())
}

/// Whether `folder` is an export of many files that belong together.
pub(crate) fn is_export_folder(folder: &Path) -> bool {
    let is_one = |markers: &[&str], is: fn(&[String]) -> bool| {
        markers.iter().any(|marker| folder.join(marker).exists()) && is(&two_levels(folder))
    };
    FORMATS.iter().any(|row| match row.sniff {
        Sniff::Files { markers, is } => is_one(markers, is),
        Sniff::File(_) => false,
    })
}

/// The names in `folder` and in the folders in it, sorted; what cannot be read is left out.
fn two_levels(folder: &Path) -> Vec<String> {
    let list = |folder: &Path| -> Vec<(String, bool)> {
        let entries = folder.read_dir().into_iter().flatten().flatten();
        let named = |entry: std::fs::DirEntry| {
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            (entry.file_name().to_string_lossy().into_owned(), is_folder)
        };
        entries.map(named).collect()
    };
    let mut names = Vec::new();
    for (name, is_folder) in list(folder) {
        if is_folder {
            let inner = list(&folder.join(&name));
            names.extend(inner.into_iter().map(|(inner, _)| format!("{name}/{inner}")));
            names.push(format!("{name}/"));
        } else {
            names.push(name);
        }
    }
    names.sort_unstable();
    names
}

fn hash_folder(folder: &Path, hasher: &mut blake3::Hasher) -> io::Result<()> {
    let input = Input::open(folder, u64::MAX)?;
    for name in Archive::open(&input, u64::MAX)?.names() {
        hasher.update(&(name.len() as u64).to_le_bytes()).update(name.as_bytes());
        let file = File::open(folder.join(name))?;
        hasher.update(&file.metadata()?.len().to_le_bytes()).update_reader(file)?;
    }
    Ok(())
}

/// Reads `input` as `format`, from the file `path`.
pub(crate) fn read_input(
    input: &Input,
    path: &str,
    format: Format,
    options: &ReadOptions,
    receiver: &mut dyn FnMut(Result<Document, Problem>) -> ControlFlow<()>,
) -> Result<Reading, Problem> {
    let context = Context { path, name: path, whole: options.whole.matches(path, false), options };
    let mut sink = Sink::new(format, options, receiver);
    let outcome = read_part(input, format, &context, &mut sink);
    let reading = sink.finish(&context);
    match outcome {
        Ok(()) if reading.documents == 0 && reading.problems == 0 => {
            Err(context.problem(None, Reason::Empty))
        }
        Ok(()) | Err(Halt::Stopped) => Ok(reading),
        Err(Halt::Failed(problem)) => Err(problem),
    }
}

/// Whether it would help to read it as text: a fair part of it is letters.
fn has_words(input: &Input) -> bool {
    let head = input.head_text();
    let letters = head.chars().filter(|c| c.is_alphabetic()).count();
    letters * 5 > head.chars().count()
}

/// Reads `input`, which may be a file in an archive, falls back to text where that helps, and
/// says what was replaced.
pub(crate) fn read_part(
    input: &Input,
    format: Format,
    context: &Context<'_>,
    sink: &mut Sink<'_>,
) -> Result<(), Halt> {
    let (row, before) = (format.row(), sink.documents());
    match (row.read)(input, context, sink) {
        Err(Halt::Failed(Problem { reason: Reason::Malformed(why), line, .. }))
            if row.falls_back && has_words(input) && sink.documents() == before =>
        {
            sink.problem(context.problem(line, Reason::FellBack(why)))?;
            sink.set_format(Format::Text);
            text::read(input, context, sink)?;
        }
        outcome => outcome?,
    }
    if input.replaced() > 0 {
        let what = format!("{} bytes that are not UTF-8 stand as `?`", input.replaced());
        sink.problem(context.problem(None, Reason::Cut(what)))?;
    }
    Ok(())
}
