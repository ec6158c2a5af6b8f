use recall_sources::{Document, ReadOptions, Reason};

use crate::show::read;

/// Reads `text` as `big.txt` and checks that the parts make it up, in order.
#[track_caller]
fn check_parts(text: &str, expected: usize) -> Vec<Document> {
    let outcome = read("big.txt", text.as_bytes(), &ReadOptions::default());
    assert!(outcome.problems.is_empty() && outcome.end.is_ok());
    assert_eq!(outcome.documents.len(), expected);
    let (mut byte, mut line) = (0, 1);
    for (number, part) in (1..).zip(&outcome.documents) {
        let span = part.span.expect("a text has a place");
        assert_eq!((span.byte_start, span.line_start), (byte, line), "{}", part.id);
        assert_eq!(text[span.byte_start as usize..span.byte_end as usize], part.text);
        let id = if number == 1 { "big.txt".to_owned() } else { format!("big.txt#part{number}") };
        assert_eq!((part.id.as_str(), part.title.as_str()), (id.as_str(), "big"));
        byte = span.byte_end;
        line += part.text.matches('\n').count() as u64;
    }
    assert_eq!(byte as usize, text.len());
    outcome.documents
}

#[test]
fn large_texts_come_in_parts() {
    let paragraph = format!("{}\nsecond line\n\n", "word ".repeat(100));
    let parts = check_parts(&paragraph.repeat(5000), 3);
    assert!(parts.iter().all(|part| part.text.ends_with("\n\n")), "cut at paragraphs");

    let parts = check_parts(&"a line of the log\n".repeat(100_000), 2);
    assert!(parts.iter().all(|part| part.text.ends_with('\n')), "cut at lines");

    check_parts(&"một dòng không có gì ngăn cách".replace(' ', "").repeat(60_000), 2);
    check_parts(&"x".repeat(70_000), 1);
}

#[test]
fn whole_documents_are_never_cut() {
    let text = "step\n".repeat(500_000);
    let outcome = read("runbooks/a.md", text.as_bytes(), &ReadOptions::default());
    assert_eq!(outcome.documents[0].text, text);

    let options = ReadOptions { max_document_bytes: 1 << 20, ..ReadOptions::default() };
    let outcome = read("runbooks/a.md", text.as_bytes(), &options);
    let problem = outcome.end.expect_err("too large");
    let size = text.len() as u64;
    assert_eq!(problem.reason, Reason::TooLarge { size, limit: 1 << 20 });
    assert!(outcome.documents.is_empty());

    let exactly = "x".repeat(1 << 20);
    let outcome = read("runbooks/a.md", exactly.as_bytes(), &options);
    assert_eq!(outcome.documents.len(), 1, "the limit itself is allowed");
}

#[test]
fn the_receiver_may_break_off() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("a.jsonl"), "{\"text\":\"x\"}\n".repeat(10))
        .expect("written");
    let mut seen = 0;
    let reading =
        crate::show::source(folder.path(), "a.jsonl").read(&ReadOptions::default(), &mut |_| {
            seen += 1;
            if seen == 3 {
                std::ops::ControlFlow::Break(())
            } else {
                std::ops::ControlFlow::Continue(())
            }
        });
    assert_eq!((seen, reading.map(|reading| reading.documents)), (3, Ok(3)));
}
