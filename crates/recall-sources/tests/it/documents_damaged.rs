//! A short seeded run of what `fuzz/` does at length: files of every format, damaged.

use std::ops::ControlFlow;

use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use recall_sources::{Format, ReadOptions, read_bytes};

use crate::made::{docx, pdf};

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

const WORDS: &[u8] = b"<w:document><w:body><w:p><w:pPr><w:pStyle w:val=\"Heading1\"/></w:pPr><w:r>\
    <w:t>Restart</w:t></w:r></w:p><w:tbl><w:tr><w:tc><w:p><w:t>host &amp; port</w:t></w:p></w:tc>\
    </w:tr></w:tbl></w:body></w:document>";
const PAGE: &[u8] =
    b"BT /F1 12 Tf 72 720 Td (Restart) Tj 0 -40 Td [(the) -300 (po) 20 (ol)] TJ T* \
    (REDIS\\137POOL=64) ' ET q 1 0 0 1 5 5 cm BT <48692e> Tj ET Q";

/// A document of Word with these bytes for its words.
fn word(bytes: &[u8]) -> Vec<u8> {
    docx(&[("word/document.xml", bytes)])
}

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

/// Reads `file`, damaged in a hundred ways and then packed, as the format called `name`.
fn check_damaged(name: &str, file: &[u8], pack: fn(&[u8]) -> Vec<u8>) {
    let damage = (0.0..1.0_f64, 0..200_usize, prop::collection::vec(any::<u8>(), 0..20));
    let config = Config { cases: 100, failure_persistence: None, ..Config::default() };
    let seeded = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let format: Format = name.parse().expect("a format");
    let outcome =
        TestRunner::new_with_rng(config, seeded).run(&damage, |(at, length, inserted)| {
            check(format, &pack(&damaged(file, at, length, &inserted)));
            Ok(())
        });
    outcome.unwrap_or_else(|error| panic!("{name}: {error}"));
}

#[test]
fn damaged_files_do_no_harm() {
    for (name, file) in FILES {
        check_damaged(name, file, <[u8]>::to_vec);
    }
}

/// Damage reaches the container, and what lies in a sound one.
#[test]
fn damaged_containers_do_no_harm() {
    check_damaged("docx", &word(WORDS), <[u8]>::to_vec);
    check_damaged("docx", WORDS, word);
    check_damaged("pdf", &pdf(PAGE), <[u8]>::to_vec);
    check_damaged("pdf", PAGE, pdf);
}
