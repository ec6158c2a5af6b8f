//! Parses questions from BEIR's `queries.jsonl` and from lists that a team writes by hand. Pure.
//!
//! A list is CSV with the columns `query` and `relevant` (ids or paths, separated by `;`), or JSON
//! lines with the same names, `relevant` being one text or a list of them. Questions without an id
//! get their number. A question whose `relevant` is present but empty is one that nothing answers.
//! All other fields are metadata.

use std::collections::{BTreeMap, HashSet};

use serde_json::{Map, Value};

use crate::label_file::{Parsed, Reason};

/// One question.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Query {
    /// Its id, else its number in the file, from 1.
    pub id: String,
    /// Text of the question.
    pub text: String,
    /// Other fields, as text: a category, a conversation.
    pub metadata: BTreeMap<String, String>,
    /// Documents (ids or paths) removed from its ranking, such as the ticket it was made from.
    pub exclude: Vec<String>,
    /// The documents that answer it, if the list says so; empty if nothing does.
    pub relevant: Option<Vec<String>>,
}

impl Query {
    /// Whether a document is removed from the question's ranking.
    pub fn excludes(&self, id: &str, path: &str) -> bool {
        self.exclude.iter().any(|out| out == id || out == path)
    }
}

/// Parses JSON lines if the first character is `{`, else CSV.
pub fn parse(text: &str) -> Parsed<Vec<Query>> {
    let rows = if text.trim_start().starts_with('{') { json_lines(text) } else { csv(text) };
    let mut out: Parsed<Vec<Query>> = Parsed::default();
    let mut seen = HashSet::new();
    for (line, row) in rows {
        let query = row.and_then(|row| query(row, out.value.len() + 1));
        match query {
            Ok(query) if seen.insert(query.id.clone()) => out.value.push(query),
            Ok(query) => out.problems.push((line, Reason::DuplicateQuery(query.id))),
            Err(reason) => out.problems.push((line, reason)),
        }
    }
    out
}

type Row = Result<Map<String, Value>, Reason>;

fn json_lines(text: &str) -> Vec<(u64, Row)> {
    let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    let row = |line| serde_json::from_str(line).map_err(|e| Reason::Syntax(e.to_string()));
    lines.map(|(number, line)| (number, row(line))).collect()
}

fn csv(text: &str) -> Vec<(u64, Row)> {
    let header = text.lines().next().unwrap_or_default();
    let delimiter = [b'\t', b';'].into_iter().find(|d| header.as_bytes().contains(d));
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter.unwrap_or(b','))
        .trim(csv::Trim::All)
        .flexible(true)
        .from_reader(text.as_bytes());
    let names = match reader.headers() {
        Ok(names) => names.iter().map(str::to_lowercase).collect::<Vec<_>>(),
        Err(error) => return vec![(1, Err(Reason::Syntax(error.to_string())))],
    };
    let row = |record: csv::StringRecord| {
        let fields = names.iter().cloned().zip(record.iter().map(Value::from));
        fields.collect::<Map<_, _>>()
    };
    let records = reader.records().map(|record| match record {
        Ok(record) => (record.position().map_or(0, csv::Position::line), Ok(row(record))),
        Err(error) => {
            let line = error.position().map_or(0, csv::Position::line);
            (line, Err(Reason::Syntax(error.to_string())))
        }
    });
    records.collect()
}

fn query(mut row: Map<String, Value>, number: usize) -> Result<Query, Reason> {
    let mut take =
        |names: &[&str]| names.iter().find_map(|name| row.remove(*name).and_then(|v| plain(&v)));
    let id = take(&["_id", "id"]).unwrap_or_else(|| number.to_string());
    let text = take(&["text", "query"]).ok_or(Reason::NoText)?;
    let relevant = row.remove("relevant").map(|value| texts(&value));
    if let Some(Value::Object(inner)) = row.remove("metadata") {
        row.extend(inner);
    }
    let exclude = row.remove("exclude").map(|value| texts(&value)).unwrap_or_default();
    let metadata = row.into_iter().filter_map(|(name, v)| Some((name, plain(&v)?))).collect();
    Ok(Query { id, text, metadata, exclude, relevant })
}

/// Converts a text or number to text; `None` if it is empty.
fn plain(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.trim().to_owned()).filter(|text| !text.is_empty()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        _ => None,
    }
}

/// Reads a list of texts, or several separated by `;` in one text.
fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::Array(values) => values.iter().filter_map(plain).collect(),
        value => {
            let text = plain(value).unwrap_or_default();
            let parts = text.split(';').map(str::trim).filter(|part| !part.is_empty());
            parts.map(str::to_owned).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let parsed = parse(text);
        let query = |q: &Query| {
            let relevant = q.relevant.as_ref().map(|r| r.join("|"));
            format!("{}={:?} {:?} -{:?} {relevant:?}\n", q.id, q.text, q.metadata, q.exclude)
        };
        let problem = |(line, reason): &(u64, Reason)| format!("!{line}: {reason}\n");
        let got: String =
            parsed.value.iter().map(query).chain(parsed.problems.iter().map(problem)).collect();
        assert_eq!(got, expected, "{text}");
    }

    #[test]
    fn beir_questions() {
        check(
            r#"{"_id": "q1", "text": "disk full?", "metadata": {"category": 2, "exclude": ["D-1", 7], "gone": null}}"#,
            "q1=\"disk full?\" {\"category\": \"2\"} -[\"D-1\", \"7\"] None\n",
        );
    }

    #[test]
    fn lists_written_by_hand() {
        check(
            "query,relevant,team\n\"who, then?\",OPS-1; notes/a.md,ops\nnothing has this,,\n",
            "1=\"who, then?\" {\"team\": \"ops\"} -[] Some(\"OPS-1|notes/a.md\")\n\
             2=\"nothing has this\" {} -[] Some(\"\")\n",
        );
        check("query;relevant\nđĩa đầy;D-1\n", "1=\"đĩa đầy\" {} -[] Some(\"D-1\")\n");
        check("ID\tQuery\tRelevant\nx\ta\tb\n", "x=\"a\" {} -[] Some(\"b\")\n");
        check(
            "{\"query\": \"a\", \"relevant\": \"x\"}\n\n{\"query\": \"b\", \"relevant\": [\"y;z\"]}\n",
            "1=\"a\" {} -[] Some(\"x\")\n2=\"b\" {} -[] Some(\"y;z\")\n",
        );
    }

    #[test]
    fn a_bad_line_is_named_and_the_rest_counts() {
        check(
            "{\"_id\": \"q\", \"text\": \"a\"}\n{\"_id\": \"q\", \"text\": \"b\"}\n{\"_id\": \"r\"}\n[]\n{\"_id\": \"s\", \"text\": \"c\"}",
            "q=\"a\" {} -[] None\ns=\"c\" {} -[] None\n\
             !2: query id `q` appears twice; the first one counts\n\
             !3: it has no question\n\
             !4: invalid type: sequence, expected a map at line 1 column 0\n",
        );
    }

    proptest! {
        #[test]
        fn nothing_fails_and_ids_are_unique(text in "[{}\":,;a-c\n\t]{0,80}") {
            let ids: Vec<String> = parse(&text).value.into_iter().map(|q| q.id).collect();
            let unique: HashSet<&String> = ids.iter().collect();
            prop_assert_eq!(unique.len(), ids.len());
        }
    }
}
