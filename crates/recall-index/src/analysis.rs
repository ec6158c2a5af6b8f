//! Text to terms, for every language, the same way for documents and questions. Pure.
//!
//! A *word* is a run of letters, marks and digits. It gives one position and a plain term (NFKC,
//! lower case, accents folded, đ as d, stemmed by its script); an accented word also gives its form
//! as written at the same position, so that it can rank first. Han, Kana and Hangul runs give their characters and overlapping pairs;
//! scripts without spaces (Thai, Lao, Khmer, Burmese) are cut by ICU4X dictionaries and models.
//! A run between spaces that is more than a word (`lib/config/env.dart`, `--no-verify`,
//! `ERR_0x80070005`) is also an *identifier*, kept whole beside its parts.

use std::collections::HashMap;
use std::ops::Range;

use frostem::{Algorithm, Stemmer};
use icu_segmenter::{WordSegmenter, WordSegmenterBorrowed, options::WordBreakInvariantOptions};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Longer terms are cut to this many characters, in documents and questions alike.
const TERM_CHARS_MAX: usize = 200;
/// Words whose terms are kept at hand.
const KNOWN_WORDS_MAX: usize = 1 << 15;
/// Longer words are too rare to be kept, in bytes.
const KNOWN_WORD_BYTES_MAX: usize = 32;

/// One term of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term {
    /// The form that is indexed.
    pub text: String,
    /// Word number in the text; the forms of one word share it.
    pub position: usize,
    /// The bytes of the text it came from.
    pub span: Range<usize>,
    /// The accented form as written; the plain form of the word follows it.
    pub accented: bool,
}

/// Splits and normalises text. Cheap to keep, costly to make: one per thread or process.
pub struct Analyzer {
    english: Stemmer,
    russian: Stemmer,
    greek: Stemmer,
    arabic: Stemmer,
    unspaced: WordSegmenterBorrowed<'static>,
}

impl Default for Analyzer {
    fn default() -> Self {
        Self {
            english: Stemmer::new(Algorithm::English),
            russian: Stemmer::new(Algorithm::Russian),
            greek: Stemmer::new(Algorithm::Greek),
            arabic: Stemmer::new(Algorithm::Arabic),
            unspaced: WordSegmenter::new_auto(WordBreakInvariantOptions::default()),
        }
    }
}

/// Plain words that were met, with their terms: few words make up most of any text, and stemming
/// one costs ten times as much as looking it up.
#[derive(Debug, Clone, Default)]
pub struct KnownWords(HashMap<Box<str>, Box<str>>);

impl KnownWords {
    /// The term of a plain word, made by `stem` if it was not met before.
    fn term(&mut self, raw: &str, stem: impl FnOnce(String) -> String) -> String {
        if let Some(term) = self.0.get(raw) {
            return term.as_ref().to_owned();
        }
        let term = stem(raw.to_ascii_lowercase());
        if self.0.len() < KNOWN_WORDS_MAX && raw.len() <= KNOWN_WORD_BYTES_MAX {
            self.0.insert(raw.into(), term.as_str().into());
        }
        term
    }
}

impl Analyzer {
    /// The words of `text` as terms, in order of position.
    pub fn words(&self, text: &str) -> Vec<Term> {
        self.words_with(text, &mut KnownWords::default())
    }

    /// [`Self::words`] for many texts in a row.
    pub fn words_with(&self, text: &str, known: &mut KnownWords) -> Vec<Term> {
        let mut out = Terms::default();
        for (script, span) in runs(text) {
            match script {
                Script::Pairs => pairs(text, span, &mut out),
                Script::Unspaced => self.unspaced(text, span, &mut out),
                Script::Spaced if is_plain_word(&text[span.clone()]) => {
                    out.word(known.term(&text[span.clone()], |word| self.stem(word)), None, span);
                }
                Script::Spaced => self.spaced(text, span, &mut out),
            }
        }
        out.terms
    }

    /// A run of a script that puts no spaces between words.
    fn unspaced(&self, text: &str, span: Range<usize>, out: &mut Terms) {
        let breaks: Vec<usize> = self.unspaced.segment_str(&text[span.clone()]).collect();
        for pair in breaks.windows(2) {
            let word = span.start + pair[0]..span.start + pair[1];
            out.word(normalise(&text[word.clone()]), None, word);
        }
    }

    /// A word of a script with spaces that is not plain; `camelCase` gives its parts after the whole.
    fn spaced(&self, text: &str, span: Range<usize>, out: &mut Terms) {
        let raw = &text[span.clone()];
        self.word(raw, span.clone(), out);
        let parts = camel_parts(raw);
        if parts.len() > 1 {
            // The parts follow the whole; the first shares its position, so that a phrase written
            // either way still meets.
            out.position -= 1;
            for part in parts {
                let at = span.start + part.start..span.start + part.end;
                self.word(&text[at.clone()], at, out);
            }
        }
    }

    fn word(&self, raw: &str, span: Range<usize>, out: &mut Terms) {
        let written = normalise(raw);
        if written.is_ascii() {
            return out.word(self.stem(written), None, span);
        }
        let folded = fold(&written);
        let accented = folded != written;
        let plain = self.stem(folded);
        out.word(plain, accented.then_some(written), span);
    }

    /// A normalised, folded word, stemmed by its script.
    fn stem(&self, folded: String) -> String {
        let letter = folded.chars().find(|c| c.is_alphabetic());
        let all_letters = folded.chars().all(char::is_alphabetic);
        match letter {
            Some(c) if all_letters && c.is_ascii() => self.english.stem(&folded).into_owned(),
            Some('\u{400}'..='\u{4ff}') => self.russian.stem(&folded).into_owned(),
            Some('\u{370}'..='\u{3ff}') => self.greek.stem(&folded).into_owned(),
            Some('\u{600}'..='\u{6ff}') => self.arabic.stem(&folded).into_owned(),
            _ => folded,
        }
    }
}

/// Terms in the making, with the number of the next word.
#[derive(Default)]
struct Terms {
    terms: Vec<Term>,
    position: usize,
}

impl Terms {
    fn word(&mut self, plain: String, accented: Option<String>, span: Range<usize>) {
        if plain.is_empty() {
            return;
        }
        let position = self.position;
        self.position += 1;
        if let Some(written) = accented {
            let text = cut(written);
            self.terms.push(Term { text, position, span: span.clone(), accented: true });
        }
        self.terms.push(Term { text: cut(plain), position, span, accented: false });
    }
}

fn cut(term: String) -> String {
    if term.len() <= TERM_CHARS_MAX {
        return term;
    }
    match term.char_indices().nth(TERM_CHARS_MAX) {
        Some((end, _)) => term[..end].to_owned(),
        None => term,
    }
}

/// How the words of a run are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Script {
    Spaced,
    Pairs,
    Unspaced,
}

/// The script class of a character that can be part of a word, else `None`.
fn script(c: char) -> Option<Script> {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric().then_some(Script::Spaced);
    }
    match c {
        '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' => {
            Some(Script::Unspaced)
        }
        '\u{1100}'..='\u{11ff}'
        | '\u{2e80}'..='\u{2fdf}'
        | '\u{3005}'..='\u{3007}'
        | '\u{3040}'..='\u{30ff}'
        | '\u{3130}'..='\u{318f}'
        | '\u{31f0}'..='\u{31ff}'
        | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7af}'
        | '\u{f900}'..='\u{faff}'
        | '\u{ff66}'..='\u{ff9f}'
        | '\u{20000}'..='\u{3ffff}' => Some(Script::Pairs),
        c if c.is_alphanumeric() => Some(Script::Spaced),
        c if is_combining_mark(c) => Some(Script::Spaced),
        _ => None,
    }
}

/// Joins letters of one word: `don't`, `l’eau`, and the invisible joiners.
fn is_joiner(c: char) -> bool {
    matches!(c, '\'' | '\u{2019}' | '\u{ad}' | '\u{200c}' | '\u{200d}')
}

/// Maximal runs of one script class; a mark belongs to the run before it, and a joiner between two
/// letters does not end a run.
fn runs(text: &str) -> Vec<(Script, Range<usize>)> {
    let mut out: Vec<(Script, Range<usize>)> = Vec::new();
    let mut joined = false;
    for (at, c) in text.char_indices() {
        let end = at + c.len_utf8();
        let Some(class) = script(c) else {
            joined = is_joiner(c) && out.last().is_some_and(|(_, run)| run.end == at);
            continue;
        };
        let touching = joined || out.last().is_some_and(|(_, run)| run.end == at);
        match out.last_mut() {
            Some((last, run)) if touching && (*last == class || is_combining_mark(c)) => {
                run.end = end;
            }
            _ => out.push((class, at..end)),
        }
        joined = false;
    }
    out
}

/// Every character and every pair of neighbours, at the position of its first character.
fn pairs(text: &str, span: Range<usize>, out: &mut Terms) {
    let raw = &text[span.clone()];
    let starts: Vec<usize> = raw.char_indices().map(|(at, _)| at).chain([raw.len()]).collect();
    for i in 0..starts.len() - 1 {
        let run = |chars: usize| {
            starts.get(i + chars).map(|end| span.start + starts[i]..span.start + end)
        };
        if let Some(pair) = run(2) {
            out.word(normalise(&text[pair.clone()]), None, pair);
            out.position -= 1;
        }
        if let Some(one) = run(1) {
            out.word(normalise(&text[one.clone()]), None, one);
        }
    }
}

/// NFKC, lower case, without joiners, a final `'s`, and marks that only decorate (Arabic, Hebrew).
fn normalise(raw: &str) -> String {
    if raw.is_ascii() && !raw.contains('\'') {
        return raw.to_ascii_lowercase();
    }
    let base = raw.strip_suffix("'s").or_else(|| raw.strip_suffix("\u{2019}s")).unwrap_or(raw);
    base.nfkc()
        .flat_map(char::to_lowercase)
        .filter(|c| !is_joiner(*c) && !is_decoration(*c))
        // Lower case may decompose (İ), so compose once more.
        .nfc()
        .collect()
}

/// Vowel points that writers leave out as they please.
fn is_decoration(c: char) -> bool {
    matches!(c, '\u{591}'..='\u{5c7}' | '\u{610}'..='\u{61a}' | '\u{640}' | '\u{64b}'..='\u{65f}' | '\u{670}')
}

/// Latin, Greek and Cyrillic letters without their marks; other scripts as they are (in Hindi or
/// Thai a mark is a vowel, not an accent).
pub fn fold(word: &str) -> String {
    let mut out = String::with_capacity(word.len());
    let mut foldable = false;
    for c in word.nfd() {
        if !is_combining_mark(c) {
            foldable = matches!(c, 'a'..='z' | 'A'..='Z' | '\u{c0}'..='\u{24f}' | '\u{370}'..='\u{3ff}' | '\u{1e00}'..='\u{1fff}')
                || matches!(c, 'е' | 'Е');
        } else if foldable {
            continue;
        }
        match c {
            'đ' | 'ð' => out.push('d'),
            'ł' => out.push('l'),
            'ø' => out.push('o'),
            'ħ' => out.push('h'),
            'ı' => out.push('i'),
            'ß' => out.push_str("ss"),
            'æ' => out.push_str("ae"),
            'œ' => out.push_str("oe"),
            'þ' => out.push_str("th"),
            'ς' => out.push('σ'),
            c => out.push(c),
        }
    }
    out.nfc().collect()
}

/// Whether a run is the most usual one: ASCII letters, capital at the beginning only.
fn is_plain_word(run: &str) -> bool {
    let (first, rest) = run.as_bytes().split_at(run.len().min(1));
    first.iter().all(u8::is_ascii_alphabetic) && rest.iter().all(u8::is_ascii_lowercase)
}

/// The parts of `camelCase` and `HTTPServer`, as ranges of `raw`; one range if it has no such parts.
fn camel_parts(raw: &str) -> Vec<Range<usize>> {
    let chars: Vec<(usize, char)> = raw.char_indices().collect();
    let mut starts = vec![0];
    for i in 1..chars.len() {
        let (at, c) = chars[i];
        let before = chars[i - 1].1;
        let after = chars.get(i + 1).map(|(_, c)| *c);
        let hump = before.is_lowercase() && c.is_uppercase();
        let acronym = before.is_uppercase()
            && c.is_uppercase()
            && after.is_some_and(char::is_lowercase)
            && after != Some('s');
        if hump || acronym {
            starts.push(at);
        }
    }
    starts.push(raw.len());
    starts.windows(2).map(|pair| pair[0]..pair[1]).collect()
}

/// The identifiers of `text`, normalised: each run between spaces that is more than a plain word,
/// and its parts that are identifiers themselves (`lib/config/env.dart` also gives `env.dart`).
pub fn identifiers(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    for run in text.split(|c: char| c.is_whitespace() || c.is_control()) {
        // Most runs are words, with or without a comma behind them.
        if run.len() < 2 || is_plain_word(run.trim_end_matches(['.', ',', '?', '!', ':', ')'])) {
            continue;
        }
        let run = trim_punctuation(run);
        if run.len() >= 2 && is_identifier(run) {
            out.push(cut(normalise(run)));
            out.extend(identifier_parts(run).map(|part| cut(normalise(part))));
        }
    }
    out
}

/// The names in a compound, also between dots, but for what is short there: parts of versions.
fn identifier_parts(run: &str) -> impl Iterator<Item = &str> {
    let separator = |c: char| {
        matches!(c, '/' | '\\' | '=' | ':' | ',' | ';' | '|' | '(' | ')' | '<' | '>' | '[' | ']')
            || matches!(c, '{' | '}' | '"' | '\'' | '`' | '?' | '&' | '#' | '@')
    };
    run.split(separator)
        .flat_map(|part| {
            let long = move |name: &&str| (4..part.len()).contains(&name.len());
            std::iter::once(part).chain(part.split('.').filter(long))
        })
        .map(trim_punctuation)
        .filter(move |part| part.len() >= 2 && part.len() < run.len() && is_identifier(part))
}

/// Whether a run between spaces is a name rather than a word: two alphanumeric runs joined by
/// punctuation, a leading sign (`--flag`, `/path`, `@name`, `#12`), or letters mixed with digits.
pub fn is_identifier(run: &str) -> bool {
    let alphanumeric = |c: char| c.is_alphanumeric() || is_combining_mark(c);
    if is_plain_word(run) {
        return false;
    }
    let Some(first) = run.find(alphanumeric) else { return false };
    let last = run.rfind(alphanumeric).unwrap_or(first);
    let inner = run[first..last].chars().any(|c| !alphanumeric(c) && !is_joiner(c));
    let digits = run.chars().any(|c| c.is_ascii_digit());
    let letters = run.chars().any(char::is_alphabetic);
    let leading = first > 0
        && run[..first].chars().all(|c| matches!(c, '-' | '/' | '@' | '#' | '.' | '_' | '$' | '~'));
    inner || leading || (digits && letters) || camel_parts(run).len() > 1
}

/// Without the punctuation of the sentence around it; signs that begin a name stay.
pub fn trim_punctuation(run: &str) -> &str {
    let opening = |c: char| {
        !(c.is_alphanumeric()
            || matches!(c, '-' | '/' | '\\' | '@' | '#' | '.' | '_' | '$' | '~' | '%'))
    };
    let closing = |c: char| {
        !(c.is_alphanumeric() || is_combining_mark(c) || matches!(c, '_' | '%' | '+' | '#'))
    };
    run.trim_start_matches(opening).trim_end_matches(closing)
}

/// The words of `text` in their plain forms, separated by single spaces: what two texts are
/// compared by when one must contain the other literally.
pub fn literal(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.nfkc().flat_map(char::to_lowercase).nfc() {
        if c.is_whitespace() {
            if !out.ends_with(' ') {
                out.push(' ');
            }
        } else if !is_joiner(c) || c == '\'' {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> String {
        let terms = Analyzer::default().words(text);
        let mut out = String::new();
        let mut last = usize::MAX;
        for term in terms {
            if term.position == last {
                out.push('/');
            } else if !out.is_empty() {
                out.push(' ');
            }
            last = term.position;
            out.push_str(&term.text);
        }
        out
    }

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(words(text), expected, "words of {text:?}");
    }

    #[test]
    fn words_of_many_languages() {
        check("The running services", "the run servic");
        check("Đặng đặt lịch", "đặng/dang đặt/dat lịch/lich");
        check("D\u{323}a\u{323}t", "ḍạt/dat");
        check("重启服务", "重启/重 启服/启 服务/服 务");
        check("重", "重");
        check("restart 重启nginx", "restart 重启/重 启 nginx");
        check("сервера перезапустили", "сервер перезапуст");
        check("user's don't", "user dont");
        check("Café", "café/cafe");
        check("flag 🇻🇳 x", "flag x");
        check("हिन्दी", "हिन्दी");
        check("", "");
        check("--- ... !!!", "");
    }

    #[test]
    fn thai_is_cut_into_words() {
        let terms = Analyzer::default().words("รีสตาร์ทเซิร์ฟเวอร์");
        assert!(terms.len() > 1, "{terms:?}");
    }

    #[test]
    fn compounds_give_parts() {
        check("camelCase", "camelcas/camel case");
        check("ERR_0x80070005", "err 0x80070005");
        check("lib/config/env.dart", "lib config env dart");
    }

    #[track_caller]
    fn check_identifiers(text: &str, expected: &[&str]) {
        assert_eq!(identifiers(text), expected, "identifiers of {text:?}");
    }

    #[test]
    fn identifiers_are_kept_whole() {
        check_identifiers("see lib/config/env.dart, now", &["lib/config/env.dart", "env.dart"]);
        check_identifiers("a.is_ok(b)", &["a.is_ok(b", "a.is_ok", "is_ok"]);
        check_identifiers("git commit --no-verify", &["--no-verify"]);
        check_identifiers("(DEC-0054).", &["dec-0054"]);
        check_identifiers(
            "set LEDGER_CACHE_MAX=20000",
            &["ledger_cache_max=20000", "ledger_cache_max"],
        );
        check_identifiers("v1.0.21 and 1.0.21", &["v1.0.21", "1.0.21"]);
        check_identifiers("plain words only, nothing else.", &[]);
        check_identifiers("mail an@x.org", &["an@x.org", "x.org"]);
        check_identifiers("ORA-00942: table", &["ora-00942"]);
        check_identifiers("bd-q3fy ERR_0x80070005", &["bd-q3fy", "err_0x80070005"]);
    }

    #[test]
    fn spans_point_into_the_text() {
        let text = "Đặng 重启 camelCase’s";
        for term in Analyzer::default().words(text) {
            assert!(text.get(term.span.clone()).is_some(), "{term:?}");
        }
    }
}
