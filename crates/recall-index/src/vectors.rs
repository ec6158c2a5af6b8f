//! The vectors of one generation: every segment, searched as one.

use std::path::Path;

use rayon::prelude::*;

use crate::error::IndexError;
use crate::manifest::Manifest;
use crate::quantized::QuantizedVector;
use crate::segment::{Segment, sort};
use crate::verified::Verified;

/// The opened segments of a generation.
pub struct Vectors {
    segments: Vec<Segment>,
    dims: usize,
}

impl Vectors {
    /// Opens the segments that the manifest names; `None` if the index has no model yet.
    pub fn open(
        folder: &Path,
        manifest: &Manifest,
        verified: &Verified,
    ) -> Result<Option<Self>, IndexError> {
        let Some(model) = &manifest.model else { return Ok(None) };
        let open = |record| Segment::open(folder, record, model.dims, verified);
        let segments = manifest.segments.iter().map(open).collect::<Result<_, _>>()?;
        Ok(Some(Self { segments, dims: model.dims }))
    }

    /// [`Self::open`] without graphs, for what does not search: opening one costs a look at each row.
    pub fn open_rows(
        folder: &Path,
        manifest: &Manifest,
        verified: &Verified,
    ) -> Result<Option<Self>, IndexError> {
        let mut bare = manifest.clone();
        bare.segments.iter_mut().for_each(|segment| segment.graph = None);
        Self::open(folder, &bare, verified)
    }

    /// The segments, in the order of the manifest.
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// Length of a vector.
    pub fn dims(&self) -> usize {
        self.dims
    }

    /// Live vectors.
    pub fn len(&self) -> usize {
        self.segments.iter().map(|s| s.rows() - s.deleted().len() as usize).sum()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Finds the `limit` texts nearest to a unit vector: their hashes with their cosines, best first,
    /// ties by hash. With `allowed` (ascending hashes) only those are searched.
    pub fn search(
        &self,
        unit: &[f32],
        allowed: Option<&[u64]>,
        limit: usize,
    ) -> Result<Vec<(u64, f32)>, IndexError> {
        let Some(code) = QuantizedVector::new(unit) else { return Ok(Vec::new()) };
        let of = |segment: &Segment| segment.search(unit, &code, allowed, limit);
        let found: Vec<Vec<(u64, f32)>> = match self.segments.as_slice() {
            [one] => vec![of(one)?],
            many => many.par_iter().map(of).collect::<Result<_, _>>()?,
        };
        let mut found = found.concat();
        sort(&mut found);
        found.dedup_by_key(|(hash, _)| *hash);
        found.truncate(limit);
        Ok(found)
    }

    /// The cosine of a unit vector with the vector of a text, if there is one.
    pub fn cosine(&self, unit: &[f32], hash: u64) -> Option<f32> {
        self.find(hash).map(|(segment, row)| segment.cosine(unit, row))
    }

    /// Those of `hashes` (ascending) that have no live vector.
    pub fn missing(&self, hashes: &[u64]) -> Vec<u64> {
        let live = |segment: &Segment| (segment.rows_of(hashes) - segment.deleted()).into_iter();
        let of = |segment| live(segment).map(move |row| segment.hash(row as usize));
        let mut held: Vec<u64> = self.segments.iter().flat_map(of).collect();
        held.sort_unstable();
        let mut held = held.into_iter().peekable();
        let is_missing = |hash: &&u64| {
            while held.next_if(|next| next < hash).is_some() {}
            held.peek() != Some(hash)
        };
        hashes.iter().filter(is_missing).copied().collect()
    }

    fn find(&self, hash: u64) -> Option<(&Segment, usize)> {
        self.segments.iter().find_map(|segment| {
            let row = segment.find(hash).filter(|row| !segment.is_deleted(*row))?;
            Some((segment, row))
        })
    }

    /// Cosines of a unit vector with the live vectors of the `count` smallest hashes, in the order of
    /// the hashes: a fixed sample of what an unrelated text scores. A hash says nothing of its text,
    /// and the sample does not depend on how vectors are spread over segments.
    pub fn sample(&self, unit: &[f32], count: usize) -> Vec<f32> {
        let mut rows: Vec<(u64, &Segment, usize)> = Vec::new();
        for segment in &self.segments {
            let live = (0..segment.rows()).filter(|row| !segment.is_deleted(*row));
            rows.extend(live.take(count).map(|row| (segment.hash(row), segment, row)));
        }
        if rows.len() > count {
            rows.select_nth_unstable_by_key(count, |(hash, ..)| *hash);
            rows.truncate(count);
        }
        rows.sort_unstable_by_key(|(hash, ..)| *hash);
        rows.dedup_by_key(|(hash, ..)| *hash);
        rows.into_iter().map(|(_, segment, row)| segment.cosine(unit, row)).collect()
    }
}
