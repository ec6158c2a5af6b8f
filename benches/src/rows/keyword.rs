//! Keyword side: how soon it answers, and how fast a process that knows nothing answers.

use std::path::Path;
use std::process::Command;

use crate::child::{self, Used};
use crate::figures::{Measured, number};
use crate::outcome::Outcome;
use crate::peers::Peer;
use crate::program::Program;
use crate::stage::Stage;
use crate::statistics::{median, percentile};

/// Time from nothing to the first answer.
pub(super) fn searchable(stage: &Stage) -> Outcome<Measured> {
    let own = stage.keyword()?;
    let tantivy = peers(stage, Peer::Tantivy)?;
    let seconds = median(&own.searchable);
    let ratio = seconds / middle(&tantivy, |used| used.seconds);
    let mut out = Measured { met: Some(ratio <= 2.0), ..Measured::default() };
    out.reached = format!("{} × bare tantivy", number(ratio));
    out.add("recall, every document answers", seconds, "s");
    add(&mut out, "recall, start to exit", &own.used);
    add(&mut out, "bare tantivy", &tantivy);
    if Peer::Fts5.is_here() {
        let fts5 = peers(stage, Peer::Fts5)?;
        let against = seconds / middle(&fts5, |used| used.seconds);
        out.met = Some(ratio <= 2.0 && against < 1.0);
        out.reached.push_str(&format!(", {} × FTS5", number(against)));
        add(&mut out, "SQLite FTS5", &fts5);
    } else {
        out.note = "built without `--features peers`: no SQLite".to_owned();
    }
    Ok(out)
}

fn add(out: &mut Measured, what: &str, used: &[Used]) {
    out.add(what, middle(used, |used| used.seconds), "s");
    out.add("its processor time", middle(used, |used| used.processor_seconds), "s");
    out.add("its peak memory", middle(used, |used| used.peak_bytes as f64 / 1e6), "MB");
}

fn middle(used: &[Used], of: impl Fn(&Used) -> f64) -> f64 {
    median(&used.iter().map(of).collect::<Vec<_>>())
}

/// A bare engine from the file to its first answer, in a process of its own.
fn peers(stage: &Stage, peer: Peer) -> Outcome<Vec<Used>> {
    let corpus = stage.corpus()?;
    let question = corpus.questions.first().map_or("error", String::as_str);
    let mut out = Vec::new();
    for round in 0..stage.size.rounds {
        stage.say(format!("bare {}, round {}", peer.name(), round + 1));
        let target = stage.folder(&format!("{}-{round}", peer.name()));
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["keyword", peer.name()]).args([&corpus.file, &target]).arg(question);
        out.push(child::run(&command, &mut || {})?);
    }
    Ok(out)
}

/// A keyword question by a process that starts, answers and ends.
pub(super) fn cold(stage: &Stage) -> Outcome<Measured> {
    let index = &stage.keyword()?.folder;
    let mut rounds = Vec::new();
    let mut all = Vec::new();
    for round in 0..stage.size.rounds {
        stage.say(format!("recall query --mode keyword, round {}", round + 1));
        let mut took = Vec::new();
        for question in stage.questions()? {
            let mut command =
                stage.program()?.command(index, &["query", "--mode", "keyword", "--"]);
            took.push(Program::time(command.arg(&question))?.as_secs_f64() * 1e3);
        }
        rounds.push(percentile(&took, 0.5));
        all.extend(took);
    }
    let p50 = median(&rounds);
    let mut out = Measured { met: Some(p50 <= 60.0), ..Measured::default() };
    out.reached = format!("{} ms", number(p50));
    out.add("p50", p50, "ms");
    out.add("p95", percentile(&all, 0.95), "ms");
    Ok(out)
}

/// A process that does nothing.
pub(super) fn start(stage: &Stage) -> Outcome<Measured> {
    let mut took = Vec::new();
    for _ in 0..stage.size.questions {
        let mut command = stage.program()?.command(Path::new("."), &["--version"]);
        took.push(Program::time(&mut command)?.as_secs_f64() * 1e3);
    }
    let p50 = percentile(&took, 0.5);
    let mut out = Measured { reached: format!("{} ms", number(p50)), ..Measured::default() };
    out.add("p50", p50, "ms");
    Ok(out)
}
