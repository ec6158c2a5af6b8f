//! A short seeded run of what `fuzz/` does at length: files of every format, damaged.

use std::ops::ControlFlow;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use recall_sources::{Format, ReadOptions, read_bytes};

const FILES: &[(&str, &[u8])] = &[
    ("mbox", include_bytes!("../fixtures/mail/list.mbox")),
    ("mail", include_bytes!("../fixtures/mail/list.mbox")),
    ("github", include_bytes!("../fixtures/tickets/gh.json")),
    ("gitlab", include_bytes!("../fixtures/tickets/gitlab.ndjson")),
    ("jira", include_bytes!("../fixtures/tickets/jira.json")),
    ("jira-csv", include_bytes!("../fixtures/tickets/jira.csv")),
    ("redmine-csv", include_bytes!("../fixtures/tickets/redmine.csv")),
    ("zendesk", include_bytes!("../fixtures/tickets/zendesk.json")),
    ("stack-exchange", include_bytes!("../fixtures/tickets/Posts.xml")),
    ("html", include_bytes!("../fixtures/documents/page.html")),
    ("subtitles", include_bytes!("../fixtures/documents/meeting.vtt")),
    ("org", include_bytes!("../fixtures/documents/runbook.org")),
    ("log", include_bytes!("../fixtures/documents/app.log")),
];

/// Puts `inserted` in the place of `length` bytes from `at` (parts of the whole).
fn damaged(file: &[u8], at: f64, length: usize, inserted: &[u8]) -> Vec<u8> {
    let at = (file.len() as f64 * at) as usize;
    let end = file.len().min(at + length);
    [&file[..at], inserted, &file[end..]].concat()
}

/// Reads `bytes` and checks what is promised of every document.
fn check(format: Format, bytes: &[u8]) {
    let options = ReadOptions { format: Some(format), ..ReadOptions::default() };
    let _ = read_bytes("a/file", bytes, &options, &mut |item| {
        for document in item.into_iter() {
            assert!(!document.id.is_empty(), "an id");
            let mut end = 0;
            for message in &document.messages {
                assert!(end <= message.start, "in order");
                assert!(document.text.get(message.start..message.end).is_some(), "in the text");
                end = message.end;
            }
        }
        ControlFlow::Continue(())
    });
}

#[test]
fn damaged_files_do_no_harm() {
    let damage = (0.0..1.0_f64, 0..200_usize, prop::collection::vec(any::<u8>(), 0..20));
    let config = Config { cases: 100, failure_persistence: None, ..Config::default() };
    for (name, file) in FILES {
        let format: Format = name.parse().expect("a format");
        let mut runner = TestRunner::new_with_rng(
            config.clone(),
            proptest::test_runner::TestRng::deterministic_rng(
                proptest::test_runner::RngAlgorithm::ChaCha,
            ),
        );
        let outcome = runner.run(&damage, |(at, length, inserted)| {
            check(format, &damaged(file, at, length, &inserted));
            Ok(())
        });
        outcome.unwrap_or_else(|error| panic!("{name}: {error}"));
    }
}
