//! `recall query`: a question, answered.

use std::io::Read;
use std::path::PathBuf;
use std::time::Instant;

use jiff::ZonedDateTime;
use recall_embed::{Catalogue, Embedder, Home};
use recall_index::{Analyzer, Filter, Snapshot};
use recall_pointers::{FolderSpec, HeadingWords, Memory, PointerLine, Project, lines_naming};
use recall_query::answer::{Answer, Coverage, Hit, Hits, TextBudget, VERSION};
use recall_query::question::{self, Question};
use recall_query::search::{Mode, Ranking, Request, Searcher};
use recall_query::{passage, when};
use recall_sources::{Kind, Unit};

use crate::failure::Failure;
use crate::flags::{FilterFlags, Flags, FormatFlag, ModeFlag, QueryFlags};
use crate::print::{DIM, PLACE, TITLE, WARN, harmless, marked, out, paint, width};
use crate::{model, place, pointers};

/// Bytes of a passage that text output shows.
const PASSAGE_BYTES: usize = 420;

/// Runs `recall query`.
pub fn run(flags: &Flags, options: &QueryFlags) -> Result<u8, Failure> {
    let started = Instant::now();
    let text = text(options)?;
    let folder = place::to_read(flags.index.as_deref())?;
    let snapshot = Snapshot::open(&folder)?;
    refuse_other_model(&snapshot, options.model.as_deref())?;
    let request =
        Request { k: options.limit, mode: mode(options.mode), ..request(&text, &options.filter)? };
    let analyzer = Analyzer::default();
    let vectors = Vectors::load(&snapshot, request.mode, &request.question)?;
    let searcher = Searcher::new(&snapshot, vectors.embedder.as_ref(), &analyzer);
    let ranking = searcher.rank(&request)?;
    let threshold = searcher.threshold();
    let shown = ranking
        .documents
        .iter()
        .filter(|d| options.show_weak || d.relevance >= threshold)
        .take(options.limit)
        .collect::<Vec<_>>();
    let budget = TextBudget { whole: options.budget, full: options.full };
    let hits = Hits { snapshot: &snapshot, analyzer: &analyzer, budget };
    let mut hits = hits.make(&ranking, &shown)?;
    if options.verify {
        verify(&snapshot, &mut hits)?;
    }
    let pointers = pointers_naming(&snapshot, &hits);
    let nothing = !ranking.documents.iter().any(|d| d.relevance >= threshold);
    let answer = Answer {
        version: VERSION,
        query: text,
        mode: vectors.mode,
        degraded: vectors.why_not,
        nothing_relevant: nothing,
        threshold,
        coverage: coverage(&snapshot, &ranking),
        took_ms: started.elapsed().as_secs_f64() * 1000.0,
        hits,
        pointers,
    };
    print(&answer, options)?;
    Ok(u8::from(nothing))
}

/// Compares the content of the hits' files with what was indexed, and says which differ.
fn verify(snapshot: &Snapshot, hits: &mut [Hit]) -> Result<(), Failure> {
    let catalogue = snapshot.catalogue()?;
    for hit in hits {
        let mut known = catalogue.units().iter().filter(|((root, path), _)| {
            snapshot.file_of(*root, path).is_some_and(|file| file == hit.file)
        });
        let Some(((_, path), record)) = known.next() else { continue };
        let unit = Unit {
            path: path.clone(),
            absolute: hit.file.clone(),
            bytes: record.bytes,
            modified: record.modified,
            is_folder: hit.file.is_dir(),
        };
        hit.stale = match unit.hash() {
            Ok(hash) if record.hash == Some(*hash.as_bytes()) => None,
            Ok(_) => Some("its file changed since it was indexed".to_owned()),
            Err(problem) => Some(format!("its file cannot be read: {}", problem.reason)),
        };
        if hit.kind == Kind::Memory.name() && hit.stale.is_none() {
            hit.stale = missing_quotes(hit);
        }
    }
    Ok(())
}

/// Paths that a memory entry quotes and that are no longer there.
fn missing_quotes(hit: &Hit) -> Option<String> {
    let project = Project::at(hit.file.parent()?).ok()?;
    let missing = project.missing_quotes(&hit.file, hit.text.as_deref()?);
    (!missing.is_empty())
        .then(|| format!("it quotes what is no longer there: {}", missing.join(", ")))
}

/// The lines of the pointer index beside the indexed roots that name a document of a hit.
fn pointers_naming(snapshot: &Snapshot, hits: &[Hit]) -> Vec<PointerLine> {
    // Paths in it start from the indexed root, in a git repository or not.
    let spec =
        |root: &PathBuf| Some(FolderSpec { root: Some(root.clone()), ..pointers::upward(root)? });
    let mut specs: Vec<_> = snapshot.manifest().roots.iter().filter_map(spec).collect();
    specs.sort_by(|a, b| a.path.cmp(&b.path));
    specs.dedup_by(|a, b| a.path == b.path);
    let Ok(memory) = Memory::open(&specs, &HeadingWords::default()) else { return Vec::new() };
    let names: Vec<String> = hits
        .iter()
        .flat_map(|hit| [hit.id.clone(), hit.file.to_string_lossy().into_owned()])
        .collect();
    // A document is known by its id and by its file; a line that names it counts once.
    let mut lines = lines_naming(&memory, &names);
    lines.sort_by(|a, b| (&a.place.path, a.place.line).cmp(&(&b.place.path, b.place.line)));
    lines.dedup_by(|a, b| a.place.path == b.place.path && a.place.line == b.place.line);
    lines
}

fn text(options: &QueryFlags) -> Result<String, Failure> {
    let typed = options.text.join(" ");
    if !typed.is_empty() && typed != "-" {
        return Ok(typed);
    }
    if typed.is_empty() && !options.text.is_empty() {
        return Ok(typed);
    }
    let mut bytes = Vec::new();
    std::io::stdin().read_to_end(&mut bytes).map_err(Failure::io("read", "standard input"))?;
    Ok(String::from_utf8_lossy(&bytes).trim().to_owned())
}

fn mode(flag: ModeFlag) -> Mode {
    match flag {
        ModeFlag::Hybrid => Mode::Hybrid,
        ModeFlag::Keyword => Mode::Keyword,
        ModeFlag::Vector => Mode::Vector,
    }
}

/// A request for `text` with these filters, hybrid, ten hits.
pub fn request(text: &str, flags: &FilterFlags) -> Result<Request, Failure> {
    let now = ZonedDateTime::now();
    let question = question::parse(text, &|name, value| {
        apply(name, value, &mut Filter::default(), &now).is_ok()
    });
    let mut filter = Filter::default();
    let lists = [
        ("source", &flags.source),
        ("author", &flags.author),
        ("kind", &flags.kind),
        ("tag", &flags.tag),
        ("path", &flags.path),
    ];
    let typed = lists.into_iter().flat_map(|(name, values)| values.iter().map(move |v| (name, v)));
    let dates = [("since", &flags.since), ("until", &flags.until)];
    let dates = dates.into_iter().filter_map(|(name, value)| Some((name, value.as_ref()?)));
    let own = question.filters.iter().map(|(name, value)| (name.as_str(), value));
    for (name, value) in typed.chain(dates).chain(own) {
        apply(name, value, &mut filter, &now).map_err(Failure::usage)?;
    }
    for pair in &flags.field {
        let (name, value) = pair.split_once('=').ok_or_else(|| {
            Failure::usage_hint(
                format!("`{pair}` is not NAME=VALUE"),
                "for example: --field status=open",
            )
        })?;
        filter.fields.push((name.to_owned(), value.to_owned()));
    }
    Ok(Request { question, filter, k: 10, mode: Mode::Hybrid })
}

/// Adds one condition to a filter, or says why its value cannot be used.
fn apply(name: &str, value: &str, filter: &mut Filter, now: &ZonedDateTime) -> Result<(), String> {
    match name {
        "since" => filter.since = Some(when::parse(value, now).map_err(|e| e.to_string())?.start),
        "until" => filter.until = Some(when::parse(value, now).map_err(|e| e.to_string())?.end),
        "source" => filter.sources.push(value.to_owned()),
        "author" => filter.authors.push(value.to_owned()),
        "tag" => filter.tags.push(value.to_owned()),
        "kind" => filter.kinds.push(value.parse().map_err(
            |e: recall_sources::document::UnknownKind| {
                let known: Vec<&str> = Kind::ALL.iter().map(|k| k.name()).collect();
                format!("{e}; kinds are {}", known.join(", "))
            },
        )?),
        "path" => {
            let glob = globset::GlobBuilder::new(value).literal_separator(false).build();
            filter.paths.push(glob.map_err(|e| e.to_string())?.compile_matcher());
        }
        _ => return Err(format!("no filter is called {name}")),
    }
    Ok(())
}

fn refuse_other_model(snapshot: &Snapshot, asked: Option<&str>) -> Result<(), Failure> {
    let own = snapshot.manifest().model.as_ref().map(|m| m.id.clone());
    match asked {
        Some(asked) if own.as_deref() != Some(asked) => Err(Failure::usage_hint(
            format!(
                "the index was made with {}, not with {asked}",
                own.as_deref().unwrap_or("no model")
            ),
            "leave --model out to use the index's own, or rebuild with: recall index --rebuild --model ID",
        )),
        _ => Ok(()),
    }
}

/// The vector side of a question: there, or why not.
pub struct Vectors {
    /// The model, if its vectors can be used.
    pub embedder: Option<Embedder>,
    /// Which retrievers answer.
    pub mode: Mode,
    /// Why not those that were asked for.
    pub why_not: Option<String>,
}

impl Vectors {
    /// Loads the model of the index for a question in `mode`.
    pub fn load(snapshot: &Snapshot, mode: Mode, question: &Question) -> Result<Self, Failure> {
        let words = !question.text.trim().is_empty();
        if mode == Mode::Keyword || !words {
            return Ok(Self { embedder: None, mode, why_not: None });
        }
        match load(snapshot) {
            Ok(embedder) => Ok(Self { embedder: Some(embedder), mode, why_not: behind(snapshot) }),
            Err(why) if mode == Mode::Vector => Err(Failure::usage_hint(
                format!("no vectors to search: {why}"),
                "ask with --mode keyword, or bring the vectors up to date with: recall index",
            )),
            Err(why) => Ok(Self { embedder: None, mode: Mode::Keyword, why_not: Some(why) }),
        }
    }
}

fn load(snapshot: &Snapshot) -> Result<Embedder, String> {
    let vectors = snapshot.vectors().map_err(|e| e.to_string())?;
    let (Some(vectors), Some(record)) = (vectors, &snapshot.manifest().model) else {
        return Err("the index has no vectors yet; make them with: recall index".to_owned());
    };
    if vectors.is_empty() {
        return Err("the index has no vectors yet; make them with: recall index".to_owned());
    }
    let told = |e: recall_embed::EmbedError| format!("{e}; {}", e.hint());
    let home = Home::from_env();
    let catalogue = Catalogue::of(&home).map_err(told)?;
    let model = catalogue.find(&record.id).map_err(told)?;
    let installed = recall_embed::installed(&home, model).map_err(told)?;
    if model::checksum(&installed) != record.checksum {
        return Err(format!(
            "the model {} here is not the one the index was made with; rebuild with: recall index --rebuild",
            record.id
        ));
    }
    Embedder::load(&home, &installed, 1).map_err(told)
}

/// What an answer must say while vectors are catching up.
fn behind(snapshot: &Snapshot) -> Option<String> {
    let counts = snapshot.manifest().counts;
    let missing = counts.chunks - counts.vectors;
    (missing > 0).then(|| format!("{missing} of {} chunks have no vector yet", counts.chunks))
}

/// How much of the corpus the answer is from.
pub fn coverage(snapshot: &Snapshot, ranking: &Ranking) -> Coverage {
    let manifest = snapshot.manifest();
    Coverage {
        generation: manifest.generation,
        documents: manifest.counts.documents,
        chunks: manifest.counts.chunks,
        vectors: manifest.counts.vectors,
        allowed: ranking.allowed,
    }
}

fn print(answer: &Answer, options: &QueryFlags) -> Result<(), Failure> {
    let format = if options.json { FormatFlag::Json } else { options.format };
    let text = match format {
        FormatFlag::Json => json_line(answer),
        FormatFlag::Jsonl => answer.hits.iter().map(json_line).collect(),
        FormatFlag::Paths => paths(&answer.hits),
        FormatFlag::Text => answer.hits.iter().map(|hit| hit_text(hit, options)).collect(),
    };
    out(&text)?;
    if format != FormatFlag::Json {
        say_the_rest(answer);
    }
    Ok(())
}

fn json_line(value: &impl serde::Serialize) -> String {
    let text = serde_json::to_string(value).expect("answers have string keys only");
    // Both are line ends to some readers of lines, and legal inside JSON strings.
    let text = text.replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029");
    format!("{text}\n")
}

fn paths(hits: &[Hit]) -> String {
    let mut seen = std::collections::HashSet::new();
    let new = hits.iter().filter(|hit| seen.insert(&hit.path));
    new.map(|hit| format!("{}\n", hit.path)).collect()
}

/// What belongs to an answer but is no data.
fn say_the_rest(answer: &Answer) {
    if let Some(why) = &answer.degraded {
        eprintln!("note: {why}");
    }
    if answer.nothing_relevant {
        eprintln!("nothing relevant in {} documents", answer.coverage.documents);
    }
}

fn hit_text(hit: &Hit, options: &QueryFlags) -> String {
    let name = if hit.title.trim().is_empty() { &hit.id } else { &hit.title };
    let place = match hit.lines {
        Some((line, _)) => format!("{}:{line}", hit.path),
        None => hit.path.clone(),
    };
    let about: Vec<String> =
        [Some(hit.kind.clone()), hit.date.clone(), hit.authors.first().cloned()]
            .into_iter()
            .flatten()
            .chain((hit.id != hit.path && hit.id != *name).then(|| hit.id.clone()))
            .collect();
    let mut text = format!(
        "{:>3}. {} {}\n     {} {}\n",
        hit.rank,
        paint(TITLE, &harmless(name)),
        paint(DIM, &format!("({:.0} %)", hit.relevance * 100.0)),
        paint(PLACE, &harmless(&place)),
        paint(DIM, &harmless(&about.join(", "))),
    );
    if let Some(why) = &hit.stale {
        text.push_str(&format!("     {}\n", paint(WARN, &format!("stale: {why}"))));
    }
    text.push_str(&body(hit, options));
    if options.explain {
        text.push_str(&explanation(hit));
    }
    text.push('\n');
    text
}

fn body(hit: &Hit, options: &QueryFlags) -> String {
    match (&hit.text, &hit.omitted) {
        (Some(text), _) if hit.whole || options.full => format!("{}\n", marked(text, &hit.marks)),
        (Some(text), _) => {
            let range = passage::window(text, &hit.marks, PASSAGE_BYTES);
            let marks: Vec<_> = hit
                .marks
                .iter()
                .filter(|m| m.start >= range.start && m.end <= range.end)
                .map(|m| m.start - range.start..m.end - range.start)
                .collect();
            indented(&marked(&text[range], &marks))
        }
        (None, Some(omitted)) => format!(
            "     {} bytes, whole or not at all; read it with: {}\n",
            omitted.bytes, omitted.get
        ),
        (None, None) => String::new(),
    }
}

fn indented(text: &str) -> String {
    let options =
        textwrap::Options::new(width()).initial_indent("     ").subsequent_indent("     ");
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    lines.map(|line| format!("{}\n", textwrap::fill(line.trim_end(), &options))).collect()
}

/// Each arm's rank, score and share of a hit.
pub fn explanation(hit: &Hit) -> String {
    let mut text = format!(
        "     score {:.3} = keyword {:.3} + vector {:.3}{}\n",
        hit.score,
        hit.shares.keyword,
        hit.shares.vector,
        if hit.exact { "; exact, so before all that are not" } else { "" },
    );
    if let Some(view) = &hit.keyword {
        let terms: Vec<String> = view.terms.iter().map(|(t, s)| format!("{t} {s:.2}")).collect();
        text.push_str(&format!(
            "     keyword: rank {}, BM25 {:.3} ({})\n",
            view.rank,
            view.score,
            terms.join(", ")
        ));
    }
    if let Some(view) = &hit.vector {
        text.push_str(&format!("     vector: rank {}, cosine {:.4}\n", view.rank, view.cosine));
    }
    text
}
