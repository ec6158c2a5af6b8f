//! Generated texts: chat of any length, and tickets. A text depends on its number alone, so a corpus
//! of a million has the one of ten thousand at its beginning.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use crate::outcome::Outcome;
use crate::words::Words;

/// Documents in one file of a generated corpus.
const FILE_DOCUMENTS: usize = 10_000;
const NAMES: [&str; 12] =
    ["lan", "huy", "mara", "joe", "tomas", "ines", "wei", "priya", "olu", "kim", "sven", "ana"];

/// Generates texts.
pub(crate) struct Generator {
    words: Words,
}

impl Generator {
    pub(crate) fn new() -> Self {
        Self { words: Words::new() }
    }

    /// A message of chat: most are short, a few run on.
    pub(crate) fn message(&self, number: u64) -> String {
        let mut random = seeded(number, 1);
        let long = random.u8(..20) == 0;
        let count = if long { random.usize(30..90) } else { random.usize(3..22) };
        let name = NAMES[random.usize(..NAMES.len())];
        format!("<{name}> {}", self.words.sentence(&mut random, count))
    }

    /// A part of a ticket: a few paragraphs, shorter than a chunk.
    pub(crate) fn ticket(&self, number: u64) -> String {
        let mut random = seeded(number, 2);
        let paragraphs = random.usize(2..=4);
        let sentence = |random: &mut fastrand::Rng| {
            let count = random.usize(6..18);
            self.words.sentence(random, count)
        };
        let paragraph = |random: &mut fastrand::Rng| {
            (0..random.usize(1..=3)).map(|_| sentence(random)).collect::<Vec<_>>().join(" ")
        };
        (0..paragraphs).map(|_| paragraph(&mut random)).collect::<Vec<_>>().join("\n\n")
    }

    /// Chat and tickets mixed, as an index of a company's memory has them: two messages to a ticket.
    pub(crate) fn mixed(&self, number: u64) -> String {
        if number % 3 == 2 { self.ticket(number) } else { self.message(number) }
    }

    /// A question about nothing in particular.
    pub(crate) fn question(&self, number: u64) -> String {
        let mut random = seeded(number, 3);
        let count = random.usize(3..10);
        self.words.sentence(&mut random, count)
    }

    /// Writes `count` messages as JSON lines into files of ten thousand below `folder`.
    pub(crate) fn write_messages(&self, folder: &Path, count: usize) -> Outcome<()> {
        std::fs::create_dir_all(folder)?;
        for first in (0..count).step_by(FILE_DOCUMENTS) {
            let path = folder.join(format!("messages-{:05}.jsonl", first / FILE_DOCUMENTS));
            self.write_file(&path, first..(first + FILE_DOCUMENTS).min(count))?;
        }
        Ok(())
    }

    /// Writes the messages with these numbers as JSON lines.
    pub(crate) fn write_file(&self, path: &Path, numbers: std::ops::Range<usize>) -> Outcome<()> {
        let mut out = BufWriter::new(File::create(path)?);
        for number in numbers {
            let text = self.message(number as u64);
            let line =
                serde_json::json!({"_id": format!("m{number:07}"), "title": "", "text": text});
            writeln!(out, "{line}")?;
        }
        Ok(out.flush()?)
    }

    /// Writes `count` notes of one paragraph each; another `edition` has another text.
    pub(crate) fn write_notes(&self, folder: &Path, count: usize, edition: u64) -> Outcome<()> {
        std::fs::create_dir_all(folder)?;
        for number in 0..count {
            let mut random = seeded(number as u64, 1000 + edition);
            let text = self.words.sentence(&mut random, 60);
            std::fs::write(folder.join(format!("note-{number:03}.md")), text)?;
        }
        Ok(())
    }
}

fn seeded(number: u64, kind: u64) -> fastrand::Rng {
    fastrand::Rng::with_seed(number.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_depends_on_its_number_alone() {
        let (a, b) = (Generator::new(), Generator::new());
        assert_eq!(a.message(3), b.message(3));
        assert_eq!(a.mixed(5), b.ticket(5));
        assert_ne!(a.message(3), a.message(4));
    }

    #[test]
    fn a_large_corpus_begins_with_the_small_one() {
        let folder = tempfile::tempdir().unwrap();
        let generator = Generator::new();
        let written = |name: &str, count| {
            let folder = folder.path().join(name);
            generator.write_messages(&folder, count).unwrap();
            std::fs::read_to_string(folder.join("messages-00000.jsonl")).unwrap()
        };
        let (small, large) = (written("small", 20), written("large", 30));
        assert_eq!(small.lines().count(), 20);
        assert!(large.starts_with(&small));
    }
}
