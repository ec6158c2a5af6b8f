//! A unigram vocabulary as the `tokenizer.json` that the tokenizer library reads.

use serde_json::{Value, json};

/// Characters that are dropped.
const CONTROL: &str = r"[\x01-\x08\x0b\x0e-\x1f\x7f\x8f\x9f]";
/// Characters that count as a space.
const SPACE_LIKE: &str =
    r"[\t\n\x0c\r\x{1680}\x{200b}-\x{200f}\x{2028}\x{2029}\x{2581}\x{feff}\x{fffd}]";

/// The pieces of XLM-RoBERTa and its relatives.
pub(crate) struct Vocabulary<'a> {
    /// The pieces; a piece's place is its id.
    pub(crate) pieces: Vec<&'a str>,
    /// Log-probability of each.
    pub(crate) scores: Vec<f32>,
    /// Ids of the special pieces.
    pub(crate) begin: usize,
    pub(crate) end: usize,
    pub(crate) pad: usize,
    pub(crate) unknown: usize,
}

impl Vocabulary<'_> {
    /// The tokenizer: drop controls, spaces made one, NFKC, words marked with U+2581, a begin and an
    /// end token around a text.
    pub(crate) fn tokenizer(&self) -> Value {
        let pieces = self.pieces.iter().zip(&self.scores);
        let vocab: Vec<Value> =
            pieces.map(|(piece, score)| json!([piece, f64::from(*score)])).collect();
        json!({
            "version": "1.0",
            "truncation": null,
            "padding": null,
            "added_tokens": self.special(),
            "normalizer": {"type": "Sequence", "normalizers": [
                replace(CONTROL, ""), replace(SPACE_LIKE, " "), {"type": "NFKC"}, replace(" {2,}", " "),
            ]},
            "pre_tokenizer": words(),
            "post_processor": self.template(),
            "decoder": words(),
            "model": {
                "type": "Unigram", "unk_id": self.unknown, "byte_fallback": false, "vocab": vocab,
            },
        })
    }

    fn special(&self) -> Vec<Value> {
        let mut ids = [self.begin, self.pad, self.end, self.unknown];
        ids.sort_unstable();
        let token = |id: &usize| {
            json!({"id": id, "content": self.pieces[*id], "single_word": false, "lstrip": false,
                   "rstrip": false, "normalized": false, "special": true})
        };
        ids.iter().map(token).collect()
    }

    fn template(&self) -> Value {
        let token = |id: usize| json!({"SpecialToken": {"id": self.pieces[id], "type_id": 0}});
        let text = |name: &str| json!({"Sequence": {"id": name, "type_id": 0}});
        let entry = |id: usize| {
            let piece = self.pieces[id];
            (piece.to_owned(), json!({"id": piece, "ids": [id], "tokens": [piece]}))
        };
        let (begin, end) = (token(self.begin), token(self.end));
        json!({
            "type": "TemplateProcessing",
            "single": [begin, text("A"), end],
            "pair": [begin, text("A"), end, end, text("B"), end],
            "special_tokens": Value::from_iter([entry(self.begin), entry(self.end)]),
        })
    }
}

fn replace(regex: &str, content: &str) -> Value {
    json!({"type": "Replace", "pattern": {"Regex": regex}, "content": content})
}

fn words() -> Value {
    json!({"type": "Metaspace", "replacement": "\u{2581}", "prepend_scheme": "always", "split": true})
}
