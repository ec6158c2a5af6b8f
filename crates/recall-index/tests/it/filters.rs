//! Filters and conditions: which documents may answer.

use globset::Glob;
use recall_index::{Analyzer, EntryId, Filter, Snapshot, clause, terms};
use recall_sources::Kind;

use crate::corpus::{Corpus, paths};

const FILES: [(&str, &str); 4] = [
    (
        "a.md",
        "---\nauthor: Đặng Thị Hồng\ndate: 2026-01-10\ntags: [Ops, net]\npriority: High\n---\nThe disk is full again on web-01.\n",
    ),
    (
        "b.md",
        "---\nauthor: An Tran\ndate: 2026-02-10\ntags: [db]\n---\nFull backups fill the disk of the database.\n",
    ),
    ("runbooks/c.md", "# Disk\nFirst look at the disk, then at ERR_0x80070005.\n"),
    ("d.txt", "Nothing is wrong here, the lamps are green.\n"),
];

/// The paths of all entries that pass, sorted.
fn passing(snapshot: &Snapshot, filter: &Filter, must: &[&str], not: &[&str]) -> Vec<String> {
    let analyzer = Analyzer::default();
    let clauses = |texts: &[&str]| -> Vec<_> {
        texts.iter().map(|text| clause(text, &analyzer).unwrap()).collect()
    };
    let allowed = snapshot.keyword().allowed(filter, &clauses(must), &clauses(not)).unwrap();
    let all = snapshot.keyword().all().unwrap();
    let passes = |id: &EntryId| allowed.as_ref().is_none_or(|allowed| allowed.contains(*id));
    let passing: Vec<EntryId> = all.into_iter().filter(passes).collect();
    assert!(allowed.is_none_or(|allowed| allowed.len() == passing.len() as u64));
    let mut paths = paths(snapshot, &passing);
    paths.sort();
    paths
}

#[test]
fn a_filter_lets_pass_what_it_names() {
    let corpus = Corpus::new(&FILES);
    let snapshot = corpus.snapshot();
    let check = |filter: Filter, expected: &[&str]| {
        assert_eq!(passing(&snapshot, &filter, &[], &[]), expected, "{filter:?}");
    };
    let none = Filter::default;
    check(none(), &["a.md", "b.md", "d.txt", "runbooks/c.md"]);
    check(Filter { authors: vec!["dang hong".into()], ..none() }, &["a.md"]);
    check(Filter { authors: vec!["dang".into(), "tran".into()], ..none() }, &["a.md", "b.md"]);
    check(Filter { tags: vec!["ops".into()], ..none() }, &["a.md"]);
    check(Filter { tags: vec!["ops".into()], authors: vec!["tran".into()], ..none() }, &[]);
    check(Filter { kinds: vec![Kind::Runbook], ..none() }, &["runbooks/c.md"]);
    check(Filter { kinds: vec![Kind::Mail], ..none() }, &[]);
    check(
        Filter { sources: vec!["FILE".into()], ..none() },
        &["a.md", "b.md", "d.txt", "runbooks/c.md"],
    );
    check(Filter { sources: vec!["slack".into()], ..none() }, &[]);
    let glob = Glob::new("runbooks/**").unwrap().compile_matcher();
    check(Filter { paths: vec![glob], ..none() }, &["runbooks/c.md"]);
    check(Filter { fields: vec![("Priority".into(), "high".into())], ..none() }, &["a.md"]);
    let at = |date: &str| Some(date.parse::<jiff::Timestamp>().unwrap().as_second());
    check(Filter { since: at("2026-02-01T00:00:00Z"), ..none() }, &["b.md"]);
    check(Filter { until: at("2026-02-01T00:00:00Z"), ..none() }, &["a.md"]);
    let (since, until) = (at("2026-01-01T00:00:00Z"), at("2026-03-01T00:00:00Z"));
    check(Filter { since, until, ..none() }, &["a.md", "b.md"]);
}

#[test]
fn phrases_and_names_are_conditions() {
    let corpus = Corpus::new(&FILES);
    let snapshot = corpus.snapshot();
    let check = |must: &[&str], not: &[&str], expected: &[&str]| {
        let got = passing(&snapshot, &Filter::default(), must, not);
        assert_eq!(got, expected, "{must:?} without {not:?}");
    };
    check(&["disk is full"], &[], &["a.md"]);
    check(&["full disk"], &[], &[]);
    check(&["disk"], &[], &["a.md", "b.md", "runbooks/c.md"]);
    check(&["disk"], &["backups"], &["a.md", "runbooks/c.md"]);
    check(&[], &["disk"], &["d.txt"]);
    check(&["disk", "database"], &[], &["b.md"]);
    check(&["err_0x80070005"], &[], &["runbooks/c.md"]);
    check(&["ERR_0x80070004"], &[], &[]);
    check(&["web-01"], &[], &["a.md"]);
}

#[test]
fn a_filter_acts_before_the_best_are_taken() {
    let many: Vec<(String, String)> =
        (0..40).map(|i| (format!("{i}.md"), "disk ".repeat(9))).collect();
    let mut files: Vec<(&str, &str)> =
        many.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    files.push(("z/last.md", "a disk among many other words that nobody asked for"));
    let corpus = Corpus::new(&files);
    let snapshot = corpus.snapshot();
    let glob = Glob::new("z/**").unwrap().compile_matcher();
    let filter = Filter { paths: vec![glob], ..Filter::default() };
    let allowed = snapshot.keyword().allowed(&filter, &[], &[]).unwrap();
    let terms = terms("disk", &Analyzer::default());
    let found = snapshot.keyword().search(&terms, allowed.as_ref(), 1).unwrap();
    assert_eq!(paths(&snapshot, &[found[0].0]), ["z/last.md"]);
}
