//! Bare usearch with its default options.

use usearch::{Index, IndexOptions, MetricKind};

use crate::outcome::Outcome;

/// A graph of vectors.
pub(crate) struct Hnsw(Index);

impl Hnsw {
    /// A graph over `vectors`, by their place.
    pub(crate) fn build(dims: usize, vectors: &[Vec<f32>]) -> Outcome<Self> {
        let options =
            IndexOptions { dimensions: dims, metric: MetricKind::Cos, ..IndexOptions::default() };
        let index = Index::new(&options)?;
        index.reserve_capacity_and_threads(vectors.len() + 1, 1)?;
        for (place, vector) in vectors.iter().enumerate() {
            index.add(place as u64, vector.as_slice())?;
        }
        Ok(Self(index))
    }

    /// The places of the `limit` nearest vectors.
    pub(crate) fn search(&self, vector: &[f32], limit: usize) -> Outcome<Vec<u64>> {
        Ok(self.0.search(vector, limit)?.keys)
    }
}
