//! Words that look like a credential. What was found is named, never repeated.

use std::sync::LazyLock;

use regex::{Regex, RegexSet};
use serde::Serialize;

/// What a credential looks like it is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum Credential {
    /// The key of a cloud account.
    #[error("a cloud access key")]
    CloudKey,
    /// The token of a service with tokens of a known form.
    #[error("a service token")]
    ServiceToken,
    /// The start of a private key.
    #[error("a private key")]
    PrivateKey,
    /// A signed web token.
    #[error("a signed web token")]
    WebToken,
    /// A name and password inside a web address.
    #[error("a password in an address")]
    Address,
    /// A password, secret or key that is spelt out.
    #[error("a password or secret spelt out")]
    SpeltOut,
}

const FORMS: [(Credential, &str); 6] = [
    (Credential::CloudKey, r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b|\bAIza[0-9A-Za-z_-]{35}\b"),
    (
        Credential::ServiceToken,
        r"\b(?:gh[pousr]_[0-9A-Za-z]{30,}|github_pat_[0-9A-Za-z_]{30,}|glpat-[0-9A-Za-z_-]{20,}|xox[abeoprs]-[0-9A-Za-z-]{10,}|sk-[0-9A-Za-z_-]{20,}|sk_live_[0-9A-Za-z]{16,}|npm_[0-9A-Za-z]{30,}|hf_[0-9A-Za-z]{30,}|SG\.[0-9A-Za-z_-]{20,}\.[0-9A-Za-z_-]{20,})",
    ),
    (Credential::PrivateKey, r"-----BEGIN [A-Z ]*PRIVATE KEY-----"),
    (Credential::WebToken, r"\beyJ[0-9A-Za-z_-]{10,}\.[0-9A-Za-z_-]{10,}\.[0-9A-Za-z_-]{5,}"),
    (Credential::Address, r"\b[a-z][a-z0-9+.-]*://[^\s/:@<>${}]+:[^\s/@<>${}*]{3,}@"),
    (Credential::SpeltOut, r"(?i)\bauthorization:\s*(?:bearer|basic)\s+[0-9A-Za-z._~+/=-]{12,}"),
];

static FORM: LazyLock<RegexSet> = LazyLock::new(|| {
    RegexSet::new(FORMS.map(|(_, form)| form)).expect("the patterns are constant")
});

static ASSIGNED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r#"(?ix)
        (?: pass(?:word|wd|phrase)? | secret | api[\ _-]?key | access[\ _-]?key | auth[\ _-]?token
          | token | pwd | m[ậa]t\ kh[ẩa]u | kh[óo]a\ b[íi]\ m[ậa]t )
        [`"'*_]{0,2} \s* (?: [:=] | \b is \b | \b l[àa] \b ) \s* [`"']{0,2}
        (?<value> [^\s`"',;<>$(){}\[\]]{6,} )"#,
    )
    .expect("the pattern is constant")
});

/// The first thing in `text` that looks like a credential.
pub fn credential_in(text: &str) -> Option<Credential> {
    if let Some(form) = FORM.matches(text).iter().next() {
        return Some(FORMS[form].0);
    }
    let spelt_out = ASSIGNED.captures_iter(text).any(|found| looks_secret(&found["value"]));
    spelt_out.then_some(Credential::SpeltOut)
}

/// A word of a sentence is not a secret; something with a digit in it, or a sign that sentences
/// do not have, may be one. A date, a path and a row of the same character are none.
fn looks_secret(value: &str) -> bool {
    let value = value.trim_end_matches(['.', ':', '!', '?', ')']);
    let letters = value.chars().any(char::is_alphabetic);
    let digits = value.chars().any(|c| c.is_ascii_digit());
    let signs =
        value.chars().any(|c| matches!(c, '!' | '#' | '%' | '&' | '^' | '+' | '=' | '?' | '@'));
    let path = value.contains('/') && !value.contains('=');
    letters && (digits || signs) && !path && value.chars().count() >= 6
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Option<Credential>) {
        assert_eq!(credential_in(text), expected, "{text}");
    }

    #[test]
    fn credentials_are_told_from_talk_about_them() {
        let repeat = |text: &str, times| text.repeat(times);
        check(&format!("key AKIA{}", repeat("A1", 8)), Some(Credential::CloudKey));
        check(&format!("ghp_{}", repeat("a1B", 12)), Some(Credential::ServiceToken));
        check("-----BEGIN OPENSSH PRIVATE KEY-----", Some(Credential::PrivateKey));
        let token = format!("eyJ{0}.{0}.{0}", repeat("ab1", 6));
        check(&token, Some(Credential::WebToken));
        check("postgres://app:hunter2@db/x", Some(Credential::Address));
        check("password: hunter2", Some(Credential::SpeltOut));
        check("The password is `hunter2!`.", Some(Credential::SpeltOut));
        check("Mật khẩu là Sao-Mai-88", Some(Credential::SpeltOut));
        check("API_KEY=abc123def", Some(Credential::SpeltOut));
        for talk in [
            "Passwords are in the vault, never in a file",
            "password: see the vault",
            "token: $DEPLOY_TOKEN",
            "postgres://$USER:$PASS@db/x",
            "api key = <from the vault>",
            "Mật khẩu nằm trong két, không ghi ra đây",
            "the secret is documented in docs/secrets-2026.md",
        ] {
            check(talk, None);
        }
    }
}
