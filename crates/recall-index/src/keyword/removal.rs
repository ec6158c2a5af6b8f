//! The query by which entries are removed.

use std::collections::HashMap;
use std::sync::Arc;

use tantivy::index::SegmentId;
use tantivy::query::{
    BitSetDocSet, ConstScorer, EnableScoring, Explanation, Query, Scorer, Weight,
};
use tantivy::{BitSet, Searcher, SegmentReader};

use super::EntryId;

/// The query for entries by their positions, for removing what a reader found: a term that only one
/// entry has would have to be kept for each.
#[derive(Debug, Clone)]
pub(super) struct Positions(Arc<HashMap<SegmentId, Vec<u32>>>);

impl Positions {
    /// The positions of `entries`, by segment.
    pub(super) fn of(searcher: &Searcher, entries: &[EntryId]) -> Self {
        let mut positions: HashMap<SegmentId, Vec<u32>> = HashMap::new();
        for entry in entries {
            let segment = searcher.segment_reader(entry.segment).segment_id();
            positions.entry(segment).or_default().push(entry.number);
        }
        Self(Arc::new(positions))
    }
}

impl Query for Positions {
    fn weight(&self, _scoring: EnableScoring<'_>) -> tantivy::Result<Box<dyn Weight>> {
        Ok(Box::new(self.clone()))
    }
}

impl Weight for Positions {
    fn scorer(&self, segment: &SegmentReader, boost: f32) -> tantivy::Result<Box<dyn Scorer>> {
        let mut set = BitSet::with_max_value(segment.max_doc());
        let numbers = self.0.get(&segment.segment_id()).into_iter().flatten();
        for number in numbers {
            set.insert(*number);
        }
        Ok(Box::new(ConstScorer::new(BitSetDocSet::from(set), boost)))
    }

    fn explain(&self, _segment: &SegmentReader, _number: u32) -> tantivy::Result<Explanation> {
        Ok(Explanation::new("its position was named", 1.0))
    }
}
