//! Conversations with assistants and agents.

use std::io::{Cursor, Write};

use recall_sources::ReadOptions;
use zip::write::SimpleFileOptions;

use crate::chat_show::{fixtures, lines, talk};
use crate::show::read;

#[test]
fn a_claude_code_session_that_still_runs() {
    insta::assert_snapshot!(talk("claude-code.jsonl"), @r#"
    # 5e55-10n transcript claude-code:oven "The fan of oven 3" from=2025-02-03T08:00:00+00:00 to=2025-02-03T08:00:09+00:00 by=user|assistant @3-13 branch="fan" folder="/home/mai/oven" session="5e55-10n"
      u0 2025-02-03T08:00:00+00:00 tool "user: Caveat: local commands"
      u1 2025-02-03T08:00:01+00:00 "user: why is oven 3 too hot?"
      a1 2025-02-03T08:00:02+00:00 "assistant: (thinking) the fan\nLet me look.\n[Bash] cat fan.toml\n[Bash] cd /x && recall query 'oven fan'"
      u2 2025-02-03T08:00:03+00:00 tool "Bash: min = 900"
      u2 2025-02-03T08:00:03+00:00 tool "Bash: (an answer of recall, not indexed again)"
      a2 2025-02-03T08:00:05+00:00 "assistant: [mcp__recall__query] fan"
      u3 2025-02-03T08:00:06+00:00 tool "mcp__recall__query: (an answer of recall, not indexed again)"
      u3 2025-02-03T08:00:06+00:00 "user: [Request interrupted]\n[image]"
      a3 2025-02-03T08:00:07+00:00 "assistant: Set OVEN_FAN_MIN=1400."
      q1 2025-02-03T08:00:09+00:00 "user: and log it"
    # 5e55-10n/s1 transcript claude-code:oven "I am the agent of an older file" from=2025-02-03T08:00:04+00:00 to=2025-02-03T08:00:04+00:00 by=assistant @7-7 agent="s1" branch="fan" folder="/home/mai/oven" session="5e55-10n"
      s1 2025-02-03T08:00:04+00:00 "assistant: I am the agent of an older file"
    ! claude-code.jsonl:16: cut: the line ends in the middle
    = claude-code, 11 messages
    "#);
}

#[test]
fn documents_in_messages_and_dates_of_whole_conversations() {
    let check =
        |name: &str, text: &str| lines(&read(name, text.as_bytes(), &ReadOptions::default()));
    let code = r#"{"type":"user","sessionId":"s","uuid":"u","message":{"role":"user","content":[{"type":"document","title":"fan.txt","source":{"type":"text","data":"min = 900"}},{"type":"document","source":{"type":"base64","data":"AAAA"}}]}}"#;
    insta::assert_snapshot!(check("s.jsonl", code), @r#"
    # s transcript claude-code:unknown "[document: fan.txt]" by=user @1-1 session="s"
      u "user: [document: fan.txt]\nmin = 900\n[document]"
    = claude-code, 1 messages
    "#);
    let gpt = r#"[{"title":"T","create_time":1738566000,"update_time":1738566060,"id":"c","mapping":{"a":{"parent":null,"children":[],"message":{"author":{"role":"user"},"create_time":null,"content":{"content_type":"text","parts":["x"]}}}}}]"#;
    insta::assert_snapshot!(check("conversations.json", gpt), @r#"
    # c transcript chatgpt "T" from=2025-02-03T07:00:00+00:00 to=2025-02-03T07:01:00+00:00 by=user @1-1 https://chatgpt.com/c/c
      a "user: x"
    = chatgpt, 1 messages
    "#);
    let claude = r#"[{"uuid":"c","name":"T","created_at":"2025-02-03T08:00:00Z","updated_at":"2025-02-03T09:00:00Z","chat_messages":[{"uuid":"m","sender":"human","text":"x"}]}]"#;
    insta::assert_snapshot!(check("conversations.json", claude), @r#"
    # c transcript claude-ai "T" from=2025-02-03T08:00:00+00:00 to=2025-02-03T09:00:00+00:00 by=user @1-1 https://claude.ai/chat/c
      m "user: x"
    = claude-ai, 1 messages
    "#);
}

#[test]
fn an_agent_of_claude_code() {
    insta::assert_snapshot!(talk("claude-code-agent.jsonl"), @r#"
    # 5e55-10n/agent-ab12 transcript claude-code:oven "Find the fan settings" by=user|assistant @1-2 agent="agent-ab12" branch="fan" folder="/home/mai/oven" session="5e55-10n"
      g1 "user: Find the fan settings"
      g2 "assistant: fan.toml has OVEN_FAN_MIN=1400"
    = claude-code, 2 messages
    "#);
}

#[test]
fn a_codex_session() {
    insta::assert_snapshot!(talk("codex.jsonl"), @r#"
    # 0199-c0de transcript codex:oven "why is oven 3 too hot?" from=2025-02-03T08:00:01+00:00 to=2025-02-03T08:00:11+00:00 by=user|assistant @2-14 branch="fan" folder="/home/mai/oven" session="0199-c0de"
      2025-02-03T08:00:01+00:00 tool "developer: be brief"
      2025-02-03T08:00:01+00:00 tool "user: <environment_context>\n<cwd>/x</cwd>"
      2025-02-03T08:00:02+00:00 "user: why is oven 3 too hot?\n[image]"
      2025-02-03T08:00:03+00:00 "assistant: (thinking) the fan"
      c1 2025-02-03T08:00:04+00:00 "assistant: [shell] bash -lc cat fan.toml"
      c1 2025-02-03T08:00:05+00:00 tool "shell: min = 900"
      c2 2025-02-03T08:00:06+00:00 "assistant: [exec_command] recall query fan"
      c2 2025-02-03T08:00:07+00:00 tool "exec_command: (an answer of recall, not indexed again)"
      c3 2025-02-03T08:00:08+00:00 "assistant: [apply_patch] *** Begin Patch\n+OVEN_FAN_MIN=1400"
      c3 2025-02-03T08:00:09+00:00 tool "apply_patch: done"
      ~ "so far: the fan"
      2025-02-03T08:00:11+00:00 "assistant: Set it to 1400."
    = codex, 11 messages
    "#);
}

#[test]
fn an_old_codex_session() {
    insta::assert_snapshot!(talk("rollout-2025-02-03-old.jsonl"), @r#"
    # old-1 transcript codex:unknown "why is oven 3 too hot?" by=user|assistant @3-5 branch="fan" session="old-1"
      "user: why is oven 3 too hot?"
      k "assistant: [local_shell_call] cat fan.toml"
      k tool "local_shell_call: OVEN_FAN_MIN=1400"
    = codex, 3 messages
    "#);
}

#[test]
fn chatgpt_conversations() {
    insta::assert_snapshot!(talk("chatgpt.json"), @r#"
    # 6a-1 transcript chatgpt "Oven 3" from=2025-02-03T07:00:00+00:00 to=2025-02-03T07:00:07+00:00 by=user|assistant @2-251 https://chatgpt.com/c/6a-1 model="gpt-x"
      u1 2025-02-03T07:00:00+00:00 "user: why is oven 3 too hot?"
      a2 "assistant: The fan is slow , set OVEN_FAN_MIN=1400."
      u2 2025-02-03T07:00:02+00:00 "user: [image]\nảnh đây\nspoken words\n[file: fan.csv]"
      c1 2025-02-03T07:00:03+00:00 "assistant: ```python\nprint(1)\n```"
      x1 2025-02-03T07:00:04+00:00 tool "python: 1"
      th 2025-02-03T07:00:05+00:00 "assistant: (thinking) Fan think"
      q 2025-02-03T07:00:06+00:00 tool "browser: Kiln\nhttps://kiln.example\nquoted"
      a3 2025-02-03T07:00:07+00:00 "assistant: done"
    # 6a-2 transcript chatgpt "no current node" from=2025-02-03T07:00:00+00:00 to=2025-02-03T07:00:02+00:00 by=user|assistant @252-329 https://chatgpt.com/c/6a-2
      u 2025-02-03T07:00:00+00:00 "user: no current node"
      b2 2025-02-03T07:00:02+00:00 "assistant: newer"
    # chatgpt.json#3 transcript chatgpt "loop" by=user @330-362
      n "user: in a loop"
    ! chatgpt.json:363: empty
    ! chatgpt.json:376: malformed: a conversation without messages
    ! chatgpt.json:379: malformed: a conversation without messages
    = chatgpt, 11 messages
    "#);
}

#[test]
fn claude_ai_conversations() {
    insta::assert_snapshot!(talk("claude-ai.json"), @r#"
    # 7b-1 transcript claude-ai "Oven 3" from=2025-02-03T08:00:00+01:00 to=2025-02-03T08:00:00+01:00 by=user|assistant @2-69 https://claude.ai/chat/7b-1
      m1 2025-02-03T08:00:00+01:00 "user: see the log\n[file: oven.log]\nover temperature: 291 °C\n[file: fan.png]"
      m2 "assistant: (thinking) the fan\n[web_search] oven fan\nSet OVEN_FAN_MIN=1400."
      ~ "(output of web_search) fans blow"
    # 7b-2 transcript claude-ai "plain old text" from=2025-02-03T08:00:00+00:00 to=2025-02-03T08:00:00+00:00 by=user|assistant @70-94 https://claude.ai/chat/7b-2
      b1 2025-02-03T08:00:00+00:00 "user: plain old text"
      b3 "assistant: current"
    ! claude-ai.json:95: empty
    ! claude-ai.json:100: empty
    = claude-ai, 4 messages
    "#);
}

/// A session in which an agent runs `command` and gets an answer.
fn session(command: &str) -> String {
    let call = serde_json::json!({"sessionId": "s", "type": "assistant", "uuid": "a", "message":
        {"content": [{"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": command}}]}});
    let answer = serde_json::json!({"sessionId": "s", "type": "user", "uuid": "b", "message":
        {"content": [{"type": "tool_result", "tool_use_id": "t", "content": "the answer"}]}});
    format!("{call}\n{answer}\n")
}

#[test]
fn only_answers_of_recall_are_left_out() {
    let check = |command: &str, is_own: bool| {
        let outcome = read("s.jsonl", session(command).as_bytes(), &ReadOptions::default());
        let text = &outcome.documents[0].text;
        assert_eq!(text.contains("an answer of recall"), is_own, "{command}: {text}");
        assert_eq!(text.contains("the answer"), !is_own, "{command}: {text}");
    };
    check("recall query 'oven fan'", true);
    check("cd /x && recall -q search fan", true);
    check("RECALL_INDEX=/i /usr/local/bin/recall --json get OVEN-3", true);
    check("bash -lc \"recall query fan\"", true);
    check("out=$(recall query fan)", true);
    check("echo recall query fan", false);
    check("git commit -m 'fix recall query'", false);
    check("total-recall query fan", false);
    check("grep -r recall query.rs", false);
    check("recall index .", false);
}

#[test]
fn a_very_long_session_comes_in_parts() {
    let words = "word ".repeat(100_000);
    let line = |number: usize| {
        format!(
            r#"{{"sessionId":"s","type":"user","uuid":"{number}","message":{{"content":"{words}"}}}}"#
        )
    };
    let text: String = (0..20).map(|number| format!("{}\n", line(number))).collect();
    let outcome = read("s.jsonl", text.as_bytes(), &ReadOptions::default());
    let parts: Vec<_> =
        outcome.documents.iter().map(|d| (d.id.as_str(), d.messages.len())).collect();
    assert_eq!(parts, [("s", 9), ("s#part2", 9), ("s#part3", 2)]);
}

#[test]
fn the_zip_of_an_assistant_gives_its_conversations_once() {
    let conversations = std::fs::read(fixtures().join("chatgpt.json")).expect("a fixture");
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let files: [(&str, &[u8]); 3] = [
        ("chat.html", b"<html>why is oven 3 too hot?</html>"),
        ("conversations.json", &conversations),
        ("user.json", b"{\"email\":\"mai@kiln.example\"}"),
    ];
    for (name, bytes) in files {
        zip.start_file(name, SimpleFileOptions::default()).expect("a file begins");
        zip.write_all(bytes).expect("memory takes it");
    }
    let bytes = zip.finish().expect("memory takes it").into_inner();
    let outcome = read("export.zip", &bytes, &ReadOptions::default());
    assert_eq!(outcome.end.expect("it is read").format.name(), "assistant-export");
    let ids: Vec<_> = outcome.documents.iter().map(|document| document.id.as_str()).collect();
    assert_eq!(ids, ["6a-1", "6a-2", "export.zip/conversations.json#3"]);
    let has_place = |document: &recall_sources::Document| document.span.is_some();
    assert!(!outcome.documents.iter().any(has_place), "places in a zip are no places of its file");
}

#[test]
fn other_json_is_no_transcript() {
    let check = |name: &str, text: &str, expected: &str| {
        let outcome = read(name, text.as_bytes(), &ReadOptions::default());
        assert_eq!(outcome.end.expect("it is read").format.name(), expected, "{text}");
    };
    check("a.json", r#"[{"id":1,"text":"x","type":"note","ts":"1"}]"#, "json");
    check("a.json", r#"{"messages":[{"role":"user","content":"some words"}]}"#, "json");
    check("a.json", r#"{"mapping":{"properties":{"text":{"type":"keyword"}}}}"#, "json");
    check("a.json", r#"[{"uuid":"1","text":"some words"}]"#, "json");
    check("a.json", r#"{"participants":["a"],"messages":["some words"]}"#, "json");
    check("a.jsonl", r#"{"type":"post","id":1,"text":"some words"}"#, "jsonl");
    check(
        "a.jsonl",
        r#"{"id":1,"text":"{\"sessionId\":\"s\",\"parentUuid\":1,\"type\":1}"}"#,
        "jsonl",
    );
}
