//! The features of the first hits of labelled questions, as JSON lines: what fusion and the
//! relevance model are fitted on.
//!
//! `cargo run --release -p recall-quality -- INDEX QUERIES LIMIT [QRELS]`: at most LIMIT questions, spread over the file; without
//! labels nothing in the index answers them.

use std::path::Path;

use recall_eval::qrels::{self, Grades, Qrels};
use recall_eval::queries::{self, Query};
use recall_index::{Snapshot, language};
use recall_query::{Engine, Mode, Ranked, Ranking, Request};
use serde_json::{Value, json};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [index, asked, limit, labels @ ..] = arguments.as_slice() else {
        return Err("usage: recall-quality INDEX QUERIES LIMIT [QRELS]".into());
    };
    let searcher = Engine::new().searcher(Path::new(index), Mode::Vector)?;
    let mut all = queries::parse(&std::fs::read_to_string(asked)?).value;
    let grades = match labels {
        [path] => qrels::parse(&std::fs::read_to_string(path)?).value,
        _ => Qrels::new(),
    };
    all.retain(|query| grades.is_empty() || grades.contains_key(&query.id));
    let limit: usize = limit.parse()?;
    let step = all.len().div_ceil(limit).max(1);
    for query in all.iter().step_by(step) {
        let mut ranking = searcher.rank(&Request::plain(&query.text, Mode::Hybrid))?;
        ranking.leave_out(|d| query.excludes(&d.id, &d.path), searcher.weights());
        println!("{}", row(searcher.snapshot(), query, grades.get(&query.id), ranking)?);
    }
    Ok(())
}

fn row(
    snapshot: &Snapshot,
    query: &Query,
    grades: Option<&Grades>,
    ranking: Ranking,
) -> Result<Value, Box<dyn std::error::Error>> {
    let q = &ranking.query;
    let all = &ranking.documents;
    let top = |value: &dyn Fn(&Ranked) -> f32| {
        let mut values: Vec<f32> = all.iter().map(value).collect();
        values.sort_by(|a, b| b.total_cmp(a));
        values.truncate(24);
        values
    };
    let sample = match (&ranking.vector, snapshot.vectors()) {
        (Some(unit), Ok(Some(vectors))) => vectors.sample(unit, 1000),
        _ => Vec::new(),
    };
    let mean = sample.iter().sum::<f32>() / sample.len().max(1) as f32;
    let hit = |(at, d): (usize, &Ranked)| -> Result<Value, Box<dyn std::error::Error>> {
        let entry = snapshot.keyword().fetch(d.entry)?;
        Ok(json!({
            "at": at, "id": d.id, "grade": grades.and_then(|g| g.get(&d.id)).copied().unwrap_or(0),
            "cosine": d.features.cosine, "contributions": d.features.contributions,
            "share": d.features.keyword_share(q), "coverage": d.features.coverage(q),
            "keyword": d.features.keyword(q), "bm25": d.features.bm25, "exact": d.features.exact,
            "score": d.score, "shares": [d.shares.keyword, d.shares.vector],
            "relevance": d.relevance, "keyword_rank": d.keyword_rank, "vector_rank": d.vector_rank,
            "score_gap": d.margins.score_gap, "cosine_gap": d.margins.cosine_gap,
            "keyword_gap": d.margins.keyword_gap, "ahead": d.margins.keyword_rank,
            "cross_language": d.cross_language, "language": language(&entry.document.text),
            "bytes": entry.document.text.len(), "title": entry.document.title.len(),
        }))
    };
    let wanted = |(at, d): &(usize, &Ranked)| {
        *at < 5
            || d.vector_rank.is_some_and(|r| r <= 3)
            || d.keyword_rank.is_some_and(|r| r <= 3)
            || grades.is_some_and(|g| g.get(&d.id).is_some_and(|g| *g > 0))
    };
    let hits: Vec<Value> =
        all.iter().enumerate().filter(wanted).map(hit).collect::<Result<_, _>>()?;
    Ok(json!({
        "query": query.id, "text": query.text, "language": language(&query.text),
        "limits": q.term_limits, "identifiers": q.identifiers, "known": q.known,
        "deviation": q.cosine_deviation, "cohort_mean": q.cohort_mean, "searched": q.searched, "mean": mean, "documents": snapshot.manifest().counts.documents,
        "cosines": top(&|d| d.features.cosine.unwrap_or(-1.0)), "keywords": top(&|d| d.features.keyword(q)),
        "scores": top(&|d| d.score), "candidates": all.len(), "unit": ranking.vector, "hits": hits,
        "relevant": grades.map_or(0, |g| g.values().filter(|g| **g > 0).count()),
    }))
}
