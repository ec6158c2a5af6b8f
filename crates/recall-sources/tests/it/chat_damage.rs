//! Damaged exports: cut anywhere, with bytes changed. Nothing panics, and what is handed out is
//! sound.

use std::io::Cursor;
use std::io::Write as _;
use std::path::Path;

use recall_sources::{Document, ReadOptions};
use zip::write::SimpleFileOptions;

use crate::chat_show::fixtures;
use crate::show::read;

/// The files of the fixtures with their bytes; a folder as a zip.
fn all() -> Vec<(String, Vec<u8>)> {
    let entries = fixtures().read_dir().expect("the fixtures").map(|entry| entry.expect("one"));
    let mut files: Vec<_> = entries
        .map(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = entry.path();
            match path.is_dir() {
                true => (format!("{name}.zip"), zipped(&path)),
                false => (name, std::fs::read(&path).expect("a fixture")),
            }
        })
        .collect();
    files.sort();
    files
}

pub(crate) fn zipped(folder: &Path) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let mut folders = vec![folder.to_owned()];
    while let Some(inner) = folders.pop() {
        for entry in inner.read_dir().expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let name = path.strip_prefix(folder).expect("inside").to_string_lossy().into_owned();
            // Stored, so that damage reaches the JSON inside.
            let stored =
                SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
            zip.start_file(name, stored).expect("a file begins");
            zip.write_all(&std::fs::read(&path).expect("a fixture")).expect("memory takes it");
        }
    }
    zip.finish().expect("memory takes it").into_inner()
}

/// Numbers that look random and are the same in each run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit.max(1)
    }
}

/// Reads the damaged file as what the whole one is, and checks what comes.
fn check(name: &str, whole: &[u8], damaged: &[u8]) -> Vec<Document> {
    let format = read(name, whole, &ReadOptions::default()).end.expect("a good fixture").format;
    let options = ReadOptions { format: Some(format), redact: true, ..ReadOptions::default() };
    let outcome = read(name, damaged, &options);
    for document in &outcome.documents {
        let mut from = 0;
        for message in &document.messages {
            assert!(from <= message.start && message.start <= message.end, "{name}: {message:?}");
            assert!(document.text.get(message.start..message.end).is_some(), "{name}");
            from = message.end;
        }
    }
    let is_named = !outcome.problems.is_empty() || outcome.end.is_err();
    assert!(is_named || !outcome.documents.is_empty(), "{name}: lost in silence");
    outcome.documents
}

#[test]
fn files_cut_anywhere_keep_what_was_complete() {
    for (name, bytes) in all() {
        let most = check(&name, &bytes, &bytes).iter().map(|d| d.messages.len()).sum::<usize>();
        for place in (1..bytes.len()).step_by(bytes.len() / 40 + 1) {
            check(&name, &bytes, &bytes[..place]);
        }
        // A zip cannot be read without its end; a file of one conversation needs all of it.
        if name.ends_with(".zip")
            || most < 3
            || ["chatgpt.json", "claude-ai.json"].contains(&name.as_str())
        {
            continue;
        }
        let kept = check(&name, &bytes, &bytes[..bytes.len() * 9 / 10]);
        assert!(kept.iter().any(|document| !document.messages.is_empty()), "{name}: all lost");
    }
}

#[test]
fn files_with_changed_bytes_are_read_or_named() {
    let mut numbers = Numbers(42);
    for (name, bytes) in all() {
        for _ in 0..40 {
            let mut damaged = bytes.clone();
            for _ in 0..=numbers.below(4) {
                let place = numbers.below(damaged.len());
                damaged[place] = numbers.below(256) as u8;
            }
            check(&name, &bytes, &damaged);
        }
    }
}
