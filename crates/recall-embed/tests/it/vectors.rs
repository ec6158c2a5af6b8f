//! Vectors against those of the reference, and against themselves.

use std::sync::atomic::{AtomicUsize, Ordering};

use recall_embed::{EmbedError, Embedder, Home};
use serde::Deserialize;

use crate::installed::{E5, MINILM, embedder, model};

/// Every eighth number of the vectors that the reference (`onnxruntime` for Python, with the reference
/// converter's model or 32-bit floats) gives for a text.
#[derive(Deserialize)]
struct Fingerprint {
    text: String,
    times: usize,
    query: Vec<f32>,
    passage: Vec<f32>,
}

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
}

fn check(id: &str, fingerprints: &str, at_least: f32) {
    let embedder = embedder(id);
    let fingerprints: Vec<Fingerprint> = serde_json::from_str(fingerprints).unwrap();
    assert_eq!(fingerprints.len(), 7);
    for fingerprint in fingerprints {
        let text = vec![fingerprint.text.as_str(); fingerprint.times].join(" ");
        let query = embedder.query(&text).unwrap();
        let passage = embedder.passages(&[&text], &|_| {}).unwrap().remove(0);
        for (vector, expected) in [(query, fingerprint.query), (passage, fingerprint.passage)] {
            assert_eq!(vector.len(), embedder.dims());
            let eighth: Vec<f32> = vector.iter().step_by(8).copied().collect();
            let cosine = cosine(&eighth, &expected);
            assert!(cosine >= at_least, "{id}: {:?}: cosine {cosine}", fingerprint.text);
            let length: f32 = vector.iter().map(|x| x * x).sum();
            assert!((length - 1.0).abs() < 1e-5, "length {length}");
        }
    }
}

#[test]
fn the_english_model_gives_the_vectors_of_its_32_bit_original() {
    check(MINILM, include_str!("fingerprints/all-minilm-l6-v2.json"), 0.998);
}

#[test]
fn the_fingerprint_is_that_of_the_indexes_there_are() {
    let expected = [
        (E5, "6a17b9530df53729c7c9bff8195dd95cd6f6d4b7d0e4d1768440f19d0f39d2b0+b37827e7"),
        (MINILM, "0962eaa0e893c7618bebce5f497fef4d992d3d989a0998569c4ef6f15137e972+0"),
    ];
    for (id, expected) in expected {
        assert_eq!(model(id).fingerprint(), expected);
        assert_eq!(embedder(id).fingerprint(), expected);
    }
}

#[test]
fn texts_of_two_languages_are_near_for_what_they_say() {
    let embedder = embedder(E5);
    let query = embedder.query("khởi động lại máy chủ thế nào").unwrap();
    let texts = ["Restart the server with systemctl.", "Quán phở mở cửa lúc sáu giờ sáng."];
    let passages = embedder.passages(&texts, &|_| {}).unwrap();
    let [same, other] = [0, 1].map(|place| cosine(&query, &passages[place]));
    assert!(same > 0.3 && other < 0.1, "{same} {other}");
}

#[test]
fn a_vector_does_not_depend_on_what_else_is_embedded() {
    let long = "the queue is full and the worker waits ".repeat(40);
    let texts = ["short", long.as_str(), "", "Ổ đĩa đầy", "磁盘已满", "short", " \n\t "];
    for id in [E5, MINILM] {
        let two = embedder(id);
        let one = Embedder::load(&Home::from_env(), &model(id), 1).unwrap();
        let together = two.passages(&texts, &|_| {}).unwrap();
        assert_eq!(
            together,
            one.passages(&texts, &|_| {}).unwrap(),
            "{id}: one thread, two threads"
        );
        for (text, vector) in texts.iter().zip(&together) {
            let alone = one.passages(&[text], &|_| {}).unwrap();
            assert_eq!(alone[0], *vector, "{id}: {text:?}");
        }
    }
}

#[test]
fn progress_counts_every_token_that_was_run() {
    let embedder = embedder(E5);
    let texts = ["one two three", "four", ""];
    let (calls, tokens) = (AtomicUsize::new(0), AtomicUsize::new(0));
    embedder
        .passages(&texts, &|count| {
            calls.fetch_add(1, Ordering::Relaxed);
            tokens.fetch_add(count, Ordering::Relaxed);
        })
        .unwrap();
    let prefixed =
        texts.iter().map(|text| embedder.tokens().count(&format!("passage: {text}")) + 2);
    assert_eq!(calls.into_inner(), 3);
    assert_eq!(tokens.into_inner(), prefixed.sum::<usize>());
}

#[test]
fn questions_are_answered_while_passages_run() {
    let embedder = embedder(MINILM);
    let texts = vec!["a passage of a few words"; 200];
    let done = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        let passages = scope.spawn(|| {
            embedder.passages(&texts, &|_| {
                done.fetch_add(1, Ordering::Relaxed);
            })
        });
        while done.load(Ordering::Relaxed) == 0 {
            std::thread::yield_now();
        }
        embedder.query("a question").unwrap();
        assert!(done.load(Ordering::Relaxed) < texts.len(), "the question waited for everything");
        assert_eq!(passages.join().unwrap().unwrap().len(), texts.len());
    });
}

#[test]
fn nothing_gives_nothing() {
    assert_eq!(embedder(MINILM).passages(&[], &|_| {}).unwrap(), Vec::<Vec<f32>>::new());
}

#[test]
fn a_row_with_other_dimensions_is_refused() {
    let mut installed = model(MINILM);
    installed.model.dims = 128;
    let embedder = Embedder::load(&Home::from_env(), &installed, 1).unwrap();
    let error = embedder.query("text").unwrap_err();
    assert!(matches!(error, EmbedError::Dims { expected: 128, got: 384 }), "{error}");
}
