//! A corpus in BEIR's layout, packed or not.

use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use serde::Deserialize;

use crate::outcome::Outcome;

/// A document.
#[derive(Debug, Deserialize)]
pub(crate) struct Document {
    #[serde(default)]
    pub title: String,
    pub text: String,
}

impl Document {
    /// What is searched.
    pub(crate) fn searched(&self) -> String {
        if self.title.is_empty() {
            self.text.clone()
        } else {
            format!("{}\n{}", self.title, self.text)
        }
    }
}

#[derive(Deserialize)]
struct Question {
    text: String,
}

/// The corpus file in a folder.
pub(crate) fn corpus(folder: &Path) -> Outcome<PathBuf> {
    let files = ["corpus.jsonl", "corpus.jsonl.gz"].map(|name| folder.join(name));
    let found = files.into_iter().find(|path| path.is_file());
    Ok(found.ok_or_else(|| format!("{}: no corpus.jsonl or corpus.jsonl.gz", folder.display()))?)
}

/// The questions of a folder, in its order.
pub(crate) fn questions(folder: &Path) -> Outcome<Vec<String>> {
    let text = std::fs::read_to_string(folder.join("queries.jsonl"))?;
    let question = |line: &str| Ok(serde_json::from_str::<Question>(line)?.text);
    text.lines().map(question).collect()
}

fn lines(corpus: &Path) -> Outcome<impl Iterator<Item = std::io::Result<String>> + use<>> {
    let file = File::open(corpus)?;
    let packed = corpus.extension().is_some_and(|extension| extension == "gz");
    let bytes: Box<dyn Read> = if packed { Box::new(GzDecoder::new(file)) } else { Box::new(file) };
    Ok(BufReader::new(bytes).lines())
}

/// The documents of a corpus file, one after the other.
pub(crate) fn documents(corpus: &Path) -> Outcome<impl Iterator<Item = Outcome<Document>> + use<>> {
    Ok(lines(corpus)?.map(|line| Ok(serde_json::from_str(&line?)?)))
}

/// Writes the first `count` documents of `corpus` to `to`, and returns how many there were.
pub(crate) fn head(corpus: &Path, count: usize, to: &Path) -> Outcome<usize> {
    let mut out = BufWriter::new(File::create(to)?);
    let mut written = 0;
    for line in lines(corpus)?.take(count) {
        writeln!(out, "{}", line?)?;
        written += 1;
    }
    out.flush()?;
    Ok(written)
}
