//! How much an index holds, and which vectors belong to no text any more: counted from what changed
//! where that is little, else from everything.

use std::collections::HashSet;

use roaring::RoaringBitmap;

use super::Indexer;
use super::keyword_pass::Change;
use crate::error::IndexError;
use crate::keyword::KeywordReader;
use crate::manifest::KEYWORD;
use crate::segment::{self, Segment};
use crate::vectors::Vectors;

/// Everything is counted where more than one chunk in this many changed.
const COUNTED_ALONE: u64 = 8;

impl Indexer {
    /// Counts after the keyword side was committed: what changed since the generation `before`, or all.
    pub(super) fn count(
        &mut self,
        change: Option<(KeywordReader, Change)>,
    ) -> Result<(), IndexError> {
        let keyword = KeywordReader::open(&self.folder.join(KEYWORD), &self.manifest.keyword)?;
        match change {
            Some((before, change)) if self.is_little(&change) => {
                self.count_change(&before, &keyword, change)?;
            }
            _ => self.count_all(&keyword)?,
        }
        self.count_vectors();
        Ok(())
    }

    fn is_little(&self, change: &Change) -> bool {
        change.chunks.len() as u64 * COUNTED_ALONE < self.manifest.counts.chunks
    }

    fn count_all(&mut self, keyword: &KeywordReader) -> Result<(), IndexError> {
        self.fresh = None;
        let hashes = keyword.chunk_hashes(None)?;
        self.manifest.counts.documents = keyword.documents()?;
        self.manifest.counts.chunks = hashes.len() as u64;
        self.mark_deleted(&|segment| {
            let all: RoaringBitmap = (0..segment.rows() as u32).collect();
            all - segment.rows_of(&hashes)
        })
    }

    fn count_change(
        &mut self,
        before: &KeywordReader,
        now: &KeywordReader,
        change: Change,
    ) -> Result<(), IndexError> {
        let counts = &mut self.manifest.counts;
        let all_had_vectors = counts.missing_vectors() == 0;
        let mut touched = change.chunks;
        touched.sort_unstable();
        touched.dedup();
        let live = held(now, &touched)?;
        let (written, removed) = change.documents;
        counts.documents = (counts.documents + written).saturating_sub(removed);
        counts.chunks += live.len() as u64;
        counts.chunks = counts.chunks.saturating_sub(held(before, &touched)?.len() as u64);
        let gone: Vec<u64> =
            touched.into_iter().filter(|hash| live.binary_search(hash).is_err()).collect();
        self.mark_deleted(&|segment| {
            (segment.deleted() | segment.rows_of(&gone)) - segment.rows_of(&live)
        })?;
        self.fresh = all_had_vectors.then_some(live);
        Ok(())
    }

    /// Sets which vectors of each segment belong to no text.
    fn mark_deleted(
        &mut self,
        deleted: &dyn Fn(&Segment) -> RoaringBitmap,
    ) -> Result<(), IndexError> {
        let vectors = Vectors::open_rows(&self.folder, &self.manifest, &self.verified)?;
        for (number, segment) in vectors.iter().flat_map(Vectors::segments).enumerate() {
            let deleted = deleted(segment);
            if deleted != *segment.deleted() {
                segment::write_deleted(&self.folder, &mut self.manifest, number, &deleted)?;
            }
        }
        Ok(())
    }

    pub(super) fn count_bytes(&mut self) {
        let sources = self.catalogue.sources().values().filter(|source| source.documents > 0);
        self.manifest.counts.text_bytes = sources.map(|source| source.bytes).sum();
    }

    pub(super) fn count_vectors(&mut self) {
        let live = self.manifest.segments.iter().map(|s| s.rows - s.deleted_rows).sum::<u64>();
        self.manifest.counts.vectors = live.min(self.manifest.counts.chunks);
    }
}

/// Those of `hashes` (ascending) that an entry holds.
fn held(keyword: &KeywordReader, hashes: &[u64]) -> Result<Vec<u64>, IndexError> {
    let held: HashSet<u64> = keyword.holding(hashes)?.into_iter().map(|(hash, _)| hash).collect();
    Ok(hashes.iter().copied().filter(|hash| held.contains(hash)).collect())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;
    use std::sync::atomic::AtomicBool;

    use super::*;
    use crate::chunk::{ChunkSettings, estimated_tokens};
    use crate::indexer::IndexOptions;
    use crate::manifest::ModelRecord;

    const DIMS: usize = 8;

    /// A vector of its own for every text: nothing here asks which is near to which.
    fn vector(text: &str) -> Vec<f32> {
        blake3::hash(text.as_bytes()).as_bytes()[..DIMS]
            .iter()
            .map(|b| f32::from(*b) + 1.0)
            .collect()
    }

    fn update(index: &Path, notes: &Path, embed: bool) {
        let (stop, progress) = (AtomicBool::new(false), |_| {});
        let mut indexer = Indexer::open(index, ChunkSettings::default(), false).unwrap();
        let model = ModelRecord { id: "none".into(), checksum: "none".into(), dims: DIMS };
        indexer.set_model(&model).unwrap();
        let roots = [notes.to_owned()];
        let options = IndexOptions::default();
        indexer.update(&roots, &options, &estimated_tokens, &progress, &stop).unwrap();
        let vectors = |texts: &[&str], _: &(dyn Fn(usize) + Sync)| {
            Ok(texts.iter().map(|t| vector(t)).collect())
        };
        if embed {
            indexer.embed(DIMS, &vectors, &progress, &stop).unwrap();
            indexer.merge_vectors(false, &progress).unwrap();
            let counts = indexer.manifest().counts;
            assert_eq!(counts.vectors, counts.chunks, "every text has a vector");
        }
        // Counts everything again.
        assert_eq!(crate::check(index).unwrap(), []);
    }

    #[test]
    fn what_changed_is_counted_as_everything_is() {
        let folder = tempfile::tempdir().unwrap();
        let (index, notes) = (folder.path().join("index"), folder.path().join("notes"));
        fs::create_dir(&notes).unwrap();
        let path = |name: usize| notes.join(format!("{name}.md"));
        let write = |name: usize, text: &str| fs::write(path(name), text).unwrap();
        (0..60).for_each(|name| write(name, &format!("note {name} of the first hour")));
        update(&index, &notes, true);
        let after = |embed: bool, change: &dyn Fn()| {
            change();
            update(&index, &notes, embed);
        };
        after(true, &|| write(3, "rewritten"));
        after(true, &|| write(4, "rewritten"));
        after(true, &|| fs::remove_file(path(3)).unwrap());
        after(true, &|| fs::remove_file(path(4)).unwrap());
        after(true, &|| write(70, "rewritten"));
        after(true, &|| fs::rename(path(7), path(80)).unwrap());
        // Vectors that lag behind over several changes.
        after(false, &|| write(5, "once more"));
        after(false, &|| write(6, "note 7 of the first hour"));
        after(true, &|| write(5, "and again"));
        after(true, &|| (10..50).for_each(|name| fs::remove_file(path(name)).unwrap()));
    }
}
