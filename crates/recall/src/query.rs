//! `recall query`: asks a question and prints the answer.

use std::io::Read;
use std::path::Path;
use std::time::Instant;

use recall_query::{Answer, Engine, Hit, Query, passage};

use crate::answer_json::{self, AnswerJson, HitJson};
use crate::failure::Failure;
use crate::flags::{Flags, FormatFlag, QueryFlags};
use crate::print::{DIM, PLACE, TITLE, WARN, harmless, marked, out, paint, width};
use crate::{conditions, hint, index_folder, resident};

/// Maximum length of a passage in text output, in bytes.
const PASSAGE_BYTES: usize = 420;

/// Runs `recall query`.
pub(crate) fn run(flags: &Flags, options: &QueryFlags) -> Result<u8, Failure> {
    ask(&index_folder::to_read(flags.index.as_deref())?, options)
}

/// Answers a question from the index in `folder`, and returns the exit code.
pub(crate) fn ask(folder: &Path, options: &QueryFlags) -> Result<u8, Failure> {
    let started = Instant::now();
    let query = query(folder, text(options)?, options)?;
    let request = query.request()?;
    // Without a model, answering here is faster than asking another process.
    let shared = if request.needs_model() { resident::answer(&query) } else { None };
    let mut answer = match shared {
        Some(answer) => answer,
        None => Engine::new().answer_request(&query, &request)?,
    };
    answer.took_ms = started.elapsed().as_secs_f64() * 1000.0;
    print(&answer, options)?;
    Ok(u8::from(answer.nothing_relevant))
}

/// Builds the query for `text` on the index in `folder` from the flags.
fn query(folder: &Path, text: String, options: &QueryFlags) -> Result<Query, Failure> {
    Ok(Query {
        conditions: conditions::of(&options.filter)?,
        mode: conditions::mode(options.mode),
        limit: options.limit,
        show_weak: options.show_weak,
        full: options.full,
        budget: options.budget,
        verify: options.verify,
        model: options.model.clone(),
        fast: options.fast,
        ..Query::new(index_folder::real(folder), text)
    })
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

fn print(answer: &Answer, options: &QueryFlags) -> Result<(), Failure> {
    let format = if options.json { FormatFlag::Json } else { options.format };
    let text = match format {
        FormatFlag::Json => answer_json::line(&AnswerJson::of(answer)),
        FormatFlag::Jsonl => {
            answer.hits.iter().map(|hit| answer_json::line(&HitJson::of(hit))).collect()
        }
        FormatFlag::Paths => paths(&answer.hits),
        FormatFlag::Text => answer.hits.iter().map(|hit| hit_text(hit, options)).collect(),
    };
    out(&text)?;
    if format != FormatFlag::Json {
        say_the_rest(answer);
    }
    Ok(())
}

fn paths(hits: &[Hit]) -> String {
    let mut seen = std::collections::HashSet::new();
    let new = hits.iter().filter(|hit| seen.insert(&hit.path));
    new.map(|hit| format!("{}\n", hit.path)).collect()
}

/// Prints what belongs to an answer but is not data to standard error.
fn say_the_rest(answer: &Answer) {
    if let Some(why) = &answer.degraded {
        eprintln!("note: {}", hint::degraded(why));
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
        [Some(hit.kind.name().to_owned()), hit.date.clone(), hit.authors.first().cloned()]
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
            "     {} bytes, shown whole or not at all; read it with: {}\n",
            omitted.bytes,
            hint::get(&hit.id)
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

/// Formats each retriever's rank, score and share for a hit.
pub(crate) fn explanation(hit: &Hit) -> String {
    let mut text = format!(
        "     score {:.3} = keyword {:.3} + vector {:.3}{}\n",
        hit.score,
        hit.shares.keyword,
        hit.shares.vector,
        if hit.exact { "; an exact match, so ranked before all others" } else { "" },
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
