//! What a small change costs in a small and in a large index.

use crate::figures::{Measured, number};
use crate::outcome::Outcome;
use crate::scaled::{CHANGED, Parts, Scaled};
use crate::stage::Stage;
use crate::statistics::median;

/// 100 changed documents, from the scan to the last commit.
pub(super) fn against_size(stage: &Stage) -> Outcome<Measured> {
    let few = changes(stage, stage.few()?)?;
    let many = changes(stage, stage.many()?)?;
    let ratio = middle(&many, Parts::sum) / middle(&few, Parts::sum);
    let mut out = Measured { met: Some(ratio <= 3.0), ..Measured::default() };
    out.reached = format!("{} ×", number(ratio));
    for (count, parts) in [(stage.size.few, &few), (stage.size.many, &many)] {
        let chunks = number(count as f64);
        out.add(format!("into {chunks} chunks"), middle(parts, Parts::sum), "s");
        out.add("of it: scan and words", middle(parts, |p| p.keyword), "s");
        out.add("of it: vectors", middle(parts, |p| p.vectors), "s");
    }
    let built = stage.many()?.built;
    out.add("building the large index: words", built.keyword, "s");
    out.add("building the large index: vectors and graph", built.vectors, "s");
    out.note = format!("{CHANGED} files rewritten; vectors made by a seeded generator");
    Ok(out)
}

fn changes(stage: &Stage, index: &Scaled) -> Outcome<Vec<Parts>> {
    (1..=stage.size.rounds as u64).map(|edition| index.change(&stage.scratch, edition)).collect()
}

fn middle(parts: &[Parts], of: impl Fn(&Parts) -> f64) -> f64 {
    median(&parts.iter().map(of).collect::<Vec<_>>())
}
