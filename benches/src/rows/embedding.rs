//! Tokens a second, of recall and of what it is made of.

use crate::engine::{Kind, Remote};
use crate::figures::{Measured, number};
use crate::outcome::Outcome;
use crate::stage::Stage;
use crate::statistics::median;

/// Throughput on the same texts, the engines in turn.
pub(super) fn throughput(stage: &Stage) -> Outcome<Measured> {
    let texts: Vec<String> =
        (0..stage.size.texts as u64).map(|number| stage.scratch.generator.mixed(number)).collect();
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let kinds = [Kind::Recall, Kind::Bare, Kind::Batched, Kind::Plain];
    stage.say("loading four engines");
    let mut engines = Vec::new();
    let mut tokens = 0;
    for kind in kinds {
        let mut engine = Remote::start(kind, cores)?;
        tokens = tokens.max(engine.load(&texts)?);
        engine.run()?;
        engines.push((engine, Vec::new()));
    }
    for round in 0..stage.size.rounds {
        for ((engine, seconds), kind) in engines.iter_mut().zip(kinds) {
            stage.say(format!("{kind:?}, round {}", round + 1));
            seconds.push(engine.run()?);
        }
    }
    let speeds: Vec<f64> =
        engines.iter().map(|(_, seconds)| tokens as f64 / median(seconds)).collect();
    let [own, single, batched, plain] = speeds[..] else { return Err("four engines".into()) };
    let (bare, fastembed) = (own / single.max(batched), own / plain);
    let mut out = Measured { met: Some(bare >= 0.95 && fastembed >= 4.0), ..Measured::default() };
    out.reached =
        format!("{} × bare ONNX Runtime, {} × fastembed", number(bare), number(fastembed));
    out.add("recall, tokenizing included", own, "tokens/s");
    out.add("ONNX Runtime, one text a run, tokens ready", single, "tokens/s");
    out.add("ONNX Runtime, sorted batches of 2,048 tokens, tokens ready", batched, "tokens/s");
    out.add("fastembed's plain `embed`", plain, "tokens/s");
    out.note = format!("{} texts, {tokens} tokens", texts.len());
    Ok(out)
}
