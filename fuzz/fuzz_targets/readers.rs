//! Every reader on any bytes: the first byte chooses the format, the rest is the file.
#![no_main]

use std::ops::ControlFlow;
use std::sync::Once;

use libfuzzer_sys::fuzz_target;
use recall_sources::{Document, Format, ReadOptions, read_bytes};

static QUIET: Once = Once::new();

fuzz_target!(|data: &[u8]| {
    // A panic that a reader catches (PDF) is no finding; libFuzzer's hook would abort at once.
    // What is not caught still ends the run.
    QUIET.call_once(|| std::panic::set_hook(Box::new(|_| {})));
    let Some((&choice, bytes)) = data.split_first() else { return };
    let formats: Vec<Format> = Format::all().collect();
    let format = formats[usize::from(choice) % formats.len()];
    let options = ReadOptions {
        format: Some(format),
        max_document_bytes: 1 << 20,
        max_bytes: 16 << 20,
        redact: choice >= 128,
        ..ReadOptions::default()
    };
    let _ = read_bytes("fuzz/file", bytes, &options, &mut |item| {
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
