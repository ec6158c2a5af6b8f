//! The one commit point: a small readable file, replaced by rename, last. What it does not name
//! does not exist.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::chunk::ChunkSettings;
use crate::durable;
use crate::error::{IndexError, io_error};

/// Name of the manifest in an index folder.
pub(crate) const FILE: &str = "manifest.json";
/// The format this program reads and writes.
pub(crate) const FORMAT: u32 = 3;
/// What the first line begins with; then come the format and the checksum of the rest.
const MAGIC: &str = "recall-manifest";
/// More than the first line has.
const IDENTITY_BYTES: u64 = 256;

/// Bytes of a file that are hashed at once.
const HASHED_AT_ONCE: usize = 1 << 20;

/// A file of the index as it was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileRecord {
    /// Name in its folder.
    pub name: String,
    /// Size in bytes.
    pub bytes: u64,
    /// BLAKE3 of the content, in hexadecimal.
    pub blake3: String,
}

/// The model whose vectors the index holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelRecord {
    /// Its id in the catalogue of models.
    pub id: String,
    /// Checksum over the model's files.
    pub checksum: String,
    /// Length of a vector.
    pub dims: usize,
}

/// The keyword side of a generation.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeywordRecord {
    /// The engine's own list of segments, which has no checksum of its own; empty before the first
    /// commit.
    pub meta: String,
    /// Its files.
    pub files: Vec<FileRecord>,
}

/// One immutable vector segment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SegmentRecord {
    /// Vectors and the hashes of their texts.
    pub vectors: FileRecord,
    /// The graph over them, if the segment is large enough to have one.
    pub graph: Option<FileRecord>,
    /// The rows whose text is gone, if there are any.
    pub deleted: Option<FileRecord>,
    /// Vectors in the segment.
    pub rows: u64,
    /// How many of them are deleted.
    pub deleted_rows: u64,
}

/// Counts of a generation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Documents.
    pub documents: u64,
    /// Distinct chunk texts.
    pub chunks: u64,
    /// Distinct chunk texts that have a vector.
    pub vectors: u64,
    /// Bytes of text.
    pub text_bytes: u64,
}

impl Counts {
    /// How many distinct chunk texts have no vector yet.
    pub fn missing_vectors(&self) -> u64 {
        self.chunks.saturating_sub(self.vectors)
    }
}

/// A generation of an index.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// Grows by one with each commit.
    pub generation: u64,
    /// Version of the program that wrote it.
    pub recall: String,
    /// When, RFC 3339.
    pub written: String,
    /// The model, once there is one.
    pub model: Option<ModelRecord>,
    /// How documents were cut.
    pub chunks: ChunkSettings,
    /// Whether chunks were measured by the model's tokens (else by an estimate).
    pub measured: bool,
    /// The roots that were indexed, absolute; a document refers to its root by number.
    pub roots: Vec<PathBuf>,
    /// Numbers for file names, never used twice.
    pub next_file: u64,
    /// How much there is.
    pub counts: Counts,
    /// The keyword side.
    pub keyword: KeywordRecord,
    /// The vector side.
    pub segments: Vec<SegmentRecord>,
    /// The catalogue of files, oldest first; later records replace earlier ones.
    pub catalogue: Vec<FileRecord>,
    /// Settings that `recall tune` or the user stored for this index, by name.
    pub settings: std::collections::BTreeMap<String, f64>,
}

/// The parts of an unreadable manifest that a rebuild can go on with.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Remains {
    /// [`Manifest::roots`].
    pub(crate) roots: Vec<PathBuf>,
    /// [`Manifest::model`].
    pub(crate) model: Option<ModelRecord>,
    /// [`Manifest::segments`], not compared with their files yet.
    pub(crate) segments: Vec<SegmentRecord>,
    /// [`Manifest::settings`].
    pub(crate) settings: std::collections::BTreeMap<String, f64>,
}

impl Manifest {
    /// The manifest of an index with nothing in it.
    pub fn empty(chunks: ChunkSettings, measured: bool) -> Self {
        Self {
            generation: 0,
            recall: env!("CARGO_PKG_VERSION").to_owned(),
            written: String::new(),
            model: None,
            chunks,
            measured,
            roots: Vec::new(),
            next_file: 1,
            counts: Counts::default(),
            keyword: KeywordRecord::default(),
            segments: Vec::new(),
            catalogue: Vec::new(),
            settings: std::collections::BTreeMap::new(),
        }
    }

    /// Reads the manifest of the index in `folder`.
    ///
    /// # Errors
    /// [`IndexError::Missing`], [`IndexError::OtherFormat`], [`IndexError::Damaged`].
    pub fn read(folder: &Path) -> Result<Self, IndexError> {
        let path = folder.join(FILE);
        let text = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
                return Err(IndexError::Missing(folder.to_owned()));
            }
            Err(source) => return Err(IndexError::Io { action: "read", path, source }),
        };
        Self::parse(folder, &text)
    }

    /// What can be taken over of a manifest that cannot be read otherwise. One of another format keeps
    /// its vectors too: they are checked by themselves, and a model costs hours. A damaged one keeps
    /// its roots only.
    pub(crate) fn remains_of(folder: &Path) -> Remains {
        let bytes = fs::read(folder.join(FILE)).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        let (head, body) = text.split_once('\n').unwrap_or_default();
        let mut fields: serde_json::Value = serde_json::from_str(body).unwrap_or_default();
        let roots = taken(&mut fields, "roots");
        if !head.ends_with(blake3::hash(body.as_bytes()).to_hex().as_str()) {
            return Remains { roots, ..Remains::default() };
        }
        Remains {
            roots,
            model: taken(&mut fields, "model"),
            segments: taken(&mut fields, "segments"),
            settings: taken(&mut fields, "settings"),
        }
    }

    /// What tells the current generation of the index in `folder` from every other, without reading
    /// all of it: the first line, with the checksum of the rest.
    ///
    /// # Errors
    /// [`IndexError::Missing`], [`IndexError::Io`].
    pub fn identity(folder: &Path) -> Result<String, IndexError> {
        let path = folder.join(FILE);
        let mut line = String::new();
        let read = fs::File::open(&path)
            .and_then(|file| BufReader::new(file.take(IDENTITY_BYTES)).read_line(&mut line));
        match read {
            Ok(_) => Ok(line),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
                Err(IndexError::Missing(folder.to_owned()))
            }
            Err(source) => Err(IndexError::Io { action: "read", path, source }),
        }
    }

    fn parse(folder: &Path, bytes: &[u8]) -> Result<Self, IndexError> {
        let damaged = |detail: &str| IndexError::Damaged {
            path: folder.join(FILE),
            detail: detail.to_owned(),
        };
        let text = std::str::from_utf8(bytes).map_err(|_| damaged("not text"))?;
        let (head, body) = text.split_once('\n').ok_or_else(|| damaged("no first line"))?;
        let mut head = head.split(' ');
        if head.next() != Some(MAGIC) {
            return Err(damaged("not a manifest of recall"));
        }
        let found: u32 =
            head.next().and_then(|f| f.parse().ok()).ok_or_else(|| damaged("no format number"))?;
        if found != FORMAT {
            let path = folder.to_owned();
            return Err(IndexError::OtherFormat { path, found, expected: FORMAT });
        }
        let checksum = blake3::hash(body.as_bytes()).to_hex();
        if head.next() != Some(checksum.as_str()) {
            return Err(damaged("its checksum differs"));
        }
        serde_json::from_str(body).map_err(|e| damaged(&e.to_string()))
    }

    /// Makes this the current generation of the index in `folder`, durably.
    pub fn write(&self, folder: &Path) -> Result<(), IndexError> {
        let body = serde_json::to_string_pretty(self).expect("a manifest has string keys only");
        let head = format!("{MAGIC} {FORMAT} {}\n", blake3::hash(body.as_bytes()).to_hex());
        durable::write(&folder.join(FILE), &[head.as_bytes(), body.as_bytes()])
    }

    /// Every file that this generation names: its component and its record.
    pub fn files(&self) -> impl Iterator<Item = (&'static str, &FileRecord)> {
        let segments = self
            .segments
            .iter()
            .flat_map(|s| std::iter::once(&s.vectors).chain(&s.graph).chain(&s.deleted));
        let keyword = self.keyword.files.iter().map(|f| (KEYWORD, f));
        keyword
            .chain(segments.map(|f| (VECTORS, f)))
            .chain(self.catalogue.iter().map(|f| (CATALOGUE, f)))
    }

    /// A name that no file of this index has or had.
    pub fn new_name(&mut self, extension: &str) -> String {
        let number = self.next_file;
        self.next_file += 1;
        format!("{number:06}.{extension}")
    }
}

/// The value of a field, or its default where it is missing or has another form.
fn taken<T: Default + serde::de::DeserializeOwned>(
    fields: &mut serde_json::Value,
    name: &str,
) -> T {
    let field = fields.get_mut(name).map(serde_json::Value::take).unwrap_or_default();
    serde_json::from_value(field).unwrap_or_default()
}

/// The component with the keyword index.
pub(crate) const KEYWORD: &str = "keyword";
/// The component with the vector segments.
pub(crate) const VECTORS: &str = "vectors";
/// The component with the catalogue.
pub(crate) const CATALOGUE: &str = "catalogue";

/// The components of an index, each a folder in it.
pub(crate) const COMPONENTS: [&str; 3] = [KEYWORD, VECTORS, CATALOGUE];

/// Writes a file of the index and returns its record.
pub(crate) fn write_file(
    folder: &Path,
    name: String,
    pieces: &[&[u8]],
) -> Result<FileRecord, IndexError> {
    let mut hasher = blake3::Hasher::new();
    let mut bytes = 0;
    for piece in pieces {
        hasher.update_rayon(piece);
        bytes += piece.len() as u64;
    }
    durable::write(&folder.join(&name), pieces)?;
    Ok(FileRecord { name, bytes, blake3: hasher.finalize().to_hex().to_string() })
}

/// The record of a file that something else wrote.
pub(crate) fn record_file(folder: &Path, name: &str) -> Result<FileRecord, IndexError> {
    let path = folder.join(name);
    let failed = || io_error("read", &path);
    let mut file = fs::File::open(&path).map_err(failed())?;
    let mut hasher = blake3::Hasher::new();
    // Read and not mapped: a mapped file counts as memory of ours.
    let mut buffer = vec![0; HASHED_AT_ONCE];
    loop {
        let read = file.read(&mut buffer).map_err(failed())?;
        if read == 0 {
            break;
        }
        hasher.update_rayon(&buffer[..read]);
    }
    Ok(FileRecord {
        name: name.to_owned(),
        bytes: hasher.count(),
        blake3: hasher.finalize().to_hex().to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn survives_a_round_trip_and_notices_any_flipped_bit() {
        let folder = tempfile::tempdir().unwrap();
        let mut manifest = Manifest::empty(ChunkSettings::default(), true);
        manifest.roots.push("/tmp/notes".into());
        manifest.write(folder.path()).unwrap();
        assert_eq!(Manifest::read(folder.path()).unwrap(), manifest);
        let identity = Manifest::identity(folder.path()).unwrap();
        manifest.generation += 1;
        manifest.write(folder.path()).unwrap();
        assert_ne!(Manifest::identity(folder.path()).unwrap(), identity);
        let good = fs::read(folder.path().join(FILE)).unwrap();
        for bit in 0..good.len() * 8 {
            let mut bad = good.clone();
            bad[bit / 8] ^= 1 << (bit % 8);
            assert!(Manifest::parse(folder.path(), &bad).is_err(), "bit {bit}");
        }
        for cut in 0..good.len() {
            assert!(Manifest::parse(folder.path(), &good[..cut]).is_err(), "cut at {cut}");
        }
    }
}
