//! A model on this machine, checked.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::catalogue::ModelCatalogue;
use crate::checksum::{Checksum, hex};
use crate::error::{Damage, EmbedError};
use crate::file_state::{FileState, State};
use crate::home::{Home, MODEL_FILE, TOKENIZER_FILE};
use crate::language_removal::LanguageRemoval;
use crate::model_spec::ModelSpec;
use crate::runtime;

/// What was installed: written last, beside the two.
const RECORD_FILE: &str = "installed.json";

/// A model whose files are on this machine and are what was installed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installed {
    /// The model's row of the catalogue.
    pub model: ModelSpec,
    /// The folder with `model.onnx` and `tokenizer.json`.
    pub dir: PathBuf,
    /// sha256 (64 hexadecimal digits) over both files' sha256.
    pub(crate) checksum: String,
}

/// What `installed.json` says.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Record {
    id: String,
    files: BTreeMap<String, Checksum>,
}

/// The model's files, if they are here and unchanged. A file that was read through before and looks
/// the same (size, inode, time) is not read again; [`verify`] reads always.
///
/// # Errors
/// [`EmbedError::NotInstalled`], or [`EmbedError::Damaged`] with the file and what is wrong with it.
pub fn installed(home: &Home, model: &ModelSpec) -> Result<Installed, EmbedError> {
    let dir = home.model_dir(model);
    let record = Record::read(&dir, model)?;
    for (name, checksum) in &record.files {
        checksum.check_once(home, &dir.join(name))?;
    }
    Ok(Installed { model: model.clone(), dir, checksum: record.checksum() })
}

/// Reads every file the model needs from end to end: its own two and the ONNX Runtime library.
///
/// # Errors
/// [`EmbedError::NoRuntimeForPlatform`] when the catalogue has no ONNX Runtime for this machine and
/// none is given; damage is a result, not an error.
pub fn verify(home: &Home, model: &ModelSpec) -> Result<Vec<FileState>, EmbedError> {
    let dir = home.model_dir(model);
    let mut states = match Record::read(&dir, model) {
        Ok(record) => record.states(&dir),
        Err(EmbedError::Damaged { path, why }) => {
            vec![FileState { path, state: State::Damaged(why) }]
        }
        Err(_) => [MODEL_FILE, TOKENIZER_FILE]
            .map(|name| FileState { path: dir.join(name), state: State::Missing })
            .to_vec(),
    };
    states.push(runtime::state(home, &ModelCatalogue::of(home)?)?);
    Ok(states)
}

impl Installed {
    /// What made the vectors: the model's files and the correction for language. Vectors with
    /// different fingerprints must not be compared, so an index keeps it. `<sha256>+<removal>`, the
    /// latter `0` where nothing is removed.
    pub fn fingerprint(&self) -> String {
        let removal = LanguageRemoval::of(&self.model.id, self.model.dims);
        format!("{}+{}", self.checksum, removal.fingerprint())
    }

    /// The ONNX model.
    pub fn onnx(&self) -> PathBuf {
        self.dir.join(MODEL_FILE)
    }

    /// The tokenizer.
    pub fn tokenizer(&self) -> PathBuf {
        self.dir.join(TOKENIZER_FILE)
    }
}

impl Record {
    /// The record of the two files that lie in `dir`.
    pub(crate) fn of(dir: &Path, model: &ModelSpec) -> Result<Record, EmbedError> {
        let checksum = |name: &str| Ok((name.to_owned(), Checksum::of(&dir.join(name))?));
        let files =
            [MODEL_FILE, TOKENIZER_FILE].map(checksum).into_iter().collect::<Result<_, _>>()?;
        Ok(Record { id: model.id.clone(), files })
    }

    /// The record's bytes and the name of its file.
    pub(crate) fn to_file(&self) -> (&'static str, Vec<u8>) {
        let bytes = serde_json::to_vec_pretty(self).unwrap_or_default();
        (RECORD_FILE, bytes)
    }

    fn read(dir: &Path, model: &ModelSpec) -> Result<Record, EmbedError> {
        let path = dir.join(RECORD_FILE);
        let Ok(bytes) = fs::read(&path) else {
            return Err(EmbedError::NotInstalled { id: model.id.clone() });
        };
        match serde_json::from_slice::<Record>(&bytes) {
            Ok(record) if record.is_about(model) => Ok(record),
            _ => Err(EmbedError::Damaged { path, why: Damage::Record }),
        }
    }

    fn is_about(&self, model: &ModelSpec) -> bool {
        self.id == model.id
            && self.files.keys().map(String::as_str).eq([MODEL_FILE, TOKENIZER_FILE])
    }

    fn states(&self, dir: &Path) -> Vec<FileState> {
        self.files.iter().map(|(name, checksum)| FileState::of(dir.join(name), checksum)).collect()
    }

    fn checksum(&self) -> String {
        let mut hash = Sha256::new();
        self.files.values().for_each(|checksum| hash.update(checksum.sha256.as_bytes()));
        hex(&hash.finalize())
    }
}
