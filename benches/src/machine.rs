//! What a figure depends on: the machine, the day, the versions.

use std::process::Command;

use serde::Serialize;

/// Where and of what a run was.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Machine {
    pub processor: String,
    pub cores: usize,
    pub memory_gb: f64,
    pub system: String,
    pub date: String,
    pub commit: String,
    pub versions: Vec<(String, String)>,
}

/// Packages whose version matters.
const PACKAGES: [&str; 8] = [
    "fastembed",
    "ort",
    "rusqlite",
    "libsqlite3-sys",
    "sqlite-vec",
    "tantivy",
    "tokenizers",
    "usearch",
];

impl Machine {
    /// This machine, now.
    pub(crate) fn here() -> Self {
        let processor = field("/proc/cpuinfo", "model name").unwrap_or_else(|| "unknown".into());
        let memory = field("/proc/meminfo", "MemTotal").unwrap_or_default();
        let kilobytes: f64 = memory.trim_end_matches(" kB").parse().unwrap_or(f64::NAN);
        Self {
            processor,
            cores: std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
            memory_gb: kilobytes / 1e6,
            system: said("uname", &["-sr"]),
            date: now(),
            commit: said("git", &["describe", "--always", "--dirty"]),
            versions: versions(include_str!("../../Cargo.lock")),
        }
    }

    /// In one line.
    pub(crate) fn line(&self) -> String {
        let versions: Vec<String> = self.versions.iter().map(|(n, v)| format!("{n} {v}")).collect();
        format!(
            "{}, {} cores, {:.0} GB, {}; {}; {}; {}.",
            self.processor,
            self.cores,
            self.memory_gb,
            self.system,
            self.date,
            said("rustc", &["--version"]),
            versions.join(", ")
        )
    }
}

/// The value of the first line `name: value` of a file.
fn field(path: &str, name: &str) -> Option<String> {
    let text = std::fs::read_to_string(path).ok()?;
    let line = text.lines().find(|line| line.starts_with(name))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

/// The minute, in UTC.
fn now() -> String {
    let now = jiff::Timestamp::now().to_string();
    format!("{} UTC", now.get(..16).unwrap_or(&now).replace('T', " "))
}

fn said(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program)
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    output.unwrap_or_default()
}

/// The versions of [`PACKAGES`] in a lock file.
fn versions(lock: &str) -> Vec<(String, String)> {
    let mut out = Vec::new();
    let mut lines = lock.lines();
    while let Some(line) = lines.next() {
        let Some(name) = value(line, "name") else { continue };
        if let Some(version) = lines.next().and_then(|line| value(line, "version"))
            && PACKAGES.contains(&name)
        {
            out.push((name.to_owned(), version.to_owned()));
        }
    }
    out
}

fn value<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    line.strip_prefix(name)?.strip_prefix(" = \"")?.strip_suffix('"')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_come_from_the_lock_file() {
        let lock = "[[package]]\nname = \"usearch\"\nversion = \"2.1.0\"\n\n[[package]]\nname = \"x\"\nversion = \"1.0.0\"\n";
        assert_eq!(versions(lock), [("usearch".to_owned(), "2.1.0".to_owned())]);
        assert!(versions(include_str!("../../Cargo.lock")).len() >= 6);
    }
}
