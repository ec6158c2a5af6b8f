//! The texts that the model reads, batch by batch: an entry is fetched once, however many chunks it
//! has.

use std::collections::{HashMap, HashSet};

use rayon::prelude::*;

use crate::entry::Entry;
use crate::error::IndexError;
use crate::keyword::EntryId;

/// Fetches an entry, from any thread.
type Fetch<'a> = dyn Fn(EntryId) -> Result<Entry, IndexError> + Sync + 'a;

/// Gives the texts of chunks. The last entry of a batch is kept for the next one, since a long
/// document goes on there.
pub(super) struct ChunkTexts<'a> {
    fetch: &'a Fetch<'a>,
    last: Option<(EntryId, Entry)>,
}

impl<'a> ChunkTexts<'a> {
    pub(super) fn new(fetch: &'a Fetch<'a>) -> Self {
        Self { fetch, last: None }
    }

    /// The texts of chunks (hash and entry) with their hashes, in order. Neighbours of one entry share
    /// a fetch; a hash that its entry does not hold is left out.
    pub(super) fn batch(
        &mut self,
        chunks: &[(u64, EntryId)],
    ) -> Result<Vec<(u64, String)>, IndexError> {
        let groups: Vec<&[(u64, EntryId)]> = chunks.chunk_by(|a, b| a.1 == b.1).collect();
        let Some((last_group, others)) = groups.split_last() else { return Ok(Vec::new()) };
        let kept = self.last.take();
        let known = |id: EntryId| kept.as_ref().filter(|(of, _)| *of == id).map(|(_, entry)| entry);
        let texts = |group: &&[(u64, EntryId)]| match known(group[0].1) {
            Some(entry) => Ok(texts(entry, group)),
            None => Ok(texts(&(self.fetch)(group[0].1)?, group)),
        };
        let mut out: Vec<Vec<(u64, String)>> =
            others.par_iter().map(texts).collect::<Result<_, IndexError>>()?;
        let id = last_group[0].1;
        let entry = match kept {
            Some((of, entry)) if of == id => entry,
            _ => (self.fetch)(id)?,
        };
        out.push(self::texts(&entry, last_group));
        self.last = Some((id, entry));
        Ok(out.concat())
    }
}

/// The texts of an entry's chunks; of chunks with one hash, the first.
fn texts(entry: &Entry, wanted: &[(u64, EntryId)]) -> Vec<(u64, String)> {
    let hashes: HashSet<u64> = wanted.iter().map(|(hash, _)| *hash).collect();
    let mut texts = HashMap::with_capacity(hashes.len());
    for chunk in entry.chunks.iter().filter(|chunk| hashes.contains(&chunk.hash)) {
        texts.entry(chunk.hash).or_insert_with(|| entry.model_text(chunk));
    }
    wanted.iter().filter_map(|(hash, _)| Some((*hash, texts.remove(hash)?))).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use recall_sources::{Document, Kind};

    use super::*;
    use crate::chunk::{ChunkSettings, estimated_tokens};
    use crate::entry::entries;
    use crate::keyword::{KeywordReader, KeywordWriter};

    const SETTINGS: ChunkSettings = ChunkSettings { tokens: 30, overlap: 0 };

    /// Documents of so many sentences, each about a chunk long, the first of them whole.
    fn reader(folder: &std::path::Path, sentences: &[usize]) -> KeywordReader {
        let mut writer = KeywordWriter::open(folder, &Default::default(), 1).unwrap();
        for (number, count) in sentences.iter().enumerate() {
            let text: String = (0..*count)
                .map(|i| format!("Step {i} of {number}: look at every lamp on the panel and note which is dark.\n\n"))
                .collect();
            let name = format!("{number}.md");
            let document =
                Document { whole: number == 0, ..Document::new(&name, &name, Kind::Note, text) };
            writer.add(&entries(0, &name, document, 0, &estimated_tokens, SETTINGS)).unwrap();
        }
        let record = writer.commit().unwrap();
        KeywordReader::open(folder, &record).unwrap()
    }

    /// Reads all chunks in batches of `size`; as many fetches as there are entries are allowed.
    #[track_caller]
    fn check(sentences: &[usize], size: usize) {
        let folder = tempfile::tempdir().unwrap();
        let reader = reader(folder.path(), sentences);
        let pending = reader.newest_first(&reader.chunk_hashes(None).unwrap()).unwrap();
        let fetched = AtomicUsize::new(0);
        let fetch = |id: EntryId| {
            fetched.fetch_add(1, Ordering::Relaxed);
            reader.fetch(id)
        };
        let mut texts = ChunkTexts::new(&fetch);
        let got: Vec<(u64, String)> =
            pending.chunks(size).flat_map(|batch| texts.batch(batch).unwrap()).collect();
        let expected: Vec<(u64, String)> = pending
            .iter()
            .map(|(hash, id)| {
                let entry = reader.fetch(*id).unwrap();
                let chunk = entry.chunks.iter().find(|chunk| chunk.hash == *hash).unwrap();
                (*hash, entry.model_text(chunk))
            })
            .collect();
        assert_eq!(got, expected);
        assert_eq!(fetched.into_inner() as u64, reader.entries(), "{sentences:?} by {size}");
    }

    #[test]
    fn an_entry_is_fetched_once_whatever_its_chunks() {
        check(&[200], 7);
        check(&[200], 1000);
        check(&[100, 1, 1, 40], 16);
        check(&[1, 1, 1], 2);
    }
}
