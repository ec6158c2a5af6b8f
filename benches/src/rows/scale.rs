//! Questions to a large index, with generated vectors.

use recall_index::{Snapshot, Vectors};

use crate::asking::Asking;
use crate::figures::{Measured, number};
use crate::outcome::Outcome;
use crate::scaled::Scaled;
use crate::stage::Stage;
use crate::statistics::{median, percentile};
use crate::synthetic::{Synthetic, dot};

/// Neighbours that are compared.
const NEIGHBOURS: usize = 10;
/// Candidates that recall asks the vectors for.
const DEPTH: usize = 256;
/// Questions whose neighbours are looked for.
const PROBES: usize = 100;
/// Seed of the first probe: one that no text has.
const FIRST_PROBE: u64 = 1 << 40;

/// Hybrid p95 in the large index against the small one.
pub(super) fn hybrid(stage: &Stage) -> Outcome<Measured> {
    let few = p95(stage, stage.few()?)?;
    let many = p95(stage, stage.many()?)?;
    let ratio = many.0 / few.0;
    let mut out = Measured { met: Some(ratio <= 4.0), ..Measured::default() };
    out.reached = format!("{} ×", number(ratio));
    for (count, (whole, without)) in [(stage.size.few, few), (stage.size.many, many)] {
        let chunks = number(count as f64);
        out.add(format!("p95 at {chunks} chunks"), whole, "ms");
        out.add("without the question's embedding", without, "ms");
    }
    out.note = "the model's vector of the question, generated vectors of the texts".to_owned();
    Ok(out)
}

/// Medians over the rounds of the p95 of a question, and of what it takes without its embedding.
fn p95(stage: &Stage, index: &Scaled) -> Outcome<(f64, f64)> {
    let asking = Asking::open(&index.folder)?;
    let (mut whole, mut without) = (Vec::new(), Vec::new());
    for round in 0..=stage.size.rounds {
        stage.say(format!("asking, round {round}"));
        let mut spans = Vec::new();
        for number in 0..stage.size.questions as u64 {
            spans.push(asking.ask(&stage.scratch.generator.question(number))?);
        }
        if round > 0 {
            let of = |part: &dyn Fn(&crate::asking::Spans) -> f64| {
                percentile(&spans.iter().map(part).collect::<Vec<_>>(), 0.95)
            };
            whole.push(of(&|s| s.whole));
            without.push(of(&|s| s.whole - s.embedding));
        }
    }
    Ok((median(&whole), median(&without)))
}

/// Share of the ten nearest vectors that a search finds among its candidates' first ten.
pub(super) fn recall(stage: &Stage) -> Outcome<Measured> {
    let index = stage.many()?;
    let snapshot = Snapshot::open(&index.folder)?;
    let vectors = snapshot.vectors().map_err(ToString::to_string)?.ok_or("no vectors")?;
    let probes: Vec<Vec<f32>> =
        (0..PROBES as u64).map(|n| index.vectors().vector(FIRST_PROBE + n)).collect();
    stage.say("exact neighbours");
    let hashes = snapshot.keyword().chunk_hashes(None)?;
    let exact = exact(index.vectors(), &hashes, &probes);
    let deep = share(vectors, &probes, &exact, DEPTH)?;
    let shallow = share(vectors, &probes, &exact, NEIGHBOURS)?;
    let mut out = Measured { met: Some(deep >= 0.97), ..Measured::default() };
    out.reached = number(deep);
    out.add("of a search for 256, as every question makes", deep, "");
    out.add("of a search for 10", shallow, "");
    out.add("segments", vectors.segments().len() as f64, "");
    out.note =
        format!("{PROBES} probes; exact: cosines of the generated numbers before they are coded");
    Ok(out)
}

fn share(vectors: &Vectors, probes: &[Vec<f32>], exact: &[Vec<u64>], limit: usize) -> Outcome<f64> {
    let mut found = 0;
    for (probe, wanted) in probes.iter().zip(exact) {
        let nearest = vectors.search(probe, None, limit)?;
        let first = nearest.iter().take(NEIGHBOURS);
        found += first.filter(|(hash, _)| wanted.contains(hash)).count();
    }
    Ok(found as f64 / (probes.len() * NEIGHBOURS) as f64)
}

/// The nearest of `hashes` to each probe, by the vectors as they were made.
fn exact(vectors: &Synthetic, hashes: &[u64], probes: &[Vec<f32>]) -> Vec<Vec<u64>> {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let parts: Vec<Vec<Nearest>> = std::thread::scope(|scope| {
        let part = |hashes| move || nearest(vectors, hashes, probes);
        let length = hashes.len().div_ceil(cores).max(1);
        let workers: Vec<_> = hashes.chunks(length).map(|h| scope.spawn(part(h))).collect();
        workers.into_iter().filter_map(|worker| worker.join().ok()).collect()
    });
    let joined = |probe: usize| {
        let mut all: Nearest = parts.iter().flat_map(|part| part[probe].clone()).collect();
        all.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        all.into_iter().take(NEIGHBOURS).map(|(_, hash)| hash).collect()
    };
    (0..probes.len()).map(joined).collect()
}

/// Cosine and hash, the best first.
type Nearest = Vec<(f32, u64)>;

fn nearest(vectors: &Synthetic, hashes: &[u64], probes: &[Vec<f32>]) -> Vec<Nearest> {
    let mut best: Vec<Nearest> = vec![Vec::with_capacity(NEIGHBOURS + 1); probes.len()];
    for hash in hashes {
        let vector = vectors.vector(*hash);
        for (probe, best) in probes.iter().zip(&mut best) {
            let cosine = dot(probe, &vector);
            let place = best.partition_point(|(known, _)| *known >= cosine);
            if place < NEIGHBOURS {
                best.insert(place, (cosine, *hash));
                best.truncate(NEIGHBOURS);
            }
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vector_is_its_own_nearest() {
        let vectors = Synthetic::new();
        let hashes: Vec<u64> = (0..200).collect();
        let probes = [vectors.vector(17), vectors.vector(180)];
        let found = exact(&vectors, &hashes, &probes);
        assert_eq!((found[0][0], found[1][0]), (17, 180));
        assert!(found.iter().all(|f| f.len() == NEIGHBOURS));
    }
}
