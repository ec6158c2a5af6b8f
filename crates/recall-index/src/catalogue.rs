//! Which files were read, as they were then: what the next run compares the disk with.
//!
//! Stored as a list of small files, each the changes of one commit, merged when they are many, so
//! that a commit costs what changed.

use std::collections::BTreeMap;
use std::path::Path;

use recall_sources::Problem;
use serde::{Deserialize, Serialize};

use crate::error::{IndexError, io_error};
use crate::manifest::{CATALOGUE, FileRecord, Manifest, write_file};
use crate::merge::{Size, merges};

const MAGIC: &[u8; 8] = b"recallc1";

/// What is remembered of a file, or of an export that is a folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceRecord {
    /// BLAKE3 of its content; `None` if it could not be read, so that it is tried again.
    pub hash: Option<[u8; 32]>,
    /// Size in bytes.
    pub bytes: u64,
    /// Last change when it was read, in nanoseconds since 1970.
    pub modified: i128,
    /// What it was read as.
    pub format: String,
    /// Documents it gave.
    pub documents: u64,
    /// Messages in them.
    pub messages: u64,
    /// What was skipped in it, or why it was skipped itself.
    #[serde(with = "as_json")]
    pub problems: Vec<Problem>,
}

/// Problems are tagged values, which bincode cannot read back; so they are kept as JSON text.
mod as_json {
    use super::Problem;
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser};

    pub(super) fn serialize<S: Serializer>(
        problems: &[Problem],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serde_json::to_string(problems).map_err(ser::Error::custom)?.serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<Problem>, D::Error> {
        serde_json::from_str(&String::deserialize(deserializer)?).map_err(de::Error::custom)
    }
}

/// Root number and path: what a source is known by.
pub type SourceId = (u32, String);

/// A change of the catalogue; `None` removes.
type Change = (SourceId, Option<SourceRecord>);

/// The whole catalogue in memory, with what changed since it was last saved.
#[derive(Debug, Default)]
pub struct SourceCatalogue {
    sources: BTreeMap<SourceId, SourceRecord>,
    changed: BTreeMap<SourceId, Option<SourceRecord>>,
    /// Changes in each saved file.
    sizes: Vec<u64>,
}

impl SourceCatalogue {
    /// Reads the files that the manifest names.
    pub fn load(folder: &Path, files: &[FileRecord]) -> Result<Self, IndexError> {
        let mut out = Self::default();
        for file in files {
            let changes = read(&folder.join(CATALOGUE).join(&file.name), file)?;
            out.sizes.push(changes.len() as u64);
            for (id, record) in changes {
                match record {
                    Some(record) => out.sources.insert(id, record),
                    None => out.sources.remove(&id),
                };
            }
        }
        Ok(out)
    }

    /// Every source, by root and path.
    pub fn sources(&self) -> &BTreeMap<SourceId, SourceRecord> {
        &self.sources
    }

    /// Remembers a source as it is now.
    pub fn set(&mut self, id: SourceId, record: SourceRecord) {
        if self.sources.get(&id) != Some(&record) {
            self.changed.insert(id.clone(), Some(record.clone()));
            self.sources.insert(id, record);
        }
    }

    /// Forgets a source.
    pub fn remove(&mut self, id: &SourceId) {
        if self.sources.remove(id).is_some() {
            self.changed.insert(id.clone(), None);
        }
    }

    /// Whether something changed since it was last saved.
    pub fn is_changed(&self) -> bool {
        !self.changed.is_empty()
    }

    /// Writes what changed, into the manifest too.
    pub fn save(&mut self, folder: &Path, manifest: &mut Manifest) -> Result<(), IndexError> {
        if self.changed.is_empty() {
            return Ok(());
        }
        let changes: Vec<Change> = std::mem::take(&mut self.changed).into_iter().collect();
        self.write(folder, manifest, &changes)?;
        let sizes: Vec<Size> = self.sizes.iter().map(|n| Size { live: *n, dead: 0 }).collect();
        // Order matters here, so either nothing is merged or all of it.
        if !merges(&sizes, false).is_empty() {
            manifest.catalogue.clear();
            self.sizes.clear();
            let all: Vec<Change> = self
                .sources
                .iter()
                .map(|(id, record)| (id.clone(), Some(record.clone())))
                .collect();
            self.write(folder, manifest, &all)?;
        }
        Ok(())
    }

    fn write(
        &mut self,
        folder: &Path,
        manifest: &mut Manifest,
        changes: &[Change],
    ) -> Result<(), IndexError> {
        let body = bincode::serde::encode_to_vec(changes, bincode::config::standard())
            .expect("a catalogue holds plain data only");
        let name = manifest.new_name("cat");
        let file = write_file(&folder.join(CATALOGUE), name, &[MAGIC, &body])?;
        manifest.catalogue.push(file);
        self.sizes.push(changes.len() as u64);
        Ok(())
    }
}

fn read(path: &Path, record: &FileRecord) -> Result<Vec<Change>, IndexError> {
    let bytes = std::fs::read(path).map_err(io_error("read", path))?;
    let damaged =
        |detail: &str| IndexError::Damaged { path: path.to_owned(), detail: detail.to_owned() };
    if blake3::hash(&bytes).to_hex().as_str() != record.blake3 {
        return Err(damaged("its checksum differs from the manifest's"));
    }
    let body = bytes.strip_prefix(MAGIC).ok_or_else(|| damaged("not a catalogue"))?;
    bincode::serde::decode_from_slice(body, bincode::config::standard())
        .map(|(changes, _)| changes)
        .map_err(|error| damaged(&error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::ChunkSettings;
    use recall_sources::Reason;

    #[test]
    fn what_was_saved_is_read_back_in_order() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join(CATALOGUE)).unwrap();
        let mut manifest = Manifest::empty(ChunkSettings::default(), true);
        let mut catalogue = SourceCatalogue::default();
        let record = |line| SourceRecord {
            hash: Some([7; 32]),
            bytes: 3,
            modified: -1,
            format: "text".into(),
            documents: 1,
            messages: 1,
            problems: vec![Problem {
                path: "a".into(),
                line: Some(line),
                reason: Reason::Cut("x".into()),
            }],
        };
        for line in 0..20 {
            catalogue.set((0, format!("file-{}", line % 7)), record(line));
            catalogue.remove(&(0, format!("file-{}", (line + 3) % 7)));
            catalogue.save(folder.path(), &mut manifest).unwrap();
            let read = SourceCatalogue::load(folder.path(), &manifest.catalogue).unwrap();
            assert_eq!(read.sources(), catalogue.sources(), "after {line}");
        }
        assert!(manifest.catalogue.len() < 8, "merged when they are many");
    }
}
