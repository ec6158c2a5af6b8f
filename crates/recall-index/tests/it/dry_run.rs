//! What a run would do: asked without a lock and without a trace.

use std::path::PathBuf;

use recall_index::{Found, IndexError, Plan, dry_run};

use crate::corpus::{Corpus, bytes_in, options};

fn plan(corpus: &Corpus, roots: &[PathBuf]) -> Result<Plan, IndexError> {
    dry_run(&corpus.index(), roots, &options(), &|_| {})
}

fn shown(plan: &Plan) -> String {
    let names = |found: &[Found]| -> Vec<String> {
        found.iter().map(|found| found.source.path.clone()).collect()
    };
    let gone: Vec<&str> = plan.remove.iter().map(|(_, path)| path.as_str()).collect();
    format!("+{:?} ~{:?} -{gone:?} ={}", names(&plan.add), names(&plan.change), plan.keep)
}

#[test]
fn it_works_while_another_run_writes() {
    let corpus = Corpus::new(&[("a.md", "lamp"), ("b.md", "disk"), ("c.md", "fan")]);
    let writer = corpus.indexer().unwrap();
    corpus.write("b.md", "another disk");
    corpus.remove("c.md");
    corpus.write("d.md", "panel");
    let before = bytes_in(&corpus.index());
    let expected = r#"+["d.md"] ~["b.md"] -["c.md"] =1"#;
    for roots in [vec![], vec![corpus.root()], vec![corpus.root().join("a.md")]] {
        assert_eq!(shown(&plan(&corpus, &roots).unwrap()), expected, "{roots:?}");
    }
    assert_eq!(shown(&writer.plan(&[], &options(), &|_| {}).unwrap()), expected);
    assert_eq!(bytes_in(&corpus.index()), before, "not a byte is written");
}

#[test]
fn where_no_index_is_none_appears() {
    let corpus = Corpus::new(&[("a.md", "lamp")]);
    let folder = corpus.root().parent().unwrap().join("nowhere");
    let planned = dry_run(&folder, &[corpus.root()], &options(), &|_| {}).unwrap();
    assert_eq!(shown(&planned), r#"+["a.md"] ~[] -[] =0"#);
    assert_eq!(shown(&dry_run(&folder, &[], &options(), &|_| {}).unwrap()), "+[] ~[] -[] =0");
    assert!(!folder.exists());
}

#[test]
fn a_root_that_covers_another_takes_its_files_over() {
    let corpus = Corpus::new(&[("a.md", "lamp")]);
    let above = corpus.root().parent().unwrap().to_owned();
    let mut limited = options();
    limited.scan.exclude = recall_sources::Globs::new(["/index"]).unwrap();
    let planned = dry_run(&corpus.index(), &[above], &limited, &|_| {}).unwrap();
    assert_eq!(shown(&planned), r#"+["notes/a.md"] ~[] -["a.md"] =0"#);
}

#[test]
fn an_index_that_cannot_be_read_is_no_empty_one() {
    let corpus = Corpus::new(&[("a.md", "lamp")]);
    std::fs::write(corpus.index().join("manifest.json"), "recall-manifest 1 0\n{}").unwrap();
    assert!(matches!(plan(&corpus, &[]), Err(IndexError::OtherFormat { found: 1, .. })));
}
