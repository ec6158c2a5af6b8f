//! Every reader on any bytes: the first byte chooses the format, the rest is the file.
//! `FORMATS=mbox,mail` keeps a run to these formats.
#![no_main]

use std::ops::ControlFlow;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use recall_sources::{Document, Format, ReadOptions, read_bytes};

static FORMATS: LazyLock<Vec<Format>> = LazyLock::new(|| {
    // A panic that a reader catches (PDF) is no finding; libFuzzer's hook would abort at once.
    // What is not caught still ends the run.
    std::panic::set_hook(Box::new(|_| {}));
    match std::env::var("FORMATS") {
        Ok(names) => names.split(',').map(|name| name.parse().expect("a format")).collect(),
        Err(_) => Format::all().collect(),
    }
});

/// How to read each format, plainly and with credentials masked. Compiling the globs of the
/// defaults, or even copying them, takes longer than reading a small file.
static OPTIONS: LazyLock<[Vec<ReadOptions>; 2]> = LazyLock::new(|| {
    let default = ReadOptions::default();
    let options = |format: &Format, redact| ReadOptions {
        format: Some(*format),
        max_document_bytes: 1 << 20,
        max_bytes: 16 << 20,
        redact,
        ..default.clone()
    };
    [false, true].map(|redact| FORMATS.iter().map(|format| options(format, redact)).collect())
});

fuzz_target!(|data: &[u8]| {
    let Some((&choice, bytes)) = data.split_first() else { return };
    let options = &OPTIONS[usize::from(choice >= 128)];
    let options = &options[usize::from(choice) % options.len()];
    let _ = read_bytes("fuzz/file", bytes, options, &mut |item| {
        if let Ok(document) = item {
            check(&document);
        }
        ControlFlow::Continue(())
    });
});

/// What the contract of readers promises of every document.
fn check(document: &Document) {
    assert!(!document.id.is_empty(), "an id");
    let mut end = 0;
    for message in &document.messages {
        assert!(end <= message.start && message.start <= message.end, "messages in order");
        assert!(document.text.get(message.start..message.end).is_some(), "whole characters");
        end = message.end;
    }
    for date in [document.date, document.updated].into_iter().flatten() {
        assert!(date.seconds != 0, "the epoch stands for no date");
    }
    document.content_hash();
}
