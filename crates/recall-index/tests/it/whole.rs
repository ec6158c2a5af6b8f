//! Whole documents, and documents in several parts.

use recall_index::{EntryId, Snapshot};

use crate::corpus::{Corpus, found};

/// So many steps, each about a chunk long.
fn steps(count: usize) -> String {
    let step = |i| {
        format!(
            "Step {i}: look at every lamp on the panel, note which is dark, and tell the shift lead.\n\n"
        )
    };
    (1..=count).map(step).collect()
}

fn one(snapshot: &Snapshot, path: &str) -> EntryId {
    let ids = snapshot.keyword().at_path(path).unwrap();
    assert_eq!(ids.len(), 1, "the first part of {path}");
    ids[0]
}

#[test]
fn a_whole_document_is_one_entry_with_every_byte() {
    let text = format!("# Dark lamps\r\n\r\n{}\u{1f526} end", steps(120));
    let corpus = Corpus::new(&[("runbooks/lamps.md", &text), ("other.md", "nothing")]);
    let snapshot = corpus.snapshot();
    let id = one(&snapshot, "runbooks/lamps.md");
    assert_eq!(snapshot.keyword().parts(id).unwrap(), [id]);
    let entry = snapshot.keyword().fetch(id).unwrap();
    assert!(entry.document.whole);
    assert_eq!(entry.document.text, text);
    assert!(entry.chunks.len() > 100, "{} chunks", entry.chunks.len());
    for question in ["Step 1 lamp", "\"Step 120\"", "shift lead"] {
        assert_eq!(found(&snapshot, question), ["runbooks/lamps.md"], "{question}");
    }
    for chunk in &entry.chunks {
        assert_eq!(snapshot.keyword().entries_with_chunk(chunk.hash).unwrap(), [id]);
    }
}

#[test]
fn a_long_document_has_parts_in_order() {
    let text = steps(90);
    let corpus = Corpus::new(&[("notes.md", &text), ("short.md", "Step aside.")]);
    let snapshot = corpus.snapshot();
    let keyword = snapshot.keyword();
    let first = one(&snapshot, "notes.md");
    let parts = keyword.parts(first).unwrap();
    assert!(parts.len() > 2, "{} parts", parts.len());
    assert_eq!(parts[0], first);
    let mut end = 0;
    for (number, id) in parts.iter().enumerate() {
        let entry = keyword.fetch(*id).unwrap();
        assert_eq!((entry.part as usize, entry.parts as usize), (number, parts.len()));
        assert_eq!(keyword.parts(*id).unwrap(), parts, "from any of them");
        let from = entry.offset as usize;
        assert!(text[end..from].trim().is_empty(), "nothing between the parts is lost");
        end = from + entry.document.text.len();
        assert_eq!(entry.document.text, text[from..end]);
    }
    assert!(text[end..].trim().is_empty());
    assert_eq!(keyword.documents().unwrap(), 2);
    assert_eq!(keyword.entries(), parts.len() as u64 + 1);
    assert_eq!(keyword.with_id("notes.md").unwrap(), [first]);
}

#[test]
fn all_parts_go_with_their_document() {
    let corpus = Corpus::new(&[("notes.md", &steps(90)), ("short.md", "Step aside.")]);
    corpus.remove("notes.md");
    corpus.update();
    assert_eq!(found(&corpus.snapshot(), "step"), ["short.md"]);
    assert_eq!(corpus.snapshot().keyword().entries(), 1);
}
