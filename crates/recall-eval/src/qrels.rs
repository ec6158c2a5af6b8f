//! Parses and formats qrels, the grade of each document for each question, in TREC's and BEIR's
//! formats. Pure.

use std::collections::BTreeMap;

use crate::label_file::{Parsed, Reason, rows};

/// The labels of one question: document (id or path) to grade. Grades below 1 are not relevant.
pub type Grades = BTreeMap<String, i64>;

/// The labels of all questions, by query id.
pub type Qrels = BTreeMap<String, Grades>;

/// Parses `query iteration document grade` (TREC) or `query document grade` with or without a
/// header (BEIR), line by line. Columns are separated by tabs if there are any, else by spaces.
pub fn parse(text: &str) -> Parsed<Qrels> {
    let mut out = Parsed::default();
    for (number, columns) in rows(text) {
        let added = label(&columns).and_then(|label| add(&mut out.value, label));
        match added {
            // The header of a BEIR file.
            Err(Reason::Number(_)) if number == 1 => {}
            Err(reason) => out.problems.push((number, reason)),
            Ok(()) => {}
        }
    }
    out
}

fn label<'a>(columns: &[&'a str]) -> Result<(&'a str, &'a str, i64), Reason> {
    let (query, document, grade) = match columns {
        [query, document, grade] | [query, _, document, grade] => (*query, *document, *grade),
        _ => return Err(Reason::Columns { found: columns.len(), expected: "3 or 4" }),
    };
    let grade = grade.parse().map_err(|_| Reason::Number(grade.to_owned()))?;
    Ok((query, document, grade))
}

fn add(qrels: &mut Qrels, (query, document, grade): (&str, &str, i64)) -> Result<(), Reason> {
    let grades = qrels.entry(query.to_owned()).or_default();
    if grades.contains_key(document) {
        return Err(Reason::DuplicateDocument {
            query: query.to_owned(),
            document: document.to_owned(),
        });
    }
    grades.insert(document.to_owned(), grade);
    Ok(())
}

/// Formats labels as a TREC file, separated by tabs.
pub fn format(qrels: &Qrels) -> String {
    let line =
        |query: &str, document: &str, grade: i64| format!("{query}\t0\t{document}\t{grade}\n");
    let lines = qrels
        .iter()
        .flat_map(|(query, grades)| grades.iter().map(|(document, g)| line(query, document, *g)));
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let parsed = parse(text);
        let problems: Vec<String> =
            parsed.problems.iter().map(|(line, reason)| format!("{line}: {reason}")).collect();
        assert_eq!(format!("{:?} {problems:?}", parsed.value), expected, "{text:?}");
    }

    #[test]
    fn both_layouts() {
        check("query-id\tcorpus-id\tscore\nq1\td1\t2\r\n", r#"{"q1": {"d1": 2}} []"#);
        check(
            "q1 0 d1 1\nq1 0 d2 0\n\nq2 0 d1 -1",
            r#"{"q1": {"d1": 1, "d2": 0}, "q2": {"d1": -1}} []"#,
        );
        check("q1\t0\tmy notes/a b.md\t1", r#"{"q1": {"my notes/a b.md": 1}} []"#);
        check("q1 d1 1", r#"{"q1": {"d1": 1}} []"#);
        check("", "{} []");
    }

    #[test]
    fn a_bad_line_is_named_and_the_rest_counts() {
        check(
            "q1 0 d1 1\nq1 d2\nq1 0 d3 high\nq1 0 d1 2\nq1 0 d4 1",
            r#"{"q1": {"d1": 1, "d4": 1}} ["2: 2 columns instead of 3 or 4", "3: `high` is not a number", "4: `d1` appears twice for query `q1`; the first one counts"]"#,
        );
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(
            labels in prop::collection::btree_map(
                "[a-z0-9]{1,4}",
                prop::collection::btree_map("[a-zé/]{1,5}( [a-z.]{1,3})?", -1_i64..5, 1..4),
                0..5,
            )
        ) {
            let parsed = parse(&format(&labels));
            prop_assert_eq!(parsed, Parsed { value: labels, problems: vec![] });
        }

        #[test]
        fn nothing_fails(text in "[a-z0-9\t \n\"-]{0,80}") {
            let lines = text.lines().count();
            prop_assert!(parse(&text).problems.len() <= lines);
        }
    }
}
