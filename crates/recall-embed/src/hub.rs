//! Models on a model hub that the embedding library knows, fetched by its own downloader.
//!
//! `HF_ENDPOINT` and `HF_TOKEN` are honoured. No hash of these files is known beforehand: what came is
//! recorded, and from then on it may not change.

use std::path::Path;

use serde::Deserialize;

use crate::error::EmbedError;
use crate::home::Home;
use crate::model_spec::ModelSpec;
use crate::progress::PullProgress;

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

/// Whether this build can fetch from a hub.
pub(crate) const IS_BUILT_IN: bool = cfg!(feature = "hub");

/// Nothing: this build has no hub.
#[cfg(not(feature = "hub"))]
pub(crate) fn fetch(
    _: &Home,
    repo: &str,
    _: &Path,
    _: &dyn Fn(PullProgress),
) -> Result<(), EmbedError> {
    Err(EmbedError::NoHub { repo: repo.to_owned() })
}

/// No models: this build has no hub.
#[cfg(not(feature = "hub"))]
pub(crate) fn models(_: &[Family]) -> Vec<ModelSpec> {
    Vec::new()
}

#[cfg(feature = "hub")]
pub(crate) use online::{fetch, models};

#[cfg(feature = "hub")]
mod online {
    use std::{env, fs};

    use hf_hub::Cache;
    use hf_hub::api::sync::{ApiBuilder, ApiError, ApiRepo};

    use super::*;
    use crate::home::{MODEL_FILE, TOKENIZER_FILE};
    use crate::origin::Origin;
    use crate::progress::Stage;
    use crate::session::{HubModel, hub_models};

    /// A row for every model on the hub that is one file, called as its repository; of a repository
    /// with several variants, the first.
    pub(crate) fn models(families: &[Family]) -> Vec<ModelSpec> {
        let mut models: Vec<ModelSpec> = Vec::new();
        for known in hub_models() {
            if models.iter().all(|model| model.id != known.repo) {
                models.push(row(known, families));
            }
        }
        models
    }

    fn row(known: HubModel, families: &[Family]) -> ModelSpec {
        let name = known.repo.to_lowercase();
        let family = families.iter().find(|family| name.contains(&family.contains));
        let prefixes =
            family.map(|family| (family.query_prefix.clone(), family.passage_prefix.clone()));
        let (query_prefix, passage_prefix) = prefixes.unwrap_or_default();
        ModelSpec {
            id: known.repo.clone(),
            dims: known.dims,
            max_tokens: family.map_or(512, |family| family.max_tokens),
            pooling: known.pooling,
            normalised: true,
            query_prefix,
            passage_prefix,
            languages: Vec::new(),
            licence: String::new(),
            sources: vec![Origin::Hub { repo: known.repo }],
        }
    }

    /// Makes `model.onnx` and `tokenizer.json` of hub repository `repo` in `made`.
    pub(crate) fn fetch(
        home: &Home,
        repo: &str,
        made: &Path,
        progress: &dyn Fn(PullProgress),
    ) -> Result<(), EmbedError> {
        let known = hub_models().into_iter().find(|known| known.repo == repo);
        let known = known.ok_or_else(|| EmbedError::NoHub { repo: repo.to_owned() })?;
        let cache = home.path().join("hub");
        let failed = |file: &str, cause: ApiError| EmbedError::Hub {
            repo: repo.to_owned(),
            file: file.to_owned(),
            cause: cause.to_string(),
        };
        let remote = remote(&cache, repo).map_err(|e| failed("the repository", e))?;
        for (file, name) in [(known.file.as_str(), MODEL_FILE), ("tokenizer.json", TOKENIZER_FILE)]
        {
            let steps = Steps { progress, done: 0, total: 0 };
            let path = remote.download_with_progress(file, steps).map_err(|e| failed(file, e))?;
            fs::copy(&path, made.join(name)).map_err(EmbedError::io(&path))?;
        }
        // Kept until here so that a cut download goes on where it stopped.
        let _ = fs::remove_dir_all(&cache);
        Ok(())
    }

    fn remote(cache: &Path, repo: &str) -> Result<ApiRepo, ApiError> {
        let set = |name| env::var(name).ok().filter(|value| !value.trim().is_empty());
        let mut builder = ApiBuilder::from_cache(Cache::new(cache.to_owned())).with_retries(2);
        if let Some(endpoint) = set("HF_ENDPOINT") {
            builder = builder.with_endpoint(endpoint);
        }
        if let Some(token) = set("HF_TOKEN") {
            builder = builder.with_token(Some(token));
        }
        Ok(builder.build()?.model(repo.to_owned()))
    }

    /// The downloader's steps as ours.
    struct Steps<'a> {
        progress: &'a dyn Fn(PullProgress),
        done: u64,
        total: u64,
    }

    impl Steps<'_> {
        fn tell(&self) {
            (self.progress)(PullProgress {
                stage: Stage::Fetch,
                done: self.done,
                total: self.total,
            });
        }
    }

    impl hf_hub::api::Progress for Steps<'_> {
        fn init(&mut self, size: usize, _: &str) {
            self.total = size as u64;
            self.tell();
        }

        fn update(&mut self, size: usize) {
            self.done += size as u64;
            self.tell();
        }

        fn finish(&mut self) {}
    }
}
