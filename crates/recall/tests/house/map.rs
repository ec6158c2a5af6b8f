//! `crates/FILES.md` lists every file with the first sentence of its documentation, and
//! `crates/README.md` names every room and no file that does not exist.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::source::{self, Source};
use crate::{generated, none, root, text};

const HEAD: &str = "# Every file\n\nGenerated from the first sentence of each file's documentation by \
`RECALL_BLESS=1 cargo test -p recall --test house`.\n[README.md](README.md) is the map.\n";

#[test]
fn the_file_index_is_what_the_files_say() {
    let mut packages: BTreeMap<String, Vec<Source>> = BTreeMap::new();
    for source in source::of_crates() {
        packages.entry(source.package().to_owned()).or_default().push(source);
    }
    let mut out = HEAD.to_owned();
    for (package, sources) in packages {
        write!(out, "\n## {package}\n\n| file | what it owns |\n|---|---|\n").expect("to a string");
        for source in sources {
            let name = source.path.split_once("/src/").map_or("", |(_, name)| name);
            writeln!(out, "| `{name}` | {} |", summary(&source)).expect("to a string");
        }
    }
    generated("crates/FILES.md", &out);
}

#[test]
fn every_file_says_what_it_is_for() {
    let silent = |s: &Source| summary(s).is_empty().then(|| s.path.clone());
    let found: Vec<String> = source::of_crates().iter().filter_map(silent).collect();
    none("files that do not begin with `//!`", &found);
}

#[test]
fn the_map_names_every_room_and_no_file_that_does_not_exist() {
    let map = text("crates/README.md");
    let mut found: Vec<String> = source::folders("crates")
        .iter()
        .filter_map(|folder| folder.strip_prefix("crates/"))
        .filter(|package| !map.contains(&format!("`{package}`")))
        .map(|package| format!("{package} is not on the map"))
        .collect();
    let files: Vec<String> = source::all().into_iter().map(|s| s.path).collect();
    for name in map.split('`').skip(1).step_by(2) {
        let known = if name.ends_with(".rs") {
            files.iter().any(|path| path.ends_with(&format!("/{name}")))
        } else if name.contains('/') && !name.contains([' ', '*', ':']) {
            let within = |package: String| {
                root().join(&package).join("src").join(name).exists()
                    || root().join(&package).join(name).exists()
            };
            root().join(name).exists()
                || root().join("crates").join(name).exists()
                || source::folders("crates").into_iter().any(within)
        } else {
            true
        };
        if !known {
            found.push(format!("{name} does not exist"));
        }
    }
    none("crates/README.md", &found);
}

/// The first sentence of the documentation, on one line and without links.
fn summary(source: &Source) -> String {
    let lines = source.text.lines().map_while(|line| line.strip_prefix("//!")).map(str::trim);
    let paragraph: Vec<&str> = lines.take_while(|line| !line.is_empty()).collect();
    let paragraph = paragraph.join(" ");
    let sentence = paragraph.split_once(". ").map_or(paragraph.as_str(), |(first, _)| first);
    let sentence = sentence.trim_end_matches('.').replace("[`", "`").replace("`]", "`");
    sentence.replace('|', "\\|")
}

#[test]
fn links_between_documents_lead_somewhere() {
    let mut pages: Vec<String> =
        ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "crates/README.md", "benches/README.md"]
            .map(str::to_owned)
            .to_vec();
    pages.extend(["quality/README.md", "crates/recall-pointers/README.md"].map(str::to_owned));
    let docs = std::fs::read_dir(root().join("docs")).expect("docs");
    pages.extend(docs.flatten().map(|e| format!("docs/{}", e.file_name().to_string_lossy())));
    let mut found = Vec::new();
    for page in pages {
        let folder = page.rsplit_once('/').map_or("", |(folder, _)| folder);
        // What is quoted is an example.
        let prose: String = text(&page).split("```").step_by(2).collect();
        let prose: String = prose.split('`').step_by(2).collect();
        for target in prose.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let file = target.split('#').next().unwrap_or_default();
            if !file.contains(':') && !root().join(folder).join(file).exists() {
                found.push(format!("{page}: {target}"));
            }
        }
    }
    none("links that lead nowhere", &found);
}
