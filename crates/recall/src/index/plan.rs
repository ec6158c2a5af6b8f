//! `recall index --dry-run`: shows what a run would do.

use recall_index::{Found, IndexOptions, Plan, recognised};
use recall_sources::Problem;
use serde_json::json;

use super::work::Work;
use crate::bars::Bars;
use crate::failure::Failure;
use crate::print::{out, size};

/// Prints what a run would do.
pub(super) fn dry_run(work: &Work, json: bool, bars: &Bars) -> Result<u8, Failure> {
    let step = |step| bars.step(step);
    let plan = recall_index::dry_run(&work.folder, &work.paths, &work.options, &step);
    bars.clear();
    print_plan(&plan?, &work.options, json)?;
    Ok(0)
}

fn print_plan(plan: &Plan, options: &IndexOptions, json: bool) -> Result<(), Failure> {
    let recognised = |found: &Found| recognised(&found.source, &options.read);
    if json {
        let sources = |sources: &[Found]| -> Vec<_> {
            sources
                .iter()
                .map(|f| json!({"path": f.source.path, "bytes": f.source.bytes, "format": recognised(f)}))
                .collect()
        };
        let problems: Vec<&Problem> = plan.problems.iter().map(|(_, p)| p).collect();
        let removed: Vec<&String> = plan.remove.iter().map(|(_, path)| path).collect();
        let value = json!({
            "add": sources(&plan.add), "change": sources(&plan.change), "remove": removed,
            "keep": plan.keep, "problems": problems,
        });
        return out(&format!("{value}\n"));
    }
    let mut text = String::new();
    for (sign, sources) in [('+', &plan.add), ('~', &plan.change)] {
        for found in sources {
            let bytes = size(found.source.bytes);
            text.push_str(&format!(
                "{sign} {} ({}, {bytes})\n",
                found.source.path,
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
        "{} to add, {} to change, {} to remove, {} unchanged, {} skipped\n",
        plan.add.len(),
        plan.change.len(),
        plan.remove.len(),
        plan.keep,
        plan.problems.len(),
    ));
    out(&text)
}
