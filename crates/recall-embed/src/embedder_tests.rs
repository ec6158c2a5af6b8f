//! Vectors as the model gives them, against those of the reference, and what is removed from them.

use serde::Deserialize;

use crate::catalogue::ModelCatalogue;
use crate::embedder::Embedder;
use crate::home::Home;
use crate::language_removal::LanguageRemoval;
use crate::pull::pull;

const E5: &str = "multilingual-e5-small";

/// Every eighth number of the vectors that the reference (`onnxruntime` for Python, with the
/// reference converter's model) gives for a text.
#[derive(Deserialize)]
struct Fingerprint {
    text: String,
    times: usize,
    query: Vec<f32>,
    passage: Vec<f32>,
}

fn embedder() -> Embedder {
    let home = Home::from_env();
    let installed = pull(&home, ModelCatalogue::builtin().find(E5).unwrap(), false, &|_| {});
    Embedder::load(&home, &installed.unwrap(), 2).unwrap()
}

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
}

#[test]
fn the_multilingual_model_gives_the_vectors_of_the_reference_converter() {
    let embedder = embedder();
    let removal = LanguageRemoval::of(E5, embedder.dims());
    let fingerprints = include_str!("../tests/it/fingerprints/multilingual-e5-small.json");
    let fingerprints: Vec<Fingerprint> = serde_json::from_str(fingerprints).unwrap();
    assert_eq!(fingerprints.len(), 7);
    for fingerprint in fingerprints {
        let text = vec![fingerprint.text.as_str(); fingerprint.times].join(" ");
        let query = embedder.raw_query(&text).unwrap();
        let passage = embedder.raw_passage(&text).unwrap().0;
        for (vector, expected) in [(&query, fingerprint.query), (&passage, fingerprint.passage)] {
            let eighth: Vec<f32> = vector.iter().step_by(8).copied().collect();
            let cosine = cosine(&eighth, &expected);
            assert!(cosine >= 0.999, "{:?}: cosine {cosine}", fingerprint.text);
            let length: f32 = vector.iter().map(|x| x * x).sum();
            assert!((length - 1.0).abs() < 1e-5, "length {length}");
        }
        assert_eq!(embedder.query(&text).unwrap(), removal.query(query));
        assert_eq!(embedder.passages(&[&text], &|_| {}).unwrap(), [removal.passage(passage)]);
    }
}
