//! Parses and formats TREC run files: what a system ranked for each question. Pure.

use std::collections::{BTreeMap, HashSet};

use crate::label_file::{Parsed, Reason, rows};

/// Document ids, best first, by query id.
pub type Run = BTreeMap<String, Vec<String>>;

/// Parses `query Q0 document rank score tag`. As in `trec_eval`, only the score decides the order,
/// read in single precision; equal scores are ordered by falling document id.
pub fn parse(text: &str) -> Parsed<Run> {
    let mut scored: BTreeMap<String, Vec<(f32, String)>> = BTreeMap::new();
    let mut seen: HashSet<(&str, &str)> = HashSet::new();
    let mut problems = Vec::new();
    for (number, columns) in rows(text) {
        match row(&columns) {
            Ok((query, document, _)) if !seen.insert((query, document)) => {
                let (query, document) = (query.to_owned(), document.to_owned());
                problems.push((number, Reason::DuplicateDocument { query, document }));
            }
            Ok((query, document, score)) => {
                scored.entry(query.to_owned()).or_default().push((score, document.to_owned()));
            }
            Err(reason) => problems.push((number, reason)),
        }
    }
    let value = scored.into_iter().map(|(query, rows)| (query, ordered(rows))).collect();
    Parsed { value, problems }
}

fn row<'a>(columns: &[&'a str]) -> Result<(&'a str, &'a str, f32), Reason> {
    let (query, document, score) = match columns {
        [query, _, document, _, score] | [query, _, document, _, score, _] => {
            (*query, *document, *score)
        }
        _ => return Err(Reason::Columns { found: columns.len(), expected: "6" }),
    };
    let number = score.parse::<f32>().ok().filter(|score| !score.is_nan());
    Ok((query, document, number.ok_or_else(|| Reason::Number(score.to_owned()))?))
}

fn ordered(mut rows: Vec<(f32, String)>) -> Vec<String> {
    rows.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| b.1.cmp(&a.1)));
    rows.into_iter().map(|(_, document)| document).collect()
}

/// Formats a run as a TREC file, separated by tabs. The score falls by one from rank to rank and
/// means nothing else: readers sort by score, while recall ranks exact hits before better scores.
pub fn format(run: &Run, tag: &str) -> String {
    let mut out = String::new();
    for (query, documents) in run {
        for (at, document) in documents.iter().enumerate() {
            let (rank, score) = (at + 1, documents.len() - at);
            out.push_str(&format!("{query}\tQ0\t{document}\t{rank}\t{score}\t{tag}\n"));
        }
    }
    out
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
    fn the_score_decides_and_not_the_rank() {
        check(
            "q Q0 a 1 0.5 x\nq Q0 b 2 0.9 x\nq\tQ0\tc d.md\t3\t-1\tx\n",
            r#"{"q": ["b", "a", "c d.md"]} []"#,
        );
    }

    #[test]
    fn ties_fall_by_id_as_in_trec_eval() {
        check("q Q0 d4 1 1.0 x\nq Q0 d5 2 1.0 x", r#"{"q": ["d5", "d4"]} []"#);
        // Apart in double precision only.
        check("q Q0 a 1 1.00000001 x\nq Q0 b 2 1.0 x", r#"{"q": ["b", "a"]} []"#);
    }

    #[test]
    fn a_bad_line_is_named_and_the_rest_counts() {
        check(
            "q Q0 a 1 2 x\nq Q0 a 2 1 x\nq a\nq Q0 b 1 high x\nq Q0 c 1 nan x",
            r#"{"q": ["a"]} ["2: `a` appears twice for query `q`; the first one counts", "3: 2 columns instead of 6", "4: `high` is not a number", "5: `nan` is not a number"]"#,
        );
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(
            run in prop::collection::btree_map(
                "[a-z0-9]{1,4}",
                prop::collection::hash_set("[a-zé/]{1,5}( [a-z.]{1,3})?", 1..6),
                0..5,
            )
        ) {
            let run: Run = run.into_iter().map(|(q, d)| (q, d.into_iter().collect())).collect();
            prop_assert_eq!(parse(&format(&run, "x")), Parsed { value: run, problems: vec![] });
        }
    }
}
