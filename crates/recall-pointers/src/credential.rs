//! Whether a line gives a credential away. What was found is named, never repeated.
//!
//! The shapes of credentials are those that `recall-sources` masks. A page that people write is
//! held to more: a password in a plain sentence is found too, by words in English and Vietnamese.

use std::sync::LazyLock;

use recall_sources::credential::{self, Credential, CredentialKind, PASSWORD};
use regex::Regex;

/// A password in a sentence: `the password is …`, `mật khẩu là …`. Too loose to mask text by.
static SPELT_OUT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r#"(?ix)
        (?: pass(?:word|wd|phrase)? | secret | api[\ _-]?key | access[\ _-]?key | auth[\ _-]?token
          | token | pwd | m[ậa]t\ kh[ẩa]u | kh[óo]a\ b[íi]\ m[ậa]t )
        [`"'*_]{0,2} \s* (?: [:=] | \b is \b | \b l[àa] \b ) \s* [`"']{0,2}
        (?<value> [^\s`"',;<>$(){}\[\]]{6,} )"#,
    )
    .expect("the pattern is constant")
});

/// The first kind of credential that `text` seems to hold.
pub fn credential_in(text: &str) -> Option<CredentialKind> {
    let found = credential::find(text).into_iter().find(|found| is_given_away(text, found));
    let is_spelt_out = || SPELT_OUT.captures_iter(text).any(|found| looks_secret(&found["value"]));
    found.map(|found| found.kind).or_else(|| is_spelt_out().then_some(PASSWORD))
}

/// Whether what has the shape of a credential is one, not a variable or blank for it. What
/// stands behind the word `password` may also be a word of a sentence.
fn is_given_away(text: &str, found: &Credential) -> bool {
    let secret = &text[found.range.clone()];
    !is_placeholder(secret) && (found.kind != PASSWORD || looks_secret(secret))
}

/// `$PASS`, `<password>`, `{{ pass }}`, `%PASS%`, `****`.
fn is_placeholder(secret: &str) -> bool {
    secret.starts_with(['$', '<', '{', '%']) || secret.chars().all(|c| c == '*')
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

    #[track_caller]
    fn check(text: &str, expected: Option<&str>) {
        assert_eq!(credential_in(text).map(|kind| kind.name), expected, "{text}");
    }

    #[test]
    fn credentials_are_told_from_talk_about_them() {
        let repeat = |text: &str, times| text.repeat(times);
        check(&format!("key AKIA{}", repeat("A1", 8)), Some("aws-key"));
        check(&format!("ghp_{}", repeat("a1B", 12)), Some("github-token"));
        check(&format!("npm_{}", repeat("a1B", 12)), Some("npm-token"));
        check(&format!("gldt-{}", repeat("a1B", 12)), Some("gitlab-token"));
        check("-----BEGIN OPENSSH PRIVATE KEY-----", Some("private-key"));
        check("-----BEGIN PGP PRIVATE KEY BLOCK-----", Some("private-key"));
        let token = format!("eyJ{0}.{0}.{0}", repeat("ab1", 6));
        check(&token, Some("jwt"));
        check("postgres://app:hunter2@db/x", Some("url-password"));
        check("redis://:p$ss@db", Some("url-password"));
        check("Authorization: token abcdef.12345", Some("authorization"));
        check("password: hunter2", Some("password"));
        check("DB_PASSWORD: \"two words 1\"", Some("password"));
        check("The password is `hunter2!`.", Some("password"));
        check("Mật khẩu là Sao-Mai-88", Some("password"));
        check("API_KEY=abc123def", Some("password"));
        for talk in [
            "Passwords are in the vault, never in a file",
            "password: see the vault",
            "password: required",
            "DB_PASSWORD=$DB_PASSWORD_2",
            "token: $DEPLOY_TOKEN",
            "postgres://$USER:$PASS@db/x",
            "postgres://app:<password>@db/x",
            "postgres://app:****@db/x",
            "api key = <from the vault>",
            "Mật khẩu nằm trong két, không ghi ra đây",
            "the secret is documented in docs/secrets-2026.md",
        ] {
            check(talk, None);
        }
    }
}
