//! What `recall --help` prints is kept beside the tests, so that a change of it is seen; and the
//! README names every command.

use std::process::{Command, Stdio};

use crate::{generated, none, root, text};

/// The help of every command, nested ones included.
#[test]
fn the_help_is_as_it_is_kept() {
    let mut out = String::new();
    for command in commands() {
        out.push_str(&format!("$ recall {}\n\n{}\n", line(&command), help(&command)));
    }
    generated("crates/recall/tests/fixtures/help.txt", &out);
}

#[test]
fn the_readme_names_every_command() {
    let readme = text("README.md");
    let section = readme.split("\n## ").find(|s| s.starts_with("Use\n")).expect("a section Use");
    let listed = section.split("```").nth(1).expect("a list of commands");
    let mut found = Vec::new();
    for command in commands() {
        let Some(first) = command.first() else { continue };
        let head = format!("recall {first}");
        let named = listed.lines().filter(|l| l.starts_with(&head)).any(|l| {
            command.iter().all(|w| l.split(|c: char| !c.is_alphanumeric()).any(|x| x == w))
        });
        if !named {
            found.push(format!("recall {}", command.join(" ")));
        }
    }
    none("commands that README.md does not name under Use", &found);
}

fn line(command: &[String]) -> String {
    match command {
        [] => "--help".to_owned(),
        words => format!("help {}", words.join(" ")),
    }
}

/// Every command, the empty one first, in the order of the help.
pub(crate) fn commands() -> Vec<Vec<String>> {
    let mut out = Vec::new();
    visit(Vec::new(), &mut out);
    assert!(out.len() > 10, "the commands were found");
    out
}

fn visit(command: Vec<String>, out: &mut Vec<Vec<String>>) {
    let names: Vec<String> = subcommands(&help(&command));
    out.push(command.clone());
    for name in names {
        let mut nested = command.clone();
        nested.push(name);
        visit(nested, out);
    }
}

/// The names under `Commands:`.
fn subcommands(help: &str) -> Vec<String> {
    let lines = help.lines().skip_while(|l| *l != "Commands:").skip(1);
    let lines = lines.take_while(|l| !l.is_empty());
    let names = lines.filter(|l| l.starts_with("  ") && !l.starts_with("   "));
    names
        .filter_map(|l| l.split_whitespace().next())
        .filter(|name| *name != "help")
        .map(str::to_owned)
        .collect()
}

/// What the program prints of itself.
pub(crate) fn help(command: &[String]) -> String {
    let mut run = Command::new(env!("CARGO_BIN_EXE_recall"));
    run.args(line(command).split(' ')).current_dir(root()).stdin(Stdio::null());
    // Values of variables are printed with the flags they stand for; lines break as in a pipe.
    for name in ["RECALL_INDEX", "RECALL_OFFLINE", "RECALL_RESIDENT_IDLE", "COLUMNS"] {
        run.env_remove(name);
    }
    let output = run.output().expect("recall starts");
    assert!(output.status.success(), "recall {}: {output:?}", line(command));
    let text = String::from_utf8(output.stdout).expect("the help is UTF-8");
    // A build for another system names itself `recall.exe`.
    text.replace("recall.exe", "recall")
}
