//! A hybrid question in a process that is warm, beside its parts without recall.

use recall_index::Snapshot;
use std::time::Instant;

use crate::asking::{Asking, Spans, milliseconds};
use crate::beir;
use crate::engine::{Kind, Remote};
use crate::figures::{Measured, number};
use crate::outcome::Outcome;
use crate::peers::bm25::Bm25;
use crate::peers::hnsw::Hnsw;
use crate::stage::Stage;
use crate::statistics::{median, percentile};

/// What bare engines took for one question, in milliseconds.
#[derive(Clone, Copy)]
struct Bare {
    embedding: f64,
    hnsw: f64,
    bm25: f64,
    sqlite: Option<f64>,
}

impl Bare {
    fn sum(&self) -> f64 {
        self.embedding + self.hnsw + self.bm25
    }
}

/// The bare engines over the texts and vectors of one index.
struct Peers {
    engine: Remote,
    hnsw: Hnsw,
    bm25: Bm25,
    #[cfg(feature = "peers")]
    sqlite: crate::peers::sqlite::Sqlite,
}

impl Peers {
    fn build(stage: &Stage, snapshot: &Snapshot) -> Outcome<Self> {
        stage.say("building the bare engines");
        let texts = || -> Outcome<Vec<Outcome<String>>> {
            let documents = beir::documents(&stage.sample()?.file)?;
            Ok(documents.map(|document| Ok(document?.searched())).collect())
        };
        let vectors = vectors(snapshot)?;
        let dims = vectors.first().map_or(0, Vec::len);
        let bm25 = Bm25::build(&stage.folder("bare-tantivy"), texts()?.into_iter())?;
        Ok(Self {
            engine: Remote::start(Kind::Bare, 1)?,
            hnsw: Hnsw::build(dims, &vectors)?,
            bm25,
            #[cfg(feature = "peers")]
            sqlite: {
                use crate::peers::sqlite::Sqlite;
                let mut sqlite = Sqlite::build(&stage.folder("bare.db"), texts()?.into_iter())?;
                sqlite.add_vectors(dims, &vectors)?;
                sqlite
            },
        })
    }

    fn ask(&mut self, question: &str) -> Outcome<Bare> {
        let (seconds, vector) = self.engine.question(question)?;
        let started = Instant::now();
        std::hint::black_box(self.hnsw.search(&vector, 10)?);
        let hnsw = milliseconds(started);
        let started = Instant::now();
        std::hint::black_box(self.bm25.search(question, 10)?);
        let bm25 = milliseconds(started);
        let sqlite = self.sqlite(question, &vector)?;
        Ok(Bare { embedding: seconds * 1e3, hnsw, bm25, sqlite })
    }

    /// Words and vectors in SQLite, the question's vector given.
    #[cfg(feature = "peers")]
    fn sqlite(&self, question: &str, vector: &[f32]) -> Outcome<Option<f64>> {
        let started = Instant::now();
        std::hint::black_box(self.sqlite.search(question, 10)?);
        std::hint::black_box(self.sqlite.nearest(vector, 10)?);
        Ok(Some(milliseconds(started)))
    }

    #[cfg(not(feature = "peers"))]
    #[expect(clippy::unnecessary_wraps, clippy::unused_self, reason = "as with SQLite")]
    fn sqlite(&self, _: &str, _: &[f32]) -> Outcome<Option<f64>> {
        Ok(None)
    }
}

/// The vectors of an index as numbers, segment by segment.
fn vectors(snapshot: &Snapshot) -> Outcome<Vec<Vec<f32>>> {
    let vectors = snapshot.vectors().map_err(ToString::to_string)?.ok_or("no vectors")?;
    let codes = vectors
        .segments()
        .iter()
        .flat_map(|segment| (0..segment.rows()).map(|row| segment.code(row)));
    Ok(codes.map(|code| code.iter().map(|x| f32::from(*x) / 127.0).collect()).collect())
}

/// p50 of each part over the questions of a round, then the median over the rounds.
pub(super) fn warm(stage: &Stage) -> Outcome<Measured> {
    let asking = Asking::open(&stage.embedded()?.folder)?;
    let mut peers = Peers::build(stage, asking.snapshot())?;
    let questions = stage.questions()?;
    let (mut own, mut bare) = (Vec::new(), Vec::new());
    for round in 0..=stage.size.rounds {
        stage.say(format!("asking, round {round}"));
        let mut spans = Vec::new();
        let mut others = Vec::new();
        for question in &questions {
            spans.push(asking.ask(question)?);
            others.push(peers.ask(question)?);
        }
        // The first round warms everything up.
        if round > 0 {
            own.push(spans);
            bare.push(others);
        }
    }
    report(stage, &own, &bare)
}

fn report(stage: &Stage, own: &[Vec<Spans>], bare: &[Vec<Bare>]) -> Outcome<Measured> {
    let of_own = |part: fn(&Spans) -> f64| middle(own, part);
    let of_bare = |part: fn(&Bare) -> f64| middle(bare, part);
    let ratio = of_own(|s| s.whole) / of_bare(Bare::sum);
    let mut out = Measured { met: Some(ratio <= 1.25), ..Measured::default() };
    out.reached = format!("{} × the parts", number(ratio));
    out.add("recall", of_own(|s| s.whole), "ms");
    out.add("of it: query embedding", of_own(|s| s.embedding), "ms");
    out.add("of it: 256 nearest vectors", of_own(|s| s.vectors), "ms");
    out.add("of it: 256 best by words", of_own(|s| s.keyword), "ms");
    out.add("of it: features, fusion, relevance", of_own(Spans::rest), "ms");
    out.add("of it: texts of ten hits", of_own(|s| s.hits), "ms");
    out.add("the parts bare, together", of_bare(Bare::sum), "ms");
    out.add("bare ONNX Runtime, one thread, tokenizing included", of_bare(|b| b.embedding), "ms");
    out.add("bare usearch, 10 nearest", of_bare(|b| b.hnsw), "ms");
    out.add("bare tantivy, 10 best", of_bare(|b| b.bm25), "ms");
    if bare.iter().flatten().all(|b| b.sqlite.is_some()) {
        let sqlite = of_bare(|b| b.embedding + b.sqlite.unwrap_or(f64::NAN));
        out.add("ONNX Runtime + SQLite FTS5 + sqlite-vec", sqlite, "ms");
    }
    out.note = format!("the first {} documents", stage.sample()?.documents);
    Ok(out)
}

fn middle<T>(rounds: &[Vec<T>], part: impl Fn(&T) -> f64) -> f64 {
    let p50 = |round: &Vec<T>| percentile(&round.iter().map(&part).collect::<Vec<_>>(), 0.5);
    median(&rounds.iter().map(p50).collect::<Vec<_>>())
}
