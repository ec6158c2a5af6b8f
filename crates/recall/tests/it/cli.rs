//! What users, scripts and agents see.

use std::fs;
use std::io::Write;
use std::process::Stdio;

use crate::corpus::Corpus;
use crate::program::{ask, command, good, ids, recall};

fn small() -> Corpus {
    let corpus = Corpus::empty();
    corpus.write(
        "notes/jank.md",
        "---\ntitle: Jank on low-end devices\ndate: 2026-03-11\nauthor: Lan Nguyen\ntags: [mobile]\n---\n\
         # Jank on low-end devices\n\nScrolling drops frames on phones with 2 GB of memory, because images \
         are decoded on the main thread. See lib/config/env.dart.\n",
    );
    corpus.write(
        "notes/mang.md",
        "# Kết nối chập chờn\n\nMáy quét mã vạch ở kho mất kết nối vài giây lúc đổi ca. Đặng Thị Hồng đã xem.\n",
    );
    corpus.write(
        "notes/order.md",
        "# 重启服务的顺序\n\n先停止写入队列，再重启账本服务，最后重启网关。\n",
    );
    corpus.write(
        "runbooks/failover.md",
        "# Fail over the database\n\n1. Stop the writers.\n2. Wait for the lag to reach zero.\n3. Promote the replica.\n4. Point the writers at it.\n",
    );
    corpus.write(
        "tickets.jsonl",
        "{\"id\": \"OPS-7\", \"title\": \"Replica lag\", \"body\": \"ERR_0x80070005 after git commit --no-verify\", \"created_at\": \"2026-01-05\", \"author\": \"Tomasz\"}\n\
         {\"id\": \"OPS-8\", \"title\": \"Certificates\", \"body\": \"The gateway's certificate ends in October, version 1.0.21\", \"created_at\": \"2026-09-11\", \"author\": \"Yusuf\"}\n",
    );
    good(corpus.path(), &["index", "."]);
    corpus
}

#[test]
fn one_corpus_many_questions() {
    let corpus = small();
    let check = |question: &str, first: Option<&str>| {
        let answer = ask(corpus.path(), &[question]);
        assert_eq!(ids(&answer).first().map(String::as_str), first, "{question}: {answer}");
        assert_eq!(answer["nothing_relevant"], first.is_none(), "{question}: {answer}");
        let one = ids(&ask(corpus.path(), &["-k", "1", question]));
        assert_eq!(
            one.first().map(String::as_str),
            first,
            "the first hit depends on k: {question}"
        );
    };
    check("ERR_0x80070005", Some("OPS-7"));
    check("OPS-8", Some("OPS-8"));
    check("--no-verify", Some("OPS-7"));
    check("lib/config/env.dart", Some("notes/jank.md"));
    check("env.dart", Some("notes/jank.md"));
    check("1.0.21", Some("OPS-8"));
    check("\"main thread\"", Some("notes/jank.md"));
    check("dang thi hong", Some("notes/mang.md"));
    check("Đặng Thị Hồng", Some("notes/mang.md"));
    check("Đa\u{323}\u{306}ng Thi\u{323} Ho\u{302}\u{300}ng", Some("notes/mang.md"));
    check("重启账本服务", Some("notes/order.md"));
    check("scrolling is slow on cheap phones", Some("notes/jank.md"));
    check("promote a replica", Some("runbooks/failover.md"));
    check("xyzzyplugh qwfpgj", None);
    check("how do I bake sourdough bread", None);
    check("the", None);
    check("", None);
}

#[test]
fn no_punctuation_can_make_a_question_fail() {
    let corpus = small();
    let long = "a ".repeat(5000);
    for question in [
        "AND",
        "NOT",
        "a AND NOT",
        "/",
        ":",
        "\"",
        "(",
        "lag -",
        "*",
        "?",
        "[a-z",
        "a:b:c",
        "\\",
        "~1",
        "^2",
        "title:",
        "kind:nothing",
        "since:soonish",
        "-",
        "--",
        "+",
        "{}",
        long.as_str(),
    ] {
        let ran = recall(corpus.path(), &["query", "--mode", "keyword", "--", question]);
        assert!(matches!(ran.code, Some(0 | 1)), "{question:?}: {ran:?}");
    }
}

#[test]
fn a_runbook_comes_whole_or_not_at_all() {
    let corpus = small();
    let steps: String =
        (1..=400).map(|i| format!("{i}. Turn valve number {i} and write it down.\n")).collect();
    let text = format!("# Drain the cooling loop\n\n{steps}");
    corpus.write("runbooks/drain.md", &text);
    good(corpus.path(), &["index"]);
    let answer = ask(corpus.path(), &["--budget", "100000", "drain the cooling loop"]);
    let hit = &answer["hits"][0];
    assert_eq!(hit["id"], "runbooks/drain.md");
    assert_eq!(hit["whole"], true);
    assert_eq!(hit["text"].as_str(), Some(text.as_str()));
    // Through any of its parts, and with a budget that it outgrows.
    let answer = ask(corpus.path(), &["--budget", "1000", "turn valve number 390"]);
    let hit = &answer["hits"][0];
    assert_eq!(hit["id"], "runbooks/drain.md");
    assert_eq!(hit["text"], serde_json::Value::Null);
    assert_eq!(hit["omitted"]["bytes"], text.len());
    assert_eq!(good(corpus.path(), &["get", "runbooks/drain.md"]).stdout, text);
}

#[test]
fn filters_act_before_the_first_k() {
    let corpus = small();
    let check = |arguments: &[&str], expected: &[&str]| {
        for mode in ["keyword", "vector", "hybrid"] {
            let all: Vec<&str> = arguments
                .iter()
                .chain(&["--mode", mode, "--show-weak", "-k", "50"])
                .copied()
                .collect();
            let mut found = ids(&ask(corpus.path(), &all));
            found.sort();
            if mode == "keyword" {
                assert!(
                    found.iter().all(|id| expected.contains(&id.as_str())),
                    "{mode} {arguments:?}: {found:?}"
                );
            } else {
                assert_eq!(found, expected, "{mode} {arguments:?}");
            }
        }
    };
    check(&["certificate lag", "--kind", "ticket"], &["OPS-7", "OPS-8"]);
    check(&["certificate lag", "--since", "2026-09"], &["OPS-8"]);
    check(&["certificate lag", "--until", "2026-01-05"], &["OPS-7"]);
    check(&["certificate lag", "--author", "tomasz"], &["OPS-7"]);
    check(&["frames kind:note tag:mobile"], &["notes/jank.md"]);
    check(&["writers", "--path", "runbooks/**"], &["runbooks/failover.md"]);
    let bad = recall(corpus.path(), &["query", "x", "--since", "soonish"]);
    assert_eq!(bad.code, Some(2));
    assert!(bad.stderr.contains("`soonish` is not a date"), "{}", bad.stderr);
}

#[test]
fn the_json_of_an_answer() {
    let corpus = small();
    let mut answer = ask(corpus.path(), &["-k", "1", "OPS-8"]);
    answer["took_ms"] = 0.into();
    answer["coverage"]["generation"] = 0.into();
    let hit = &mut answer["hits"][0];
    hit["file"] = "tickets.jsonl".into();
    for number in ["relevance", "score"] {
        assert!(hit[number].as_f64().unwrap() > 0.0, "{hit}");
        hit[number] = 0.into();
    }
    let shares =
        hit["shares"]["keyword"].as_f64().unwrap() + hit["shares"]["vector"].as_f64().unwrap();
    assert!(shares > 0.0);
    hit["shares"] = serde_json::Value::Null;
    hit["keyword"]["score"] = 0.into();
    hit["keyword"]["terms"] = serde_json::Value::Null;
    hit["vector"] = serde_json::Value::Null;
    insta::assert_snapshot!(serde_json::to_string_pretty(&answer).unwrap());
}

#[test]
fn the_same_question_twice_prints_the_same_bytes() {
    let corpus = small();
    let answer = || {
        let mut answer = ask(corpus.path(), &["--show-weak", "gateway writers"]);
        answer["took_ms"] = 0.into();
        answer.to_string()
    };
    assert_eq!(answer(), answer());
}

#[test]
fn exit_codes_and_errors() {
    let corpus = small();
    assert_eq!(recall(corpus.path(), &["query", "how do I bake sourdough bread"]).code, Some(1));
    assert_eq!(recall(corpus.path(), &["query", "lag", "--no-such-flag"]).code, Some(2));
    assert_eq!(recall(corpus.path(), &["--version"]).code, Some(0));
    let nowhere = tempfile::tempdir().unwrap();
    let none = recall(nowhere.path(), &["query", "x"]);
    assert_eq!(none.code, Some(2));
    assert!(
        none.stderr.contains("no index in") && none.stderr.contains("hint:"),
        "{}",
        none.stderr
    );
    let missing = recall(corpus.path(), &["index", "no-such-folder"]);
    assert_eq!(missing.code, Some(2), "{missing:?}");
    let get = recall(corpus.path(), &["get", "no-such-thing"]);
    assert_eq!(get.code, Some(2));
    assert_eq!(
        good(corpus.path(), &["get", "OPS-7"]).stdout.trim(),
        "ERR_0x80070005 after git commit --no-verify"
    );
    let other = recall(corpus.path(), &["query", "x", "--model", "all-minilm-l6-v2"]);
    assert_eq!(other.code, Some(2), "{other:?}");
}

#[test]
fn a_question_from_a_pipe_and_a_reader_that_goes_away() {
    let corpus = small();
    let mut child = command(corpus.path(), &["query", "--format", "paths"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all("replica lag\n".as_bytes()).unwrap();
    let out = child.wait_with_output().unwrap();
    assert_eq!(out.status.code(), Some(0));
    assert!(String::from_utf8(out.stdout).unwrap().starts_with("tickets.jsonl\n"));

    let mut child = command(corpus.path(), &["status"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(0), "a closed pipe is success");
}

#[test]
fn without_a_model_the_keyword_side_answers_and_says_so() {
    let corpus = small();
    let home = tempfile::tempdir().unwrap();
    let run = command(corpus.path(), &["--offline", "query", "--json", "OPS-8"])
        .env("RECALL_HOME", home.path())
        .output()
        .unwrap();
    assert_eq!(run.status.code(), Some(0), "{run:?}");
    let answer: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
    assert_eq!(answer["mode"], "keyword");
    assert!(answer["degraded"].as_str().unwrap().contains("recall model pull"), "{answer}");
    assert_eq!(ids(&answer)[0], "OPS-8");
    let vector = command(corpus.path(), &["--offline", "query", "--mode", "vector", "OPS-8"])
        .env("RECALL_HOME", home.path())
        .output()
        .unwrap();
    assert_eq!(vector.status.code(), Some(2));
}

#[test]
fn what_is_skipped_is_named() {
    let corpus = small();
    corpus.write("empty.md", "");
    fs::write(corpus.path().join("image.bin"), [0, 159, 146, 150, 0, 1]).unwrap();
    corpus.write("memory/INDEX.md", "# Index\n\n- one fact\n");
    good(corpus.path(), &["index"]);
    let status = good(corpus.path(), &["status"]).stdout;
    for line in ["empty.md: empty", "image.bin: binary", "memory/INDEX.md: pointer index"] {
        assert!(status.contains(line), "{line} is not in {status}");
    }
    assert!(
        ids(&ask(corpus.path(), &["--show-weak", "-k", "50", "one fact"]))
            .iter()
            .all(|id| id != "memory/INDEX.md")
    );
}

#[test]
fn explain_says_where_a_document_stands() {
    let corpus = small();
    let good = recall(corpus.path(), &["explain", "replica lag", "OPS-7"]);
    assert_eq!(good.code, Some(0), "{good:?}");
    assert!(
        good.stdout.contains("at rank 1") && good.stdout.contains("keyword: rank 1"),
        "{}",
        good.stdout
    );
    let filtered = recall(corpus.path(), &["explain", "replica lag", "OPS-7", "--kind", "note"]);
    assert_eq!(filtered.code, Some(1));
    assert!(filtered.stdout.contains("a filter excludes it"), "{}", filtered.stdout);
}

#[test]
fn a_hit_in_a_conversation_names_its_messages() {
    let corpus = Corpus::empty();
    corpus.write(
        "incidents.json",
        r#"{"guild": {"name": "Ops"}, "channel": {"id": "7", "type": "GuildTextChat", "name": "incidents"}, "messages": [
            {"id": "101", "type": "Default", "timestamp": "2026-03-04T09:12:00+00:00", "content": "reports time out since midnight", "author": {"id": "1", "name": "marta", "nickname": "Marta"}, "attachments": [], "embeds": []},
            {"id": "102", "type": "Default", "timestamp": "2026-03-04T09:14:00+00:00", "content": "raise LEDGER_CACHE_MAX to 20000", "author": {"id": "2", "name": "tomasz", "nickname": "Tomasz"}, "attachments": [], "embeds": []}
        ], "messageCount": 2}"#,
    );
    good(corpus.path(), &["index", "."]);
    let answer = ask(corpus.path(), &["--kind", "chat", "LEDGER_CACHE_MAX"]);
    let hit = &answer["hits"][0];
    assert_eq!(hit["source"], "discord:incidents", "{answer}");
    assert_eq!(hit["messages"][1]["id"], "102", "{answer}");
    assert_eq!(hit["messages"][1]["author"], "Tomasz", "{answer}");
    assert!(ids(&ask(corpus.path(), &["--author", "nobody", "LEDGER_CACHE_MAX"])).is_empty());
}

#[test]
fn the_pointer_index_is_printed_checked_and_edited_in_one_line() {
    let corpus = Corpus::empty();
    let page = "# Index\n\n## Preferences\n\n- Answer in Vietnamese, because the team reads it first (user, 2026-10-02)\n";
    corpus.write("memory/INDEX.md", page);
    assert_eq!(good(corpus.path(), &["pointers"]).stdout, page);
    assert_eq!(recall(corpus.path(), &["pointers", "check"]).code, Some(0));
    let add = [
        "pointers",
        "add",
        "--kind",
        "preference",
        "--source",
        "user",
        "--reason",
        "they rot",
        "Avoid own parsers",
    ];
    let dry: Vec<&str> = add.iter().copied().chain(["--dry-run"]).collect();
    good(corpus.path(), &dry);
    assert_eq!(good(corpus.path(), &["pointers"]).stdout, page, "a dry run writes nothing");
    good(corpus.path(), &add);
    let after = good(corpus.path(), &["pointers"]).stdout;
    assert_eq!(after.lines().count(), page.lines().count() + 1, "{after}");
    good(corpus.path(), &["pointers", "remove", "Avoid own parsers"]);
    assert_eq!(good(corpus.path(), &["pointers"]).stdout, page);
    corpus.write(
        "memory/INDEX.md",
        &format!("{page}- See [gone](gone.md), because it was there (doc, 2026-10-02)\n"),
    );
    let check = recall(corpus.path(), &["pointers", "check"]);
    assert_eq!(check.code, Some(1), "{check:?}");
    assert!(check.stdout.contains("INDEX.md:6"), "{}", check.stdout);
}

#[test]
fn an_answer_carries_the_pointers_to_its_documents_and_what_changed() {
    let corpus = small();
    corpus.write(
        "memory/INDEX.md",
        "# Index\n\n## Procedures\n\n- [Fail over](../runbooks/failover.md) — when the primary is gone (doc, 2026-10-02)\n",
    );
    good(corpus.path(), &["index"]);
    let answer = ask(corpus.path(), &["promote a replica"]);
    assert_eq!(answer["pointers"].as_array().map(Vec::len), Some(1), "{answer}");
    let file = corpus.path().join("runbooks/failover.md");
    let text = fs::read_to_string(&file).unwrap();
    // The same size and the old time of change: only the content tells.
    let modified = fs::metadata(&file).unwrap().modified().unwrap();
    fs::write(&file, text.replace("Promote", "Demote!")).unwrap();
    fs::File::options().write(true).open(&file).unwrap().set_modified(modified).unwrap();
    let stale = |arguments: &[&str]| ask(corpus.path(), arguments)["hits"][0]["stale"].clone();
    assert_eq!(stale(&["promote a replica"]), serde_json::Value::Null);
    let found = stale(&["--verify", "promote a replica"]);
    assert!(found.as_str().is_some_and(|why| why.contains("changed")), "{found}");
}
