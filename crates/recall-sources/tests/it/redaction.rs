use recall_sources::ReadOptions;

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
