//! Texts as the model's own tokens, without the model.

use std::collections::HashMap;
use std::fs;
use std::sync::{PoisonError, RwLock};

use tokenizers::{
    DecoderWrapper, Encoding, Model, ModelWrapper, NormalizerWrapper, PostProcessor,
    PostProcessorWrapper, PreTokenizerWrapper, TokenizerImpl, TruncationDirection,
};

use crate::error::EmbedError;
use crate::installed::Installed;
use crate::pieces::Pieces;

type Tokenizer<M> =
    TokenizerImpl<M, NormalizerWrapper, PreTokenizerWrapper, PostProcessorWrapper, DecoderWrapper>;

/// Words whose tokens are remembered. Few words make up most of any text.
const WORDS_MAX: usize = 1 << 16;
/// Longer words are too rare to remember, in bytes; so is a paragraph of a script without spaces.
const WORD_BYTES_MAX: usize = 48;

/// A model's tokenizer: counts and finds tokens. Loading it needs no ONNX Runtime.
#[derive(Debug)]
pub struct ModelTokenizer {
    kind: Kind,
    /// Where the tokens of a word begin, by word.
    words: RwLock<HashMap<Box<str>, Box<[u8]>>>,
}

#[derive(Debug)]
enum Kind {
    /// A unigram vocabulary, loaded the fast way.
    Unigram(Box<Tokenizer<Pieces>>),
    /// Any other tokenizer.
    Any(Box<Tokenizer<ModelWrapper>>),
}

impl ModelTokenizer {
    /// The tokenizer of an installed model.
    ///
    /// # Errors
    /// [`EmbedError::TokenizerLoad`] when its file is not a tokenizer, [`EmbedError::Io`] when it
    /// cannot be read.
    pub fn load(installed: &Installed) -> Result<ModelTokenizer, EmbedError> {
        let path = installed.tokenizer();
        let bytes = fs::read(&path).map_err(EmbedError::io(&path))?;
        Self::parse(&bytes)
            .map_err(|cause| EmbedError::TokenizerLoad { path, cause: cause.to_string() })
    }

    /// The tokenizer in the bytes of a `tokenizer.json`.
    pub(crate) fn parse(bytes: &[u8]) -> tokenizers::Result<ModelTokenizer> {
        if let Ok(tokenizer) = serde_json::from_slice::<Tokenizer<Pieces>>(bytes) {
            return Ok(ModelTokenizer::new(Kind::Unigram(Box::new(whole_texts(tokenizer)?))));
        }
        let tokenizer = serde_json::from_slice::<Tokenizer<ModelWrapper>>(bytes)?;
        Ok(ModelTokenizer::new(Kind::Any(Box::new(whole_texts(tokenizer)?))))
    }

    fn new(kind: Kind) -> Self {
        Self { kind, words: RwLock::default() }
    }

    /// Where the tokens of `text` begin, in bytes, ascending: without special tokens, nothing cut.
    /// Several begin at one byte where one character gave several. Every run without white space is
    /// a text of its own, as it is to the tokenizers of all our models; so most words are known
    /// already, which is some twenty times as fast as the whole text at once. A word the tokenizer
    /// refuses has no tokens.
    pub fn starts(&self, text: &str) -> Vec<usize> {
        let mut out = Vec::with_capacity(text.len() / 4);
        let mut fresh = Vec::new();
        let known = self.words.read().unwrap_or_else(PoisonError::into_inner);
        for word in text.split_whitespace() {
            let at = word.as_ptr().addr() - text.as_ptr().addr();
            if let Some(starts) = known.get(word) {
                out.extend(starts.iter().map(|start| at + usize::from(*start)));
                continue;
            }
            let starts = self.starts_in_word(word);
            out.extend(starts.iter().map(|start| at + start));
            if word.len() <= WORD_BYTES_MAX && known.len() + fresh.len() < WORDS_MAX {
                fresh.push((word, starts));
            }
        }
        drop(known);
        self.remember(fresh);
        out
    }

    fn starts_in_word(&self, word: &str) -> Vec<usize> {
        let encoding = match &self.kind {
            Kind::Unigram(tokenizer) => tokenizer.encode(word, false),
            Kind::Any(tokenizer) => tokenizer.encode(word, false),
        };
        let ranges = encoding.as_ref().map(Encoding::get_offsets).unwrap_or_default();
        ranges.iter().map(|&(begin, _)| begin).collect()
    }

    fn remember(&self, words: Vec<(&str, Vec<usize>)>) {
        if words.is_empty() {
            return;
        }
        let mut known = self.words.write().unwrap_or_else(PoisonError::into_inner);
        for (word, starts) in words {
            // Every start is below WORD_BYTES_MAX.
            known.insert(word.into(), starts.into_iter().map(|start| start as u8).collect());
        }
    }

    /// How many tokens `text` has, special ones not counted; 0 for a text the tokenizer refuses.
    pub fn count(&self, text: &str) -> usize {
        let encoding = match &self.kind {
            Kind::Unigram(tokenizer) => tokenizer.encode_fast(text, false),
            Kind::Any(tokenizer) => tokenizer.encode_fast(text, false),
        };
        encoding.map_or(0, |encoding| encoding.len())
    }

    /// Numbers of the tokens of `text`, special ones around them; of a text of more than `max` tokens
    /// the end is cut.
    pub(crate) fn ids(&self, text: &str, max: usize) -> Result<Vec<u32>, EmbedError> {
        let encoding = match &self.kind {
            Kind::Unigram(tokenizer) => encode(tokenizer, text, max),
            Kind::Any(tokenizer) => encode(tokenizer, text, max),
        };
        let encoding =
            encoding.map_err(|cause| EmbedError::Tokenize { cause: cause.to_string() })?;
        Ok(encoding.get_ids().to_vec())
    }
}

/// The tokenizer without the truncation and padding its file asks for.
fn whole_texts<M: Model>(mut tokenizer: Tokenizer<M>) -> tokenizers::Result<Tokenizer<M>> {
    tokenizer.with_truncation(None)?;
    tokenizer.with_padding(None);
    Ok(tokenizer)
}

fn encode<M: Model>(
    tokenizer: &Tokenizer<M>,
    text: &str,
    max: usize,
) -> tokenizers::Result<Encoding> {
    let special = tokenizer.get_post_processor().map_or(0, |template| template.added_tokens(false));
    let mut encoding = tokenizer.encode_fast(text, false)?;
    encoding.truncate(max.saturating_sub(special), 0, TruncationDirection::Right);
    tokenizer.post_process(encoding, None, true)
}
