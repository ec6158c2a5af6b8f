//! The models there are, and the ONNX Runtime of each platform.

use std::{env, fs, io};

use serde::Deserialize;

use crate::error::EmbedError;
use crate::home::Home;
use crate::hub::{self, Family};
use crate::model_spec::ModelSpec;
use crate::origin::PackageFile;

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

/// The ONNX Runtime for one platform.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Runtime {
    os: String,
    arch: String,
    pub(crate) file: PackageFile,
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

    /// The model called `id`; one of the hub is called as its repository, `owner/name`.
    ///
    /// # Errors
    /// [`EmbedError::UnknownModel`], with the ids of [`ModelCatalogue::models`];
    /// [`EmbedError::NoHub`] for a repository where the crate was built without the feature `hub`.
    pub fn find(&self, id: &str) -> Result<&ModelSpec, EmbedError> {
        let mut models = self.models().chain(self.hub_models());
        models.find(|model| model.id == id).ok_or_else(|| self.not_found(id))
    }

    fn not_found(&self, id: &str) -> EmbedError {
        if id.contains('/') && !hub::IS_BUILT_IN {
            return EmbedError::NoHub { repo: id.to_owned() };
        }
        let known = self.models.iter().map(|model| model.id.clone()).collect();
        EmbedError::UnknownModel { id: id.to_owned(), known }
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
