//! Reads `recall.toml`, which lies beside the data and says what is read and how. It is data only:
//! nothing in it is executed, and no path in it leads outside its root.

use std::collections::BTreeMap;
use std::path::Path;

use recall_pointers::HeadingWords;
use recall_sources::Globs;
use serde::Deserialize;

use crate::failure::Failure;

/// Name of the configuration file in an indexed root.
pub(crate) const FILE: &str = "recall.toml";

/// The settings of a root; each one is optional.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Config {
    /// The embedding model.
    pub model: Option<String>,
    /// Patterns of the files to read; if empty, all files.
    pub include: Vec<String>,
    /// Patterns of files to skip.
    pub exclude: Vec<String>,
    /// Patterns of documents to show whole or not at all.
    pub whole: Vec<String>,
    /// Patterns of the files of the pointer index.
    pub pointers: Vec<String>,
    /// Whether hidden files are read too.
    pub hidden: bool,
    /// Whether credentials are masked.
    pub redact: bool,
    /// The column that holds each field of a record, by field.
    pub map: BTreeMap<String, String>,
    /// Length of the chunks.
    pub chunks: Chunks,
    /// Heading words of the pointer index, in addition to the English and Vietnamese ones.
    pub headings: Headings,
}

impl Config {
    /// Returns the patterns of documents to keep whole: runbooks by their usual names, then
    /// `whole`, then `more`. A later pattern may exclude what an earlier one includes.
    pub(crate) fn kept_whole(&self, more: &[String]) -> Result<Globs, Failure> {
        let usual = Globs::RUNBOOKS.into_iter();
        globs(usual.chain(self.whole.iter().chain(more).map(String::as_str)))
    }
}

/// Compiles a user's path patterns; a malformed one is a usage error.
pub(crate) fn globs<S: AsRef<str>>(
    patterns: impl IntoIterator<Item = S>,
) -> Result<Globs, Failure> {
    Globs::new(patterns).map_err(|error| Failure::usage(error.to_string()))
}

/// Additional heading words, by kind of section.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Headings {
    /// Headings of preferences.
    pub preferences: Vec<String>,
    /// Headings of decisions.
    pub decisions: Vec<String>,
    /// Headings of procedures.
    pub procedures: Vec<String>,
}

impl Headings {
    /// Returns the built-in heading words together with these.
    pub(crate) fn words(&self) -> HeadingWords {
        let mut words = HeadingWords::default();
        words.preferences.extend(self.preferences.iter().cloned());
        words.decisions.extend(self.decisions.iter().cloned());
        words.procedures.extend(self.procedures.iter().cloned());
        words
    }
}

/// Length of the chunks, in tokens of the model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Chunks {
    /// Maximum length of a chunk.
    pub tokens: Option<usize>,
    /// Number of tokens that a chunk repeats from the one before.
    pub overlap: Option<usize>,
}

/// Loads the configuration of `root`; the default one if it has no file.
pub(crate) fn load(root: &Path) -> Result<Config, Failure> {
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
