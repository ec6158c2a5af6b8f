//! The models there are: what each is like and where it comes from.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

use serde::Deserialize;

use crate::checksum::Checksum;
use crate::error::EmbedError;
use crate::home::Home;
use crate::hub;

const BUILTIN: &str = include_str!("../../../models/models.toml");

/// The model a new index uses unless another is asked for.
pub const DEFAULT_MODEL: &str = "multilingual-e5-small";

/// The rows of `models.toml`: models, and the ONNX Runtime of each platform.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelCatalogue {
    #[serde(rename = "model", default)]
    models: Vec<ModelSpec>,
    #[serde(rename = "runtime", default)]
    runtimes: Vec<Runtime>,
    #[serde(rename = "family", default)]
    families: Vec<Family>,
    /// Models of the hub that the embedding library knows.
    #[serde(skip)]
    hub: Vec<ModelSpec>,
}

/// One model of the catalogue.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelSpec {
    /// Its name, also in the manifest of an index.
    pub id: String,
    /// Length of its vectors.
    pub dims: usize,
    /// ModelTokenizer it reads of a text, the two special ones and the prefix included; the rest is cut.
    pub max_tokens: usize,
    /// How the vectors of the tokens become that of the text.
    pub pooling: Pooling,
    /// Whether its vectors are meant to be compared by direction alone; ours always have length 1.
    pub normalised: bool,
    /// Put before a question.
    pub query_prefix: String,
    /// Put before a passage.
    pub passage_prefix: String,
    /// Languages it was trained on (BCP 47), or `any`.
    pub languages: Vec<String>,
    /// Its licence (SPDX).
    pub licence: String,
    /// Where its files come from, best first.
    #[serde(rename = "source")]
    pub sources: Vec<Origin>,
}

/// How the vectors of a text's tokens become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Pooling {
    /// Their mean.
    Mean,
    /// The first token's.
    Cls,
}

/// Where the files of a model come from.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum Origin {
    /// Files inside packages of the Python package index.
    Package {
        /// How they become `model.onnx` and `tokenizer.json`.
        form: Form,
        /// The files, in the order the form expects.
        files: Vec<PackageFile>,
    },
    /// A repository on a model hub, one that the embedding library knows.
    Hub {
        /// `owner/name`.
        repo: String,
    },
    /// A local folder with `model.onnx` and `tokenizer.json`.
    Folder {
        /// The folder.
        path: PathBuf,
    },
}

/// How the files of packages become a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// One 4-bit pack with the magic `E5S1`.
    E5s1,
    /// A BERT in safetensors (32-bit floats) and its tokenizer.
    BertSafetensors,
    /// An ONNX model and its tokenizer, as they are.
    Onnx,
}

/// One file inside one package.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PackageFile {
    /// Name of the package.
    pub package: String,
    /// Its version.
    pub version: String,
    /// The platform tag of the wheel that holds the file; `any` for a wheel that serves all.
    pub platform: String,
    /// The file's path in the wheel.
    pub path: String,
    /// Length of the wheel in bytes.
    pub download: u64,
    /// The file's length in bytes.
    pub bytes: u64,
    /// The file's sha256, hexadecimal.
    pub sha256: String,
}

/// The ONNX Runtime for one platform.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Runtime {
    os: String,
    arch: String,
    pub(crate) file: PackageFile,
}

/// What the models of a family on the hub have in common.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Family {
    /// In the name of the repository, lower case.
    pub(crate) contains: String,
    pub(crate) max_tokens: usize,
    pub(crate) query_prefix: String,
    pub(crate) passage_prefix: String,
}

impl ModelCatalogue {
    /// The catalogue this program was built with, and, with the feature `hub`, the models on the hub
    /// that the embedding library knows and that are one file.
    pub fn builtin() -> ModelCatalogue {
        let mut catalogue: ModelCatalogue =
            toml::from_str(BUILTIN).expect("models/models.toml is checked by a test");
        catalogue.hub = hub::models(&catalogue.families);
        catalogue
    }

    /// The built-in catalogue, with the rows of `models.toml` in `home`, where there is one, on top:
    /// a row with the id of a built-in model replaces it.
    ///
    /// # Errors
    /// [`EmbedError::ModelCatalogue`] when that file is no catalogue, [`EmbedError::Io`] when it cannot
    /// be read.
    pub fn of(home: &Home) -> Result<ModelCatalogue, EmbedError> {
        let path = home.path().join("models.toml");
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(Self::builtin()),
            Err(cause) => return Err(EmbedError::Io { path, cause }),
        };
        let own =
            toml::from_str(&text).map_err(|cause| EmbedError::ModelCatalogue { path, cause })?;
        Ok(Self::builtin().overlaid(own))
    }

    fn overlaid(mut self, own: ModelCatalogue) -> ModelCatalogue {
        self.models.retain(|model| own.models.iter().all(|other| other.id != model.id));
        self.models.extend(own.models);
        self.runtimes.splice(0..0, own.runtimes);
        self.hub.retain(|model| self.models.iter().all(|other| other.id != model.id));
        self
    }

    /// The model called `id`; one of the hub is called as its repository.
    ///
    /// # Errors
    /// [`EmbedError::UnknownModel`], with the ids of [`ModelCatalogue::models`].
    pub fn find(&self, id: &str) -> Result<&ModelSpec, EmbedError> {
        let mut models = self.models().chain(self.hub_models());
        models.find(|model| model.id == id).ok_or_else(|| EmbedError::UnknownModel {
            id: id.to_owned(),
            known: self.models.iter().map(|model| model.id.clone()).collect(),
        })
    }

    /// The models of the catalogue, the default one first.
    pub fn models(&self) -> impl Iterator<Item = &ModelSpec> {
        self.models.iter()
    }

    /// The models that only the hub has. Their licence and languages are stated there.
    pub fn hub_models(&self) -> impl Iterator<Item = &ModelSpec> {
        self.hub.iter()
    }

    /// The ONNX Runtime for the machine this runs on.
    pub(crate) fn runtime(&self) -> Result<&Runtime, EmbedError> {
        let (os, arch) = (env::consts::OS, env::consts::ARCH);
        let here = |row: &&Runtime| row.os == os && row.arch == arch;
        self.runtimes.iter().find(here).ok_or(EmbedError::NoRuntimeForPlatform { os, arch })
    }
}

impl ModelSpec {
    /// Name of this model's folder: its id, with what a file name may not hold written as `_`.
    pub(crate) fn dir_name(&self) -> String {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        let name: String = self.id.chars().map(|c| if plain(c) { c } else { '_' }).collect();
        name.trim_start_matches('.').to_owned()
    }
}

impl PackageFile {
    /// Name of the file without its folders.
    pub(crate) fn name(&self) -> &str {
        Path::new(&self.path).file_name().and_then(|name| name.to_str()).unwrap_or(&self.path)
    }

    pub(crate) fn checksum(&self) -> Checksum {
        Checksum { bytes: self.bytes, sha256: self.sha256.clone() }
    }

    /// `name==version`, as pip wants it.
    pub(crate) fn requirement(&self) -> String {
        format!("{}=={}", self.package, self.version)
    }
}
