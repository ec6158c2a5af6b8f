//! Texts as the model's own tokens, without the model.

use std::fs;
use std::ops::Range;

use tokenizers::{
    DecoderWrapper, Encoding, Model, ModelWrapper, NormalizerWrapper, PostProcessor,
    PostProcessorWrapper, PreTokenizerWrapper, TokenizerImpl, TruncationDirection,
};

use crate::error::EmbedError;
use crate::installed::Installed;
use crate::pieces::Pieces;

type Tokenizer<M> =
    TokenizerImpl<M, NormalizerWrapper, PreTokenizerWrapper, PostProcessorWrapper, DecoderWrapper>;

/// A model's tokenizer: counts and finds tokens. Loading it needs no ONNX Runtime.
#[derive(Debug)]
pub struct Tokens(Kind);

#[derive(Debug)]
enum Kind {
    /// A unigram vocabulary, loaded the fast way.
    Unigram(Box<Tokenizer<Pieces>>),
    /// Any other tokenizer.
    Any(Box<Tokenizer<ModelWrapper>>),
}

impl Tokens {
    /// The tokenizer of an installed model.
    ///
    /// # Errors
    /// [`EmbedError::TokenizerLoad`] when its file is not a tokenizer, [`EmbedError::Io`] when it
    /// cannot be read.
    pub fn load(installed: &Installed) -> Result<Tokens, EmbedError> {
        let path = installed.tokenizer();
        let bytes = fs::read(&path).map_err(EmbedError::io(&path))?;
        Self::parse(&bytes)
            .map_err(|cause| EmbedError::TokenizerLoad { path, cause: cause.to_string() })
    }

    /// The tokenizer in the bytes of a `tokenizer.json`.
    pub(crate) fn parse(bytes: &[u8]) -> tokenizers::Result<Tokens> {
        if let Ok(tokenizer) = serde_json::from_slice::<Tokenizer<Pieces>>(bytes) {
            return Ok(Tokens(Kind::Unigram(Box::new(whole_texts(tokenizer)?))));
        }
        let tokenizer = serde_json::from_slice::<Tokenizer<ModelWrapper>>(bytes)?;
        Ok(Tokens(Kind::Any(Box::new(whole_texts(tokenizer)?))))
    }

    /// Byte ranges of the tokens of `text`, in order: without special tokens, nothing cut. Ranges may
    /// touch or overlap where one character gave several tokens; what the tokenizer drops (white
    /// space, control characters) lies between them. A text it refuses has none.
    pub fn offsets(&self, text: &str) -> Vec<Range<usize>> {
        let encoding = match &self.0 {
            Kind::Unigram(tokenizer) => tokenizer.encode(text, false),
            Kind::Any(tokenizer) => tokenizer.encode(text, false),
        };
        let ranges = encoding.as_ref().map(Encoding::get_offsets).unwrap_or_default();
        ranges.iter().map(|&(begin, end)| begin..end).collect()
    }

    /// How many tokens `text` has, special ones not counted; 0 for a text the tokenizer refuses.
    pub fn count(&self, text: &str) -> usize {
        let encoding = match &self.0 {
            Kind::Unigram(tokenizer) => tokenizer.encode_fast(text, false),
            Kind::Any(tokenizer) => tokenizer.encode_fast(text, false),
        };
        encoding.map_or(0, |encoding| encoding.len())
    }

    /// Numbers of the tokens of `text`, special ones around them; of a text of more than `max` tokens
    /// the end is cut.
    pub(crate) fn ids(&self, text: &str, max: usize) -> Result<Vec<u32>, EmbedError> {
        let encoding = match &self.0 {
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
