//! `recall pointers`: prints, checks and edits the pointer index, which agents load whole.

mod hints;
mod project;

use std::path::{Path, PathBuf};

use jiff::civil::Date;
use recall_pointers::{
    Cap, Draft, Edit, FolderSpec, HeadingWords, Limits, LineKind, Lint, Memory, POLICY, Provenance,
    Refusal, Rules, add, budget, check, open, remove, replace, touch,
};
use serde::Serialize;

use self::project::KeptWhole;
use crate::failure::Failure;
use crate::flags::{DraftFlags, PointersCommand, PointersFlags};
use crate::print::{out, out_bytes};

/// Text printed after the policy: the commands that carry it out.
const POLICY_COMMANDS: &str = "\
Use `recall pointers add | replace | remove | touch`; show the user the diff (`--dry-run`) before
you write. Read the file behind a line with `recall pointers open NAME`.
";

/// Runs `recall pointers`.
pub(crate) fn run(options: &PointersFlags) -> Result<u8, Failure> {
    if options.policy {
        out(&format!("{POLICY}\n{POLICY_COMMANDS}"))?;
        return Ok(0);
    }
    let folders = folders(&options.folder)?;
    let words = project::words(&folders)?;
    let memory =
        Memory::open(&folders, &words).map_err(|e| Failure::usage_hint(e.to_string(), e.hint()))?;
    let today = jiff::ZonedDateTime::now().date();
    match &options.command {
        None if options.budget => show_budget(&memory, options.json),
        None => print(&memory, options.json),
        Some(PointersCommand::Check { git, project_days }) => {
            lint(&memory, today, *git, *project_days, options.json)
        }
        Some(PointersCommand::Open { name }) => {
            let opened = open(&memory, name)
                .map_err(|e| Failure::usage_hint(e.to_string(), hints::unopened(&e)))?;
            out_bytes(&opened.bytes)?;
            Ok(0)
        }
        Some(command) => edit(&memory, command, words, today, options.json),
    }
}

/// Returns the folders given as `[NAME=]DIR`, else the one found upward from the current folder.
fn folders(given: &[String]) -> Result<Vec<FolderSpec>, Failure> {
    if given.is_empty() {
        let here = std::env::current_dir().map_err(Failure::io("find", "."))?;
        return project::memory_folder(&here)?.map(|spec| vec![spec]).ok_or_else(|| {
            Failure::usage_hint(
                "no memory/INDEX.md or MEMORY.md here or above",
                "name its folder with: recall pointers --folder DIR",
            )
        });
    }
    let spec = |text: &String| {
        let (name, path) = text.split_once('=').unwrap_or(("", text));
        let spec = FolderSpec::at(PathBuf::from(path));
        if name.is_empty() { spec } else { FolderSpec { namespace: name.to_owned(), ..spec } }
    };
    Ok(given.iter().map(spec).collect())
}

fn json(value: &impl Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string(value).expect("pointers have string keys only");
    out(&format!("{text}\n"))
}

fn print(memory: &Memory, as_json: bool) -> Result<u8, Failure> {
    if as_json {
        json(&memory.listing())?;
    } else {
        out_bytes(&memory.print())?;
    }
    Ok(0)
}

fn show_budget(memory: &Memory, as_json: bool) -> Result<u8, Failure> {
    let pages = budget(memory, Cap::default());
    if as_json {
        json(&pages)?;
        return Ok(0);
    }
    for page in &pages {
        out(&format!("{page}\n"))?;
    }
    Ok(0)
}

fn lint(
    memory: &Memory,
    today: Date,
    git: bool,
    project_days: Option<u32>,
    as_json: bool,
) -> Result<u8, Failure> {
    let kept = KeptWhole::around(memory)?;
    let keeps_whole = |path: &Path, content: &[u8]| kept.holds(path, content);
    let default = Limits::default();
    let limits = Limits { project_days: project_days.unwrap_or(default.project_days), ..default };
    let report = check(memory, &Lint { today, limits, keeps_whole: &keeps_whole, git });
    if as_json {
        json(&report)?;
    } else {
        out(&format!("{}\n", report.with_hints(hints::finding)))?;
    }
    Ok(u8::from(!report.findings.is_empty()))
}

fn edit(
    memory: &Memory,
    command: &PointersCommand,
    words: HeadingWords,
    today: Date,
    as_json: bool,
) -> Result<u8, Failure> {
    let rules = Rules { today, limits: Limits::default(), words };
    let (made, dry_run): (Result<Edit, Refusal>, bool) = match command {
        PointersCommand::Add { kind, namespace, draft: flags } => {
            let kind = named(kind, &LineKind::ALL, LineKind::name)?;
            (add(memory, namespace.as_deref(), kind, &draft(flags, today)?, &rules), flags.dry_run)
        }
        PointersCommand::Replace { name, draft: flags } => {
            (replace(memory, name, &draft(flags, today)?, &rules), flags.dry_run)
        }
        PointersCommand::Remove { name, dry_run } => (remove(memory, name), *dry_run),
        PointersCommand::Touch { name, dry_run } => (touch(memory, name, today), *dry_run),
        PointersCommand::Check { .. } | PointersCommand::Open { .. } => return Ok(0),
    };
    let edit = made.map_err(|e| Failure::usage_hint(e.to_string(), hints::refusal(&e)))?;
    if as_json {
        json(&edit)?;
    } else {
        out(&format!("{edit}\n"))?;
    }
    if !dry_run {
        edit.write().map_err(|e| Failure::usage_hint(e.to_string(), e.hint()))?;
    }
    Ok(0)
}

fn draft(flags: &DraftFlags, today: Date) -> Result<Draft, Failure> {
    let date = match &flags.date {
        Some(text) => text.parse().map_err(|_| Failure::usage(format!("`{text}` is not a day")))?,
        None => today,
    };
    let source = match &flags.source {
        Some(text) => Some(named(text, &Provenance::ALL, Provenance::name)?),
        None => None,
    };
    Ok(Draft {
        text: flags.text.clone(),
        reason: flags.reason.clone(),
        link: flags.link.clone(),
        source,
        date,
    })
}

/// Finds the value with this name.
fn named<T: Copy>(text: &str, all: &[T], name: impl Fn(T) -> &'static str) -> Result<T, Failure> {
    all.iter().copied().find(|value| name(*value) == text).ok_or_else(|| {
        let known: Vec<&str> = all.iter().map(|value| name(*value)).collect();
        Failure::usage_hint(
            format!("`{text}` is not one of the known values"),
            format!("one of: {}", known.join(", ")),
        )
    })
}
