//! Gathers the input of a run from flags, `recall.toml` and the existing index.

use std::path::{Path, PathBuf};

use recall_index::{IndexOptions, Manifest};
use recall_query::{BuildSettings, Builder};

use crate::config::{self, Config, globs};
use crate::failure::Failure;
use crate::flags::ReadingFlags;
use crate::{index_folder, model};

/// An index folder and what is to be read into the index.
pub(crate) struct Work {
    /// The index folder.
    pub folder: PathBuf,
    /// The files, folders and exports that were named; empty means all known roots.
    pub paths: Vec<PathBuf>,
    /// Which files are read, and how.
    pub options: IndexOptions,
    /// How documents are split into chunks and embedded.
    pub settings: BuildSettings,
    /// The manifest of the existing index, if there is one.
    pub manifest: Option<Manifest>,
}

impl Work {
    /// Prepares the work on `paths`, or on the known roots if there are none; `index` is the index
    /// folder, if one was given.
    pub(crate) fn new(
        index: Option<&Path>,
        paths: &[PathBuf],
        reading: &ReadingFlags,
    ) -> Result<Self, Failure> {
        for path in paths {
            // A known root that is missing is reported later, and what was indexed from it kept;
            // any other missing path is a typing error.
            if !path.exists() && !is_known_root(index, path) {
                return Err(Failure::usage(format!("{} does not exist", path.display())));
            }
        }
        let folder = index_folder::to_write(index, paths)?;
        let manifest = Manifest::read(&folder).ok();
        let paths = paths.to_vec();
        let (options, settings) = (IndexOptions::default(), BuildSettings::default());
        let mut work = Self { folder, paths, options, settings, manifest };
        let config = work.roots().first().map(|root| config::load(root)).transpose()?;
        let config = config.unwrap_or_default();
        work.options = options_of(reading, &config)?;
        work.settings = settings_of(reading, &config);
        Ok(work)
    }

    /// Creates the builder. Fetches the model if it is missing and the network may be used.
    pub(crate) fn builder(&self, offline: bool) -> Result<Builder, Failure> {
        let fetch = |home: &_, spec: &_| model::fetch(home, spec, offline);
        Ok(Builder::new(&self.folder, self.settings.clone(), &fetch)?)
    }

    /// Returns the roots to read as absolute paths without links: those named, else the known ones.
    pub(crate) fn roots(&self) -> Vec<PathBuf> {
        let roots = match (&self.manifest, self.paths.as_slice()) {
            (_, paths @ [_, ..]) => paths.to_vec(),
            (Some(manifest), []) => manifest.roots.clone(),
            (None, []) => vec![self.folder.parent().unwrap_or(Path::new(".")).to_owned()],
        };
        let absolute = |root: PathBuf| root.canonicalize().or_else(|_| std::path::absolute(&root));
        // A root covered by another one is recorded with an empty path.
        let roots = roots.into_iter().filter(|root| !root.as_os_str().is_empty());
        roots.filter_map(|root| absolute(root).ok()).collect()
    }
}

fn is_known_root(index: Option<&Path>, path: &Path) -> bool {
    let folder = index_folder::to_write(index, &[path.to_owned()]);
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    folder
        .ok()
        .and_then(|folder| Manifest::read(&folder).ok())
        .is_some_and(|manifest| manifest.roots.contains(&absolute))
}

/// Combines flags and configuration into the settings for chunking and embedding.
fn settings_of(flags: &ReadingFlags, config: &Config) -> BuildSettings {
    BuildSettings {
        model: flags.model.clone(),
        model_if_new: config.model.clone(),
        rebuild: false,
        keyword_only: flags.keyword_only,
        threads: flags.threads,
        chunk_tokens: config.chunks.tokens,
        chunk_overlap: config.chunks.overlap,
    }
}

/// Combines flags and configuration into the options for reading.
fn options_of(flags: &ReadingFlags, config: &Config) -> Result<IndexOptions, Failure> {
    let mut out = IndexOptions::default();
    out.scan.include = globs(flags.include.iter().chain(&config.include))?;
    out.scan.exclude = globs(flags.exclude.iter().chain(&config.exclude))?;
    out.scan.pointers = globs(&config.pointers)?;
    out.scan.hidden = flags.hidden || config.hidden;
    out.read.whole = config.kept_whole(&flags.whole)?;
    out.read.redact = flags.redact || config.redact;
    if let Some(name) = &flags.format {
        let format = name.parse().map_err(|e: recall_sources::UnknownFormat| {
            let known: Vec<&str> = recall_sources::Format::all().map(|f| f.name()).collect();
            Failure::usage_hint(e.to_string(), format!("formats: {}", known.join(" ")))
        })?;
        out.read.format = Some(format);
    }
    let pairs = config.map.iter().map(|(field, column)| format!("{field}={column}"));
    for pair in pairs.chain(flags.map.iter().cloned()) {
        out.read.map.add(&pair).map_err(|error| Failure::usage(error.to_string()))?;
    }
    Ok(out)
}
