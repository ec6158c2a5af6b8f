//! `recall eval`: its figures against trec_eval's, and the command end to end.

use std::path::{Path, PathBuf};

use recall_eval::measure::{Judgements, judge};
use recall_eval::metrics::Metric;
use recall_eval::{qrels, run};
use serde_json::Value;

use crate::corpus::Corpus;
use crate::program::{command, good, recall};

/// Labels, rankings and the figures that pytrec_eval 0.5 (trec_eval's own code) gives for them:
/// grades from -1 to 3, many ties, a labelled query without a ranking, one without a relevant
/// document, and a ranked query without labels.
fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/eval").join(name)
}

fn text(name: &str) -> String {
    std::fs::read_to_string(fixture(name)).expect("the fixture is there")
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[track_caller]
fn near(got: f64, expected: &Value, what: &str) {
    let expected = expected.as_f64().unwrap_or_else(|| panic!("{what} is no number: {expected}"));
    assert!((got - expected).abs() < 1e-6, "{what}: {got} instead of {expected}");
}

#[test]
fn every_figure_of_every_query_is_that_of_trec_eval() {
    let labels = qrels::parse(&text("graded.qrels")).value;
    let judged: Judgements = judge(&run::parse(&text("graded.run")).value, &labels);
    let expected = json(&text("graded.json"));
    assert_eq!(judged.len() + 1, expected.as_object().expect("figures by query").len());
    for (query, ranking) in &judged {
        for metric in Metric::ALL {
            let what = format!("{metric} of {query}");
            near(metric.of(ranking), &expected[query][metric.to_string()], &what);
        }
    }
}

#[test]
fn two_runs_are_compared_and_missing_queries_count_as_zero() {
    let corpus = Corpus::empty();
    corpus.write("empty.run", "q12 Q0 d00 1 1 x\nq00 Q0\n");
    let (labels, graded) = (fixture("graded.qrels"), fixture("graded.run"));
    let paths = [labels.to_str().unwrap(), graded.to_str().unwrap()];
    let ran = good(
        corpus.path(),
        &["eval", "--qrels", paths[0], "--compare", paths[1], "empty.run", "--json"],
    );
    let got = json(&ran.stdout);
    let all = &json(&text("graded.json"))["all"];
    for contrast in got["metrics"].as_array().expect("metrics") {
        let metric = contrast["metric"].as_str().expect("a name");
        near(contrast["a"].as_f64().unwrap(), &all[metric], metric);
        assert_eq!(contrast["b"], 0.0);
    }
    let notes = got["notes"].to_string();
    assert!(notes.contains("12 labelled questions missing"), "{notes}");
    assert!(notes.contains("empty.run:2: 2 columns instead of 6"), "{notes}");
    assert!(notes.contains("as in trec_eval"), "{notes}");
}

/// Notes, and questions as a team writes them by hand: by path, with two that nothing answers.
fn by_hand() -> Corpus {
    let corpus = Corpus::empty();
    corpus.write("disk.md", "# Disk full\nThe volume of the billing host filled up with traces.\n");
    corpus.write("oom.md", "# Killed\nThe worker was killed with OOM_KILL_99 at noon.\n");
    corpus.write("ops/vpn.md", "# VPN\nThe tunnel drops when the laptop sleeps.\n");
    corpus.write(
        "labels.csv",
        "query,relevant,team\nOOM_KILL_99,oom.md,core\nvolume filled up,disk.md; gone.md,core\n\
         tunnel drops,ops/vpn.md,net\nquarterly dividend,,\nzebra husbandry,,\n",
    );
    good(corpus.path(), &["index", ".", "--include", "*.md", "--keyword-only"]);
    corpus
}

const KEYWORD: [&str; 5] = ["eval", "--queries", "labels.csv", "--mode", "keyword"];

#[test]
fn labels_by_hand_measure_an_index_that_is_there() {
    let corpus = by_hand();
    let more = ["--json", "--by", "team", "--run-out", "out.run"];
    let ran = good(corpus.path(), &[&KEYWORD[..], &more].concat());
    let got = json(&ran.stdout);
    let keyword = &got["modes"]["keyword"];
    near(keyword["success@1"].as_f64().unwrap(), &Value::from(1.0), "success@1");
    near(keyword["recall@10"].as_f64().unwrap(), &Value::from(2.5 / 3.0), "recall@10");
    assert_eq!((&got["queries"], &got["unanswerable"]), (&Value::from(3), &Value::from(2)));
    assert_eq!(keyword["false_answers"], 0.0);
    assert_eq!(keyword["auroc"], 1.0);
    assert!(keyword["intervals"]["ndcg@10"][0].as_f64() < keyword["ndcg@10"].as_f64());
    assert_eq!(got["by"]["groups"]["core"]["queries"], 2);
    assert_eq!(got["by"]["groups"]["net"]["modes"]["keyword"]["mrr@10"], 1.0);
    assert!(got["notes"].to_string().contains("not in the index and count as missed: gone.md"));
    let written = std::fs::read_to_string(corpus.path().join("out.run")).expect("a run");
    assert!(written.starts_with("1\tQ0\toom.md\t1\t1\trecall-keyword\n"), "{written}");
}

#[test]
fn a_floor_that_is_not_reached_is_exit_code_2() {
    let corpus = by_hand();
    let with = |floor: &'static str| {
        recall(corpus.path(), &[&KEYWORD[..], &["--fail-under", floor]].concat())
    };
    assert_eq!(with("success@1=1.0").code, Some(0));
    let below = with("recall@10=0.9");
    assert_eq!(below.code, Some(2));
    assert!(below.stderr.contains("keyword: recall@10 is 0.8333, less than 0.9"), "{below:?}");
    assert!(below.stdout.contains("success@1"), "the table is printed all the same: {below:?}");
    for wrong in ["recall@10", "map@3=0.2", "ndcg@10=7"] {
        assert_eq!(with(wrong).code, Some(2), "{wrong}");
    }
}

#[test]
fn what_is_excluded_takes_no_rank() {
    let corpus = by_hand();
    corpus.write(
        "labels.csv",
        "{\"query\": \"tunnel OOM_KILL_99\", \"relevant\": \"ops/vpn.md\", \"metadata\": {\"exclude\": [\"oom.md\"]}}\n",
    );
    let ran = good(corpus.path(), &[&KEYWORD[..], &["--json"]].concat());
    assert_eq!(json(&ran.stdout)["modes"]["keyword"]["success@1"], 1.0);
}

#[test]
fn wrong_use_is_explained() {
    let corpus = by_hand();
    corpus.write("bare.jsonl", "{\"_id\": \"a\", \"text\": \"b\"}\n");
    corpus.write("broken.jsonl", "{\"_id\": \n");
    for (arguments, expected) in [
        (&["eval"][..], "no questions to ask"),
        (&["eval", "ops"], "ops has no queries.jsonl"),
        (&["eval", "--queries", "bare.jsonl"], "questions but no labels"),
        (&["eval", "--queries", "gone.jsonl"], "cannot read gone.jsonl"),
        (&["eval", "--queries", "broken.jsonl"], "broken.jsonl holds no question: line 1: EOF"),
    ] {
        let ran = recall(corpus.path(), arguments);
        assert_eq!(ran.code, Some(2), "{arguments:?}: {ran:?}");
        assert!(ran.stderr.contains(expected), "{arguments:?}: {ran:?}");
    }
}

/// A copy of `datasets/eval-demo`, for an index beside it.
fn demo() -> Corpus {
    let corpus = Corpus::empty();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../datasets/eval-demo");
    for name in ["corpus.jsonl", "queries.jsonl", "queries_unanswerable.jsonl", "qrels/test.tsv"] {
        let text = std::fs::read_to_string(source.join(name)).expect("the set is there");
        corpus.write(&format!("set/{name}"), &text);
    }
    corpus
}

/// A report without what a clock measured.
fn timeless(report: &str) -> Value {
    let mut value = json(report);
    for mode in value["modes"].as_object_mut().expect("modes").values_mut() {
        let mode = mode.as_object_mut().expect("figures");
        mode.retain(|name, _| !name.starts_with("latency") && !name.ends_with("per_second"));
    }
    value
}

#[test]
fn a_set_is_indexed_measured_and_reported() {
    let corpus = demo();
    let arguments = ["eval", "set", "--json", "--misses", "--by", "kind", "--report", "page.html"];
    let first = good(corpus.path(), &arguments);
    let report = timeless(&first.stdout);
    assert_eq!(report["dataset"], "set");
    assert_eq!(report["notes"], Value::Array(Vec::new()));
    for mode in ["keyword", "vector", "hybrid"] {
        let figures = &report["modes"][mode];
        for name in ["ndcg@10", "recall@100", "mrr@10", "false_answers", "false_silences", "auroc"]
        {
            let (low, high) = (&figures["intervals"][name][0], &figures["intervals"][name][1]);
            let value = figures[name].as_f64().unwrap_or_else(|| panic!("{mode} {name}"));
            assert!(low.as_f64().unwrap() <= value && value <= high.as_f64().unwrap(), "{name}");
        }
    }
    let kinds = &report["by"]["groups"];
    assert_eq!(kinds["exact"]["modes"]["keyword"]["success@1"], 1.0);
    assert_eq!(kinds["exact"]["modes"]["hybrid"]["success@1"], 1.0);
    assert_eq!(kinds["cross-language"]["queries"], 6);
    let missed = report["misses"]["keyword_misses_vector_finds"].as_array().expect("a list");
    assert!(missed.iter().any(|find| find["text"] == "discount for students"), "{missed:?}");
    let page = std::fs::read_to_string(corpus.path().join("page.html")).expect("a page");
    assert_eq!(page.matches("<svg").count(), 14, "a chart for every figure");
    assert!(!page.contains("http"), "nothing to load");

    let again = good(corpus.path(), &arguments);
    assert_eq!(timeless(&again.stdout), report, "the same figures every time");
    assert!(again.stderr.contains("1 unchanged"), "the index is used again: {}", again.stderr);
}

#[test]
fn each_question_is_answered_within_its_own_field() {
    let corpus = demo();
    let ran = good(
        corpus.path(),
        &[
            "eval",
            "set",
            "--json",
            "--mode",
            "keyword",
            "--filter-field",
            "language",
            "--by",
            "kind",
        ],
    );
    let groups = &json(&ran.stdout)["by"]["groups"];
    let found = |kind: &str| groups[kind]["modes"]["keyword"]["recall@100"].as_f64().unwrap();
    assert_eq!(found("cross-language"), 0.0, "the answers have another language");
    assert!(found("paraphrase") > 0.5);
}

#[test]
fn without_a_model_or_a_place_to_write_keywords_are_measured() {
    let corpus = demo();
    // Nothing can be made inside a set whose `.recall` is a file.
    corpus.write("set/.recall", "");
    let home = tempfile::tempdir().expect("a temporary folder");
    let run = |arguments: &[&str]| {
        let mut command = command(corpus.path(), arguments);
        command.env("RECALL_HOME", home.path()).output().expect("recall starts")
    };
    let ran = run(&["eval", "set", "--json", "--offline"]);
    let report = json(&String::from_utf8_lossy(&ran.stdout));
    let modes: Vec<&String> = report["modes"].as_object().expect("modes").keys().collect();
    assert_eq!(modes, ["keyword"]);
    assert!(report["notes"].to_string().contains("no vectors"), "{}", report["notes"]);
    assert!(home.path().join("eval").is_dir(), "its index is in the cache");
    let strict = run(&["eval", "set", "--offline", "--fail-under", "ndcg@10=0.1"]);
    assert_eq!(strict.status.code(), Some(2), "a floor for hybrid needs hybrid");
}

#[cfg(unix)]
#[test]
fn a_set_may_be_packed() {
    let corpus = demo();
    let plain = corpus.path().join("set/corpus.jsonl");
    let packed = std::process::Command::new("gzip").arg(&plain).status().expect("gzip runs");
    assert!(packed.success() && !plain.exists());
    let ran = good(corpus.path(), &["eval", "set", "--mode", "keyword", "--json"]);
    assert!(json(&ran.stdout)["modes"]["keyword"]["ndcg@10"].as_f64().expect("a figure") > 0.5);
}

#[cfg(unix)]
#[test]
fn one_interruption_ends_it() {
    let corpus = by_hand();
    let questions: String = (0..400_000).map(|n| format!("volume number {n},disk.md\n")).collect();
    corpus.write("labels.csv", &format!("query,relevant\n{questions}"));
    let mut child = crate::program::start(corpus.path(), &KEYWORD);
    std::thread::sleep(std::time::Duration::from_millis(700));
    let id = child.id().to_string();
    // Handled as Ctrl-C is, and not ignored where a shell without job control started the tests in
    // the background.
    assert!(std::process::Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
    let code = child.wait().expect("it ends").code();
    // Before the first question nothing needs an orderly end, and the signal itself ends it.
    assert!(matches!(code, Some(130) | None), "{code:?}");
}

#[test]
fn tuning_stores_only_what_helps_and_can_be_taken_back() {
    let set = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../datasets/eval-demo");
    let corpus = Corpus::empty();
    for name in ["corpus.jsonl", "queries.jsonl", "qrels/test.tsv", "queries_unanswerable.jsonl"] {
        corpus.write(name, &std::fs::read_to_string(set.join(name)).expect("the repository's set"));
    }
    let status = |expected: bool, what: &str| {
        let snapshot = recall_index::Snapshot::open(&corpus.index()).expect("an index");
        let settings = &snapshot.manifest().settings;
        assert_eq!(!settings.is_empty(), expected, "{what}: {settings:?}");
    };
    let dry = json(&good(corpus.path(), &["tune", ".", "--dry-run", "--json"]).stdout);
    let weight = &dry["settings"][0];
    assert_eq!((&weight["setting"], &weight["questions"]), (&"fusion.keyword".into(), &20.into()));
    assert_eq!((&dry["stored"], &dry["folds"]), (&false.into(), &5.into()));
    // Eight questions that nothing answers are too few to move a threshold.
    assert!(dry["notes"].to_string().contains("the threshold stays"), "{dry}");
    status(false, "a dry run stores nothing");
    let text = good(corpus.path(), &["tune", "."]).stdout;
    assert!(text.contains("fusion.keyword"), "{text}");
    status(weight["helps"] == true, "what helps on held-out questions is stored, and nothing else");
    good(corpus.path(), &["--index", ".recall", "tune", "--reset"]);
    status(false, "a reset takes it back");
    let same = json(&good(corpus.path(), &["tune", ".", "--dry-run", "--json"]).stdout);
    assert_eq!(same["settings"], dry["settings"], "the same input gives the same fit");
}
