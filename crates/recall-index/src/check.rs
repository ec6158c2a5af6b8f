//! Every byte of an index against its manifest.

use std::path::{Path, PathBuf};

use crate::error::IndexError;
use crate::manifest::{CATALOGUE, FileRecord, KEYWORD, Manifest, VECTORS, record_file};
use crate::snapshot::Snapshot;

/// Something that is not as the manifest says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DamagedFile {
    /// The file, or the index folder where it is none in particular.
    pub path: PathBuf,
    /// What is wrong.
    pub detail: String,
}

/// Reads every file of the index in `folder` and compares. An empty list means a sound index.
///
/// # Errors
/// [`IndexError::Missing`] or [`IndexError::OtherFormat`]: there is nothing to check.
pub fn check(folder: &Path) -> Result<Vec<DamagedFile>, IndexError> {
    let manifest = match Manifest::read(folder) {
        Ok(manifest) => manifest,
        Err(IndexError::Damaged { path, detail }) => return Ok(vec![DamagedFile { path, detail }]),
        Err(error) => return Err(error),
    };
    let mut findings: Vec<DamagedFile> = manifest
        .files()
        .filter_map(|(component, file)| check_file(folder, component, file))
        .collect();
    if findings.is_empty() {
        findings.extend(check_sense(folder)?);
    }
    Ok(findings)
}

fn check_file(folder: &Path, component: &str, record: &FileRecord) -> Option<DamagedFile> {
    let path = folder.join(component).join(&record.name);
    let detail = match record_file(&folder.join(component), &record.name) {
        Err(error) => error.to_string(),
        Ok(found) if found.bytes != record.bytes => {
            format!("{} bytes instead of {}", found.bytes, record.bytes)
        }
        Ok(found) if found.blake3 != record.blake3 => "its checksum differs".to_owned(),
        Ok(_) => return None,
    };
    Some(DamagedFile { path, detail })
}

/// Whether what the sound files say fits together.
fn check_sense(folder: &Path) -> Result<Vec<DamagedFile>, IndexError> {
    let snapshot = Snapshot::open(folder)?;
    let mut findings = Vec::new();
    let mut found = |component: &str, detail: String| {
        findings.push(DamagedFile { path: folder.join(component), detail });
    };
    let counts = snapshot.manifest().counts;
    let documents = snapshot.keyword().documents()?;
    if documents != counts.documents {
        found(KEYWORD, format!("{documents} documents instead of {}", counts.documents));
    }
    let hashes = snapshot.keyword().chunk_hashes(None)?;
    if hashes.len() as u64 != counts.chunks {
        found(KEYWORD, format!("{} chunks instead of {}", hashes.len(), counts.chunks));
    }
    match snapshot.vectors() {
        Err(error) => found(VECTORS, error.to_string()),
        Ok(Some(vectors)) if vectors.len() as u64 != counts.vectors => {
            found(VECTORS, format!("{} vectors instead of {}", vectors.len(), counts.vectors));
        }
        Ok(_) => {}
    }
    for id in snapshot.keyword().all()? {
        snapshot.keyword().fetch(id)?;
    }
    if let Err(error) = snapshot.catalogue() {
        found(CATALOGUE, error.to_string());
    }
    Ok(findings)
}
