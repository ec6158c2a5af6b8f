//! One process answers for all, as each would have answered for itself, and nothing depends on it.

use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::corpus::{Corpus, note};
use crate::program::{ask, command, good, ids, ran, recall};
use crate::runtime::{Runtime, open_files, send, until};

fn indexed(notes: usize) -> Corpus {
    let corpus = Corpus::notes(notes);
    good(corpus.path(), &["index", "."]);
    corpus
}

/// Without the time that an answer took.
fn timeless(text: &str) -> String {
    let Ok(mut answer) = serde_json::from_str::<Value>(text) else { return text.to_owned() };
    answer["took_ms"] = Value::Null;
    answer.to_string()
}

#[test]
fn answers_are_those_of_the_process_itself() {
    let corpus = indexed(8);
    corpus.write("runbooks/pump.md", "# Restart the pump\n\n1. Stop it.\n2. Wait.\n3. Start it.\n");
    corpus.write("INDEX.md", "# Decisions\n\n- The pump has a [note](note-000.md).\n");
    good(corpus.path(), &["index"]);
    let runtime = Runtime::new();
    let elsewhere = corpus.path().join("deep/er");
    fs::create_dir_all(&elsewhere).unwrap();
    let cases: &[(&Path, &[&str])] = &[
        (corpus.path(), &["water pump of site 0"]),
        (corpus.path(), &["--json", "water pump of site 0"]),
        (corpus.path(), &["--json", "máy bơm nước"]),
        (corpus.path(), &["--json", "--explain", "-k", "3", "--show-weak", "TICKET-0003"]),
        (corpus.path(), &["--format", "jsonl", "--full", "restart the pump"]),
        (corpus.path(), &["--format", "paths", "--show-weak", "trains at night"]),
        (corpus.path(), &["--json", "--verify", "--budget", "1", "restart the pump"]),
        (corpus.path(), &["--json", "--mode", "vector", "--show-weak", "oven kind:note"]),
        (corpus.path(), &["--json", "--since", "2d", "--path", "*00?.md", "oven"]),
        (corpus.path(), &["how do I knit a jumper"]),
        (&elsewhere, &["--index", "../..", "--json", "oven"]),
        (&elsewhere, &["--json", "oven"]),
    ];
    for (folder, arguments) in cases {
        let arguments: Vec<&str> = ["query"].iter().chain(*arguments).copied().collect();
        let shared = runtime.recall(folder, &arguments);
        let own = recall(folder, &arguments);
        assert_eq!(timeless(&shared.stdout), timeless(&own.stdout), "{arguments:?}");
        assert_eq!((shared.stderr, shared.code), (own.stderr, own.code), "{arguments:?}");
    }
    let status = runtime.status();
    assert_eq!(status["answered"], cases.len(), "all were answered by it: {status}");
    assert_eq!(status["indexes"].as_array().unwrap().len(), 1, "{status}");
}

#[test]
fn what_cannot_be_answered_is_told_as_ever() {
    let corpus = indexed(2);
    let runtime = Runtime::new();
    for arguments in [
        &["query", "--model", "other", "oven"][..],
        &["query", "--since", "never", "oven"],
        &["query", "--index", "/nowhere", "oven"],
    ] {
        let shared = runtime.recall(corpus.path(), arguments);
        let own = recall(corpus.path(), arguments);
        assert_eq!(own.code, Some(2), "{own:?}");
        assert_eq!((shared.stderr, shared.code), (own.stderr, own.code), "{arguments:?}");
    }
}

#[test]
fn words_alone_start_no_process() {
    let corpus = indexed(2);
    let runtime = Runtime::new();
    runtime.ask(corpus.path(), &["--mode", "keyword", "water pump"]);
    runtime.ask(corpus.path(), &[""]);
    good(corpus.path(), &["index", "--rebuild", "--keyword-only"]);
    assert!(!runtime.socket().exists());
}

#[test]
fn no_generation_is_served_but_the_current_one() {
    let corpus = indexed(6);
    let runtime = Runtime::new();
    let mut process = None;
    let mut files = Vec::new();
    for version in 1..=6 {
        corpus.write("note-003.md", &note(3, version));
        good(corpus.path(), &["index", "--keyword-only"]);
        let status = good(corpus.path(), &["status", "--json"]);
        let status: Value = serde_json::from_str(&status.stdout).unwrap();
        for _ in 0..8 {
            let answer = runtime.ask(corpus.path(), &[&format!("R3-{version}")]);
            assert_eq!(ids(&answer)[0], "note-003.md", "version {version}: {answer}");
            assert_eq!(answer["coverage"]["generation"], status["generation"], "{answer}");
        }
        assert_eq!(*process.get_or_insert(runtime.process()), runtime.process());
        files.push(open_files(runtime.process()));
    }
    // What it has open does not grow with questions or generations.
    assert!(files[5] <= files[1] + 2, "{files:?}");
    let status = runtime.status();
    assert_eq!(status["answered"], 48, "{status}");
    assert_eq!(status["indexes"].as_array().unwrap().len(), 1, "{status}");
}

#[test]
fn an_index_that_is_moved_or_gone_is_not_answered_from_memory() {
    let corpus = indexed(3);
    let runtime = Runtime::new();
    assert_eq!(ids(&runtime.ask(corpus.path(), &["TICKET-0001"]))[0], "note-001.md");
    fs::rename(corpus.index(), corpus.path().join("away")).unwrap();
    assert_eq!(runtime.recall(corpus.path(), &["query", "TICKET-0001"]).code, Some(2));
    let other = Corpus::empty();
    other.write("other.md", &note(1, 7));
    good(other.path(), &["index", "."]);
    fs::rename(other.index(), corpus.index()).unwrap();
    assert_eq!(ids(&runtime.ask(corpus.path(), &["TICKET-0001"]))[0], "other.md");
}

#[test]
fn killed_or_stuck_it_is_done_without() {
    let corpus = indexed(3);
    let runtime = Runtime::new();
    let expected = ids(&ask(corpus.path(), &["TICKET-0001"]));
    assert_eq!(ids(&runtime.ask(corpus.path(), &["TICKET-0001"])), expected);
    let first = runtime.process();
    send("-KILL", first);
    until("it is gone", || runtime.status() == Value::Null);
    assert_eq!(ids(&runtime.ask(corpus.path(), &["TICKET-0001"])), expected);
    let second = runtime.process();
    assert_ne!(first, second);
    send("-STOP", second);
    assert_eq!(ids(&runtime.ask(corpus.path(), &["TICKET-0001"])), expected);
    send("-CONT", second);
    assert_eq!(ids(&runtime.ask(corpus.path(), &["TICKET-0001"])), expected);
    assert_eq!(runtime.process(), second);
}

#[test]
fn nonsense_and_silence_disturb_nobody() {
    let corpus = indexed(2);
    let runtime = Runtime::new();
    runtime.ask(corpus.path(), &["water pump"]);
    let process = runtime.process();
    let long = vec![b'x'; 2 << 20];
    let nonsense: [&[u8]; 6] =
        [b"", b"\n", b"GET / HTTP/1.1\r\n\r\n", b"{\"protocol\":1}\n", &[0xff, 0, 10], &long];
    for bytes in nonsense {
        let mut stream = UnixStream::connect(runtime.socket()).unwrap();
        // A long one is not read to its end.
        let _ = stream.write_all(bytes);
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let mut reply = Vec::new();
        let _ = stream.read_to_end(&mut reply);
        assert!(reply.is_empty(), "{:?}", String::from_utf8_lossy(&reply));
    }
    // Half a call, and one who never listens, for as long as others are served.
    let mut slow: Vec<UnixStream> =
        (0..20).map(|_| UnixStream::connect(runtime.socket()).unwrap()).collect();
    slow.iter_mut().for_each(|stream| stream.write_all(b"{\"protocol\":").unwrap());
    runtime.ask(corpus.path(), &["water pump"]);
    let status = runtime.status();
    assert_eq!((&status["process"], &status["answered"]), (&process.into(), &2.into()), "{status}");
}

#[test]
fn many_who_begin_at_once_share_one() {
    let corpus = indexed(3);
    let runtime = Runtime::new();
    let arguments = ["query", "--json", "TICKET-0002"];
    let askers: Vec<_> = (0..6).map(|_| runtime.start(corpus.path(), &arguments)).collect();
    for asker in askers {
        let output = asker.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(ids(&answer)[0], "note-002.md");
    }
    until("one process", || residents(&runtime).len() == 1);
    assert_eq!(residents(&runtime), [runtime.process()]);
}

/// Processes that were started to be the resident one of a runtime folder.
fn residents(runtime: &Runtime) -> Vec<u64> {
    let own = format!("XDG_RUNTIME_DIR={}", runtime.path().display());
    let is_one = |process: &u64| {
        let read = |file| fs::read(format!("/proc/{process}/{file}")).unwrap_or_default();
        let holds =
            |bytes: Vec<u8>, what: &str| bytes.split(|b| *b == 0).any(|p| p == what.as_bytes());
        holds(read("cmdline"), "--detached") && holds(read("environ"), &own)
    };
    let entries = fs::read_dir("/proc").unwrap().flatten();
    entries.filter_map(|e| e.file_name().to_str()?.parse().ok()).filter(is_one).collect()
}

#[test]
fn it_ends_when_nobody_asks() {
    let corpus = indexed(2);
    let runtime = Runtime::with_idle("1s");
    runtime.ask(corpus.path(), &["water pump"]);
    until("it ended", || residents(&runtime).is_empty());
    assert!(!runtime.socket().exists());
    assert_eq!(runtime.status(), Value::Null);
}

#[test]
fn in_the_foreground_it_is_the_only_one_and_ends_when_told() {
    let corpus = indexed(2);
    let runtime = Runtime::new();
    let ran = runtime.recall(corpus.path(), &["serve", "--stop"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), "no resident process is running\n"));
    for end in ["stop", "-TERM", "-INT"] {
        let mut foreground = runtime.start(corpus.path(), &["serve"]);
        until("it listens", || runtime.socket().exists());
        runtime.ask(corpus.path(), &["water pump"]);
        assert_eq!(runtime.process(), u64::from(foreground.id()));
        let mode = fs::metadata(runtime.socket()).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let second = runtime.recall(corpus.path(), &["serve"]);
        assert_eq!(second.code, Some(2), "{second:?}");
        assert!(second.stderr.contains("already"), "{second:?}");
        match end {
            "stop" => assert_eq!(runtime.recall(corpus.path(), &["serve", "--stop"]).code, Some(0)),
            signal => send(signal, foreground.id().into()),
        }
        assert_eq!(foreground.wait().unwrap().code(), Some(0), "{end}");
        assert!(!runtime.socket().exists());
    }
}

#[test]
fn a_folder_that_others_can_enter_is_not_used() {
    let corpus = indexed(2);
    let check = |prepare: &dyn Fn(&Path)| {
        let runtime = Runtime::new();
        prepare(&runtime.path().join("recall"));
        let answer = runtime.ask(corpus.path(), &["TICKET-0001"]);
        assert_eq!(ids(&answer)[0], "note-001.md");
        assert!(!runtime.socket().exists());
        let serve = runtime.recall(corpus.path(), &["serve"]);
        assert_eq!(serve.code, Some(2), "{serve:?}");
        assert!(serve.stderr.contains("only you can enter"), "{serve:?}");
    };
    let with_mode = |path: &Path, mode| {
        fs::create_dir(path).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    check(&|path| with_mode(path, 0o750));
    check(&|path| with_mode(path, 0o701));
    check(&|path| fs::write(path, "").unwrap());
    check(&|path| {
        let real = path.with_file_name("real");
        with_mode(&real, 0o700);
        symlink(&real, path).unwrap();
    });
}

#[test]
fn another_build_replaces_it() {
    let corpus = indexed(2);
    let runtime = Runtime::new();
    runtime.ask(corpus.path(), &["water pump"]);
    let old = runtime.process();
    let copy = runtime.path().join("recall-copy");
    fs::copy(env!("CARGO_BIN_EXE_recall"), &copy).unwrap();
    let by_copy = |arguments: &[&str]| {
        let original = runtime.command(corpus.path(), arguments);
        let mut command = Command::new(&copy);
        command.args(arguments).current_dir(corpus.path()).stdin(Stdio::null());
        command.envs(original.get_envs().filter_map(|(name, value)| Some((name, value?))));
        ran(command)
    };
    let status = by_copy(&["serve", "--status"]);
    assert!(status.stderr.contains("another build"), "{status:?}");
    assert_eq!(runtime.process(), old, "to be looked at ends nobody");
    assert_eq!(by_copy(&["query", "TICKET-0001"]).code, Some(0));
    until("the old one is gone", || !residents(&runtime).contains(&old));
    let status: Value =
        serde_json::from_str(&by_copy(&["serve", "--status", "--json"]).stdout).unwrap();
    assert_eq!(status["answered"], 1, "{status}");
    by_copy(&["serve", "--stop"]);
}

#[test]
fn other_surroundings_are_answered_at_home() {
    let corpus = indexed(2);
    let runtime = Runtime::new();
    runtime.ask(corpus.path(), &["water pump"]);
    let mut other = runtime.command(corpus.path(), &["query", "--json", "water pump"]);
    other.env("RECALL_HOME", runtime.path());
    let other: Value = serde_json::from_str(&ran(other).stdout).unwrap();
    assert_eq!(other["mode"], "keyword", "no model is there: {other}");
    assert_eq!(runtime.status()["answered"], 1);
}

#[test]
fn in_a_hurry_words_answer_until_the_model_is_loaded() {
    let corpus = indexed(3);
    let runtime = Runtime::new();
    let cold = runtime.ask(corpus.path(), &["--fast", "TICKET-0001"]);
    assert_eq!(ids(&cold)[0], "note-001.md");
    assert_eq!(cold["mode"], "keyword", "{cold}");
    assert!(cold["degraded"].as_str().unwrap().contains("--fast"), "{cold}");
    until("the model is loaded", || {
        runtime.ask(corpus.path(), &["--fast", "TICKET-0001"])["mode"] == "hybrid"
    });
    let mut alone = command(corpus.path(), &["query", "--fast", "TICKET-0001"]);
    alone.env("RECALL_RESIDENT", "off");
    assert!(ran(alone).stderr.contains("--fast"));
}

#[test]
fn vectors_in_the_background() {
    let corpus = Corpus::notes(40);
    let runtime = Runtime::new();
    let run = runtime.recall(corpus.path(), &["index", ".", "--background", "--json"]);
    let summary: Value = serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{run:?}"));
    assert_eq!((&summary["pending"], &summary["vectors"]), (&40.into(), &0.into()), "{summary}");
    assert!(summary["no_vectors"].as_str().unwrap().contains("recall status"), "{summary}");
    assert_eq!(
        ids(&runtime.ask(corpus.path(), &["--mode", "keyword", "TICKET-0007"]))[0],
        "note-007.md"
    );
    let vectors = || {
        let status = runtime.recall(corpus.path(), &["status", "--json"]);
        serde_json::from_str::<Value>(&status.stdout).unwrap()["vectors"].clone()
    };
    until("all have vectors", || vectors() == 40);
    let answer = runtime.ask(corpus.path(), &["TICKET-0007"]);
    assert_eq!((&answer["mode"], &answer["degraded"]), (&"hybrid".into(), &Value::Null));
    // Without a resident process they are made at once.
    corpus.write("new.md", &note(99, 0));
    good(corpus.path(), &["index", "--background"]);
    assert_eq!(vectors(), 41);
}

#[test]
fn a_run_by_hand_takes_the_background_over() {
    let corpus = Corpus::notes(300);
    let runtime = Runtime::new();
    let run = runtime.recall(corpus.path(), &["index", ".", "--background"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    until("it began", || {
        let status = runtime.status();
        status["jobs"].as_array().is_none_or(|jobs| jobs.is_empty() || jobs[0]["done"] != 0)
    });
    corpus.write("new.md", &note(999, 0));
    // Words only: the background goes on where it was.
    let run = runtime.recall(corpus.path(), &["index", "--keyword-only"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    corpus.write("newer.md", &note(998, 0));
    let run = runtime.recall(corpus.path(), &["index", "--json"]);
    let summary: Value = serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{run:?}"));
    assert_eq!((&summary["chunks"], &summary["vectors"]), (&302.into(), &302.into()), "{summary}");
    assert_eq!(runtime.status()["jobs"], Value::Array(Vec::new()));
    let check = recall(corpus.path(), &["check"]);
    assert_eq!(check.code, Some(0), "{check:?}");
}
