//! Parses a question: plain words, phrases and conditions. No punctuation can make it fail. Pure.
//!
//! Recognised besides plain words:  `"a phrase"` and `+word` (must be there), `-word` (must not),
//! and the filters `since: until: source: author: kind: tag: path:`. Text that only looks like one
//! of these (`--no-verify`, `error: …`, a lone quote) is plain text.

/// A parsed question.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Question {
    /// The words to look for, those of phrases included.
    pub text: String,
    /// Words and phrases that are required.
    pub must: Vec<String>,
    /// Words and phrases that are excluded.
    pub not: Vec<String>,
    /// Filters: (name, value).
    pub filters: Vec<(String, String)>,
    /// The token or phrase that is the whole question, which is then meant exactly.
    pub exact: Option<String>,
}

/// Names of filters that a question may hold.
pub const FILTERS: [&str; 7] = ["since", "until", "source", "author", "kind", "tag", "path"];

/// Longer questions are truncated to this many characters: no model reads more, and no index should
/// be searched for more terms.
const CHARS_MAX: usize = 4000;

/// One piece of a question: a word, a phrase or a condition.
struct Piece<'a> {
    sign: Option<char>,
    name: Option<&'a str>,
    text: &'a str,
    quoted: bool,
}

/// Parses a question. `is_valid` says whether a filter's value can be used; a filter whose value
/// cannot stays plain text.
pub fn parse(question: &str, is_valid: &dyn Fn(&str, &str) -> bool) -> Question {
    let question: String =
        question.chars().map(|c| if c.is_control() { ' ' } else { c }).take(CHARS_MAX).collect();
    let pieces = pieces(&question);
    let mut out = Question::default();
    let mut words: Vec<&str> = Vec::new();
    let plain = pieces.iter().filter(|p| p.sign.is_none() && p.name.is_none()).count();
    for piece in &pieces {
        match (piece.sign, piece.name) {
            (_, Some(name)) if is_valid(name, piece.text) => {
                out.filters.push((name.to_owned(), piece.text.to_owned()));
            }
            (Some('-'), None) if plain > 0 => out.not.push(piece.text.to_owned()),
            (Some('+'), None) => {
                out.must.push(piece.text.to_owned());
                words.push(piece.text);
            }
            _ => {
                if piece.quoted {
                    out.must.push(piece.text.to_owned());
                }
                words.push(whole(&question, piece));
            }
        }
    }
    out.text = words.join(" ");
    out.exact = exact(&pieces, &out);
    out
}

/// Returns the piece as typed, when its sign or name turned out to be plain text.
fn whole<'a>(question: &'a str, piece: &Piece<'a>) -> &'a str {
    let start = piece.text.as_ptr() as usize - question.as_ptr() as usize;
    let before = piece.sign.map_or(0, char::len_utf8) + piece.name.map_or(0, |name| name.len() + 1);
    let quote = usize::from(piece.quoted && before > 0);
    question.get(start - before - quote..start + piece.text.len()).unwrap_or(piece.text)
}

fn exact(pieces: &[Piece<'_>], question: &Question) -> Option<String> {
    let plain = pieces.len() - question.filters.len() == 1 && question.not.is_empty();
    let text = question.text.trim();
    let one = !text.is_empty() && (pieces.iter().any(|p| p.quoted) || !text.contains(' '));
    (plain && one).then(|| text.to_owned())
}

fn pieces(question: &str) -> Vec<Piece<'_>> {
    let mut out = Vec::new();
    let mut rest = question.trim_start();
    while !rest.is_empty() {
        let (piece, tail) = piece(rest);
        out.extend(piece);
        rest = tail.trim_start();
    }
    out
}

/// Splits off the first piece of `text`, which must not begin with a space, and returns it with the
/// rest.
fn piece(text: &str) -> (Option<Piece<'_>>, &str) {
    let (sign, after_sign) = signed(text);
    let (name, body) = named(after_sign);
    if let Some(inner) = body.strip_prefix('"')
        && let Some(end) = inner.find('"')
    {
        let quoted = inner[..end].trim();
        let piece = Piece { sign, name, text: quoted, quoted: true };
        return ((!quoted.is_empty()).then_some(piece), &inner[end + 1..]);
    }
    let end = body.find(char::is_whitespace).unwrap_or(body.len());
    let word = body[..end].trim_matches('"');
    let piece = Piece { sign, name, text: word, quoted: false };
    ((!word.is_empty()).then_some(piece), &body[end..])
}

/// Splits off a leading sign. It counts only before a word of two letters or more, or a quote: `-v`
/// and `--flag` are names.
fn signed(text: &str) -> (Option<char>, &str) {
    let mut chars = text.chars();
    let Some(sign @ ('+' | '-')) = chars.next() else { return (None, text) };
    let rest = chars.as_str();
    let word = rest.find(char::is_whitespace).map_or(rest, |end| &rest[..end]);
    let letters =
        word.chars().next().is_some_and(char::is_alphabetic) && word.chars().nth(1).is_some();
    let quoted = rest.starts_with('"') && rest[1..].contains('"');
    if letters || quoted { (Some(sign), rest) } else { (None, text) }
}

fn named(text: &str) -> (Option<&str>, &str) {
    let Some((name, rest)) = text.split_once(':') else { return (None, text) };
    let known = FILTERS.contains(&name) && rest.chars().next().is_some_and(|c| !c.is_whitespace());
    if known { (Some(name), rest) } else { (None, text) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[track_caller]
    fn check(question: &str, expected: &str) {
        let q = parse(question, &|name, value| name != "kind" || value == "ticket");
        let got = format!(
            "{:?} must{:?} not{:?} {:?} exact{:?}",
            q.text, q.must, q.not, q.filters, q.exact
        );
        assert_eq!(got, expected, "{question}");
    }

    #[test]
    fn words_phrases_signs_and_filters() {
        check("disk full", r#""disk full" must[] not[] [] exactNone"#);
        check("nginx", r#""nginx" must[] not[] [] exactSome("nginx")"#);
        check(
            r#""disk is full""#,
            r#""disk is full" must["disk is full"] not[] [] exactSome("disk is full")"#,
        );
        check("deploy -staging +prod", r#""deploy prod" must["prod"] not["staging"] [] exactNone"#);
        check("slow kind:ticket", r#""slow" must[] not[] [("kind", "ticket")] exactSome("slow")"#);
        check(
            r#"slow author:"an nguyen""#,
            r#""slow" must[] not[] [("author", "an nguyen")] exactSome("slow")"#,
        );
    }

    #[test]
    fn what_only_looks_like_syntax_is_text() {
        check("--no-verify", r#""--no-verify" must[] not[] [] exactSome("--no-verify")"#);
        check("-v", r#""-v" must[] not[] [] exactSome("-v")"#);
        check("-staging", r#""-staging" must[] not[] [] exactSome("-staging")"#);
        check("error: not found", r#""error: not found" must[] not[] [] exactNone"#);
        check("kind:nonsense", r#""kind:nonsense" must[] not[] [] exactSome("kind:nonsense")"#);
        check("a \" b", r#""a b" must[] not[] [] exactNone"#);
        check("a AND b OR NOT (c", r#""a AND b OR NOT (c" must[] not[] [] exactNone"#);
        check("", r#""" must[] not[] [] exactNone"#);
        check("\0", r#""" must[] not[] [] exactNone"#);
    }

    proptest! {
        #[test]
        fn nothing_fails_and_no_word_is_lost(text in "[a-z+:\" \\-(]{0,60}") {
            let q = parse(&text, &|_, _| false);
            let said = format!("{} {}", q.text, q.not.join(" "));
            for word in text.split(|c: char| !c.is_alphabetic()).filter(|w| !w.is_empty()) {
                prop_assert!(said.contains(word), "{} lost from {:?}: {:?}", word, text, q);
            }
        }
    }
}
