//! What is linked: licences that are allowed, one version of each crate, and the pins that have a
//! reason. The lists are in `deny.toml`, which cargo-deny reads too.

use std::collections::{BTreeMap, BTreeSet};
use std::process::{Command, Stdio};

use serde::Deserialize;
use serde_json::Value;

use crate::{none, root, text};

#[derive(Deserialize)]
struct Deny {
    licenses: Licences,
    bans: Bans,
    advisories: Advisories,
}

#[derive(Deserialize)]
struct Licences {
    allow: BTreeSet<String>,
    exceptions: Vec<Exception>,
}

#[derive(Deserialize)]
struct Exception {
    #[serde(rename = "crate")]
    package: String,
    allow: BTreeSet<String>,
}

#[derive(Deserialize)]
struct Bans {
    skip: Vec<Skip>,
}

#[derive(Deserialize)]
struct Skip {
    #[serde(rename = "crate")]
    package: String,
    reason: String,
}

#[derive(Deserialize)]
struct Advisories {
    ignore: Vec<Advisory>,
}

#[derive(Deserialize)]
struct Advisory {
    id: String,
    reason: String,
}

fn deny() -> Deny {
    toml::from_str(&text("deny.toml")).expect("deny.toml has the form cargo-deny reads")
}

/// The packages that a build for this machine links; others need not be here.
fn packages() -> Vec<Value> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = Command::new(rustc).arg("-vV").output().expect("rustc starts").stdout;
    let version = String::from_utf8(version).expect("rustc prints UTF-8");
    let host = version.lines().find_map(|l| l.strip_prefix("host: ")).expect("a host");
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked", "--offline"])
        .args(["--filter-platform", host])
        .current_dir(root())
        .stdin(Stdio::null())
        .output()
        .expect("cargo starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "cargo metadata: {said}");
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let packages = metadata["packages"].as_array().expect("a list").clone();
    assert!(packages.len() > 100, "the dependencies were found");
    packages
}

#[test]
fn every_licence_is_allowed() {
    let deny = deny();
    let mut found = Vec::new();
    for package in packages() {
        let name = package["name"].as_str().expect("a name");
        let licence = package["license"].as_str().unwrap_or_default();
        let excepted = deny.licenses.exceptions.iter().find(|e| e.package == name);
        let allowed = |id: &str| {
            deny.licenses.allow.contains(id) || excepted.is_some_and(|e| e.allow.contains(id))
        };
        if !permits(licence, &allowed) {
            found.push(format!("{name} {}: {licence}", package["version"]));
        }
    }
    none("licences that deny.toml does not allow", &found);
}

/// Whether an SPDX expression leaves a choice that is allowed. The old `/` means `OR`.
fn permits(expression: &str, allowed: &dyn Fn(&str) -> bool) -> bool {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut at = 0;
    !words.is_empty() && any(&words, &mut at, allowed) && at == words.len()
}

fn any(words: &[&str], at: &mut usize, allowed: &dyn Fn(&str) -> bool) -> bool {
    let mut good = all(words, at, allowed);
    while words.get(*at) == Some(&"OR") {
        *at += 1;
        good |= all(words, at, allowed);
    }
    good
}

fn all(words: &[&str], at: &mut usize, allowed: &dyn Fn(&str) -> bool) -> bool {
    let mut good = one(words, at, allowed);
    while words.get(*at) == Some(&"AND") {
        *at += 1;
        good &= one(words, at, allowed);
    }
    good
}

fn one(words: &[&str], at: &mut usize, allowed: &dyn Fn(&str) -> bool) -> bool {
    let Some(word) = words.get(*at) else { return false };
    *at += 1;
    if *word == "(" {
        let good = any(words, at, allowed);
        *at += 1;
        return good;
    }
    if words.get(*at) == Some(&"WITH") {
        *at += 2;
        return words.get(*at - 1).is_some_and(|e| allowed(&format!("{word} WITH {e}")));
    }
    allowed(word)
}

#[test]
fn a_choice_of_licences_is_understood() {
    let allowed = |id: &str| matches!(id, "MIT" | "Unicode-3.0" | "Apache-2.0 WITH LLVM-exception");
    for good in ["MIT", "GPL-3.0 OR MIT", "MIT/GPL-3.0", "(GPL-2.0 OR MIT) AND Unicode-3.0"] {
        assert!(permits(good, &allowed), "{good}");
    }
    assert!(permits("Apache-2.0 WITH LLVM-exception OR GPL-3.0", &allowed));
    for bad in ["", "GPL-3.0", "MIT AND GPL-3.0", "Apache-2.0 WITH other", "Apache-2.0"] {
        assert!(!permits(bad, &allowed), "{bad}");
    }
}

#[test]
fn a_crate_is_there_once_or_has_a_reason() {
    let skip = deny().bans.skip;
    let mut versions: BTreeMap<String, BTreeSet<(u64, u64, u64)>> = BTreeMap::new();
    for package in packages() {
        let text = |key: &str| package[key].as_str().expect("text").to_owned();
        versions.entry(text("name")).or_default().insert(numbers(&text("version")));
    }
    let mut found = Vec::new();
    let mut needed: BTreeSet<&str> = BTreeSet::new();
    for (name, versions) in &versions {
        // The newest may stay; every older one needs a reason.
        for version in versions.iter().rev().skip(1) {
            match skip.iter().find(|s| is(&s.package, name, *version)) {
                Some(skip) => _ = needed.insert(&skip.package),
                None => found.push(format!("{name} {version:?} beside {versions:?}")),
            }
        }
    }
    for unused in skip.iter().filter(|s| !needed.contains(s.package.as_str())) {
        eprintln!("no longer needed here: {} ({})", unused.package, unused.reason);
    }
    none("crates in two versions without a reason in deny.toml", &found);
}

/// Whether `name@1`, `name@0.3` or `name@0.3.101` means this version.
fn is(spec: &str, name: &str, version: (u64, u64, u64)) -> bool {
    let Some((package, wanted)) = spec.split_once('@') else { return spec == name };
    let mut parts = wanted.split('.').map(|part| part.parse::<u64>().ok());
    package == name
        && [version.0, version.1, version.2]
            .into_iter()
            .all(|number| parts.next().is_none_or(|part| part == Some(number)))
}

fn numbers(version: &str) -> (u64, u64, u64) {
    let core = version.split(['-', '+']).next().unwrap_or_default();
    let mut parts = core.split('.').map(|part| part.parse().unwrap_or(0));
    let mut next = || parts.next().unwrap_or(0);
    (next(), next(), next())
}

/// The card of the project names bincode; its last release with code in it is 2.0.1, and that it is no
/// longer maintained is known.
#[test]
fn bincode_is_the_last_that_compiles_and_its_advisory_is_noted() {
    let lock: toml::Table = text("Cargo.lock").parse().expect("Cargo.lock is TOML");
    let packages = lock["package"].as_array().expect("a list");
    let bincode = packages.iter().filter(|p| p["name"].as_str() == Some("bincode"));
    let versions: Vec<_> = bincode.filter_map(|p| p["version"].as_str()).collect();
    assert_eq!(versions, ["2.0.1"]);
    let noted = deny().advisories.ignore;
    assert!(noted.iter().any(|a| a.id == "RUSTSEC-2025-0141" && a.reason.contains("bincode")));
}

#[test]
fn whatever_is_excepted_has_a_reason() {
    let deny = deny();
    let skips = deny.bans.skip.iter().map(|s| (&s.package, &s.reason));
    let reasons = skips.chain(deny.advisories.ignore.iter().map(|a| (&a.id, &a.reason)));
    let bare: Vec<String> = reasons
        .filter(|(_, reason)| reason.trim().is_empty())
        .map(|(name, _)| name.clone())
        .collect();
    none("exceptions without a reason", &bare);
}
