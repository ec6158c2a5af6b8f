//! Where models and the runtime live on this machine.

use std::env;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use crate::error::EmbedError;
use crate::model_spec::ModelSpec;

/// The ONNX graph and its weights.
pub(crate) const MODEL_FILE: &str = "model.onnx";
/// The tokenizer, in the form of the `tokenizers` library.
pub(crate) const TOKENIZER_FILE: &str = "tokenizer.json";

/// The folder of everything fetched: models, the ONNX Runtime, records of what was checked.
///
/// ```text
/// HOME/models/<id>/model.onnx, tokenizer.json, installed.json
/// HOME/runtime/<version>/libonnxruntime.so.<version>
/// HOME/verified.json      what was hashed already, by size, inode and time
/// HOME/lock               held by whoever pulls
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Home(PathBuf);

impl Home {
    /// `RECALL_HOME` if it is set, else `recall` in the platform's cache folder, else `.recall-home`
    /// in the working folder.
    pub fn from_env() -> Home {
        let set = env::var_os("RECALL_HOME").filter(|home| !home.is_empty()).map(PathBuf::from);
        let cache = || dirs::cache_dir().map(|cache| cache.join("recall"));
        Home(set.or_else(cache).unwrap_or_else(|| PathBuf::from(".recall-home")))
    }

    /// This folder.
    pub fn at(path: impl Into<PathBuf>) -> Home {
        Home(path.into())
    }

    /// The folder itself; it may not exist yet.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The folder of one model; it may not exist yet.
    pub fn model_dir(&self, model: &ModelSpec) -> PathBuf {
        self.0.join("models").join(model.dir_name())
    }

    /// The folder of one version of the ONNX Runtime.
    pub(crate) fn runtime_dir(&self, version: &str) -> PathBuf {
        self.0.join("runtime").join(version)
    }

    /// The record of the files that were hashed already.
    pub(crate) fn verified(&self) -> PathBuf {
        self.0.join("verified.json")
    }

    /// Holds the right to change this folder until the file is dropped; waits for another holder,
    /// having told `waiting`.
    pub(crate) fn lock(&self, waiting: impl FnOnce()) -> Result<File, EmbedError> {
        fs::create_dir_all(&self.0).map_err(EmbedError::io(&self.0))?;
        let path = self.0.join("lock");
        let open = File::options().create(true).truncate(false).write(true).open(&path);
        let file = open.map_err(EmbedError::io(&path))?;
        if file.try_lock().is_err() {
            waiting();
            file.lock().map_err(EmbedError::io(&path))?;
        }
        Ok(file)
    }
}
