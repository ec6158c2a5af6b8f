//! The hot functions that touch no disk: cutting, analysing, fusing.
//!
//! `cargo bench -p recall-benches`

use std::hint::black_box;

use criterion::{Criterion, Throughput};
use recall_index::{Analyzer, ChunkSettings, chunk, estimated_tokens, identifiers};
use recall_query::features::{Features, QueryFeatures};
use recall_query::fuse::{self, FusionWeights};

/// Words of a text to cut or analyse.
const WORDS: usize = 2_000;
/// Candidates of one question: 256 of each retriever.
const CANDIDATES: usize = 512;

/// A text of short paragraphs under headings, in two languages, with identifiers in it.
fn text() -> String {
    const WORD: [&str; 12] = [
        "the",
        "worker",
        "restarted",
        "khởi",
        "động",
        "lại",
        "INC-4211",
        "queue",
        "after",
        "0x80070057",
        "timeout",
        "again.",
    ];
    let mut random = fastrand::Rng::with_seed(1);
    let mut out = String::new();
    for number in 0..WORDS {
        match number % 120 {
            0 => out.push_str("\n\n## What was seen\n\n"),
            40 | 80 => out.push_str("\n\n"),
            _ => out.push(' '),
        }
        out.push_str(WORD[random.usize(..WORD.len())]);
    }
    out
}

fn cutting(criterion: &mut Criterion) {
    let text = text();
    let settings = ChunkSettings::default();
    let mut group = criterion.benchmark_group("chunking");
    group.throughput(Throughput::Bytes(text.len() as u64));
    group.bench_function("a long note", |b| {
        b.iter(|| chunk(black_box(&text), &[], &estimated_tokens, settings));
    });
    group.finish();
}

fn analysing(criterion: &mut Criterion) {
    let text = text();
    let analyzer = Analyzer::default();
    let mut group = criterion.benchmark_group("analysis");
    group.throughput(Throughput::Bytes(text.len() as u64));
    group.bench_function("words", |b| b.iter(|| analyzer.words(black_box(&text))));
    group.bench_function("identifiers", |b| b.iter(|| identifiers(black_box(&text))));
    group.finish();
}

fn fusing(criterion: &mut Criterion) {
    let query = QueryFeatures {
        term_limits: vec![5.0, 3.0, 8.0, 2.0],
        identifiers: vec![false, false, true, false],
        known: vec![true; 4],
        cosine_deviation: 0.07,
        has_vector: true,
        ..QueryFeatures::default()
    };
    let mut random = fastrand::Rng::with_seed(2);
    let candidates: Vec<Features> = (0..CANDIDATES)
        .map(|_| {
            let contributions: Vec<f32> = (0..4).map(|_| random.f32() * 3.0).collect();
            let bm25 = contributions.iter().sum();
            Features { bm25, contributions, cosine: Some(random.f32() - 0.5), exact: false }
        })
        .collect();
    criterion.bench_function("fusion/512 candidates", |b| {
        b.iter(|| {
            let candidates = black_box(&candidates);
            let background = fuse::background(&query, candidates.iter());
            let usual = fuse::usual_cosine(candidates.iter());
            let score =
                |e| fuse::score(&query, e, background, usual, &FusionWeights::default()).total();
            candidates.iter().map(score).sum::<f32>()
        });
    });
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    cutting(&mut criterion);
    analysing(&mut criterion);
    fusing(&mut criterion);
    criterion.final_summary();
}
