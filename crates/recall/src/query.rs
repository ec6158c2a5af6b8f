//! `recall query`: a question, answered.

use std::io::Read;
use std::time::Instant;

use recall_query::answer::{Answer, Hit};
use recall_query::passage;
use recall_query::search::Mode;

use crate::ask::Ask;
use crate::engine::Engine;
use crate::failure::Failure;
use crate::flags::{Flags, FormatFlag, QueryFlags};
use crate::print::{DIM, PLACE, TITLE, WARN, harmless, marked, out, paint, width};
use crate::{place, resident};

/// Bytes of a passage that text output shows.
const PASSAGE_BYTES: usize = 420;

/// Runs `recall query`.
pub fn run(flags: &Flags, options: &QueryFlags) -> Result<u8, Failure> {
    let started = Instant::now();
    let folder = place::to_read(flags.index.as_deref())?;
    let ask = Ask::new(&folder, text(options)?, options);
    let mut answer = match shared(&ask)? {
        Some(answer) => answer,
        None => Engine::new().answer(&ask)?,
    };
    answer.took_ms = started.elapsed().as_secs_f64() * 1000.0;
    print(&answer, options)?;
    Ok(u8::from(answer.nothing_relevant))
}

/// The answer of the resident process to a question that needs a model. Others are answered sooner
/// than another process is asked.
fn shared(ask: &Ask) -> Result<Option<Answer>, Failure> {
    let has_words = !ask.request()?.question.text.trim().is_empty();
    Ok(if ask.mode == Mode::Keyword || !has_words { None } else { resident::answer(ask) })
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
