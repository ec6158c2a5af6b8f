//! The table, and where it is written.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::json;

use crate::figures::{Measured, number};
use crate::machine::Machine;
use crate::outcome::Outcome;
use crate::rows::Row;
use crate::size::Size;

const BEGIN: &str = "<!-- figures: begin -->";
const END: &str = "<!-- figures: end -->";

/// One row as it came out.
pub struct Line {
    pub row: &'static Row,
    /// What was measured, or why not.
    pub measured: Result<Measured, String>,
    /// What measuring took.
    pub seconds: f64,
}

/// A run.
pub struct Report {
    pub machine: Machine,
    /// Name and length.
    pub corpus: String,
    pub size: Size,
    pub lines: Vec<Line>,
}

impl Line {
    /// For a terminal, as soon as it is known.
    pub fn in_short(&self) -> String {
        let reached = self.measured.as_ref().map_or_else(|why| why.as_str(), |m| &m.reached);
        format!("{}: {reached} ({:.0} s)", self.row.name, self.seconds)
    }

    fn markdown(&self, when: &str) -> String {
        let row = self.row;
        match &self.measured {
            Ok(measured) => {
                let met = match measured.met {
                    Some(true) => "yes",
                    Some(false) => "**no**",
                    None => "–",
                };
                let figures: Vec<String> = measured.figures.iter().map(figure).collect();
                let note = if measured.note.is_empty() {
                    String::new()
                } else {
                    format!(" ({})", measured.note)
                };
                format!(
                    "| {} | {} | {} | {met} | {}{note} | {when} |\n",
                    row.what,
                    row.target,
                    measured.reached,
                    figures.join("; ")
                )
            }
            Err(why) => {
                let why = why.replace(['|', '\n'], " ");
                format!("| {} | {} | not measured | – | {why} | {when} |\n", row.what, row.target)
            }
        }
    }
}

fn figure(figure: &crate::figures::Figure) -> String {
    let space = if figure.unit.is_empty() { "" } else { " " };
    format!("{} {}{space}{}", figure.what, number(figure.value), figure.unit)
}

impl Report {
    /// When and of which commit.
    fn when(&self) -> String {
        let minute = self.machine.date.get(5..16).unwrap_or_default();
        format!("{minute}, {}", self.machine.commit)
    }

    fn head(&self) -> String {
        format!(
            "{}\n\nCorpus: {}. Medians of {} rounds.\n\n\
             | what | target | reached | met | figures | measured |\n|---|---|---|---|---|---|\n",
            self.machine.line(),
            self.corpus,
            self.size.rounds
        )
    }

    /// The table.
    pub fn markdown(&self) -> String {
        let when = self.when();
        let lines: String = self.lines.iter().map(|line| line.markdown(&when)).collect();
        format!("{}{lines}", self.head())
    }

    /// Everything, for programs.
    pub fn json(&self) -> Outcome<String> {
        let rows: BTreeMap<&str, _> = self
            .lines
            .iter()
            .map(|line| {
                let measured = line.measured.as_ref();
                let value = json!({
                    "what": line.row.what, "target": line.row.target, "seconds": line.seconds,
                    "measured": measured.ok(), "failed": measured.err(),
                });
                (line.row.name, value)
            })
            .collect();
        let value = json!({"machine": self.machine, "corpus": self.corpus, "rows": rows});
        Ok(serde_json::to_string_pretty(&value)?)
    }

    /// Puts the figures into `benches/README.md`; lines of rows that were not run stay.
    pub fn write(&self) -> Outcome<()> {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
        let page = std::fs::read_to_string(&path)?;
        Ok(std::fs::write(&path, self.merged(&page)?)?)
    }

    /// `page` with the figures in it.
    pub fn merged(&self, page: &str) -> Outcome<String> {
        let (before, rest) = page.split_once(BEGIN).ok_or("no place for figures in the page")?;
        let (old, after) = rest.split_once(END).ok_or("no end of the figures in the page")?;
        let when = self.when();
        let mut lines: Vec<(&str, String)> =
            self.lines.iter().map(|line| (line.row.what, line.markdown(&when))).collect();
        let kept = old.lines().filter_map(|line| Some((what(line)?, format!("{line}\n"))));
        for (what, line) in kept {
            if !lines.iter().any(|(known, _)| *known == what) {
                lines.push((what, line));
            }
        }
        let place = |what: &str| crate::rows::place(what);
        lines.sort_by_key(|(what, _)| place(what));
        let lines: String = lines
            .into_iter()
            .filter(|(what, _)| place(what).is_some())
            .map(|(_, line)| line)
            .collect();
        Ok(format!("{before}{BEGIN}\n{}{lines}{END}{after}", self.head()))
    }
}

/// The first cell of a line of a table.
fn what(line: &str) -> Option<&str> {
    line.strip_prefix("| ")?.split_once(" |").map(|(what, _)| what)
}
