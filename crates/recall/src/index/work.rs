//! What a run works with, from flags, `recall.toml` and the index as it is.

use std::path::{Path, PathBuf};

use recall_index::{IndexOptions, Manifest};

use crate::config::{self, Config, globs};
use crate::failure::Failure;
use crate::flags::{Flags, ReadingFlags};
use crate::place;

/// An index and what is to be read into it.
pub struct Work {
    /// The index.
    pub folder: PathBuf,
    /// What was named: files, folders and exports; nothing means all that is known.
    pub paths: Vec<PathBuf>,
    /// `recall.toml` of the first root.
    pub config: Config,
    /// What is read, and how.
    pub options: IndexOptions,
    /// The index as it is, if there is one.
    pub manifest: Option<Manifest>,
}

impl Work {
    /// The work on `paths`, or on the known roots.
    pub fn new(flags: &Flags, paths: &[PathBuf], reading: &ReadingFlags) -> Result<Self, Failure> {
        for path in paths {
            // A root that is away is reported, and what was indexed from it kept; a typing error
            // is not.
            if !path.exists() && !is_known_root(flags, path) {
                return Err(Failure::usage(format!("there is no {}", path.display())));
            }
        }
        let folder = place::to_write(flags.index.as_deref(), paths)?;
        let manifest = Manifest::read(&folder).ok();
        let paths = paths.to_vec();
        let (config, options) = (Config::default(), IndexOptions::default());
        let mut work = Self { folder, paths, config, options, manifest };
        if let Some(root) = work.roots().first() {
            work.config = config::load(root)?;
        }
        work.options = resolve(reading, &work.config)?;
        Ok(work)
    }

    /// What is read: what was named, else what is known, without links.
    pub fn roots(&self) -> Vec<PathBuf> {
        let roots = match (&self.manifest, self.paths.as_slice()) {
            (_, paths @ [_, ..]) => paths.to_vec(),
            (Some(manifest), []) => manifest.roots.clone(),
            (None, []) => vec![self.folder.parent().unwrap_or(Path::new(".")).to_owned()],
        };
        let absolute = |root: PathBuf| root.canonicalize().or_else(|_| std::path::absolute(&root));
        // A root that another one covers is remembered without a path.
        let roots = roots.into_iter().filter(|root| !root.as_os_str().is_empty());
        roots.filter_map(|root| absolute(root).ok()).collect()
    }
}

fn is_known_root(flags: &Flags, path: &Path) -> bool {
    let folder = place::to_write(flags.index.as_deref(), &[path.to_owned()]);
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    folder
        .ok()
        .and_then(|folder| Manifest::read(&folder).ok())
        .is_some_and(|manifest| manifest.roots.contains(&absolute))
}

/// Flags and configuration as one record for the engine.
fn resolve(flags: &ReadingFlags, config: &Config) -> Result<IndexOptions, Failure> {
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
