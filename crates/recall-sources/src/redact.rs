//! Masks credentials of well-known shapes.

use std::sync::LazyLock;

use regex::{Captures, Regex};

use crate::document::{Document, Message};

/// Each shape: the name in the mark, and how it looks. If there is a group `secret`, only that
/// is masked. Tried in this order, so the more exact come first.
const SHAPES: [(&str, &str); 14] = [
    (
        "private-key",
        r"-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY(?: BLOCK)?-----|\z)",
    ),
    ("jwt", r"\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}"),
    ("aws-key", r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b"),
    (
        "aws-secret",
        r#"(?i)\baws_?secret(?:_?access)?_?key["']?\s*[:=]\s*["']?(?P<secret>[A-Za-z0-9/+=]{40})"#,
    ),
    ("github-token", r"\b(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{22,255})\b"),
    ("gitlab-token", r"\bgl(?:pat|dt|rt|ptt|cbt|oas)-[A-Za-z0-9_-]{20,}"),
    (
        "slack-token",
        r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}|\bxapp-\d-[A-Za-z0-9-]{10,}|https://hooks\.slack\.com/services/(?P<secret>[A-Za-z0-9/]{20,})",
    ),
    ("anthropic-key", r"\bsk-ant-[A-Za-z0-9_-]{20,}"),
    ("openai-key", r"\bsk-(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{20,}"),
    (
        "google-key",
        r"\bAIza[A-Za-z0-9_-]{35}|\bya29\.[A-Za-z0-9_-]{20,}|\bGOCSPX-[A-Za-z0-9_-]{20,}",
    ),
    ("stripe-key", r"\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}"),
    ("url-password", r"\b[a-z][a-z0-9+.-]{1,20}://[^\s:/@]{0,100}:(?P<secret>[^\s:/@]{1,200})@"),
    (
        "authorization",
        r#"(?i)\bauthorization["']?\s*[:=]\s*["']?(?:bearer|basic|token)\s+(?P<secret>[A-Za-z0-9._~+/=-]{8,})"#,
    ),
    (
        "password",
        r#"(?i)\b(?:\w*(?:password|passwd|pwd|api_?key|secret_?key|access_?token|auth_?token|client_?secret))["']?\s*[:=]\s*(?:"(?P<a>[^"\n]{4,})"|'(?P<b>[^'\n]{4,})'|(?P<secret>[^\s"',;&<>\[\]{}()]{4,}))"#,
    ),
];

static PATTERNS: LazyLock<Vec<(&str, Regex)>> = LazyLock::new(|| {
    let compile = |(kind, pattern): &(&'static str, &str)| {
        (*kind, Regex::new(pattern).expect("a test compiles every shape"))
    };
    SHAPES.iter().map(compile).collect()
});

/// A masked stretch: `start..end` of the text becomes `[redacted:kind]`.
struct Mask {
    start: usize,
    end: usize,
    kind: &'static str,
}

/// Masks what looks like a credential in the text, the title, the link and the metadata, keeps the
/// byte ranges of the messages right, and gives the kind of each that was found, with 1.
pub fn document(document: &mut Document) -> Vec<(&'static str, u64)> {
    let masks = find(&document.text);
    let mut kinds: Vec<&'static str> = masks.iter().map(|mask| mask.kind).collect();
    if !masks.is_empty() {
        for message in &mut document.messages {
            shift(message, &masks);
        }
        document.text = apply(&document.text, &masks);
    }
    let others = std::iter::once(&mut document.title).chain(document.metadata.values_mut());
    for text in others.chain(&mut document.url) {
        let masks = find(text);
        if !masks.is_empty() {
            *text = apply(text, &masks);
            kinds.extend(masks.iter().map(|mask| mask.kind));
        }
    }
    kinds.into_iter().map(|kind| (kind, 1)).collect()
}

/// What to mask in `text`, in order and without overlap.
fn find(text: &str) -> Vec<Mask> {
    let mut masks: Vec<Mask> = Vec::new();
    for (kind, pattern) in PATTERNS.iter() {
        for captures in pattern.captures_iter(text) {
            let (start, end) = secret_of(&captures);
            let is_new = masks.iter().all(|mask| end <= mask.start || mask.end <= start);
            if is_new && !text[start..end].starts_with("[redacted:") {
                masks.push(Mask { start, end, kind });
            }
        }
    }
    masks.sort_unstable_by_key(|mask| mask.start);
    masks
}

fn secret_of(captures: &Captures<'_>) -> (usize, usize) {
    let group = ["secret", "a", "b"].iter().find_map(|name| captures.name(name));
    let found = group.unwrap_or_else(|| captures.get_match());
    (found.start(), found.end())
}

fn mark(kind: &str) -> String {
    format!("[redacted:{kind}]")
}

fn apply(text: &str, masks: &[Mask]) -> String {
    let mut masked = String::with_capacity(text.len());
    let mut from = 0;
    for mask in masks {
        masked.push_str(&text[from..mask.start]);
        masked.push_str(&mark(mask.kind));
        from = mask.end;
    }
    masked + &text[from..]
}

fn shift(message: &mut Message, masks: &[Mask]) {
    message.start = moved(message.start, masks, false);
    message.end = moved(message.end, masks, true);
}

/// Where `position` is after masking. In the middle of a mask it is the mark's end if it `ends`
/// something, else its start.
fn moved(position: usize, masks: &[Mask], ends: bool) -> usize {
    let mut shift = 0_isize;
    for mask in masks.iter().take_while(|mask| mask.start < position) {
        let grown = mark(mask.kind).len();
        if position < mask.end {
            let place = mask.start.saturating_add_signed(shift);
            return if ends { place + grown } else { place };
        }
        shift += grown as isize - (mask.end - mask.start) as isize;
    }
    position.saturating_add_signed(shift)
}
