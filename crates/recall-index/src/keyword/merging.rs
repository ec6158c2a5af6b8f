//! Which segments to merge with each other.

use std::path::Path;

use tantivy::SegmentMeta;
use tantivy::index::SegmentId;

use super::{contained, schema};
use crate::error::IndexError;
use crate::manifest::KeywordRecord;
use crate::merge::{Size, bounded, merges};

/// Bytes of segments that are merged at once, unless everything is: all of them are mapped into memory.
const MERGE_BYTES: u64 = 128 << 20;

/// The segments to merge with each other.
pub(super) fn merge_groups(
    folder: &Path,
    record: &KeywordRecord,
    all: bool,
) -> Result<Vec<Vec<SegmentId>>, IndexError> {
    let segments =
        contained(folder, || schema::open(folder, record)?.0.searchable_segment_metas())?;
    let size = |segment: &SegmentMeta| Size {
        live: u64::from(segment.num_docs()),
        dead: u64::from(segment.num_deleted_docs()),
    };
    let sizes: Vec<Size> = segments.iter().map(size).collect();
    let bytes: Vec<u64> = segments.iter().map(|segment| bytes_of(segment, record)).collect();
    let limit = if all { u64::MAX } else { MERGE_BYTES };
    let groups = merges(&sizes, all).into_iter();
    let groups = groups.flat_map(|group| bounded(group, &bytes, limit));
    Ok(groups.map(|group| group.iter().map(|index| segments[*index].id()).collect()).collect())
}

/// Size of a segment on disk.
fn bytes_of(segment: &SegmentMeta, record: &KeywordRecord) -> u64 {
    // Every file of a segment begins with its id.
    let id = segment.id().uuid_string();
    let own = record.files.iter().filter(|file| file.name.starts_with(&id));
    own.map(|file| file.bytes).sum()
}
