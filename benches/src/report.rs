//! The table for readers and the figures behind it for programs, and where both are written.
//!
//! `benches/figures.json` holds every row as it was last measured; the table of `benches/README.md` is
//! made of it.

use std::path::Path;

use serde_json::{Map, Value, json};

use crate::figures::Measured;
use crate::machine::Machine;
use crate::outcome::Outcome;
use crate::row::Row;

const BEGIN: &str = "<!-- figures: begin -->";
const END: &str = "<!-- figures: end -->";

/// One row as it came out.
pub(crate) struct Line {
    pub row: &'static Row,
    /// What was measured, or why not.
    pub measured: Result<Measured, String>,
    /// What measuring took.
    pub seconds: f64,
}

/// A run.
pub(crate) struct Report {
    pub machine: Machine,
    /// Name and length.
    pub corpus: String,
    /// Times that each thing was measured.
    pub rounds: usize,
    pub lines: Vec<Line>,
}

impl Line {
    /// For a terminal, as soon as it is known.
    pub(crate) fn in_short(&self) -> String {
        let reached = self.measured.as_ref().map_or_else(|why| why.as_str(), |m| &m.reached);
        format!("{}: {reached} ({:.0} s)", self.row.name, self.seconds)
    }

    /// As `figures.json` keeps it.
    fn json(&self, machine: &Machine) -> Value {
        let failed = |why: &String| Measured {
            reached: "not measured".to_owned(),
            note: why.clone(),
            ..Measured::default()
        };
        let measured = self.measured.as_ref().map_or_else(failed, Clone::clone);
        json!({
            "what": self.row.what, "target": self.row.target, "reached": measured.reached,
            "met": measured.met, "figures": measured.figures, "note": measured.note,
            "date": machine.date, "commit": machine.commit, "seconds": self.seconds,
        })
    }
}

impl Report {
    /// The table of this run alone.
    pub(crate) fn markdown(&self) -> String {
        let rows = self.rows();
        format!(
            "{}{}",
            self.head(),
            self.lines.iter().map(|l| line(&rows[l.row.name])).collect::<String>()
        )
    }

    /// Every figure of this run, for programs.
    pub(crate) fn json(&self) -> Outcome<String> {
        self.file(&self.rows())
    }

    /// Puts the figures into `benches/figures.json` and the table into `benches/README.md`. Rows of
    /// `order` that were not run stay as they are; what is no row any more goes.
    pub(crate) fn write(&self, order: &[Row]) -> Outcome<()> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
        let (figures, page) = (folder.join("figures.json"), folder.join("README.md"));
        let rows = self.merged(order, &std::fs::read_to_string(&figures)?)?;
        let text = self.page(order, &rows, &std::fs::read_to_string(&page)?)?;
        std::fs::write(&figures, self.file(&rows)?)?;
        Ok(std::fs::write(&page, text)?)
    }

    /// The rows of this run, and those of `known`, a former `figures.json`, that it did not measure.
    fn merged(&self, order: &[Row], known: &str) -> Outcome<Map<String, Value>> {
        let mut known: Value = serde_json::from_str(known)?;
        let mut rows = self.rows();
        for row in order.iter().filter(|row| !rows.contains_key(row.name)).collect::<Vec<_>>() {
            let old = known["rows"][row.name].take();
            // A row with another description measured something else.
            if old["what"] == row.what {
                rows.insert(row.name.to_owned(), old);
            }
        }
        Ok(rows)
    }

    /// `page` with the table of `rows` in it.
    fn page(&self, order: &[Row], rows: &Map<String, Value>, page: &str) -> Outcome<String> {
        let (before, rest) = page.split_once(BEGIN).ok_or("no place for figures in the page")?;
        let (_, after) = rest.split_once(END).ok_or("no end of the figures in the page")?;
        let lines: String = order.iter().filter_map(|row| rows.get(row.name)).map(line).collect();
        Ok(format!("{before}{BEGIN}\n{}{lines}{END}{after}", self.head()))
    }

    fn rows(&self) -> Map<String, Value> {
        let json = |line: &Line| (line.row.name.to_owned(), line.json(&self.machine));
        self.lines.iter().map(json).collect()
    }

    fn file(&self, rows: &Map<String, Value>) -> Outcome<String> {
        let value = json!({
            "machine": self.machine, "corpus": self.corpus, "rounds": self.rounds, "rows": rows,
        });
        Ok(serde_json::to_string_pretty(&value)? + "\n")
    }

    fn head(&self) -> String {
        format!(
            "{}\n\nCorpus: {}. Medians of {} rounds.\n\n\
             | what | target | reached | met |\n|---|---|---|---|\n",
            self.machine.line(),
            self.corpus,
            self.rounds
        )
    }
}

/// A line of the table.
fn line(row: &Value) -> String {
    let cell = |name: &str| row[name].as_str().unwrap_or_default().replace(['|', '\n'], " ");
    let met = match row["met"].as_bool() {
        Some(true) => "yes",
        Some(false) => "**no**",
        None => "–",
    };
    format!("| {} | {} | {} | {met} |\n", cell("what"), cell("target"), cell("reached"))
}

#[cfg(test)]
mod tests {
    use super::*;

    static ROWS: [Row; 2] = [row("one", "first thing"), row("two", "second thing")];

    const fn row(name: &'static str, what: &'static str) -> Row {
        Row { name, what, target: "–", cost: "", extra: false, measure: |_| Err("".into()) }
    }

    fn report(reached: &[(usize, &str)]) -> Report {
        let line = |(row, reached): &(usize, &str)| {
            let measured = Measured { reached: (*reached).to_owned(), ..Measured::default() };
            Line { row: &ROWS[*row], measured: Ok(measured), seconds: 1.0 }
        };
        let lines = reached.iter().map(line).collect();
        Report { machine: Machine::here(), corpus: String::new(), rounds: 1, lines }
    }

    #[test]
    fn figures_replace_those_of_their_own_rows_only() {
        let old = report(&[(0, "early"), (1, "late")]).json().unwrap();
        let new = report(&[(1, "newer")]);
        let rows = new.merged(&ROWS, &old).unwrap();
        let empty = "head\n<!-- figures: begin -->\n<!-- figures: end -->\ntail\n";
        let page = new.page(&ROWS, &rows, empty).unwrap();
        let both = "| first thing | – | early | – |\n| second thing | – | newer | – |\n<!--";
        assert!(page.contains(both), "{page}");
        assert!(page.starts_with("head\n") && page.ends_with("\ntail\n"));
        assert!(new.page(&ROWS, &rows, "no markers").is_err());
        let renamed = old.replace("first thing", "another thing");
        assert!(!new.merged(&ROWS, &renamed).unwrap().contains_key("one"));
    }

    #[test]
    fn the_committed_table_is_that_of_the_committed_figures() {
        let figures: Value = serde_json::from_str(include_str!("../figures.json")).unwrap();
        let lines: Vec<&str> = include_str!("../README.md")
            .split_once(END)
            .and_then(|(before, _)| before.split_once(BEGIN))
            .map(|(_, table)| table.lines().filter(|line| line.starts_with("| ")).skip(1).collect())
            .unwrap_or_default();
        let rows = figures["rows"].as_object().unwrap();
        assert_eq!(rows.len(), lines.len());
        for row in rows.values() {
            assert!(lines.contains(&line(row).trim_end()), "{row} is not in the table");
        }
    }
}
