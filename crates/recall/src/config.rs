//! `recall.toml` beside the data: what is read and how. Data only; nothing in it runs, and no path
//! in it leaves its root.

use std::collections::BTreeMap;
use std::path::Path;

use recall_pointers::HeadingWords;
use recall_sources::Globs;
use serde::Deserialize;

use crate::failure::Failure;

/// Name of the file in an indexed root.
pub const FILE: &str = "recall.toml";

/// The settings of a root; every one may be left out.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// The embedding model.
    pub model: Option<String>,
    /// Only files that match.
    pub include: Vec<String>,
    /// Files to leave out.
    pub exclude: Vec<String>,
    /// Documents to keep whole.
    pub whole: Vec<String>,
    /// Files of the pointer index.
    pub pointers: Vec<String>,
    /// Also hidden files.
    pub hidden: bool,
    /// Mask credentials.
    pub redact: bool,
    /// Where fields of records are found.
    pub map: BTreeMap<String, String>,
    /// How long chunks are.
    pub chunks: Chunks,
    /// Heading words of the pointer index, beside the English and Vietnamese ones.
    pub headings: Headings,
}

impl Config {
    /// The documents to keep whole: runbooks by the usual names, those of `whole`, and `more`. A later
    /// pattern may take back what an earlier one names.
    pub fn kept_whole(&self, more: &[String]) -> Result<Globs, Failure> {
        let usual = Globs::RUNBOOKS.into_iter();
        globs(usual.chain(self.whole.iter().chain(more).map(String::as_str)))
    }
}

/// Path patterns of a user.
pub fn globs<S: AsRef<str>>(patterns: impl IntoIterator<Item = S>) -> Result<Globs, Failure> {
    Globs::new(patterns).map_err(|error| Failure::usage(error.to_string()))
}

/// Heading words by kind of section.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Headings {
    /// Of preferences.
    pub preferences: Vec<String>,
    /// Of decisions.
    pub decisions: Vec<String>,
    /// Of procedures.
    pub procedures: Vec<String>,
}

impl Headings {
    /// These words beside the known ones.
    pub fn words(&self) -> HeadingWords {
        let mut words = HeadingWords::default();
        words.preferences.extend(self.preferences.iter().cloned());
        words.decisions.extend(self.decisions.iter().cloned());
        words.procedures.extend(self.procedures.iter().cloned());
        words
    }
}

/// How long chunks are, in tokens of the model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Chunks {
    /// A chunk at the most.
    pub tokens: Option<usize>,
    /// What a chunk repeats of the one before.
    pub overlap: Option<usize>,
}

/// The configuration of `root`, empty if it has none.
pub fn load(root: &Path) -> Result<Config, Failure> {
    let path = if root.is_dir() { root.join(FILE) } else { root.with_file_name(FILE) };
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Config::default()),
        Err(source) => return Err(Failure::Io { action: "read", path, source }),
    };
    let failed = |message: String| Failure::Config { path: path.clone(), message };
    let config: Config = toml::from_str(&text).map_err(|error| failed(error.to_string()))?;
    let globs = [&config.include, &config.exclude, &config.whole, &config.pointers];
    for glob in globs.into_iter().flatten() {
        if glob.split(['/', '\\']).any(|part| part == "..") {
            return Err(failed(format!("`{glob}` leads outside the folder that this file is for")));
        }
    }
    Ok(config)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Result<Config, &str>) {
        let root = tempfile::tempdir().unwrap();
        std::fs::write(root.path().join(FILE), text).unwrap();
        match (load(root.path()), expected) {
            (Ok(config), Ok(expected)) => assert_eq!(config, expected),
            (Err(error), Err(part)) => assert!(error.to_string().contains(part), "{error}"),
            (got, expected) => panic!("{got:?} instead of {expected:?}"),
        }
    }

    #[test]
    fn data_only_and_inside_its_root() {
        check("", Ok(Config::default()));
        check(
            "whole = ['ops/**']",
            Ok(Config { whole: vec!["ops/**".into()], ..Config::default() }),
        );
        check("hidden = 3", Err("hidden"));
        check("command = 'rm'", Err("command"));
        check("include = ['../../etc/*']", Err("leads outside the folder"));
    }
}
