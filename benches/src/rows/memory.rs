//! Peak memory of `recall index`.

use crate::child::Used;
use crate::figures::{Measured, number};
use crate::outcome::Outcome;
use crate::stage::Stage;
use crate::statistics::median;

fn megabytes(used: &[Used]) -> f64 {
    median(&used.iter().map(|used| used.peak_bytes as f64 / 1e6).collect::<Vec<_>>())
}

fn measured(peak: f64, limit: f64) -> Measured {
    Measured {
        reached: format!("{} MB", number(peak)),
        met: Some(peak <= limit),
        ..Measured::default()
    }
}

/// Keyword only, and of a quarter of the corpus in a file a quarter as long.
pub(super) fn keyword(stage: &Stage) -> Outcome<Measured> {
    let whole = megabytes(&stage.keyword()?.used);
    let quarter = stage.head(stage.corpus()?.documents / 4)?;
    let mut used = Vec::new();
    for _ in 0..stage.size.rounds {
        stage.say("recall index --keyword-only, a quarter of the corpus");
        used.extend(stage.index("quarter", &quarter, &["--keyword-only"])?.used);
    }
    let mut out = measured(whole, 400.0);
    out.add("the corpus", whole, "MB");
    out.add("a quarter of it", megabytes(&used), "MB");
    Ok(out)
}

/// With the model: the first documents, and twice as many.
pub(super) fn model(stage: &Stage) -> Outcome<Measured> {
    let sample = stage.sample()?.documents;
    let once = stage.embedded()?;
    let twice = stage.head(sample * 2)?;
    stage.say(format!("recall index, {} documents with the model", twice.documents));
    let doubled = stage.index("twice", &twice, &[])?;
    let mut out = measured(megabytes(&doubled.used), 1000.0);
    let peak = |documents| format!("the first {} documents", number(documents as f64));
    out.add(peak(sample), megabytes(&once.used), "MB");
    out.add(peak(twice.documents), megabytes(&doubled.used), "MB");
    let seconds = doubled.used.first().map_or(f64::NAN, |used| used.seconds);
    out.add("documents a second, with the model", twice.documents as f64 / seconds, "1/s");
    out.note =
        "two sizes instead of the whole corpus, which is `--full-embed`; one run each".into();
    Ok(out)
}

/// The whole corpus with the model: once.
pub(super) fn whole(stage: &Stage) -> Outcome<Measured> {
    let corpus = stage.corpus()?;
    stage.say("recall index, the whole corpus with the model");
    let made = stage.index("whole", corpus, &[])?;
    let mut out = measured(megabytes(&made.used), 1000.0);
    out.add("peak", megabytes(&made.used), "MB");
    out.add("start to exit", made.used.first().map_or(f64::NAN, |used| used.seconds), "s");
    out.note = "one run".into();
    Ok(out)
}
