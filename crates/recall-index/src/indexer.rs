//! The writer of an index: scan, compare, keyword side, commit; then vectors, in commits that cost
//! at most half a minute each to lose.

mod chunk_texts;
mod counts;
mod keyword_pass;
mod partial_scan;
mod progress;
mod survey;
mod vector_pass;

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use recall_sources::{ReadOptions, Source};

use crate::catalogue::{SourceCatalogue, SourceId, SourceRecord};
use crate::chunk::ChunkSettings;
use crate::durable;
use crate::error::{IndexError, io_error};
use crate::keyword::KeywordWriter;
use crate::lock::WriterLock;
use crate::manifest::{CATALOGUE, COMPONENTS, KEYWORD, Manifest, ModelRecord, VECTORS};
use crate::plan::Plan;
use crate::segment;
use crate::verified::Verified;
use keyword_pass::KeywordPass;
use survey::RunRoots;

pub use progress::{IndexOptions, IndexProgress, OnProgress, Summary};
pub use survey::dry_run;
pub use vector_pass::{Embed, EmbedFailure};

/// Where the tokens of a text begin, in bytes, ascending; from any thread.
pub type SharedTokenOffsets<'a> = dyn Fn(&str) -> Vec<usize> + Sync + 'a;

/// The writer of one index. While it lives, no other process writes it.
pub struct Indexer {
    folder: PathBuf,
    manifest: Manifest,
    catalogue: SourceCatalogue,
    verified: Verified,
    /// The texts that can be without a vector, ascending hashes; `None`: any can.
    fresh: Option<Vec<u64>>,
    _lock: WriterLock,
}

impl Indexer {
    /// Opens the index in `folder` to write, or begins one. `chunks` and `measured` count for a new
    /// index only.
    ///
    /// # Errors
    /// [`IndexError::Locked`] if another process writes, and those of reading the index.
    pub fn open(folder: &Path, chunks: ChunkSettings, measured: bool) -> Result<Self, IndexError> {
        make_components(folder)?;
        keep_out_of_git(folder)?;
        let lock = WriterLock::take(folder)?;
        let manifest = match Manifest::read(folder) {
            Err(IndexError::Missing(_)) => Manifest::empty(chunks, measured),
            read => read?,
        };
        // A writer that was killed leaves files whose names this one would use again.
        sweep(folder, &manifest)?;
        let catalogue = SourceCatalogue::load(folder, &manifest.catalogue)?;
        let verified = Verified::load(folder);
        let folder = folder.to_owned();
        Ok(Self { folder, manifest, catalogue, verified, fresh: None, _lock: lock })
    }

    /// Begins anew in `folder`, keeping the roots and, where the model stays, the vectors. The old
    /// generation answers until the first commit.
    pub fn rebuild(
        folder: &Path,
        chunks: ChunkSettings,
        measured: bool,
    ) -> Result<Self, IndexError> {
        make_components(folder)?;
        let lock = WriterLock::take(folder)?;
        let mut manifest = Manifest::empty(chunks, measured);
        if let Ok(old) = Manifest::read(folder) {
            manifest.generation = old.generation;
            manifest.next_file = old.next_file;
            manifest.roots = old.roots;
            manifest.model = old.model;
            manifest.settings = old.settings;
            manifest.segments = old.segments;
        } else {
            let remains = Manifest::remains_of(folder);
            manifest.roots = remains.roots;
            manifest.model = remains.model;
            manifest.settings = remains.settings;
            manifest.segments = remains.segments;
            // The numbers of an unreadable index are unknown: take none of its names.
            manifest.next_file = next_number(folder);
        }
        let verified = Verified::load(folder);
        let mut indexer = Self {
            folder: folder.to_owned(),
            manifest,
            catalogue: SourceCatalogue::default(),
            verified,
            fresh: None,
            _lock: lock,
        };
        indexer.drop_damaged_segments();
        Ok(indexer)
    }

    /// The generation as it is now.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Stores named settings with the index.
    pub fn set_settings(
        &mut self,
        settings: std::collections::BTreeMap<String, f64>,
    ) -> Result<(), IndexError> {
        self.manifest.settings = settings;
        self.commit()
    }

    /// Sets the model of an index that has none.
    ///
    /// # Errors
    /// [`IndexError::OtherModel`] if it has another.
    pub fn set_model(&mut self, model: &ModelRecord) -> Result<(), IndexError> {
        match &self.manifest.model {
            None => self.manifest.model = Some(model.clone()),
            Some(own) if own == model => {}
            Some(own) => {
                let show = |m: &ModelRecord| {
                    format!("{} ({})", m.id, m.checksum.get(..12).unwrap_or(&m.checksum))
                };
                return Err(IndexError::OtherModel { index: show(own), asked: show(model) });
            }
        }
        Ok(())
    }

    /// What a run over `roots` (all known ones if empty) would do, limited to `scan.only` of the
    /// options if there is any. Writes nothing; [`dry_run`] does the same without the lock.
    pub fn plan(
        &self,
        roots: &[PathBuf],
        options: &IndexOptions,
        progress: &OnProgress<'_>,
    ) -> Result<Plan, IndexError> {
        let roots = RunRoots::new(&self.manifest.roots, &survey::located(roots)?);
        Ok(survey::survey(&roots, self.catalogue.sources(), options, progress))
    }

    /// Brings the keyword side up to date with the disk and commits it. Interrupted between two
    /// batches by `stop`, it commits what is done; the next run does the rest.
    pub fn update(
        &mut self,
        roots: &[PathBuf],
        options: &IndexOptions,
        measure: &SharedTokenOffsets<'_>,
        progress: &OnProgress<'_>,
        stop: &AtomicBool,
    ) -> Result<Summary, IndexError> {
        let roots = RunRoots::new(&self.manifest.roots, &survey::located(roots)?);
        let plan = survey::survey(&roots, self.catalogue.sources(), options, progress);
        self.manifest.roots = roots.roots;
        let held =
            |id: &&SourceId| self.catalogue.sources().get(id).is_some_and(|r| r.documents > 0);
        let mut summary = Summary {
            sources_added: plan.add.len() as u64,
            sources_changed: plan.change.len() as u64,
            sources_removed: plan.remove.iter().filter(held).count() as u64,
            sources_kept: plan.keep,
            ..Summary::default()
        };
        let first = self.manifest.keyword.meta.is_empty();
        if !plan.is_empty() || first {
            let mut run = KeywordPass::new(self, options, measure, progress, stop, &plan)?;
            run.all(&plan, &mut summary)?;
            let change = run.finish()?;
            self.count(change)?;
        }
        self.remember(&plan, &mut summary);
        let changed = self.catalogue.is_changed() || first;
        self.catalogue.save(&self.folder, &mut self.manifest)?;
        if changed {
            self.count_bytes();
            self.commit()?;
        }
        progress(IndexProgress::Searchable);
        if changed || options.optimize {
            self.merge_keyword(options.optimize)?;
        }
        summary.pending = self.manifest.counts.missing_vectors();
        if stop.load(Ordering::Relaxed) {
            return Err(IndexError::Interrupted);
        }
        Ok(summary)
    }

    /// Notes in the catalogue what a plan removed, touched and could not read.
    fn remember(&mut self, plan: &Plan, summary: &mut Summary) {
        for id in &plan.remove {
            self.catalogue.remove(id);
        }
        for found in &plan.touched {
            if let Some(record) = self.catalogue.sources().get(&found.id()) {
                let record = SourceRecord { modified: found.source.modified, ..record.clone() };
                self.catalogue.set(found.id(), record);
            }
        }
        for (root, problem) in &plan.problems {
            let id = (*root, problem.path.clone());
            let kept = self.catalogue.sources().get(&id).cloned();
            let mut record = kept.unwrap_or_else(|| unread(0));
            record.problems = vec![problem.clone()];
            // Tried again at the next run.
            record.hash = None;
            self.catalogue.set(id, record);
            summary.problems.push(problem.clone());
        }
        for record in self.catalogue.sources().values().filter(|r| r.documents > 0) {
            *summary.formats.entry(record.format.clone()).or_default() += 1;
        }
    }

    /// Makes the manifest the current generation and sweeps what no generation names.
    fn commit(&mut self) -> Result<(), IndexError> {
        self.manifest.generation += 1;
        self.manifest.recall = env!("CARGO_PKG_VERSION").to_owned();
        self.manifest.written = jiff::Timestamp::now().to_string();
        self.manifest.write(&self.folder)?;
        sweep(&self.folder, &self.manifest)
    }

    fn merge_keyword(&mut self, all: bool) -> Result<(), IndexError> {
        let folder = self.folder.join(KEYWORD);
        if let Some(record) = KeywordWriter::merge(&folder, &self.manifest.keyword, all)? {
            self.manifest.keyword = record;
            self.commit()?;
        }
        Ok(())
    }

    /// Leaves out segments that cannot be read; their texts are embedded again.
    fn drop_damaged_segments(&mut self) {
        let Some(dims) = self.manifest.model.as_ref().map(|m| m.dims) else {
            self.manifest.segments.clear();
            return;
        };
        for record in &mut self.manifest.segments {
            let sound = |file: &Option<crate::manifest::FileRecord>| {
                file.as_ref().is_none_or(|f| self.verified.check(VECTORS, f).is_ok())
            };
            if !sound(&record.graph) {
                record.graph = None;
            }
            if !sound(&record.deleted) {
                record.deleted = None;
                record.deleted_rows = 0;
            }
        }
        let opens = |record: &crate::manifest::SegmentRecord| {
            segment::Segment::open(&self.folder, record, dims, &self.verified).is_ok()
        };
        self.manifest.segments.retain(opens);
    }

    /// Drops the vectors, for an index that changes its model.
    pub fn drop_vectors(&mut self) {
        self.manifest.model = None;
        self.manifest.segments.clear();
        self.fresh = None;
    }
}

/// Makes the folders of the components where they are missing.
fn make_components(folder: &Path) -> Result<(), IndexError> {
    for component in COMPONENTS {
        let path = folder.join(component);
        fs::create_dir_all(&path).map_err(io_error("create", &path))?;
    }
    Ok(())
}

/// Removes every file that the manifest does not name.
fn sweep(folder: &Path, manifest: &Manifest) -> Result<(), IndexError> {
    for component in COMPONENTS {
        let files = manifest.files().filter(|(folder, _)| *folder == component);
        let live: HashSet<&str> = files.map(|(_, file)| file.name.as_str()).collect();
        durable::sweep(&folder.join(component), &|name| live.contains(name))?;
    }
    Ok(())
}

/// What is remembered of a source before anything of it was read.
fn unread(bytes: u64) -> SourceRecord {
    SourceRecord {
        hash: None,
        bytes,
        modified: 0,
        format: String::new(),
        documents: 0,
        messages: 0,
        problems: Vec::new(),
    }
}

/// An index is derived from what lies beside it, so it does not belong in a repository.
fn keep_out_of_git(folder: &Path) -> Result<(), IndexError> {
    let path = folder.join(".gitignore");
    if path.exists() {
        return Ok(());
    }
    fs::write(&path, "*\n").map_err(io_error("write", &path))
}

fn next_number(folder: &Path) -> u64 {
    let numbers = |component: &str| -> Vec<u64> {
        let entries = fs::read_dir(folder.join(component)).into_iter().flatten().flatten();
        entries.filter_map(|e| e.file_name().to_str()?.split('.').next()?.parse().ok()).collect()
    };
    let highest = numbers(VECTORS).into_iter().chain(numbers(CATALOGUE)).max();
    highest.unwrap_or(0) + 1
}

/// What a source would be read as, for a dry run.
pub fn recognised(source: &Source, options: &ReadOptions) -> String {
    source
        .recognise(options)
        .map_or_else(|problem| problem.reason.to_string(), |f| f.name().to_owned())
}
