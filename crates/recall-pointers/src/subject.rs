//! Whether two statements speak of the same thing.

use std::sync::LazyLock;

use regex::Regex;

use crate::fold::words;
use crate::statement::Statement;
use crate::wording::without_leading_date;

/// Words that turn a rule round, or stress it, without changing what it is about. Folded.
const POLARITY: [&str; 20] = [
    "always",
    "avoid",
    "cam",
    "can",
    "do",
    "don't",
    "dont",
    "dung",
    "hay",
    "khong",
    "luon",
    "must",
    "never",
    "no",
    "not",
    "phai",
    "please",
    "should",
    "shouldn't",
    "stop",
];

/// Of those, the ones that say no. Folded; `dung` is both `đừng` (do not) and `dùng` (use), so it
/// is read with its accents, see [`denies`].
const DENIALS: [&str; 9] = ["avoid", "cam", "don't", "dont", "khong", "never", "no", "not", "stop"];

/// A leading phrase ends here at the latest.
static END_OF_PHRASE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r":\s|\s[—–-]\s|\s*(?:→|⇒|->|=>)|[;,(]").expect("constant pattern")
});

/// Words of the same beginning that make two statements one subject; Vietnamese writes each
/// syllable as a word, so it takes one more.
const SHARED_WORDS: usize = 3;

/// What a statement is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Subject {
    /// The words in bold at the start, or before the first colon or dash, without polarity.
    lead: Option<Vec<String>>,
    /// The statement's words up to its reason, without polarity.
    words: Vec<String>,
    /// Whether the statement says no.
    pub denies: bool,
    /// Words that must agree.
    needed: usize,
}

impl Subject {
    pub(crate) fn of(statement: &Statement) -> Self {
        Self::of_words(&statement.plain, &statement.bold)
    }

    pub(crate) fn of_words(plain: &str, bold: &str) -> Self {
        let plain = without_leading_date(plain);
        let vietnamese = plain.chars().any(|c| !c.is_ascii() && c.is_alphabetic());
        let phrase = END_OF_PHRASE.find(plain).map_or(plain, |end| &plain[..end.start()]);
        Self {
            lead: lead(plain, bold),
            words: without_polarity(phrase),
            denies: denies(phrase),
            needed: SHARED_WORDS + usize::from(vietnamese),
        }
    }

    /// Whether both are about the same thing.
    pub(crate) fn same_as(&self, other: &Self) -> bool {
        match (&self.lead, &other.lead) {
            (Some(own), Some(others)) => own == others,
            _ => self.shares_phrase(other),
        }
    }

    /// Same beginning: enough words, or all of them, or all but the last of equally many.
    fn shares_phrase(&self, other: &Self) -> bool {
        let pairs = self.words.iter().zip(&other.words);
        let shared = pairs.take_while(|(own, others)| own == others).count();
        let same_length = self.words.len() == other.words.len();
        shared >= self.needed.max(other.needed)
            || (shared >= 2 && same_length && shared + 1 >= self.words.len())
    }

    /// How the subject reads, for messages.
    pub(crate) fn phrase(&self) -> String {
        let words = self.lead.as_ref().unwrap_or(&self.words);
        words[..words.len().min(self.needed.max(4))].join(" ")
    }
}

/// An explicit subject: bold words, or at most six words before a colon or a dash.
fn lead(plain: &str, bold: &str) -> Option<Vec<String>> {
    static LEAD: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^([^:—–]{2,60}?)(?::\s|\s[—–-]\s)").expect("constant pattern")
    });
    let found = match bold {
        "" => LEAD.captures(plain)?.get(1)?.as_str(),
        bold => bold,
    };
    let lead = without_polarity(found);
    (!lead.is_empty() && lead.len() <= 6).then_some(lead)
}

fn without_polarity(text: &str) -> Vec<String> {
    let mut words = words(text);
    let content = words.iter().position(|word| !POLARITY.contains(&word.as_str()));
    words.drain(..content.unwrap_or(0));
    words
}

fn denies(text: &str) -> bool {
    use unicode_normalization::UnicodeNormalization;
    let folded = words(text);
    let exact: String = text.nfc().collect::<String>().to_lowercase();
    folded.iter().any(|word| DENIALS.contains(&word.as_str())) || exact.contains("đừng")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(a: &str, b: &str) -> bool {
        Subject::of_words(a, "").same_as(&Subject::of_words(b, ""))
    }

    #[test]
    fn the_same_beginning_is_the_same_subject() {
        for (a, b) in [
            ("Deploys go out on Tuesday", "Deploys go out on Thursday, since …"),
            ("Use tabs in Go files", "Never use tabs in Go files"),
            ("Answer in English", "Answer in Vietnamese"),
            ("Commit subjects: short", "2026-11-03 Commit subjects — long"),
            ("Trả lời bằng tiếng Việt", "Trả lời bằng tiếng Anh"),
            ("Đừng viết hoa tiêu đề", "Viết hoa tiêu đề"),
        ] {
            assert!(same(a, b), "{a} / {b}");
        }
        for (a, b) in [
            ("Never push secrets", "Never push to main"),
            ("Use tabs", "Use short names"),
            ("Commit subjects: short", "Commit bodies: long"),
            ("Dùng tiếng Việt cho ghi chú", "Dùng tiếng Việt khi trả lời"),
        ] {
            assert!(!same(a, b), "{a} / {b}");
        }
    }

    #[test]
    fn denial_is_read_with_its_accents() {
        assert!(Subject::of_words("Đừng dùng tab", "").denies);
        assert!(!Subject::of_words("Dùng tab", "").denies);
        assert!(Subject::of_words("Never use tabs", "").denies);
    }
}
