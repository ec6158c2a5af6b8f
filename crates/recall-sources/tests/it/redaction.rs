use proptest::prelude::*;
use recall_sources::{Document, Kind, Message, ReadOptions, redact};

use crate::show::read;

/// What a note with this text says after masking.
#[track_caller]
fn check(cases: &[(&str, &str)]) {
    let options = ReadOptions { redact: true, ..ReadOptions::default() };
    for (text, expected) in cases {
        let outcome = read("a.txt", text.as_bytes(), &options);
        assert_eq!(outcome.documents[0].text, *expected);
        let reading = outcome.end.expect("it is read");
        let masked: u64 = reading.redacted.values().sum();
        assert_eq!(masked as usize, expected.matches("[redacted:").count(), "{text}");
    }
}

/// Put together here, so that no scanner takes this file for a leak.
fn token(prefix: &str, length: usize) -> String {
    prefix.to_owned() + &"aB3dE5gH7j".repeat(30)[..length]
}

#[test]
fn well_known_shapes() {
    for (prefix, length, kind) in [
        ("ghp_", 36, "github-token"),
        ("github_pat_", 40, "github-token"),
        ("glpat-", 20, "gitlab-token"),
        ("xoxb-", 30, "slack-token"),
        ("sk-ant-api03-", 60, "anthropic-key"),
        ("sk-proj-", 48, "openai-key"),
        ("AIza", 35, "google-key"),
        ("sk_live_", 24, "stripe-key"),
    ] {
        let text = format!("use {} here", token(prefix, length));
        check(&[(&text, &format!("use [redacted:{kind}] here"))]);
    }
    let aws = format!("AKIA{} ok", "ABCDEFGHIJKLMNOP");
    let jwt = format!("eyJ{}.eyJ{}.{}", token("", 20), token("", 20), token("", 20));
    let key = format!(
        "-----BEGIN RSA {0} KEY-----\nMII\nabc\n-----END RSA {0} KEY-----\nafter",
        "PRIVATE"
    );
    check(&[
        (&aws, "[redacted:aws-key] ok"),
        (&jwt, "[redacted:jwt]"),
        (&key, "[redacted:private-key]\nafter"),
    ]);
}

#[test]
fn values_after_names() {
    check(&[
        ("password=hunter22 next", "password=[redacted:password] next"),
        ("DB_PASSWORD: \"two words\"", "DB_PASSWORD: \"[redacted:password]\""),
        ("api_key = 'abc-def-1'", "api_key = '[redacted:password]'"),
        ("Authorization: Bearer abcdefgh.1234", "Authorization: Bearer [redacted:authorization]"),
        ("postgres://app:s3cret@db:5432/x", "postgres://app:[redacted:url-password]@db:5432/x"),
    ]);
}

#[test]
fn what_is_no_secret_stays() {
    let innocent = [
        "the password is in the vault",
        "password policy: none",
        "https://example.com/a:b@c",
        "sk-short",
        "commit 9f3c1ab0123456789012345678901234567890ab",
        "http://user@host/path",
        "Authorization header",
    ];
    for text in innocent {
        check(&[(text, text)]);
    }
}

#[test]
fn only_when_asked_and_everywhere() {
    let record = br#"{"id":1,"title":"password=hunter22","text":"x","env":"token","note2":"api_key=abcdefg"}"#;
    let plain = read("a.jsonl", record, &ReadOptions::default());
    assert_eq!(plain.documents[0].title, "password=hunter22");
    let options = ReadOptions { redact: true, ..ReadOptions::default() };
    let masked = read("a.jsonl", record, &options);
    assert_eq!(masked.documents[0].title, "password=[redacted:password]");
    assert_eq!(masked.documents[0].metadata["note2"], "api_key=[redacted:password]");
    assert_eq!(masked.end.expect("read").redacted["password"], 2);
}

/// A chat of these messages, one a line.
fn chat(texts: &[String]) -> Document {
    let mut document = Document::new("chat.json", "1", Kind::Chat, String::new());
    for text in texts {
        let start = document.text.len();
        document.text.push_str(text);
        let end = document.text.len();
        document.text.push('\n');
        let (id, author, url) = (String::new(), String::new(), String::new());
        document.messages.push(Message { id, author, date: None, start, end, tool: false, url });
    }
    document
}

fn messages(document: &Document) -> Vec<&str> {
    document.messages.iter().map(|message| &document.text[message.start..message.end]).collect()
}

#[test]
fn messages_keep_their_ranges() {
    let mut document = chat(&[
        "hi".into(),
        "password=hunter22 and token=x, api_key=abcdefg".into(),
        "-----BEGIN PRIVATE KEY-----".into(),
        "the key goes on".into(),
        "bye".into(),
    ]);
    redact::document(&mut document);
    let masked = "password=[redacted:password] and token=x, api_key=[redacted:password]";
    // The key has no end: all that follows is taken for it, and no message points beyond it.
    assert_eq!(messages(&document)[..3], ["hi", masked, "[redacted:private-key]"]);
    assert!(document.text.ends_with("\n[redacted:private-key]"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn each_message_is_masked_as_if_alone(
        texts in prop::collection::vec("(é|x | password=[a-z]{4,8} |user:[a-z]{3}@| AKIA[A-Z]{16} ){0,5}", 1..6)
    ) {
        let mut together = chat(&texts);
        redact::document(&mut together);
        let alone: Vec<String> = texts.iter().map(|text| {
            let mut document = Document::new("a", "a", Kind::Note, text.clone());
            redact::document(&mut document);
            document.text
        }).collect();
        prop_assert_eq!(messages(&together), alone);
    }
}
