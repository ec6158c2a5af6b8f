//! Shapes of well-known credentials. Pure.
//!
//! Everything here is strict: what it finds is masked in documents, where ordinary prose must stay
//! as it is. To add one is to add a row to the table of shapes.

use std::fmt;
use std::ops::Range;
use std::sync::LazyLock;

use regex::{Captures, Regex};
use serde::{Serialize, Serializer};

/// A kind of credential.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct CredentialKind {
    /// The name in marks, counts and JSON, such as `github-token`.
    pub name: &'static str,
    /// What it is, for a sentence: `a token of GitHub`.
    pub description: &'static str,
}

impl fmt::Display for CredentialKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.description)
    }
}

impl Serialize for CredentialKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name)
    }
}

/// A value behind a name such as `password`: it has no shape of its own.
pub const PASSWORD: CredentialKind =
    CredentialKind { name: "password", description: "a password or secret spelt out" };

/// Something in a text that has the shape of a credential.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Credential {
    /// What it looks like.
    pub kind: CredentialKind,
    /// Where the secret part of it is, in bytes.
    pub range: Range<usize>,
}

const fn shape(
    name: &'static str,
    description: &'static str,
    pattern: &'static str,
) -> (CredentialKind, &'static str) {
    (CredentialKind { name, description }, pattern)
}

/// Each kind and how it looks. If there is a group `secret`, only that is the secret part. Tried
/// in this order, so the more exact come first.
const SHAPES: [(CredentialKind, &str); 17] = [
    shape(
        "private-key",
        "a private key",
        r"-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY(?: BLOCK)?-----|\z)",
    ),
    // Signed tokens have three parts, encrypted ones five.
    shape(
        "jwt",
        "a signed web token",
        r"\beyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]{8,}){1,3}\.[A-Za-z0-9_-]{5,}",
    ),
    shape("aws-key", "a cloud access key", r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b"),
    shape(
        "aws-secret",
        "a secret of a cloud account",
        r#"(?i)\baws_?secret(?:_?access)?_?key["']?\s*[:=]\s*["']?(?P<secret>[A-Za-z0-9/+=]{40})"#,
    ),
    shape(
        "github-token",
        "a token of GitHub",
        r"\b(?:gh[pousr]_[A-Za-z0-9]{30,255}|github_pat_[A-Za-z0-9_]{22,255})\b",
    ),
    shape("gitlab-token", "a token of GitLab", r"\bgl(?:pat|dt|rt|ptt|cbt|oas)-[A-Za-z0-9_-]{20,}"),
    shape(
        "slack-token",
        "a token of Slack",
        r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}|\bxapp-\d-[A-Za-z0-9-]{10,}|https://hooks\.slack\.com/services/(?P<secret>[A-Za-z0-9/]{20,})",
    ),
    shape("anthropic-key", "a key of Anthropic", r"\bsk-ant-[A-Za-z0-9_-]{20,}"),
    shape(
        "openai-key",
        "a key of OpenAI or alike",
        r"\bsk-(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{20,}",
    ),
    shape(
        "google-key",
        "a key of Google",
        r"\bAIza[A-Za-z0-9_-]{35}|\bya29\.[A-Za-z0-9_-]{20,}|\bGOCSPX-[A-Za-z0-9_-]{20,}",
    ),
    shape("stripe-key", "a key of Stripe", r"\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}"),
    shape("npm-token", "a token of npm", r"\bnpm_[A-Za-z0-9]{30,255}\b"),
    shape("hugging-face-token", "a token of Hugging Face", r"\bhf_[A-Za-z0-9]{30,255}\b"),
    shape("sendgrid-key", "a key of SendGrid", r"\bSG\.[A-Za-z0-9_-]{20,}\.[A-Za-z0-9_-]{20,}"),
    shape(
        "url-password",
        "a password in an address",
        r"\b[a-z][a-z0-9+.-]{1,20}://[^\s:/@]{0,100}:(?P<secret>[^\s:/@]{1,200})@",
    ),
    shape(
        "authorization",
        "the value of an authorization header",
        r#"(?i)\bauthorization["']?\s*[:=]\s*["']?(?:bearer|basic|token)\s+(?P<secret>[A-Za-z0-9._~+/=-]{8,})"#,
    ),
    (
        PASSWORD,
        r#"(?i)\b(?:\w*(?:password|passphrase|passwd|pwd|api_?key|access_?key|secret_?key|access_?token|auth_?token|client_?secret))["']?\s*[:=]\s*(?:"(?P<a>[^"\n]{4,})"|'(?P<b>[^'\n]{4,})'|(?P<secret>[^\s"',;&<>\[\]{}()]{4,}))"#,
    ),
];

static PATTERNS: LazyLock<Vec<(CredentialKind, Regex)>> = LazyLock::new(|| {
    let compile = |(kind, pattern)| (kind, Regex::new(pattern).expect("the pattern is constant"));
    SHAPES.map(compile).into()
});

/// What in `text` has the shape of a credential, in order and without overlap.
///
/// ```
/// use recall_sources::credential::find;
///
/// let text = "postgres://app:hunter2@db/x";
/// let found = find(text);
/// assert_eq!((found[0].kind.name, &text[found[0].range.clone()]), ("url-password", "hunter2"));
/// ```
pub fn find(text: &str) -> Vec<Credential> {
    let mut found: Vec<Credential> = Vec::new();
    for (kind, pattern) in PATTERNS.iter() {
        for captures in pattern.captures_iter(text) {
            let range = secret_of(&captures);
            let is_apart = |other: &Credential| {
                range.end <= other.range.start || other.range.end <= range.start
            };
            if found.iter().all(is_apart) {
                found.push(Credential { kind: *kind, range });
            }
        }
    }
    found.sort_unstable_by_key(|credential| credential.range.start);
    found
}

fn secret_of(captures: &Captures<'_>) -> Range<usize> {
    let group = ["secret", "a", "b"].iter().find_map(|name| captures.name(name));
    group.unwrap_or_else(|| captures.get_match()).range()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The kinds and secret parts found in `text`.
    #[track_caller]
    fn check(text: &str, expected: &[(&str, &str)]) {
        let found = find(text);
        let shown: Vec<_> = found.iter().map(|c| (c.kind.name, &text[c.range.clone()])).collect();
        assert_eq!(shown, expected, "{text}");
    }

    /// Put together here, so that no scanner takes this file for a leak.
    fn token(prefix: &str, length: usize) -> String {
        prefix.to_owned() + &"aB3dE5gH7j".repeat(30)[..length]
    }

    #[test]
    fn a_token_is_found_by_its_beginning_and_length() {
        for (prefix, length, name) in [
            ("ghp_", 30, "github-token"),
            ("github_pat_", 22, "github-token"),
            ("glpat-", 20, "gitlab-token"),
            ("xoxb-", 10, "slack-token"),
            ("sk-ant-api03-", 60, "anthropic-key"),
            ("sk-", 20, "openai-key"),
            ("AIza", 35, "google-key"),
            ("ya29.", 20, "google-key"),
            ("sk_live_", 16, "stripe-key"),
            ("rk_test_", 16, "stripe-key"),
            ("npm_", 36, "npm-token"),
            ("hf_", 34, "hugging-face-token"),
        ] {
            let token = token(prefix, length);
            check(&format!("use {token}, soon"), &[(name, &token)]);
            let short = &token[..token.len().min(prefix.len() + 6)];
            check(&format!("use {short}, soon"), &[]);
        }
        let key = format!("{}{}", token("SG.", 22), token(".", 43));
        check(&key, &[("sendgrid-key", &key)]);
        for key in
            ["AKIA", "ASIA", "ABIA", "ACCA"].map(|prefix| format!("{prefix}{}", "A1".repeat(8)))
        {
            check(&format!("key {key}"), &[("aws-key", &key)]);
        }
    }

    #[test]
    fn web_tokens_and_keys_have_several_parts() {
        let part = token("", 12);
        for text in [
            format!("eyJ{part}.eyJ{part}.{part}"),
            format!("eyJ{part}.{part}.{part}"),
            format!("eyJ{part}.{part}.{part}.{part}.{part}"),
        ] {
            check(&text, &[("jwt", &text)]);
        }
        check("eyJ is how they begin. So what.", &[]);
        let key = format!("-----BEGIN PGP {} KEY BLOCK-----\nabc", "PRIVATE");
        check(&key, &[("private-key", &key)]);
    }

    #[test]
    fn a_value_behind_a_name_or_in_an_address() {
        check("password=hunter22 next", &[("password", "hunter22")]);
        check("passphrase: 'two words'", &[("password", "two words")]);
        check("access_key = abcd1234", &[("password", "abcd1234")]);
        check("postgres://app:hunter2@db/x", &[("url-password", "hunter2")]);
        check("redis://:hunter2@db", &[("url-password", "hunter2")]);
        check("Authorization: Bearer abcdefgh.1", &[("authorization", "abcdefgh.1")]);
        for talk in [
            "the password is in the vault",
            "password policy: none",
            "https://example.com/a:b@c",
            "http://user@host/path",
            "Authorization header",
            "npm_config_registry and hf_transfer are names",
            "mật khẩu: không ghi ra đây",
            "the token: read it from the vault",
        ] {
            check(talk, &[]);
        }
    }
}
