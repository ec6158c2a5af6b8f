//! The terms of a question, as the keyword index looks them up. Pure.

use crate::analysis::{Analyzer, Term, identifiers, is_identifier, trim_punctuation};
use crate::stopwords;

/// Weight of an accented word's plain form beside the form as written.
const PLAIN_WEIGHT: f32 = 0.5;

/// Where a term is looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TermField {
    /// Among the words.
    Word,
    /// Among the identifiers kept whole.
    Identifier,
}

/// One form of a term.
#[derive(Debug, Clone, PartialEq)]
pub struct Variant {
    /// Where.
    pub field: TermField,
    /// What.
    pub text: String,
    /// The factor on its BM25 score.
    pub weight: f32,
}

/// One word or identifier of a question: an entry scores by the best of its forms.
#[derive(Debug, Clone, PartialEq)]
pub struct QueryTerm {
    /// The words of the question it came from.
    pub text: String,
    /// Its forms; never empty.
    pub variants: Vec<Variant>,
}

impl QueryTerm {
    /// Looked up among the identifiers.
    pub fn is_identifier(&self) -> bool {
        self.variants.iter().any(|v| v.field == TermField::Identifier)
    }
}

/// A condition on the words of an entry.
#[derive(Debug, Clone, PartialEq)]
pub enum Clause {
    /// Holds the term in any of its forms.
    Term(QueryTerm),
    /// Holds the words at these distances from each other.
    Phrase(Vec<(usize, String)>),
}

/// The terms of a question: its words, each once and without those that say nothing, and its
/// identifiers.
pub fn terms(text: &str, analyzer: &Analyzer) -> Vec<QueryTerm> {
    let words = words(text, analyzer);
    let spoken: Vec<String> = words.iter().map(|word| word.text.to_lowercase()).collect();
    let empty = stopwords::empty(&spoken);
    let mut out: Vec<QueryTerm> =
        words.into_iter().zip(empty).filter(|(_, empty)| !empty).map(|(word, _)| word).collect();
    for name in identifiers(text) {
        push_new(&mut out, identifier(&name));
    }
    out
}

fn identifier(name: &str) -> QueryTerm {
    let variant = Variant { field: TermField::Identifier, text: name.to_owned(), weight: 1.0 };
    QueryTerm { text: name.to_owned(), variants: vec![variant] }
}

fn words(text: &str, analyzer: &Analyzer) -> Vec<QueryTerm> {
    let found = analyzer.words(text);
    let mut out = Vec::new();
    let mut at = 0;
    while at < found.len() {
        let term = &found[at];
        let mut variants = vec![word_variant(term, 1.0)];
        // An accented form is followed by its plain form.
        if term.accented {
            at += 1;
            variants.extend(found.get(at).map(|plain| word_variant(plain, PLAIN_WEIGHT)));
        }
        at += 1;
        push_new(&mut out, QueryTerm { text: text[term.span.clone()].to_owned(), variants });
    }
    out
}

fn word_variant(term: &Term, weight: f32) -> Variant {
    Variant { field: TermField::Word, text: term.text.clone(), weight }
}

fn push_new(out: &mut Vec<QueryTerm>, term: QueryTerm) {
    if !out.iter().any(|known| known.variants == term.variants) {
        out.push(term);
    }
}

/// The condition that an entry holds `text`: an identifier, a word, or words in a row; `None` if
/// there is no word in it.
pub fn clause(text: &str, analyzer: &Analyzer) -> Option<Clause> {
    let trimmed = trim_punctuation(text.trim());
    if !trimmed.contains(char::is_whitespace) && is_identifier(trimmed) {
        let mut term = identifier(identifiers(trimmed).first()?);
        // Part of a longer identifier is only found by its words.
        if let [word] = words(trimmed, analyzer).as_slice() {
            term.variants.extend(word.variants.clone());
        }
        return Some(Clause::Term(term));
    }
    let plain: Vec<Term> = analyzer.words(text).into_iter().filter(|term| !term.accented).collect();
    match plain.as_slice() {
        [] => None,
        [word] => {
            let variants = vec![word_variant(word, 1.0)];
            Some(Clause::Term(QueryTerm { text: text.to_owned(), variants }))
        }
        _ => {
            Some(Clause::Phrase(plain.into_iter().map(|term| (term.position, term.text)).collect()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(question: &str, expected: &[&str]) {
        let show = |variant: &Variant| {
            let sign = if variant.field == TermField::Identifier { "!" } else { "" };
            format!("{sign}{}", variant.text)
        };
        let got: Vec<String> = terms(question, &Analyzer::default())
            .iter()
            .map(|term| term.variants.iter().map(show).collect::<Vec<_>>().join("|"))
            .collect();
        assert_eq!(got, expected, "terms of {question:?}");
    }

    #[test]
    fn words_once_and_identifiers_whole() {
        check("running runs", &["run"]);
        check("đặt lịch", &["đặt|dat", "lịch|lich"]);
        check("why ERR_0x80070005?", &["err", "0x80070005", "!err_0x80070005"]);
        check("", &[]);
        check("?!", &[]);
    }

    #[test]
    fn clauses() {
        let analyzer = Analyzer::default();
        assert_eq!(clause(" .. ", &analyzer), None);
        let Some(Clause::Phrase(words)) = clause("disk is full", &analyzer) else { panic!() };
        assert_eq!(words, [(0, "disk".to_owned()), (1, "is".to_owned()), (2, "full".to_owned())]);
        assert!(
            matches!(clause("DEC-0054", &analyzer), Some(Clause::Term(t)) if t.is_identifier())
        );
    }
}
