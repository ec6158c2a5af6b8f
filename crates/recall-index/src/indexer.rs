//! The writer of an index: scan, compare, keyword side, commit; then vectors, in commits that cost
//! at most half a minute each to lose.

use std::collections::HashSet;
use std::fs;
use std::ops::{ControlFlow, Range};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rayon::prelude::*;
use recall_embed::{Embedder, Language};
use recall_sources::{Document, Problem, ReadOptions, Reading, Reason, ScanOptions, Unit, scan};
use roaring::RoaringBitmap;

use crate::catalogue::{Catalogue, UnitId, UnitRecord};
use crate::chunk::ChunkSettings;
use crate::code::Code;
use crate::durable;
use crate::entry::{Entry, document_key, entries, shorten, unit_key};
use crate::error::{IndexError, io_error};
use crate::keyword::{KeywordReader, KeywordWriter};
use crate::lock::WriterLock;
use crate::manifest::{CATALOGUE, KEYWORD, Manifest, ModelRecord, VECTORS};
use crate::merge::{Size, merges};
use crate::plan::{Found, Plan, plan};
use crate::segment::{self, Row};
use crate::vectors::Vectors;
use crate::verified::Verified;

/// Bytes of units that are read side by side; a larger unit is read alone, in stretches.
const GROUP_BYTES: u64 = 8 << 20;
/// Units that are read side by side at the most.
const GROUP_UNITS: usize = 256;
/// Bytes of documents that are analysed side by side.
const BATCH_BYTES: usize = 4 << 20;
/// Texts that are embedded between two looks at the clock.
const EMBED_TEXTS: usize = 128;
/// Time between two commits of vectors: what a crash can cost.
const COMMIT_EVERY: Duration = Duration::from_secs(30);

/// The byte ranges of the tokens of a text, from any thread.
pub type SharedMeasure<'a> = dyn Fn(&str) -> Vec<Range<usize>> + Sync + 'a;

/// What to read and how.
#[derive(Debug, Clone, Default)]
pub struct IndexOptions {
    /// Which files.
    pub scan: ScanOptions,
    /// How they are read.
    pub read: ReadOptions,
    /// Merge all segments at the end.
    pub optimize: bool,
}

/// How far a run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Looking for files: units seen so far.
    Scan {
        /// Units seen.
        units: u64,
    },
    /// Reading: of the bytes of new and changed units.
    Read {
        /// Bytes read.
        done: u64,
        /// Bytes to read.
        total: u64,
        /// Documents so far.
        documents: u64,
    },
    /// The keyword side is committed: searchable now.
    Searchable,
    /// Embedding: of the texts without a vector.
    Embed {
        /// Texts embedded.
        done: u64,
        /// Texts to embed.
        total: u64,
        /// Tokens so far.
        tokens: u64,
    },
    /// Building a graph over a large segment.
    Graph {
        /// Vectors added.
        done: u64,
        /// Vectors in the segment.
        total: u64,
    },
}

/// Receives steps; called from several threads.
pub type Progress<'a> = dyn Fn(Step) + Sync + 'a;

/// What a run did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Summary {
    /// Units new, changed, removed and as they were.
    pub units_added: u64,
    /// Units whose content changed.
    pub units_changed: u64,
    /// Units that went.
    pub units_removed: u64,
    /// Units as they were.
    pub units_kept: u64,
    /// Documents added or rewritten.
    pub documents_written: u64,
    /// Documents removed, without those rewritten.
    pub documents_removed: u64,
    /// Documents of changed units that were as they were.
    pub documents_kept: u64,
    /// Bytes read.
    pub bytes_read: u64,
    /// Texts embedded.
    pub embedded: u64,
    /// Texts that still have no vector.
    pub pending: u64,
    /// Credentials masked, by kind.
    pub redacted: std::collections::BTreeMap<String, u64>,
    /// Formats recognised: units by format.
    pub formats: std::collections::BTreeMap<String, u64>,
    /// What was skipped or read in part in this run.
    pub problems: Vec<Problem>,
}

/// The writer of one index. While it lives, no other process writes it.
pub struct Indexer {
    folder: PathBuf,
    manifest: Manifest,
    catalogue: Catalogue,
    verified: Verified,
    _lock: WriterLock,
}

impl Indexer {
    /// Opens the index in `folder` to write, or begins one. `chunks` and `measured` count for a new
    /// index only.
    ///
    /// # Errors
    /// [`IndexError::Locked`] if another process writes, and those of reading the index.
    pub fn open(folder: &Path, chunks: ChunkSettings, measured: bool) -> Result<Self, IndexError> {
        for part in [KEYWORD, VECTORS, CATALOGUE] {
            let path = folder.join(part);
            fs::create_dir_all(&path).map_err(io_error("create", &path))?;
        }
        keep_out_of_git(folder)?;
        let lock = WriterLock::take(folder)?;
        let manifest = match Manifest::read(folder) {
            Err(IndexError::Missing(_)) => Manifest::empty(chunks, measured),
            read => read?,
        };
        // A writer that was killed leaves files whose names this one would use again.
        sweep(folder, &manifest)?;
        let catalogue = Catalogue::load(folder, &manifest.catalogue)?;
        let verified = Verified::load(folder);
        Ok(Self { folder: folder.to_owned(), manifest, catalogue, verified, _lock: lock })
    }

    /// Begins anew in `folder`, keeping the roots and, where the model stays, the vectors. The old
    /// generation answers until the first commit.
    pub fn rebuild(
        folder: &Path,
        chunks: ChunkSettings,
        measured: bool,
    ) -> Result<Self, IndexError> {
        for part in [KEYWORD, VECTORS, CATALOGUE] {
            let path = folder.join(part);
            fs::create_dir_all(&path).map_err(io_error("create", &path))?;
        }
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
            // The numbers of an unreadable index are unknown: take none of its names.
            manifest.next_file = next_number(folder);
        }
        let verified = Verified::load(folder);
        let mut indexer = Self {
            folder: folder.to_owned(),
            manifest,
            catalogue: Catalogue::default(),
            verified,
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

    /// What a run over `roots` (all known ones if empty) would do. Writes nothing.
    pub fn plan(
        &mut self,
        roots: &[PathBuf],
        options: &IndexOptions,
        progress: &Progress<'_>,
    ) -> Result<Plan, IndexError> {
        let numbers = self.root_numbers(roots)?;
        let mut units = Vec::new();
        let mut problems = Vec::new();
        for number in &numbers {
            let root = &self.manifest.roots[*number as usize];
            for unit in scan(root, &options.scan) {
                match unit {
                    Ok(unit) => units.push((*number, unit)),
                    Err(problem) => problems.push((*number, problem)),
                }
                progress(Step::Scan { units: units.len() as u64 });
            }
        }
        let hashed: Vec<Result<Found, (u32, Problem)>> = units
            .into_par_iter()
            .map(|(root, unit)| match unit.hash() {
                Ok(hash) => Ok(Found { root, unit, hash: *hash.as_bytes() }),
                Err(problem) => Err((root, problem)),
            })
            .collect();
        let mut found = Vec::with_capacity(hashed.len());
        for result in hashed {
            match result {
                Ok(unit) => found.push(unit),
                Err(problem) => problems.push(problem),
            }
        }
        Ok(plan(self.catalogue.units(), &numbers, found, problems))
    }

    /// The numbers of `roots`, new ones added. A root inside a known one stands for that one; a
    /// known root inside a new one is given up for it.
    fn root_numbers(&mut self, roots: &[PathBuf]) -> Result<Vec<u32>, IndexError> {
        let mut numbers = Vec::new();
        for root in roots {
            let root = std::path::absolute(root).map_err(io_error("find", root))?;
            let root = root.canonicalize().unwrap_or(root);
            let above = self.manifest.roots.iter().position(|known| is_above(known, &root));
            let number = above.unwrap_or_else(|| {
                self.manifest.roots.push(root);
                self.manifest.roots.len() - 1
            });
            numbers.push(number as u32);
        }
        if roots.is_empty() {
            numbers = (0..self.manifest.roots.len() as u32).collect();
        }
        numbers.sort_unstable();
        numbers.dedup();
        // Known roots inside a new one: their files are found through it from now on.
        let inside: Vec<u32> = (0..self.manifest.roots.len() as u32)
            .filter(|n| !numbers.contains(n))
            .filter(|n| {
                let path = &self.manifest.roots[*n as usize];
                numbers.iter().any(|m| is_above(&self.manifest.roots[*m as usize], path))
            })
            .collect();
        self.given_up(&inside);
        Ok(numbers)
    }

    /// Empties roots that another root now covers, so that nothing is found twice.
    fn given_up(&mut self, roots: &[u32]) {
        for root in roots {
            self.manifest.roots[*root as usize] = PathBuf::new();
        }
    }

    /// Brings the keyword side up to date with the disk and commits it. Interrupted between two
    /// batches by `stop`, it commits what is done; the next run does the rest.
    pub fn update(
        &mut self,
        roots: &[PathBuf],
        options: &IndexOptions,
        measure: &SharedMeasure<'_>,
        progress: &Progress<'_>,
        stop: &AtomicBool,
    ) -> Result<Summary, IndexError> {
        let mut plan = self.plan(roots, options, progress)?;
        let covered = self.units_of_given_up_roots();
        plan.remove.extend(covered);
        let held = |id: &&UnitId| self.catalogue.units().get(id).is_some_and(|r| r.documents > 0);
        let mut summary = Summary {
            units_added: plan.add.len() as u64,
            units_changed: plan.change.len() as u64,
            units_removed: plan.remove.iter().filter(held).count() as u64,
            units_kept: plan.keep,
            ..Summary::default()
        };
        let first = self.manifest.generation == 0;
        if !plan.is_empty() || first {
            let mut run = Run::new(self, options, measure, progress, stop, &plan)?;
            run.all(&plan, &mut summary)?;
            run.finish()?;
        }
        self.remember(&plan, &mut summary);
        let changed = self.catalogue.is_changed() || first;
        self.catalogue.save(&self.folder, &mut self.manifest)?;
        if changed {
            self.count(&mut summary)?;
            self.commit()?;
        }
        progress(Step::Searchable);
        if changed || options.optimize {
            self.merge_keyword(options.optimize)?;
        }
        summary.pending = self.manifest.counts.chunks - self.manifest.counts.vectors;
        if stop.load(Ordering::Relaxed) {
            return Err(IndexError::Interrupted);
        }
        Ok(summary)
    }

    fn units_of_given_up_roots(&self) -> Vec<UnitId> {
        let given_up = |root: u32| self.manifest.roots[root as usize].as_os_str().is_empty();
        self.catalogue.units().keys().filter(|(root, _)| given_up(*root)).cloned().collect()
    }

    /// Notes in the catalogue what a plan removed, touched and could not read.
    fn remember(&mut self, plan: &Plan, summary: &mut Summary) {
        for id in &plan.remove {
            self.catalogue.remove(id);
        }
        for found in &plan.touched {
            if let Some(record) = self.catalogue.units().get(&found.id()) {
                let record = UnitRecord { modified: found.unit.modified, ..record.clone() };
                self.catalogue.set(found.id(), record);
            }
        }
        for (root, problem) in &plan.problems {
            let id = (*root, problem.path.clone());
            let kept = self.catalogue.units().get(&id).cloned();
            let mut record = kept.unwrap_or_else(|| unread(0));
            record.problems = vec![problem.clone()];
            // Tried again at the next run.
            record.hash = None;
            self.catalogue.set(id, record);
            summary.problems.push(problem.clone());
        }
        for record in self.catalogue.units().values().filter(|r| r.documents > 0) {
            *summary.formats.entry(record.format.clone()).or_default() += 1;
        }
    }

    /// Marks the vectors of texts that are gone, takes back those that came again, and counts.
    fn count(&mut self, summary: &mut Summary) -> Result<(), IndexError> {
        let keyword = KeywordReader::open(&self.folder.join(KEYWORD), &self.manifest.keyword)?;
        let hashes = keyword.chunk_hashes(None)?;
        self.manifest.counts.documents = keyword.documents()?;
        self.manifest.counts.chunks = hashes.len() as u64;
        self.manifest.counts.text_bytes =
            self.catalogue.units().values().filter(|u| u.documents > 0).map(|u| u.bytes).sum();
        let vectors = Vectors::open(&self.folder, &self.manifest, &self.verified)?;
        if let Some(vectors) = vectors {
            for (number, segment) in vectors.segments().iter().enumerate() {
                let gone = |row: &usize| hashes.binary_search(&segment.hash(*row)).is_err();
                let deleted: RoaringBitmap =
                    (0..segment.rows()).filter(gone).map(|row| row as u32).collect();
                if deleted != *segment.deleted() {
                    segment::write_deleted(&self.folder, &mut self.manifest, number, &deleted)?;
                }
            }
        }
        self.count_vectors();
        summary.pending = self.manifest.counts.chunks - self.manifest.counts.vectors;
        Ok(())
    }

    fn count_vectors(&mut self) {
        let live = self.manifest.segments.iter().map(|s| s.rows - s.deleted_rows).sum::<u64>();
        self.manifest.counts.vectors = live.min(self.manifest.counts.chunks);
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
        let mut writer = KeywordWriter::open(&folder, &self.manifest.keyword, 1)?;
        let record = writer.merge(all)?;
        drop(writer);
        if record != self.manifest.keyword {
            self.manifest.keyword = record;
            self.commit()?;
        }
        Ok(())
    }

    /// Embeds the texts that have no vector, newest documents first, in commits. Returns how many
    /// were embedded; interrupted by `stop`, it keeps them.
    ///
    /// # Errors
    /// [`IndexError::OtherModel`], [`IndexError::BadVector`], and those of the model and the disk.
    pub fn embed(
        &mut self,
        embedder: &Embedder,
        progress: &Progress<'_>,
        stop: &AtomicBool,
    ) -> Result<u64, IndexError> {
        let keyword = KeywordReader::open(&self.folder.join(KEYWORD), &self.manifest.keyword)?;
        let pending = self.pending(&keyword)?;
        let total = pending.len() as u64;
        let (mut done, mut rows, mut last) = (0, Vec::new(), Instant::now());
        let tokens = std::sync::atomic::AtomicU64::new(0);
        for batch in pending.chunks(EMBED_TEXTS) {
            if stop.load(Ordering::Relaxed) {
                break;
            }
            let texts = texts(&keyword, batch)?;
            let report = |count: usize| {
                let tokens = tokens.fetch_add(count as u64, Ordering::Relaxed) + count as u64;
                progress(Step::Embed { done, total, tokens });
            };
            rows.extend(embed(embedder, &texts, &report)?);
            done += batch.len() as u64;
            if last.elapsed() >= COMMIT_EVERY {
                self.add_vectors(embedder.dims(), std::mem::take(&mut rows))?;
                last = Instant::now();
            }
        }
        if !rows.is_empty() {
            self.add_vectors(embedder.dims(), rows)?;
        }
        if stop.load(Ordering::Relaxed) {
            return Err(IndexError::Interrupted);
        }
        Ok(done)
    }

    /// Where each text without a vector stands, those of the newest documents first.
    fn pending(&self, keyword: &KeywordReader) -> Result<Vec<u64>, IndexError> {
        let hashes = keyword.newest_chunks()?;
        let vectors = Vectors::open(&self.folder, &self.manifest, &self.verified)?;
        let missing = |hash: &u64| vectors.as_ref().is_none_or(|v| !v.contains(*hash));
        Ok(hashes.into_iter().filter(missing).collect())
    }

    fn add_vectors(&mut self, dims: usize, rows: Vec<Row>) -> Result<(), IndexError> {
        let record = segment::write(&self.folder, &mut self.manifest, dims, rows, &|_| {})?;
        self.manifest.segments.push(record);
        self.count_vectors();
        self.commit()
    }

    /// Merges vector segments that are many or hold much that is deleted.
    pub fn merge_vectors(&mut self, all: bool, progress: &Progress<'_>) -> Result<(), IndexError> {
        let Some(vectors) = Vectors::open(&self.folder, &self.manifest, &self.verified)? else {
            return Ok(());
        };
        let size = |s: &crate::manifest::SegmentRecord| Size {
            live: s.rows - s.deleted_rows,
            dead: s.deleted_rows,
        };
        let sizes: Vec<Size> = self.manifest.segments.iter().map(size).collect();
        let groups = merges(&sizes, all);
        let mut records = Vec::new();
        for group in &groups {
            let live = |index: &usize| {
                let segment = &vectors.segments()[*index];
                (0..segment.rows())
                    .filter(|r| !segment.is_deleted(*r))
                    .map(|r| segment.row(r))
                    .collect::<Vec<_>>()
            };
            let rows: Vec<Row> = group.iter().flat_map(live).collect();
            if rows.is_empty() {
                continue;
            }
            let total = rows.len() as u64;
            let added = |done: usize| progress(Step::Graph { done: done as u64, total });
            let dims = vectors.dims();
            records.push(segment::write(&self.folder, &mut self.manifest, dims, rows, &added)?);
        }
        if groups.is_empty() {
            return Ok(());
        }
        let merged: HashSet<usize> = groups.into_iter().flatten().collect();
        let kept = std::mem::take(&mut self.manifest.segments).into_iter().enumerate();
        self.manifest.segments = kept
            .filter(|(i, _)| !merged.contains(i))
            .map(|(_, record)| record)
            .chain(records)
            .collect();
        self.count_vectors();
        self.commit()
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
    }
}

/// Removes every file that the manifest does not name.
fn sweep(folder: &Path, manifest: &Manifest) -> Result<(), IndexError> {
    for part in [KEYWORD, VECTORS, CATALOGUE] {
        let files = manifest.files().filter(|(folder, _)| *folder == part);
        let live: HashSet<&str> = files.map(|(_, file)| file.name.as_str()).collect();
        durable::sweep(&folder.join(part), &|name| live.contains(name))?;
    }
    Ok(())
}

/// Whether `path` is `root` or lies in it; a root that was given up contains nothing.
fn is_above(root: &Path, path: &Path) -> bool {
    !root.as_os_str().is_empty() && path.starts_with(root)
}

/// Whether a file that cannot be read for this reason holds nothing any more.
fn is_void(reason: &Reason) -> bool {
    use Reason::{Binary, Empty, PointerIndex, Refused, TooLarge};
    matches!(reason, Empty | Binary | PointerIndex | Refused(_) | TooLarge { .. })
}

fn unread(bytes: u64) -> UnitRecord {
    UnitRecord {
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
    let numbers = |part: &str| -> Vec<u64> {
        let entries = fs::read_dir(folder.join(part)).into_iter().flatten().flatten();
        entries.filter_map(|e| e.file_name().to_str()?.split('.').next()?.parse().ok()).collect()
    };
    let highest = numbers(VECTORS).into_iter().chain(numbers(CATALOGUE)).max();
    highest.unwrap_or(0) + 1
}

fn texts(keyword: &KeywordReader, hashes: &[u64]) -> Result<Vec<(u64, String)>, IndexError> {
    let text = |hash: &u64| -> Result<Option<(u64, String)>, IndexError> {
        let Some(id) = keyword.entries_with_chunk(*hash)?.first().copied() else { return Ok(None) };
        let entry = keyword.fetch(id)?;
        let chunk = entry.chunks.iter().find(|chunk| chunk.hash == *hash);
        Ok(chunk.map(|chunk| (*hash, entry.model_text(chunk))))
    };
    hashes.par_iter().filter_map(|hash| text(hash).transpose()).collect()
}

fn embed(
    embedder: &Embedder,
    texts: &[(u64, String)],
    report: &(dyn Fn(usize) + Sync),
) -> Result<Vec<Row>, IndexError> {
    let bare: Vec<&str> = texts.iter().map(|(_, text)| text.as_str()).collect();
    let vectors = embedder.passages(&bare, report)?;
    let language = Language::of(&embedder.model().id, embedder.dims());
    let row = |((hash, text), vector): (&(u64, String), Vec<f32>)| {
        let code = Code::new(&language.passage(vector))
            .ok_or_else(|| IndexError::BadVector { text: text.chars().take(60).collect() })?;
        Ok(Row { hash: *hash, code })
    };
    texts.iter().zip(vectors).map(row).collect()
}

/// One pass over the units of a plan.
struct Run<'a> {
    indexer: &'a mut Indexer,
    options: &'a IndexOptions,
    measure: &'a SharedMeasure<'a>,
    progress: &'a Progress<'a>,
    stop: &'a AtomicBool,
    reader: Option<KeywordReader>,
    writer: KeywordWriter,
    total: u64,
    done: u64,
}

/// A document with the unit it came from.
type Read = (UnitId, Document);

impl<'a> Run<'a> {
    fn new(
        indexer: &'a mut Indexer,
        options: &'a IndexOptions,
        measure: &'a SharedMeasure<'a>,
        progress: &'a Progress<'a>,
        stop: &'a AtomicBool,
        plan: &Plan,
    ) -> Result<Self, IndexError> {
        let folder = indexer.folder.join(KEYWORD);
        let record = indexer.manifest.keyword.clone();
        let reader = if record.meta.is_empty() {
            None
        } else {
            Some(KeywordReader::open(&folder, &record)?)
        };
        let total = plan.add.iter().chain(&plan.change).map(|f| f.unit.bytes).sum();
        // Every thread flushes a segment of its own, so a small change is written by one.
        let threads =
            if total > GROUP_BYTES { rayon::current_num_threads().clamp(1, 8) } else { 1 };
        let writer = KeywordWriter::open(&folder, &record, threads)?;
        Ok(Self { indexer, options, measure, progress, stop, reader, writer, total, done: 0 })
    }

    fn all(&mut self, plan: &Plan, summary: &mut Summary) -> Result<(), IndexError> {
        for (root, path) in &plan.remove {
            let unit = unit_key(*root, path);
            summary.documents_removed += self.known(unit)?.len() as u64;
            self.writer.remove_unit(unit);
        }
        let mut units: Vec<&Found> = plan.add.iter().chain(&plan.change).collect();
        units.sort_by_key(|found| found.id());
        let mut rest = units.as_slice();
        while !rest.is_empty() && !self.stop.load(Ordering::Relaxed) {
            let (group, tail) = rest.split_at(group_length(rest));
            rest = tail;
            match group {
                [one] if one.unit.bytes > GROUP_BYTES => self.large(one, summary)?,
                group => self.small(group, summary)?,
            }
        }
        Ok(())
    }

    fn known(&self, unit: u64) -> Result<Vec<crate::keyword::Known>, IndexError> {
        self.reader.as_ref().map_or(Ok(Vec::new()), |reader| reader.known(unit))
    }

    /// Units that are read side by side.
    fn small(&mut self, group: &[&Found], summary: &mut Summary) -> Result<(), IndexError> {
        let read = |found: &&Found| {
            let mut documents = Vec::new();
            let mut problems = Vec::new();
            let result = found.unit.read(&self.options.read, &mut |item| {
                match item {
                    Ok(document) => documents.push((found.id(), document)),
                    Err(problem) => problems.push(problem),
                }
                ControlFlow::Continue(())
            });
            (documents, problems, result)
        };
        let results: Vec<_> = group.par_iter().map(read).collect();
        let mut batch = Vec::new();
        for (found, (documents, problems, result)) in group.iter().zip(results) {
            let mut comparison = self.comparison(found)?;
            batch.extend(documents.into_iter().filter(|(_, d)| comparison.wants(d)));
            self.settle(found, comparison, problems, result, summary)?;
        }
        self.write(batch, summary)?;
        self.report(summary);
        Ok(())
    }

    /// A unit that is read in stretches.
    fn large(&mut self, found: &Found, summary: &mut Summary) -> Result<(), IndexError> {
        let mut comparison = self.comparison(found)?;
        let (mut batch, mut bytes, mut problems) = (Vec::<Read>::new(), 0, Vec::new());
        let mut failed = None;
        let before = self.done;
        let result = found.unit.read(&self.options.read, &mut |item| {
            match item {
                Ok(document) => {
                    bytes += document.text.len();
                    if comparison.wants(&document) {
                        batch.push((found.id(), document));
                    }
                }
                Err(problem) => problems.push(problem),
            }
            if bytes >= BATCH_BYTES {
                self.done = (self.done + bytes as u64).min(before + found.unit.bytes);
                bytes = 0;
                failed = self.write(std::mem::take(&mut batch), summary).err();
                self.report(summary);
            }
            let go_on = failed.is_none() && !self.stop.load(Ordering::Relaxed);
            if go_on { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        if let Some(error) = failed {
            return Err(error);
        }
        self.write(batch, summary)?;
        if self.stop.load(Ordering::Relaxed) {
            // Read in part: what was read is there, and the next run reads it again.
            return Ok(());
        }
        self.done = before;
        self.settle(found, comparison, problems, result, summary)?;
        self.report(summary);
        Ok(())
    }

    fn comparison(&self, found: &Found) -> Result<Comparison, IndexError> {
        let known = self.known(unit_key(found.root, &found.unit.path))?;
        let known = known.into_iter().map(|k| (k.document, (k.content, false))).collect();
        Ok(Comparison { root: found.root, unit: found.unit.path.clone(), known, kept: 0, fresh: 0 })
    }

    /// Removes what a unit no longer holds and remembers how it was read.
    fn settle(
        &mut self,
        found: &Found,
        comparison: Comparison,
        problems: Vec<Problem>,
        result: Result<Reading, Problem>,
        summary: &mut Summary,
    ) -> Result<(), IndexError> {
        summary.documents_kept += comparison.kept;
        self.done += found.unit.bytes;
        summary.bytes_read += found.unit.bytes;
        let mut record = UnitRecord {
            hash: Some(found.hash),
            bytes: found.unit.bytes,
            modified: found.unit.modified,
            ..unread(found.unit.bytes)
        };
        record.problems = problems;
        match result {
            Ok(reading) => {
                record.format = reading.format.name().to_owned();
                record.documents = reading.documents;
                record.messages = reading.messages;
                for (kind, count) in reading.redacted {
                    *summary.redacted.entry(kind.to_owned()).or_default() += count;
                }
                summary.documents_removed += self.remove_unseen(&comparison);
            }
            Err(problem) => {
                let old = self.indexer.catalogue.units().get(&found.id());
                if is_void(&problem.reason) {
                    summary.documents_removed += self.remove_unseen(&comparison);
                } else {
                    // Unreadable or broken off: what is known stays until the file can be read.
                    record.documents = old.map_or(0, |old| old.documents).max(comparison.seen());
                    record.format = old.map_or(String::new(), |old| old.format.clone());
                }
                if problem.reason.keeps_what_was_indexed() {
                    record.hash = None;
                }
                record.problems.push(problem);
            }
        }
        summary.problems.extend(record.problems.iter().cloned());
        self.indexer.catalogue.set(found.id(), record);
        Ok(())
    }

    fn remove_unseen(&self, comparison: &Comparison) -> u64 {
        let unseen = comparison.known.iter().filter(|(_, (_, seen))| !seen);
        unseen.map(|(document, _)| self.writer.remove_document(*document)).count() as u64
    }

    /// Cuts and adds documents, after removing their earlier versions.
    fn write(&self, batch: Vec<Read>, summary: &mut Summary) -> Result<(), IndexError> {
        summary.documents_written += batch.len() as u64;
        let settings = self.indexer.manifest.chunks;
        batch.into_par_iter().try_for_each(|((root, unit), document)| {
            self.writer.remove_document(document_key(root, &unit, &document.id));
            let entries: Vec<Entry> = entries(root, &unit, document, &self.measure, settings);
            entries.iter().try_for_each(|entry| self.writer.add(entry))
        })
    }

    fn report(&self, summary: &Summary) {
        let documents = summary.documents_written;
        (self.progress)(Step::Read { done: self.done, total: self.total, documents });
    }

    fn finish(mut self) -> Result<(), IndexError> {
        let record = self.writer.commit()?;
        self.indexer.manifest.keyword = record;
        Ok(())
    }
}

fn group_length(units: &[&Found]) -> usize {
    let mut bytes = 0;
    let fits = |found: &&&Found| {
        bytes += found.unit.bytes;
        bytes <= GROUP_BYTES
    };
    units.iter().take(GROUP_UNITS).take_while(fits).count().max(1)
}

/// The documents of a unit as they are known, ticked off as they are read again.
struct Comparison {
    root: u32,
    unit: String,
    known: std::collections::HashMap<u64, (u64, bool)>,
    kept: u64,
    fresh: u64,
}

impl Comparison {
    /// Whether a document is new or another than before.
    fn wants(&mut self, document: &Document) -> bool {
        let key = document_key(self.root, &self.unit, &document.id);
        let content = shorten(document.content_hash());
        let same = self.known.get_mut(&key).is_some_and(|(known, seen)| {
            *seen = true;
            *known == content
        });
        if same {
            self.kept += 1;
        } else {
            self.fresh += 1;
        }
        !same
    }

    /// Documents that were read.
    fn seen(&self) -> u64 {
        self.kept + self.fresh
    }
}

/// What a unit would be read as, for a dry run.
pub fn recognised(unit: &Unit, options: &ReadOptions) -> String {
    unit.recognise(options)
        .map_or_else(|problem| problem.reason.to_string(), |f| f.name().to_owned())
}
