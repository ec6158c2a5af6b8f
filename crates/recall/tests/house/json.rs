//! `docs/json.md` and what the program prints name the same fields.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use crate::help::{commands, help};
use crate::{none, text};

/// Maps whose keys are data.
const DATA: &[&str] = &["formats", "index_bytes", "settings", "redacted", "sources", "detail"];

/// Documented fields that a run without a model and without a fault does not print.
const NOT_HERE: &[&str] = &[
    // Of a job, of the resident process or in `status`.
    "done",
    "total",
    "tokens_per_second",
    "seconds_left",
    "failed",
    "folder",
    "background",
    // Of the model of an index.
    "checksum",
];

/// A small corpus with one of everything: a note, a conversation, a runbook, a page of pointers.
struct Corpus(TempDir);

impl Corpus {
    fn new() -> Self {
        let corpus = Self(tempfile::tempdir().expect("a folder"));
        corpus.write("oven.md", "# Oven\n\nThe oven is called OVEN-3 and bakes bread.\n");
        corpus.write("runbooks/restart.md", "# Restart\n\n1. Stop the OVEN-3.\n2. Start it.\n");
        corpus.write("empty.md", "");
        corpus.write(
            "talk.txt",
            "[04/03/2026, 09:12:00] Marta: who restarted OVEN-3 today?\n\
             [04/03/2026, 09:13:00] Lan: I restarted it, OVEN-3 was cold.\n",
        );
        corpus.write(
            "memory/INDEX.md",
            "# Memory\n\n## Entries\n\n- [Oven](../oven.md): what the oven is called\n",
        );
        corpus.run(&["index", ".", "--keyword-only"]);
        corpus
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.0.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }

    fn command(&self, arguments: &[&str]) -> Command {
        command(self.0.path(), arguments)
    }

    fn run(&self, arguments: &[&str]) -> String {
        let output = self.command(arguments).output().expect("recall starts");
        assert!(matches!(output.status.code(), Some(0 | 1)), "recall {arguments:?}: {output:?}");
        String::from_utf8(output.stdout).expect("UTF-8")
    }

    #[track_caller]
    fn json(&self, arguments: &[&str]) -> Value {
        let text = self.run(arguments);
        serde_json::from_str(&text).unwrap_or_else(|e| panic!("recall {arguments:?}: {e}: {text}"))
    }
}

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_recall"));
    command.args(arguments).current_dir(folder).stdin(Stdio::null());
    command.env("RECALL_RESIDENT", "off").env("RECALL_HOME", folder.join("home"));
    // Nor is the resident process of whoever runs the tests asked.
    command.env("XDG_RUNTIME_DIR", folder.join("runtime"));
    for name in ["RECALL_INDEX", "RECALL_OFFLINE", "RECALL_RESIDENT_IDLE"] {
        command.env_remove(name);
    }
    command
}

/// The part of the page under this heading, up to the next one of its level.
#[track_caller]
fn section(heading: &str) -> String {
    let page = text("docs/json.md");
    let begin = page.find(&format!("{heading}\n")).unwrap_or_else(|| panic!("no {heading}"));
    let level = heading.split(' ').next().expect("a heading");
    let body = &page[begin + heading.len()..];
    body[..body.find(&format!("\n{level} ")).unwrap_or(body.len())].to_owned()
}

/// The fields named in the first column of a section's tables.
fn rows(section: &str) -> BTreeSet<String> {
    let rows = section.lines().filter(|l| l.starts_with("| `"));
    let cells = rows.filter_map(|l| l.split('|').nth(1));
    cells.flat_map(|cell| cell.split('`').skip(1).step_by(2)).map(str::to_owned).collect()
}

/// What stands in back-ticks in the row of a field.
fn row_words(section: &str, field: &str) -> BTreeSet<String> {
    let row = section.lines().find(|l| l.starts_with(&format!("| `{field}`")));
    words(row.unwrap_or_default())
}

/// What stands in back-ticks and could be a field.
fn words(text: &str) -> BTreeSet<String> {
    let quoted = text.split('`').skip(1).step_by(2);
    let field = |w: &&str| !w.is_empty() && w.chars().all(|c| c.is_ascii_lowercase() || c == '_');
    quoted.filter(field).map(str::to_owned).collect()
}

/// The paths of all fields: `hits.keyword.rank`; lists are looked through.
fn paths(value: &Value, before: &str, out: &mut BTreeSet<String>) {
    match value {
        Value::Array(list) => list.iter().for_each(|item| paths(item, before, out)),
        Value::Object(fields) => {
            for (name, value) in fields {
                let path =
                    if before.is_empty() { name.clone() } else { format!("{before}.{name}") };
                out.insert(path.clone());
                if !DATA.contains(&name.as_str()) {
                    paths(value, &path, out);
                }
            }
        }
        _ => {}
    }
}

fn all_paths(values: &[Value]) -> BTreeSet<String> {
    let mut out = BTreeSet::new();
    values.iter().for_each(|value| paths(value, "", &mut out));
    out
}

/// Every field of `printed` below `within` is a row of the table, or stands in the row of the field it
/// belongs to; and every row is printed.
#[track_caller]
fn check_table(heading: &str, printed: &BTreeSet<String>) {
    let section = section(heading);
    let rows = rows(&section);
    let mut found = Vec::new();
    for path in printed {
        let beside =
            path.rsplit_once('.').is_some_and(|(of, name)| row_words(&section, of).contains(name));
        let heads_rows = rows.iter().any(|row| row.starts_with(&format!("{path}.")));
        if !rows.contains(path) && !beside && !heads_rows {
            found.push(format!("printed, not documented: {path}"));
        }
    }
    for row in rows.difference(printed) {
        found.push(format!("documented, not printed: {row}"));
    }
    none(&format!("docs/json.md, {heading}"), &found);
}

/// The same for a section without a table: fields are words in back-ticks.
#[track_caller]
fn check_words(heading: &str, printed: &BTreeSet<String>, values: &[&str]) {
    let section = section(heading);
    // An example is data.
    let prose: String = section.split("```").step_by(2).collect();
    check_prose(heading, &prose, printed, values);
}

#[track_caller]
fn check_prose(what: &str, prose: &str, printed: &BTreeSet<String>, values: &[&str]) {
    let named = words(prose);
    let fields: BTreeSet<String> =
        printed.iter().filter_map(|p| p.rsplit('.').next()).map(str::to_owned).collect();
    let mut found: Vec<String> =
        fields.difference(&named).map(|f| format!("printed, not documented: {f}")).collect();
    for word in named.difference(&fields) {
        if !values.contains(&word.as_str()) && !NOT_HERE.contains(&word.as_str()) {
            found.push(format!("documented, not printed: {word}"));
        }
    }
    none(&format!("docs/json.md, {what}"), &found);
}

#[test]
fn an_answer_has_the_fields_of_its_tables() {
    let corpus = Corpus::new();
    let answers: Vec<Value> = [
        &["query", "--json", "--mode", "keyword", "--show-weak", "OVEN-3"][..],
        &["query", "--json", "--mode", "keyword", "--show-weak", "--budget", "1", "OVEN-3"],
        &["query", "--json", "--mode", "keyword", "--kind", "note", "nothing of the kind"],
    ]
    .iter()
    .map(|arguments| corpus.json(arguments))
    .collect();
    let all = all_paths(&answers);
    for wanted in
        ["hits.omitted.get", "hits.messages.author", "pointers.document", "hits.keyword.terms"]
    {
        assert!(all.contains(wanted), "the corpus does not show {wanted}: {answers:#?}");
    }
    let hits = all.iter().filter_map(|p| p.strip_prefix("hits.")).map(str::to_owned).collect();
    let answer = all.iter().filter(|p| !p.starts_with("hits.")).cloned().collect();
    check_table("### The answer", &answer);
    check_table("### A hit", &hits);

    let page = section("## `recall query --json`");
    let example = page.split("```json\n").nth(1).and_then(|rest| rest.split("```").next());
    let example: Value = serde_json::from_str(example.expect("an example")).expect("JSON");
    let shown = all_paths(std::slice::from_ref(&example));
    let top = |paths: &BTreeSet<String>| -> BTreeSet<String> {
        let deep = |p: &&String| p.strip_prefix("hits.").unwrap_or(p).contains('.');
        paths.iter().filter(|p| !deep(p)).cloned().collect()
    };
    assert_eq!(top(&shown), top(&all), "the example has the fields of an answer");
}

#[test]
fn a_run_and_a_plan_have_the_fields_they_are_said_to_have() {
    let corpus = Corpus::new();
    corpus.write("new.md", "# New\n\ntext\n");
    corpus.write("oven.md", "# Oven\n\nother text\n");
    fs::remove_file(corpus.0.path().join("talk.txt")).expect("a file");
    let plan = corpus.json(&["index", ".", "--dry-run", "--json"]);
    let run = corpus.json(&["index", ".", "--keyword-only", "--json"]);
    let reasons =
        ["empty", "binary", "too_large", "unreadable", "pointer_index", "malformed", "detail"];
    check_words("## `recall index --json`", &all_paths(&[plan, run]), &reasons);
}

#[test]
fn the_status_has_the_fields_it_is_said_to_have() {
    let corpus = Corpus::new();
    let status = corpus.json(&["status", "--json"]);
    // The fields of a problem stand with `recall index --json`.
    let mut printed = all_paths(&[status]);
    printed.retain(|path| !path.starts_with("files.problems."));
    check_words("## `recall status --json`", &printed, &["id", "dims"]);
}

#[test]
fn what_else_prints_json_has_the_fields_it_is_said_to_have() {
    let corpus = Corpus::new();
    let others = section("## Others");
    let item = |name: &str| -> String {
        let head = format!("`recall {name} --json`");
        let item = others.split("\n- ").find(|item| item.starts_with(&head));
        item.unwrap_or_else(|| panic!("no item {head}")).replacen(&head, "", 1)
    };
    let models = corpus.json(&["model", "list", "--json"]);
    check_prose(
        "model list",
        &item("model list"),
        &all_paths(&[models]),
        &["installed", "damaged"],
    );

    let far = corpus.json(&["explain", "--json", "zebra crossing", "oven.md"]);
    let printed = all_paths(&[far]);
    assert_eq!(printed.iter().map(String::as_str).collect::<Vec<_>>(), ["rank", "why"]);
    check_prose("explain", &item("explain"), &printed, &[]);

    let sound = corpus.json(&["check", "--json"]);
    assert_eq!(sound["sound"], true);
    let keyword = corpus.0.path().join(".recall/keyword");
    let file = fs::read_dir(keyword).expect("a folder").flatten().next().expect("a file").path();
    fs::remove_file(file).expect("a file");
    let damaged = corpus.json(&["check", "--json"]);
    assert_eq!(damaged["sound"], false);
    check_prose("check", &item("check"), &all_paths(&[sound, damaged]), &[]);
}

#[cfg(unix)]
#[test]
fn the_resident_process_has_the_fields_it_is_said_to_have() {
    use std::time::{Duration, Instant};

    let corpus = Corpus::new();
    // Its own, whatever runs on this machine. Short, since the path of a socket may not be long.
    let runtime = tempfile::Builder::new().prefix("house").tempdir_in("/tmp").expect("a folder");
    let with = |arguments: &[&str]| {
        let mut command = corpus.command(arguments);
        command.env("XDG_RUNTIME_DIR", runtime.path()).env_remove("RECALL_RESIDENT");
        command
    };
    let alone = with(&["serve", "--status", "--json"]).output().expect("recall starts");
    assert_eq!(alone.stdout.trim_ascii(), b"null", "{alone:?}");
    let mut process =
        with(&["serve", "--idle", "30s"]).stderr(Stdio::null()).spawn().expect("recall");
    let begin = Instant::now();
    let status = loop {
        let output = with(&["serve", "--status", "--json"]).output().expect("recall starts");
        let status = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
        if !status.is_null() || begin.elapsed() > Duration::from_secs(20) {
            break status;
        }
        std::thread::sleep(Duration::from_millis(50));
    };
    let ended = with(&["serve", "--stop"]).output().expect("recall starts");
    assert!(ended.status.success(), "{ended:?}");
    process.wait().expect("it ends");
    check_words("## `recall serve --status --json`", &all_paths(&[status]), &[]);
}

/// A command that takes `--json` is on the page.
#[test]
fn every_command_with_json_is_on_the_page() {
    let page = text("docs/json.md");
    let mut found = Vec::new();
    for command in commands() {
        let help = help(&command);
        if !help.lines().any(|l| l.trim_start().starts_with("--json")) {
            continue;
        }
        let name = command.join(" ");
        let named = page
            .split('`')
            .skip(1)
            .step_by(2)
            .any(|w| w.starts_with(&format!("recall {name}")) && w.ends_with("--json"));
        // The commands that edit the pointer index print one thing, an edit.
        if !named && !name.starts_with("pointers ") {
            found.push(format!("recall {name} --json"));
        }
    }
    none("not in docs/json.md", &found);
}
