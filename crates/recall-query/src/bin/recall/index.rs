//! `recall index`: the disk, brought into an index.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use recall_embed::{Catalogue, EmbedError, Embedder, Home, Installed, Tokens};
use recall_index::{
    ChunkSettings, IndexOptions, Indexer, Manifest, ModelRecord, Plan, Summary, estimated_tokens,
};
use recall_sources::{Globs, Problem};

use crate::bars::Bars;
use crate::config::{self, Config};
use crate::failure::Failure;
use crate::flags::{Flags, IndexFlags};
use crate::print::{out, size};
use crate::{model, place, stop};

/// Tokens of a model's limit that are left for a chunk's title and headings.
const CONTEXT_TOKENS: usize = 72;
/// Problems that a summary lists; `recall status` lists all.
const PROBLEMS_SHOWN: usize = 10;

/// Runs `recall index`.
pub fn run(flags: &Flags, options: &IndexFlags) -> Result<u8, Failure> {
    let started = Instant::now();
    for path in &options.paths {
        // A root that is away is reported, and what was indexed from it kept; a typing error is not.
        if !path.exists() && !is_known_root(flags, path) {
            return Err(Failure::usage(format!("there is no {}", path.display())));
        }
    }
    let folder = place::to_write(flags.index.as_deref(), &options.paths)?;
    let known = Manifest::read(&folder);
    let roots = match (&known, options.paths.as_slice()) {
        (_, [_, ..]) => options.paths.clone(),
        (Ok(manifest), []) => manifest.roots.clone(),
        (Err(_), []) => vec![folder.parent().unwrap_or(Path::new(".")).to_owned()],
    };
    let config = roots.first().map_or_else(|| Ok(Config::default()), |root| config::load(root))?;
    let plan_options = resolve(options, &config)?;
    let stop = stop::flag();
    let bars = Bars::new();
    if options.dry_run {
        return dry_run(&folder, options, &plan_options, &bars);
    }
    let model = Model::find(flags, options, &config, known.as_ref().ok())?;
    let mut indexer = model.open(&folder, options, &config)?;
    let progress = |step| bars.step(step);
    let tokens = model.tokens();
    let measure = |text: &str| measure(tokens.as_deref(), text);
    let mut summary = indexer.update(&options.paths, &plan_options, &measure, &progress, stop)?;
    bars.clear();
    let searchable = started.elapsed();
    let why_not = embed(&mut indexer, &model, options, &mut summary, &bars, stop)?;
    let report = Report {
        folder: &folder,
        summary: &summary,
        manifest: indexer.manifest(),
        searchable_seconds: searchable.as_secs_f64(),
        seconds: started.elapsed().as_secs_f64(),
        no_vectors: why_not,
    };
    report.print(options.json)?;
    Ok(0)
}

fn is_known_root(flags: &Flags, path: &Path) -> bool {
    let folder = place::to_write(flags.index.as_deref(), &[path.to_owned()]);
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    folder
        .ok()
        .and_then(|folder| Manifest::read(&folder).ok())
        .is_some_and(|manifest| manifest.roots.contains(&absolute))
}

fn measure(tokens: Option<&Tokens>, text: &str) -> Vec<usize> {
    tokens.map_or_else(|| estimated_tokens(text), |tokens| tokens.starts(text))
}

/// Flags and configuration as one record for the engine.
fn resolve(flags: &IndexFlags, config: &Config) -> Result<IndexOptions, Failure> {
    let globs = |a: &[String], b: &[String]| {
        Globs::new(a.iter().chain(b)).map_err(|error| Failure::usage(error.to_string()))
    };
    let mut out = IndexOptions::default();
    out.scan.include = globs(&flags.include, &config.include)?;
    out.scan.exclude = globs(&flags.exclude, &config.exclude)?;
    out.scan.pointers = globs(&[], &config.pointers)?;
    out.scan.hidden = flags.hidden || config.hidden;
    let whole: Vec<String> =
        Globs::RUNBOOKS.iter().map(|g| (*g).to_owned()).chain(config.whole.clone()).collect();
    out.read.whole = globs(&whole, &flags.whole)?;
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
    out.optimize = flags.optimize;
    Ok(out)
}

fn dry_run(
    folder: &Path,
    flags: &IndexFlags,
    options: &IndexOptions,
    bars: &Bars,
) -> Result<u8, Failure> {
    let scratch;
    let exists = Manifest::read(folder).is_ok();
    let target = if exists {
        folder.to_owned()
    } else {
        // Nothing may appear where nothing was.
        scratch = std::env::temp_dir().join(format!("recall-dry-run-{}", std::process::id()));
        scratch.clone()
    };
    let result = plan_only(&target, flags, options, bars);
    if !exists {
        let _ = std::fs::remove_dir_all(&target);
    }
    let plan = result?;
    print_plan(&plan, options, flags.json)?;
    Ok(0)
}

fn plan_only(
    folder: &Path,
    flags: &IndexFlags,
    options: &IndexOptions,
    bars: &Bars,
) -> Result<Plan, Failure> {
    let mut indexer = Indexer::open(folder, ChunkSettings::default(), false)?;
    let plan = indexer.plan(&flags.paths, options, &|step| bars.step(step))?;
    bars.clear();
    Ok(plan)
}

fn print_plan(plan: &Plan, options: &IndexOptions, json: bool) -> Result<(), Failure> {
    let recognised =
        |found: &recall_index::Found| recall_index::recognised(&found.unit, &options.read);
    if json {
        let units = |units: &[recall_index::Found]| -> Vec<_> {
            units
                .iter()
                .map(|f| serde_json::json!({"path": f.unit.path, "bytes": f.unit.bytes, "format": recognised(f)}))
                .collect()
        };
        let problems: Vec<&Problem> = plan.problems.iter().map(|(_, p)| p).collect();
        let removed: Vec<&String> = plan.remove.iter().map(|(_, path)| path).collect();
        let value = serde_json::json!({
            "add": units(&plan.add), "change": units(&plan.change), "remove": removed,
            "keep": plan.keep, "problems": problems,
        });
        return out(&format!("{value}\n"));
    }
    let mut text = String::new();
    for (sign, units) in [('+', &plan.add), ('~', &plan.change)] {
        for found in units {
            let bytes = size(found.unit.bytes);
            text.push_str(&format!(
                "{sign} {} ({}, {bytes})\n",
                found.unit.path,
                recognised(found)
            ));
        }
    }
    for (_, path) in &plan.remove {
        text.push_str(&format!("- {path}\n"));
    }
    for (_, problem) in &plan.problems {
        text.push_str(&format!("! {problem}\n"));
    }
    text.push_str(&format!(
        "{} to add, {} to change, {} to remove, {} as they were, {} skipped\n",
        plan.add.len(),
        plan.change.len(),
        plan.remove.len(),
        plan.keep,
        plan.problems.len(),
    ));
    out(&text)
}

/// The model of a run: on this machine, or why not.
struct Model {
    home: Home,
    row: recall_embed::Model,
    installed: Result<Installed, EmbedError>,
}

impl Model {
    /// The model asked for, else that of the index, else the default one; fetched if need be.
    fn find(
        flags: &Flags,
        options: &IndexFlags,
        config: &Config,
        manifest: Option<&Manifest>,
    ) -> Result<Self, Failure> {
        let home = Home::from_env();
        let own = manifest.and_then(|m| m.model.as_ref()).map(|m| m.id.clone());
        let asked = options.model.clone().or_else(|| config.model.clone());
        let id =
            if options.rebuild { asked.or(own) } else { options.model.clone().or(own).or(asked) };
        let row = model::find(&Catalogue::of(&home)?, id.as_deref())?.clone();
        let installed = if options.keyword_only {
            recall_embed::installed(&home, &row)
        } else {
            model::fetch(&home, &row, flags.offline)
        };
        Ok(Self { home, row, installed })
    }

    fn tokens(&self) -> Option<Arc<Tokens>> {
        self.installed.as_ref().ok().and_then(|i| Tokens::load(i).ok()).map(Arc::new)
    }

    fn record(&self) -> Option<ModelRecord> {
        self.installed.as_ref().ok().map(|installed| ModelRecord {
            id: self.row.id.clone(),
            checksum: model::checksum(installed),
            dims: self.row.dims,
        })
    }

    fn chunks(&self, config: &Config) -> ChunkSettings {
        let default = ChunkSettings::default();
        let room = self.row.max_tokens.saturating_sub(CONTEXT_TOKENS).max(16);
        let tokens = config.chunks.tokens.unwrap_or(default.tokens).clamp(16, room);
        let overlap = config.chunks.overlap.unwrap_or(default.overlap).min(tokens / 2);
        ChunkSettings { tokens, overlap }
    }

    /// The index, begun anew where the model's tokens or another model ask for it.
    fn open(
        &self,
        folder: &Path,
        options: &IndexFlags,
        config: &Config,
    ) -> Result<Indexer, Failure> {
        let chunks = self.chunks(config);
        let measured = self.installed.is_ok();
        let estimated = |i: &Indexer| !i.manifest().measured && i.manifest().generation > 0;
        let mut indexer = if options.rebuild {
            Indexer::rebuild(folder, chunks, measured)?
        } else {
            Indexer::open(folder, chunks, measured)?
        };
        if measured && estimated(&indexer) {
            drop(indexer);
            eprintln!("the model is here now: cutting all documents by its tokens");
            indexer = Indexer::rebuild(folder, chunks, measured)?;
        }
        if let Some(record) = self.record() {
            let other = indexer.manifest().model.as_ref().is_some_and(|own| *own != record);
            if other && options.rebuild {
                indexer.drop_vectors();
            }
            if !options.keyword_only || indexer.manifest().model.is_some() {
                indexer.set_model(&record)?;
            }
        }
        Ok(indexer)
    }
}

/// Embeds what has no vector; without a model says why not.
fn embed(
    indexer: &mut Indexer,
    model: &Model,
    options: &IndexFlags,
    summary: &mut Summary,
    bars: &Bars,
    stop: &AtomicBool,
) -> Result<Option<String>, Failure> {
    if options.keyword_only {
        return Ok((summary.pending > 0).then(|| "left for later (--keyword-only)".to_owned()));
    }
    let installed = match &model.installed {
        Ok(installed) => installed,
        Err(error) => return Ok(Some(format!("{error}; {}", error.hint()))),
    };
    let progress = |step| bars.step(step);
    if summary.pending > 0 {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let threads = options.threads.unwrap_or(cores).clamp(1, 64);
        let embedder = match Embedder::load(&model.home, installed, threads) {
            Ok(embedder) => embedder,
            Err(error) => return Ok(Some(format!("{error}; {}", error.hint()))),
        };
        let embedded = indexer.embed(&embedder, &progress, stop);
        bars.clear();
        summary.embedded = embedded?;
    }
    indexer.merge_vectors(options.optimize, &progress)?;
    bars.clear();
    let counts = indexer.manifest().counts;
    summary.pending = counts.chunks - counts.vectors;
    Ok(None)
}

/// The summary of a run.
struct Report<'a> {
    folder: &'a Path,
    summary: &'a Summary,
    manifest: &'a Manifest,
    searchable_seconds: f64,
    seconds: f64,
    no_vectors: Option<String>,
}

impl Report<'_> {
    fn print(&self, json: bool) -> Result<(), Failure> {
        if json {
            return out(&format!("{}\n", self.json()));
        }
        eprint!("{}", self.text());
        Ok(())
    }

    fn bytes(&self) -> u64 {
        self.manifest.files().map(|(_, file)| file.bytes).sum()
    }

    fn json(&self) -> serde_json::Value {
        let s = self.summary;
        let counts = self.manifest.counts;
        serde_json::json!({
            "index": self.folder, "generation": self.manifest.generation,
            "files": {"added": s.units_added, "changed": s.units_changed,
                      "removed": s.units_removed, "kept": s.units_kept},
            "documents": {"written": s.documents_written, "removed": s.documents_removed,
                          "kept": s.documents_kept, "total": counts.documents},
            "chunks": counts.chunks, "vectors": counts.vectors, "pending": s.pending,
            "embedded": s.embedded, "formats": s.formats, "redacted": s.redacted,
            "problems": s.problems, "no_vectors": self.no_vectors,
            "text_bytes": counts.text_bytes, "index_bytes": self.bytes(),
            "searchable_seconds": self.searchable_seconds, "seconds": self.seconds,
        })
    }

    fn text(&self) -> String {
        let s = self.summary;
        let counts = self.manifest.counts;
        let mut text = format!(
            "{} documents from {} files: {} new, {} changed, {} removed, {} as they were\n",
            counts.documents,
            s.units_added + s.units_changed + s.units_kept,
            s.units_added,
            s.units_changed,
            s.units_removed,
            s.units_kept,
        );
        text.push_str(&formats(&s.formats));
        text.push_str(&problems(&s.problems));
        if !s.redacted.is_empty() {
            let kinds: Vec<String> = s.redacted.iter().map(|(k, n)| format!("{n} {k}")).collect();
            text.push_str(&format!("masked: {}\n", kinds.join(", ")));
        }
        let vectors = match &self.no_vectors {
            Some(why) => {
                format!("{} of {} chunks have vectors: {why}", counts.vectors, counts.chunks)
            }
            None => format!("{} of {} chunks have vectors", counts.vectors, counts.chunks),
        };
        text.push_str(&format!(
            "{vectors}\n{} of text, {} of index in {}\nsearchable after {:.1} s, done in {:.1} s\n",
            size(counts.text_bytes),
            size(self.bytes()),
            self.folder.display(),
            self.searchable_seconds,
            self.seconds,
        ));
        text
    }
}

fn formats(formats: &BTreeMap<String, u64>) -> String {
    let list: Vec<String> = formats.iter().map(|(name, n)| format!("{n} {name}")).collect();
    if list.is_empty() { String::new() } else { format!("read as: {}\n", list.join(", ")) }
}

fn problems(problems: &[Problem]) -> String {
    if problems.is_empty() {
        return String::new();
    }
    let warnings = problems.iter().filter(|p| p.reason.is_a_warning()).count();
    let mut text =
        format!("{} skipped, {warnings} read with a warning:\n", problems.len() - warnings);
    for problem in problems.iter().take(PROBLEMS_SHOWN) {
        text.push_str(&format!("  {problem}\n"));
    }
    if problems.len() > PROBLEMS_SHOWN {
        let more = problems.len() - PROBLEMS_SHOWN;
        text.push_str(&format!("  and {more} more: see `recall status`\n"));
    }
    text
}

/// Indexes `paths` into `folder` with the default options, as the demo and repairs do.
pub fn quietly(flags: &Flags, folder: PathBuf, options: &IndexFlags) -> Result<u8, Failure> {
    let flags =
        Flags { index: Some(folder), offline: flags.offline, command: crate::Command::Demo };
    run(&flags, options)
}
