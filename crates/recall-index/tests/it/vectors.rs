//! Vectors that a function makes.

use std::io;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use recall_index::{
    ChunkSettings, EmbedFailure, IndexError, IndexOptions, Indexer, estimated_tokens,
};

use crate::corpus::{Corpus, DIMS};

const FILES: [(&str, &str); 4] = [
    ("old.md", "---\ndate: 2020-01-01\n---\nlamp"),
    ("new.md", "---\ndate: 2026-01-01\n---\ndisk"),
    ("undated.md", "fan"),
    ("twin.md", "fan"),
];

/// A direction of its own for each letter that a text can end with.
fn vector(text: &str) -> Vec<f32> {
    let last = text.trim().bytes().last().unwrap_or(0) as usize;
    (0..DIMS).map(|at| if at == last % DIMS { 1.0 } else { 0.1 }).collect()
}

#[test]
fn each_text_is_embedded_once_newest_first() {
    let corpus = Corpus::new(&FILES);
    let asked = Mutex::new(Vec::new());
    let embed = |texts: &[&str], report: &(dyn Fn(usize) + Sync)| {
        report(texts.len());
        asked.lock().unwrap().extend(texts.iter().map(|text| (*text).to_owned()));
        Ok(texts.iter().map(|text| vector(text)).collect())
    };
    let (stop, mut indexer) = (AtomicBool::new(false), corpus.indexer().unwrap());
    let counts = indexer.manifest().counts;
    assert_eq!((counts.chunks, counts.missing_vectors()), (4, 4), "titles tell twins apart");
    assert_eq!(indexer.embed(DIMS, &embed, &|_| {}, &stop).unwrap(), 4);
    assert_eq!(indexer.manifest().counts.missing_vectors(), 0);
    let first: Vec<bool> = asked.lock().unwrap().iter().map(|text| text.contains("disk")).collect();
    assert_eq!(first, [true, false, false, false], "the newest document comes first");
    assert_eq!(indexer.embed(DIMS, &embed, &|_| {}, &stop).unwrap(), 0, "nothing is left");
    drop(indexer);
    let snapshot = corpus.snapshot();
    let vectors = snapshot.vectors().unwrap().unwrap();
    let nearest = vectors.search(&vector("disk"), None, 1).unwrap();
    let entries = snapshot.keyword().entries_with_chunk(nearest[0].0).unwrap();
    assert_eq!(snapshot.keyword().ids_and_paths(&entries).unwrap()[0].1, "new.md");
}

#[test]
fn failures_are_told_and_leave_the_index_as_it_was() {
    let corpus = Corpus::new(&FILES);
    type Answer = fn() -> Result<Vec<f32>, EmbedFailure>;
    let check = |answer: Answer, stop: bool, expected: fn(&IndexError) -> bool| {
        let embed =
            |texts: &[&str], _: &(dyn Fn(usize) + Sync)| texts.iter().map(|_| answer()).collect();
        let (stop, mut indexer) = (AtomicBool::new(stop), corpus.indexer().unwrap());
        let error = indexer.embed(DIMS, &embed, &|_| {}, &stop).unwrap_err();
        assert!(expected(&error), "{error:?}");
        assert_eq!(corpus.snapshot().manifest().counts.vectors, 0);
    };
    check(
        || Err(io::Error::other("no runtime").into()),
        false,
        |error| {
            let IndexError::Embedding { source } = error else { return false };
            source.is::<io::Error>() && error.to_string() == "no runtime"
        },
    );
    check(|| Ok(vec![0.0; DIMS]), false, |error| matches!(error, IndexError::BadVector { .. }));
    check(|| Ok(vec![1.0; DIMS]), true, |error| matches!(error, IndexError::Interrupted));
}

#[test]
fn a_text_that_is_gone_takes_its_vector_with_it() {
    let corpus = Corpus::new(&FILES);
    let embed = |texts: &[&str], _: &(dyn Fn(usize) + Sync)| {
        Ok(texts.iter().map(|text| vector(text)).collect())
    };
    let stop = AtomicBool::new(false);
    corpus.indexer().unwrap().embed(DIMS, &embed, &|_| {}, &stop).unwrap();
    corpus.remove("new.md");
    corpus.update();
    let snapshot = corpus.snapshot();
    assert_eq!(snapshot.manifest().counts.vectors, 3);
    let found = snapshot.vectors().unwrap().unwrap().search(&vector("disk"), None, 10).unwrap();
    assert_eq!(found.len(), 3);
    assert!(!stop.load(Ordering::Relaxed));
}

#[test]
fn a_sample_does_not_depend_on_how_vectors_are_spread_over_segments() {
    // A direction of its own for every text.
    let embed = |texts: &[&str], _: &(dyn Fn(usize) + Sync)| {
        let of = |text: &&str| -> Vec<f32> {
            let hash = blake3::hash(text.as_bytes());
            hash.as_bytes()[..DIMS].iter().map(|byte| f32::from(*byte) - 127.5).collect()
        };
        Ok(texts.iter().map(of).collect())
    };
    let stop = AtomicBool::new(false);
    let sample = |runs: usize| {
        let corpus = Corpus::new(&[]);
        for run in 0..runs {
            for number in (run..90).step_by(runs) {
                corpus.write(&format!("{number}.md"), &format!("note {number} of all"));
            }
            corpus.update();
            corpus.indexer().unwrap().embed(DIMS, &embed, &|_| {}, &stop).unwrap();
        }
        let snapshot = corpus.snapshot();
        let vectors = snapshot.vectors().unwrap().unwrap();
        let spread = (vectors.segments().len(), vectors.len());
        (spread, vectors.sample(&[0.5; DIMS], 40))
    };
    let ((together, all), whole) = sample(1);
    let ((apart, also_all), parts) = sample(3);
    assert_eq!((together, apart, all, also_all), (1, 3, 90, 90));
    assert_eq!(whole.len(), 40);
    assert_eq!(whole, parts);
}

#[test]
fn vectors_outlive_an_index_of_another_format() {
    let embed = |texts: &[&str], _: &(dyn Fn(usize) + Sync)| {
        Ok(texts.iter().map(|text| vector(text)).collect())
    };
    let stop = AtomicBool::new(false);
    let check = |spoil: &dyn Fn(&str) -> String, vectors: u64| {
        let corpus = Corpus::new(&FILES);
        corpus.indexer().unwrap().embed(DIMS, &embed, &|_| {}, &stop).unwrap();
        let path = corpus.index().join("manifest.json");
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, spoil(&text)).unwrap();
        let chunks = ChunkSettings { tokens: 40, overlap: 0 };
        drop(Indexer::rebuild(&corpus.index(), chunks, false).unwrap());
        let mut indexer = Indexer::rebuild(&corpus.index(), chunks, false).unwrap();
        assert_eq!(indexer.manifest().roots, [corpus.root()], "the roots are known in any case");
        let offsets = &estimated_tokens;
        indexer.update(&[], &IndexOptions::default(), offsets, &|_| {}, &stop).unwrap();
        let counts = indexer.manifest().counts;
        assert_eq!((counts.chunks, counts.vectors), (4, vectors));
    };
    // The first line is `recall-manifest FORMAT CHECKSUM`.
    check(&|text| text.replacen(" 3 ", " 2 ", 1), 4);
    // Damaged: what it says of vectors cannot be trusted.
    check(&|text| text.replacen(" 3 ", " 2 ", 1).replacen("\"rows\": 4", "\"rows\":  4", 1), 0);
}
