//! A unigram vocabulary in three flat arrays, in place of the tokenizer library's own.
//!
//! The library keeps a hash map per node of a trie: 250,000 pieces cost seconds to load. A sorted
//! list needs no trie, and a binary search per byte is fast enough for a text. Everything around the
//! vocabulary (normaliser, offsets, special tokens, truncation) stays the library's; a test compares
//! the two on many texts.

use std::collections::HashMap;
use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::de::{Deserialize, Deserializer, Error as _};
use tokenizers::models::unigram::UnigramTrainer;
use tokenizers::{Model, Result, Token};

/// What an unknown character costs below the worst piece, as in SentencePiece.
const UNKNOWN_PENALTY: f64 = 10.0;

/// A vocabulary of pieces with scores, searched by prefix.
pub(crate) struct Pieces {
    /// All pieces, sorted by bytes, one after the other.
    text: String,
    /// Where each begins in `text`, and where the last ends.
    starts: Vec<u32>,
    /// Score of each, in the same order.
    scores: Vec<f64>,
    /// Id of each, in the same order.
    ids: Vec<u32>,
    /// Rows of the pieces that begin with each byte.
    first: Vec<Range<usize>>,
    unknown: u32,
    unknown_score: f64,
}

/// Best way to reach a byte of the text.
#[derive(Clone, Copy)]
struct Step {
    score: f64,
    from: usize,
    id: u32,
}

const UNREACHED: Step = Step { score: f64::NEG_INFINITY, from: usize::MAX, id: 0 };

#[derive(serde::Deserialize)]
struct Raw<'a> {
    #[serde(rename = "type")]
    kind: String,
    unk_id: u32,
    #[serde(default)]
    byte_fallback: bool,
    #[serde(borrow)]
    vocab: Vec<(std::borrow::Cow<'a, str>, f64)>,
}

impl Pieces {
    /// The vocabulary of `rows`, whose places are the ids. Of equal pieces the last one counts.
    fn new(rows: &[(impl AsRef<str>, f64)], unknown: u32) -> Pieces {
        let mut order: Vec<u32> = (0..rows.len() as u32).collect();
        let piece = |id: &u32| rows[*id as usize].0.as_ref();
        order.sort_unstable_by(|a, b| piece(a).cmp(piece(b)).then(b.cmp(a)));
        order.dedup_by(|a, b| piece(a) == piece(b));
        let mut text = String::new();
        let mut starts = vec![0];
        for id in &order {
            text.push_str(piece(id));
            starts.push(text.len() as u32);
        }
        let scores = order.iter().map(|id| rows[*id as usize].1).collect();
        let worst = rows.iter().map(|row| row.1).fold(f64::INFINITY, f64::min);
        let mut pieces = Pieces {
            text,
            starts,
            scores,
            ids: order,
            first: Vec::new(),
            unknown,
            unknown_score: worst - UNKNOWN_PENALTY,
        };
        pieces.first = (0..=255).map(|byte| pieces.narrow(0..pieces.ids.len(), 0, byte)).collect();
        pieces
    }

    fn piece(&self, row: usize) -> &str {
        &self.text[self.starts[row] as usize..self.starts[row + 1] as usize]
    }

    /// The rows of `rows`, equal before `depth`, whose byte at `depth` is `byte`.
    fn narrow(&self, rows: Range<usize>, depth: usize, byte: u8) -> Range<usize> {
        let at = |row: usize| self.piece(row).as_bytes().get(depth).copied();
        let begin = partition(rows.clone(), |row| at(row) < Some(byte));
        begin..partition(begin..rows.end, |row| at(row) == Some(byte))
    }

    /// Row of every piece `bytes` begins with, shortest first.
    fn prefixes<'a>(&'a self, bytes: &'a [u8]) -> impl Iterator<Item = usize> + 'a {
        let mut rows = 0..self.ids.len();
        (0..bytes.len())
            .map_while(move |depth| {
                rows = match depth {
                    0 => self.first[usize::from(bytes[0])].clone(),
                    _ => self.narrow(rows.clone(), depth, bytes[depth]),
                };
                (!rows.is_empty()).then_some((depth, rows.start))
            })
            .filter(|(depth, row)| self.piece(*row).len() == depth + 1)
            .map(|(_, row)| row)
    }

    /// The best step to every byte of `text`.
    fn steps(&self, text: &str) -> Vec<Step> {
        let mut steps = vec![UNREACHED; text.len() + 1];
        steps[0].score = 0.0;
        for (begin, character) in text.char_indices() {
            let width = character.len_utf8();
            let mut alone = false;
            for row in self.prefixes(&text.as_bytes()[begin..]) {
                let length = self.piece(row).len();
                alone |= length == width;
                self.offer(&mut steps, begin, begin + length, self.scores[row], self.ids[row]);
            }
            if !alone {
                self.offer(&mut steps, begin, begin + width, self.unknown_score, self.unknown);
            }
        }
        steps
    }

    fn offer(&self, steps: &mut [Step], from: usize, to: usize, score: f64, id: u32) {
        let score = steps[from].score + score;
        if steps[to].from == usize::MAX || score > steps[to].score {
            steps[to] = Step { score, from, id };
        }
    }

    fn row_of(&self, piece: &str) -> Option<usize> {
        let row = partition(0..self.ids.len(), |row| self.piece(row) < piece);
        (row < self.ids.len() && self.piece(row) == piece).then_some(row)
    }
}

/// First row of `rows` that does not fulfil `before`, which holds for a first part of them.
fn partition(rows: Range<usize>, before: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (rows.start, rows.end);
    while low < high {
        let middle = low + (high - low) / 2;
        if before(middle) { low = middle + 1 } else { high = middle }
    }
    low
}

impl Model for Pieces {
    type Trainer = UnigramTrainer;

    fn tokenize(&self, text: &str) -> Result<Vec<Token>> {
        let steps = self.steps(text);
        let mut tokens: Vec<Token> = Vec::new();
        let mut end = text.len();
        while end > 0 {
            let Step { from, id, .. } = steps[end];
            match tokens.last_mut() {
                // Unknown characters side by side are one unknown token.
                Some(next) if id == self.unknown && next.id == id => next.offsets.0 = from,
                _ => tokens.push(Token::new(id, String::new(), (from, end))),
            }
            end = from;
        }
        for token in &mut tokens {
            token.value = text[token.offsets.0..token.offsets.1].to_owned();
        }
        tokens.reverse();
        Ok(tokens)
    }

    fn token_to_id(&self, token: &str) -> Option<u32> {
        self.row_of(token).map(|row| self.ids[row])
    }

    fn id_to_token(&self, id: u32) -> Option<String> {
        let row = self.ids.iter().position(|other| *other == id)?;
        Some(self.piece(row).to_owned())
    }

    fn get_vocab(&self) -> HashMap<String, u32> {
        (0..self.ids.len()).map(|row| (self.piece(row).to_owned(), self.ids[row])).collect()
    }

    fn get_vocab_size(&self) -> usize {
        self.ids.len()
    }

    fn save(&self, _: &Path, _: Option<&str>) -> Result<Vec<PathBuf>> {
        Err("a vocabulary is only read".into())
    }

    fn get_trainer(&self) -> UnigramTrainer {
        UnigramTrainer::default()
    }
}

impl<'de> Deserialize<'de> for Pieces {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let raw = Raw::deserialize(deserializer)?;
        if raw.kind != "Unigram" || raw.byte_fallback {
            return Err(D::Error::custom("not a unigram vocabulary without byte fallback"));
        }
        let bytes: usize = raw.vocab.iter().map(|row| row.0.len()).sum();
        if raw.unk_id as usize >= raw.vocab.len() || u32::try_from(bytes).is_err() {
            return Err(D::Error::custom("the unknown piece is outside the vocabulary"));
        }
        Ok(Pieces::new(&raw.vocab, raw.unk_id))
    }
}

impl fmt::Debug for Pieces {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pieces").field("size", &self.ids.len()).finish_non_exhaustive()
    }
}
