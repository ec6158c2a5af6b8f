//! Whatever the bytes: no panic, places within the file, and text that is what the file says.

use proptest::prelude::*;
use recall_sources::{Document, Format, ReadOptions};

use crate::show::read;

/// Pieces that formats are made of, and bytes that are not.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        prop::sample::select(vec![
            "---\n",
            "title: x\n",
            "{",
            "}",
            "[",
            "]",
            "\"",
            ":",
            ",",
            ";",
            "\t",
            "\n",
            "\r\n",
            "\\",
            "{\"id\":1,\"text\":\"x\"}",
            "\"text\":\"Đặt lịch\"",
            "# ",
            "=====",
            "null",
            "id,text\n",
            "\u{feff}",
            "password=abcdef",
            "From ",
            "é",
            "👩🏽‍💻",
            "\0",
            "type: runbook\n",
        ])
        .prop_map(|piece| piece.as_bytes().to_vec()),
        prop::collection::vec(any::<u8>(), 0..4),
        "[a-z ]{0,8}".prop_map(String::into_bytes),
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

fn check(format: Format, bytes: &[u8], document: &Document) {
    let Some(span) = document.span else { return };
    let size = bytes.len() as u64;
    assert!(span.byte_start <= span.byte_end && span.byte_end <= size, "{format}: {span:?}");
    let lines = bytes.iter().filter(|&&byte| byte == b'\n').count() as u64 + 1;
    assert!(1 <= span.line_start && span.line_start <= span.line_end, "{format}: {span:?}");
    let is_utf8 = std::str::from_utf8(bytes).is_ok();
    if is_utf8 {
        assert!(span.line_end <= lines, "{format}: {span:?} of {lines}");
    }
    let is_plain = matches!(format, Format::Text | Format::Markdown | Format::Rst | Format::Org);
    if is_utf8 && is_plain {
        let place = &bytes[span.byte_start as usize..span.byte_end as usize];
        assert_eq!(place, document.text.as_bytes(), "{format}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_reader_takes_any_bytes(bytes in bytes(), redact in any::<bool>()) {
        for format in Format::all() {
            let options = ReadOptions { format: Some(format), redact, ..ReadOptions::default() };
            let outcome = read("a.bin", &bytes, &options);
            let format = outcome.end.as_ref().map_or(format, |reading| reading.format);
            for document in outcome.documents.iter().filter(|_| !redact) {
                check(format, &bytes, document);
            }
            for document in &outcome.documents {
                for message in &document.messages {
                    prop_assert!(document.text.get(message.start..message.end).is_some());
                }
            }
        }
    }

    #[test]
    fn records_stand_where_they_say(texts in prop::collection::vec("[^\u{0}]{1,20}", 1..10)) {
        let records: Vec<String> =
            texts.iter().map(|text| serde_json::json!({ "text": text, "id": "x" }).to_string()).collect();
        let options = ReadOptions::default();
        for (name, file) in [("a.jsonl", records.join("\n")), ("a.json", format!("[\n{}\n]", records.join(",\n")))] {
            let outcome = read(name, file.as_bytes(), &options);
            for document in &outcome.documents {
                let span = document.span.expect("a place");
                let place = &file[span.byte_start as usize..span.byte_end as usize];
                let value: serde_json::Value = serde_json::from_str(place).expect("one record");
                prop_assert_eq!(value["text"].as_str(), Some(document.text.as_str()));
                let line = file[..span.byte_start as usize].matches('\n').count() as u64 + 1;
                prop_assert_eq!(span.line_start, line);
            }
        }
    }

    #[test]
    fn rows_stand_where_they_say(texts in prop::collection::vec("[a-z\n\r\",;é]{0,12}", 1..10), crlf in any::<bool>()) {
        let end = if crlf { "\r\n" } else { "\n" };
        let quoted = |text: &String| format!("\"{}\"", text.replace('"', "\"\""));
        let rows: Vec<String> = texts.iter().enumerate().map(|(n, text)| format!("k{n},{}", quoted(text))).collect();
        let file = format!("id,text{end}{}{end}", rows.join(end));
        let outcome = read("a.csv", file.as_bytes(), &ReadOptions::default());
        for document in &outcome.documents {
            let span = document.span.expect("a place");
            let place = &file[span.byte_start as usize..span.byte_end as usize];
            let number: usize = document.id[1..].parse().expect("a number");
            prop_assert_eq!(place, &rows[number]);
            let line = file[..span.byte_start as usize].matches('\n').count() as u64 + 1;
            prop_assert_eq!(span.line_start, line);
            prop_assert_eq!(span.line_end, line + place.matches('\n').count() as u64);
        }
    }
}
