//! Formats the report of `recall eval`, as text and as JSON. Pure.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::calibration::Bin;
use crate::contrast::{Contrast, Find};
use crate::measure::{Figure, Judgements, Measured};
use crate::metrics::Metric;
use crate::statistics::mean;
use recall_query::Mode;

/// Number of questions that a list in the text shows; JSON has all.
pub(super) const SHOWN: usize = 20;
/// Maximum characters of a question in a list.
pub(super) const TEXT_CHARS: usize = 70;

/// All results of an evaluation.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// Name of the set.
    pub dataset: String,
    /// The embedding model, if vectors were used.
    pub model: Option<String>,
    /// Number of documents in the index.
    pub documents: u64,
    /// Number of questions that have labels.
    pub queries: usize,
    /// Number of questions about the corpus that nothing answers.
    pub unanswerable: usize,
    /// Number of questions about another corpus.
    pub off_topic: usize,
    /// Relevance below which a hit is not an answer.
    pub threshold: f32,
    /// The figures of each mode.
    pub modes: Vec<Measured>,
    /// Hybrid against each measured retriever: (the retriever, the contrast of each metric).
    pub contrasts: Vec<(Mode, Vec<Contrast>)>,
    /// The results grouped by a metadata field of the questions, if requested.
    pub groups: Option<Groups>,
    /// Questions that only one retriever answers, if requested.
    pub misses: Option<Misses>,
    /// Notes for the reader: labels that could not be used, questions that were left out.
    pub notes: Vec<String>,
}

/// The figures of the questions that have the same value in one metadata field.
#[derive(Debug, Clone, PartialEq)]
pub struct Groups {
    /// Name of the field.
    pub field: String,
    /// One group per value; questions without a value are under the empty text.
    pub groups: Vec<Group>,
}

/// One value of a field.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// The value.
    pub value: String,
    /// Number of questions that have it.
    pub queries: usize,
    /// The means of [`Metric::ALL`] for each mode.
    pub modes: Vec<(Mode, Vec<f64>)>,
}

impl Groups {
    /// Groups the questions by `tag`, which maps a query id to its value.
    pub fn new(field: &str, modes: &[Measured], tag: &dyn Fn(&str) -> String) -> Self {
        let mut members: BTreeMap<String, Vec<&String>> = BTreeMap::new();
        for query in modes.first().into_iter().flat_map(|m| m.judged.keys()) {
            members.entry(tag(query)).or_default().push(query);
        }
        let group = |(value, queries): (String, Vec<&String>)| Group {
            value,
            queries: queries.len(),
            modes: modes.iter().map(|m| (m.mode, means(&m.judged, &queries))).collect(),
        };
        Self { field: field.to_owned(), groups: members.into_iter().map(group).collect() }
    }
}

fn means(judged: &Judgements, queries: &[&String]) -> Vec<f64> {
    let of = |metric: Metric| {
        queries.iter().filter_map(|q| Some(metric.of(judged.get(*q)?))).collect::<Vec<_>>()
    };
    Metric::ALL.into_iter().map(|metric| mean(&of(metric))).collect()
}

/// Questions that only one retriever finds a relevant document for, with their texts.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Misses {
    /// Questions that the keyword retriever misses and the vector retriever finds.
    pub only_vector: Vec<(Find, String)>,
    /// Questions that the vector retriever misses and the keyword retriever finds.
    pub only_keyword: Vec<(Find, String)>,
}

/// Returns the name of a mode, as typed on the command line.
pub fn name(mode: Mode) -> &'static str {
    match mode {
        Mode::Hybrid => "hybrid",
        Mode::Keyword => "keyword",
        Mode::Vector => "vector",
    }
}

impl Report {
    /// Formats the report as JSON.
    pub fn json(&self) -> Value {
        let modes: Map<String, Value> =
            self.modes.iter().map(|m| (name(m.mode).to_owned(), mode_json(m))).collect();
        let mut out = json!({
            "dataset": self.dataset, "model": self.model, "documents": self.documents,
            "queries": self.queries, "unanswerable": self.unanswerable,
            "off_topic": self.off_topic, "threshold": number(f64::from(self.threshold)),
            "modes": modes, "notes": self.notes,
            "tests": self.contrasts.iter().flat_map(|(retriever, list)| list.iter().map(|c| test_json(*retriever, c))).collect::<Vec<_>>(),
        });
        if let Some(groups) = &self.groups {
            out["by"] = groups_json(groups);
        }
        if let Some(misses) = &self.misses {
            out["misses"] = json!({
                "keyword_misses_vector_finds": finds_json(&misses.only_vector),
                "vector_misses_keyword_finds": finds_json(&misses.only_keyword),
            });
        }
        out
    }

    /// Formats the report as text: a table, then whatever else was requested.
    pub fn text(&self) -> String {
        let mut out = format!(
            "{}: {} questions, {} documents{}\n\n",
            self.dataset,
            self.queries,
            self.documents,
            self.model.as_ref().map_or_else(String::new, |model| format!(", {model}")),
        );
        out.push_str(&self.table());
        for (retriever, contrasts) in &self.contrasts {
            let rank = contrasts.iter().map(contrast_line).collect::<String>();
            out.push_str(&format!("\nhybrid against {}\n{rank}", name(*retriever)));
        }
        out.push_str(&self.groups.as_ref().map_or_else(String::new, groups_text));
        out.push_str(&self.misses.as_ref().map_or_else(String::new, misses_text));
        for note in &self.notes {
            out.push_str(&format!("\nnote: {note}"));
        }
        if !self.notes.is_empty() {
            out.push('\n');
        }
        out
    }

    fn table(&self) -> String {
        let heads = self.modes.iter().map(|m| format!("{:<24}", name(m.mode)));
        let mut out = format!("{:<20}{}", "", heads.collect::<String>()).trim_end().to_owned();
        out.push('\n');
        let rows = self.modes.first().map(|m| m.figures.len()).unwrap_or_default();
        for row in 0..rows {
            let cells = self.modes.iter().map(|m| format!("{:<24}", cell(&m.figures[row])));
            let label = &self.modes[0].figures[row].name;
            let line = format!("{label:<20}{}", cells.collect::<String>());
            out.push_str(line.trim_end());
            out.push('\n');
        }
        out
    }
}

/// Rounds to six decimals: anything below is noise from the order of additions.
pub(super) fn number(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}

fn mode_json(measured: &Measured) -> Value {
    let mut out = Map::new();
    let mut intervals = Map::new();
    for Figure { name, value, interval } in &measured.figures {
        out.insert(name.clone(), json!(number(*value)));
        if let Some((low, high)) = interval {
            intervals.insert(name.clone(), json!([number(*low), number(*high)]));
        }
    }
    out.insert("intervals".to_owned(), intervals.into());
    let bins = measured.calibration.bins.iter().map(bin_json).collect::<Vec<_>>();
    out.insert("reliability".to_owned(), bins.into());
    out.into()
}

fn bin_json(bin: &Bin) -> Value {
    json!({
        "from": bin.from, "to": bin.to, "hits": bin.hits,
        "relevance": number(bin.relevance), "right": number(bin.right),
    })
}

fn test_json(retriever: Mode, contrast: &Contrast) -> Value {
    json!({
        "metric": contrast.metric, "mode": "hybrid", "against": name(retriever),
        "difference": number(contrast.difference), "p": number(contrast.p),
        "wins": contrast.wins, "losses": contrast.losses, "ties": contrast.ties,
    })
}

fn groups_json(groups: &Groups) -> Value {
    let figures = |means: &Vec<f64>| -> Map<String, Value> {
        let named = Metric::ALL.iter().zip(means);
        named.map(|(metric, mean)| (metric.to_string(), json!(number(*mean)))).collect()
    };
    let group = |group: &Group| {
        let modes: Map<String, Value> =
            group.modes.iter().map(|(m, means)| (name(*m).into(), figures(means).into())).collect();
        (group.value.clone(), json!({"queries": group.queries, "modes": modes}))
    };
    let list: Map<String, Value> = groups.groups.iter().map(group).collect();
    json!({"field": groups.field, "groups": list})
}

fn finds_json(finds: &[(Find, String)]) -> Vec<Value> {
    let find = |(find, text): &(Find, String)| json!({"query": find.query, "text": text, "rank": find.rank});
    finds.iter().map(find).collect()
}

fn cell(figure: &Figure) -> String {
    let digits =
        if figure.name.ends_with("_ms") || figure.name.ends_with("_second") { 1 } else { 3 };
    match figure.interval {
        Some((low, high)) => format!("{:.digits$} [{low:.3}, {high:.3}]", figure.value),
        None => format!("{:.digits$}", figure.value),
    }
}

pub(super) fn contrast_line(contrast: &Contrast) -> String {
    let p = if contrast.p < 0.001 { "p < 0.001".into() } else { format!("p = {:.3}", contrast.p) };
    format!(
        "  {:<12} {:+.3}  {p}  {} better, {} worse, {} tied\n",
        contrast.metric, contrast.difference, contrast.wins, contrast.losses, contrast.ties
    )
}

fn groups_text(groups: &Groups) -> String {
    let mut out = format!("\nby {}\n", groups.field);
    let metrics = Metric::ALL.iter().map(|m| format!("{:>12}", m.to_string()));
    out.push_str(&format!("{:<38}{}\n", "", metrics.collect::<String>()));
    for group in &groups.groups {
        let value = if group.value.is_empty() { "(none)" } else { &group.value };
        let label = format!("{} ({})", shortened(value, 18), group.queries);
        for (mode, means) in &group.modes {
            let cells = means.iter().map(|mean| format!("{mean:>12.3}")).collect::<String>();
            out.push_str(&format!("  {label:<26}{:<10}{cells}\n", name(*mode)));
        }
    }
    out
}

fn misses_text(misses: &Misses) -> String {
    let list = |head: &str, finds: &[(Find, String)]| {
        let line = |(find, text): &(Find, String)| {
            format!("  {} (rank {}) {}\n", find.query, find.rank, shortened(text, TEXT_CHARS))
        };
        let lines = finds.iter().take(SHOWN).map(line).collect::<String>();
        format!("\n{head}: {}\n{lines}{}", finds.len(), more(finds.len()))
    };
    list("keyword misses, vector finds", &misses.only_vector)
        + &list("vector misses, keyword finds", &misses.only_keyword)
}

pub(super) fn more(count: usize) -> String {
    let more = count.saturating_sub(SHOWN);
    if more > 0 { format!("  and {more} more in the JSON report\n") } else { String::new() }
}

/// Shortens a text to one line of at most `chars` characters.
pub(super) fn shortened(text: &str, chars: usize) -> String {
    let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let cut = line.char_indices().nth(chars).map_or(line.len(), |(at, _)| at);
    if cut < line.len() { format!("{}…", line[..cut].trim_end()) } else { line }
}

#[cfg(test)]
mod tests {
    use super::super::measure::{Outcome, Outcomes};
    use super::super::{chart, contrast, qrels};
    use super::*;

    fn measured(mode: Mode, rankings: [&str; 2]) -> Measured {
        let outcome = |(query, ranking): (&str, &str)| Outcome {
            query: query.to_owned(),
            ranking: ranking.split_whitespace().map(str::to_owned).collect(),
            first: Some(0.75),
            top: 0.75,
            seconds: 0.002,
        };
        let answerable = ["a", "b"].into_iter().zip(rankings).map(outcome).collect();
        let outcomes = Outcomes { answerable, ..Outcomes::default() };
        Measured::new(mode, &outcomes, &qrels::parse("a 0 x 1\nb 0 y 1\n").value, 0.15)
    }

    fn report() -> Report {
        let modes =
            vec![measured(Mode::Vector, ["x z", "z"]), measured(Mode::Hybrid, ["x", "z y"])];
        let against = Contrast::new(Metric::Mrr(10), &modes[1].judged, &modes[0].judged);
        let found = contrast::found_only_by(&modes[1].judged, &modes[0].judged);
        let texts = found.into_iter().map(|find| (find, "why\n<b>?".to_owned())).collect();
        Report {
            dataset: "tiny & small".into(),
            model: Some("a-model".into()),
            documents: 3,
            queries: 2,
            unanswerable: 0,
            off_topic: 0,
            threshold: 0.15,
            contrasts: vec![(Mode::Vector, vec![against])],
            groups: Some(Groups::new("team", &modes, &|q| {
                if q == "a" { "ops".into() } else { String::new() }
            })),
            misses: Some(Misses { only_vector: texts, ..Misses::default() }),
            notes: vec!["labels.csv:3: it has no question".into()],
            modes,
        }
    }

    #[test]
    fn the_text_is_a_table_and_what_was_asked_for_beside_it() {
        insta::assert_snapshot!(report().text());
    }

    #[test]
    fn json_has_plain_numbers_with_intervals_beside_them() {
        let json = report().json();
        assert_eq!(json["modes"]["vector"]["recall@5"], 0.5);
        assert_eq!(json["modes"]["vector"]["intervals"]["recall@5"], json!([0.0, 1.0]));
        assert_eq!(json["modes"]["hybrid"]["mrr@10"], 0.75);
        assert_eq!(json["tests"][0]["difference"], 0.25);
        assert_eq!(json["misses"]["keyword_misses_vector_finds"][0]["rank"], 2);
        assert_eq!(json["by"]["groups"][""]["modes"]["vector"]["success@1"], 0.0);
    }

    #[test]
    fn the_page_holds_names_as_text() {
        let page = chart::page(&report());
        assert!(page.contains("<h1>tiny &amp; small</h1>"), "{page}");
        assert_eq!(page.matches("<svg").count(), report().modes[0].figures.len());
        assert!(page.contains(">0.750</text>"), "{page}");
    }
}
