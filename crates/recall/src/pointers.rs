//! `recall pointers`: the index that is loaded whole, printed, checked and edited.

use std::path::{Path, PathBuf};

use jiff::civil::Date;
use recall_pointers::{
    Cap, Draft, Edit, FolderSpec, HeadingWords, Kind, Limits, Lint, Memory, POLICY, Provenance,
    Refusal, Rules, add, budget, check, open, remove, replace, touch,
};
use recall_sources::Globs;
use serde::Serialize;

use crate::config;
use crate::failure::Failure;
use crate::flags::{DraftFlags, PointersCommand, PointersFlags};
use crate::print::{out, out_bytes};

/// Runs `recall pointers`.
pub fn run(options: &PointersFlags) -> Result<u8, Failure> {
    if options.policy {
        out(POLICY)?;
        return Ok(0);
    }
    let folders = folders(&options.folder)?;
    let words = words(&folders)?;
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
            let opened =
                open(&memory, name).map_err(|e| Failure::usage_hint(e.to_string(), e.hint()))?;
            out_bytes(&opened.bytes)?;
            Ok(0)
        }
        Some(command) => edit(&memory, command, words, today, options.json),
    }
}

/// The heading words of the project that the first folder lies in: those that are known, and those of
/// its `recall.toml`.
fn words(folders: &[FolderSpec]) -> Result<HeadingWords, Failure> {
    let Some(first) = folders.first() else { return Ok(HeadingWords::default()) };
    let path = first.path.canonicalize().unwrap_or_else(|_| first.path.clone());
    let project = path.ancestors().find(|folder| folder.join(config::FILE).is_file());
    project.map_or(Ok(HeadingWords::default()), |root| Ok(config::load(root)?.headings.words()))
}

/// The folders given as `[NAME=]DIR`, else the one found upward from here.
fn folders(given: &[String]) -> Result<Vec<FolderSpec>, Failure> {
    if given.is_empty() {
        let here = std::env::current_dir().map_err(Failure::io("find", "."))?;
        return upward(&here).map(|spec| vec![spec]).ok_or_else(|| {
            Failure::usage_hint(
                "no INDEX.md or MEMORY.md here, in memory/, or above",
                "name its folder with: recall pointers --folder DIR",
            )
        });
    }
    let spec = |text: &String| {
        let (name, path) = text.split_once('=').unwrap_or(("", text));
        let path = PathBuf::from(path);
        let namespace = if name.is_empty() { namespace(&path) } else { name.to_owned() };
        FolderSpec { namespace, path, root: None }
    };
    Ok(given.iter().map(spec).collect())
}

/// The memory folder of the project that `from` is in.
pub fn upward(from: &Path) -> Option<FolderSpec> {
    let holds =
        |folder: &Path| ["INDEX.md", "MEMORY.md"].iter().any(|page| folder.join(page).is_file());
    let candidates = from.ancestors().flat_map(|folder| [folder.join("memory"), folder.to_owned()]);
    let path = candidates.into_iter().find(|folder| holds(folder))?;
    Some(FolderSpec { namespace: namespace(&path), path, root: None })
}

/// What to call a folder: the name of the project it lies in.
fn namespace(path: &Path) -> String {
    let absolute = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let name = |path: &Path| path.file_name().map(|n| n.to_string_lossy().into_owned());
    let own = name(&absolute).unwrap_or_default();
    let chosen =
        if own == "memory" { absolute.parent().and_then(name).unwrap_or(own) } else { own };
    let allowed = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    let kept: String = chosen.chars().filter(|c| allowed(*c)).collect();
    if kept.is_empty() { "project".to_owned() } else { kept }
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
    let runbooks = Globs::new(Globs::RUNBOOKS).map_err(|e| Failure::usage(e.to_string()))?;
    let keeps_whole = |path: &Path, text: &str| {
        runbooks.matches(path.to_string_lossy().trim_start_matches('/'), false)
            || is_marked_whole(text)
    };
    let default = Limits::default();
    let limits = Limits { project_days: project_days.unwrap_or(default.project_days), ..default };
    let report = check(memory, &Lint { today, limits, keeps_whole: &keeps_whole, git });
    if as_json {
        json(&report)?;
    } else {
        out(&format!("{report}\n"))?;
    }
    Ok(u8::from(!report.findings.is_empty()))
}

/// Whether the front matter says that a document is kept whole.
fn is_marked_whole(text: &str) -> bool {
    let Some(rest) = text.strip_prefix("---") else { return false };
    rest.lines().skip(1).take_while(|line| line.trim_end() != "---").any(|line| {
        let line: String = line.split_whitespace().collect();
        matches!(line.as_str(), "whole:true" | "type:runbook")
    })
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
            let kind = named(kind, &Kind::ALL, Kind::name)?;
            (add(memory, namespace.as_deref(), kind, &draft(flags, today)?, &rules), flags.dry_run)
        }
        PointersCommand::Replace { name, draft: flags } => {
            (replace(memory, name, &draft(flags, today)?, &rules), flags.dry_run)
        }
        PointersCommand::Remove { name, dry_run } => (remove(memory, name), *dry_run),
        PointersCommand::Touch { name, dry_run } => (touch(memory, name, today), *dry_run),
        PointersCommand::Check { .. } | PointersCommand::Open { .. } => return Ok(0),
    };
    let edit = made.map_err(|e| Failure::usage_hint(e.to_string(), e.hint()))?;
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

/// The value of this name.
fn named<T: Copy>(text: &str, all: &[T], name: impl Fn(T) -> &'static str) -> Result<T, Failure> {
    all.iter().copied().find(|value| name(*value) == text).ok_or_else(|| {
        let known: Vec<&str> = all.iter().map(|value| name(*value)).collect();
        Failure::usage_hint(
            format!("`{text}` is not known here"),
            format!("one of: {}", known.join(", ")),
        )
    })
}
