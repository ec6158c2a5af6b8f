//! The 4-bit pack with the magic `E5S1`: an encoder and its vocabulary in one file.
//!
//! Little-endian: the sizes of the encoder, a unigram vocabulary, a normaliser table, a directory of
//! tensors, the tensors. Every length and offset is checked against the file before it is used.

use std::collections::HashMap;
use std::ops::RangeInclusive;

use half::f16;

use crate::bert::{self, BLOCK, Bert, Layer, Linear, Norm, Words};
use crate::bytes::Reader;
use crate::error::ConvertError;
use crate::vocabulary::Vocabulary;

/// Bytes of a block of 32 weights: a half-precision scale, then two weights a byte, byte `j` holding
/// weight `j` low and weight `j + 16` high.
const BLOCK_BYTES: usize = 2 + BLOCK / 2;

/// A parsed pack.
pub(crate) struct Pack<'a> {
    bytes: &'a [u8],
    sizes: Sizes,
    pub(crate) vocabulary: Vocabulary<'a>,
    tensors: HashMap<&'a str, Entry>,
}

struct Sizes {
    hidden: usize,
    layers: usize,
    heads: usize,
    inner: usize,
    words: usize,
    positions: usize,
    segments: usize,
    epsilon: f32,
}

/// A tensor's row of the directory.
struct Entry {
    quantised: bool,
    elements: usize,
    offset: u64,
    bytes: u64,
}

impl<'a> Pack<'a> {
    /// Reads the header, the vocabulary and the directory of a pack.
    pub(crate) fn parse(bytes: &'a [u8]) -> Result<Pack<'a>, ConvertError> {
        let mut reader = Reader::new(bytes);
        if reader.take(4, "the magic")? != b"E5S1" {
            return Err(ConvertError::Magic);
        }
        reader.u32("the version")?;
        let sizes = Sizes::parse(&mut reader)?;
        let vocabulary = vocabulary(&mut reader, sizes.words)?;
        reader.count("the normaliser", 0..=1 << 20)?;
        let map = reader.u32("the normaliser")?;
        reader.take(map as usize, "the normaliser")?;
        let tensors = directory(&mut reader)?;
        Ok(Pack { bytes, sizes, vocabulary, tensors })
    }

    /// The encoder, its weights checked for size and finiteness.
    pub(crate) fn bert(&self) -> Result<Bert, ConvertError> {
        let Sizes { hidden, heads, epsilon, positions, segments, .. } = self.sizes;
        let places = self.floats("emb.pos", positions * hidden)?;
        let segment = &self.floats("emb.type", segments * hidden)?[..hidden];
        let (packed, scales) = self.quantised("emb.word", self.sizes.words * hidden)?;
        Ok(Bert {
            hidden,
            heads,
            epsilon,
            words: Words::Q4 { packed, scales },
            positions: bert::positions(places, segment),
            norm: self.norm("emb.ln")?,
            layers: (0..self.sizes.layers)
                .map(|number| self.layer(number))
                .collect::<Result<_, _>>()?,
        })
    }

    fn layer(&self, number: usize) -> Result<Layer, ConvertError> {
        let (hidden, inner) = (self.sizes.hidden, self.sizes.inner);
        let at = |part: &str| format!("l{number}.{part}");
        Ok(Layer {
            query: self.linear(&at("q"), hidden, hidden)?,
            key: self.linear(&at("k"), hidden, hidden)?,
            value: self.linear(&at("v"), hidden, hidden)?,
            mix: self.linear(&at("ao"), hidden, hidden)?,
            mix_norm: self.norm(&at("aln"))?,
            widen: self.linear(&at("fi"), hidden, inner)?,
            narrow: self.linear(&at("fo"), inner, hidden)?,
            norm: self.norm(&at("oln"))?,
        })
    }

    fn linear(&self, name: &str, inputs: usize, outputs: usize) -> Result<Linear, ConvertError> {
        let (packed, scales) = self.quantised(&format!("{name}.w"), inputs * outputs)?;
        let bias = self.floats(&format!("{name}.b"), outputs)?;
        Ok(Linear { inputs, outputs, bits: 4, packed, scales, bias })
    }

    fn norm(&self, name: &str) -> Result<Norm, ConvertError> {
        let weight = self.floats(&format!("{name}.w"), self.sizes.hidden)?;
        let bias = self.floats(&format!("{name}.b"), self.sizes.hidden)?;
        Ok(Norm { weight, bias })
    }

    fn floats(&self, name: &str, count: usize) -> Result<Vec<f32>, ConvertError> {
        let raw = self.tensor(name, false, count, count * 4)?;
        let values: Vec<f32> =
            raw.as_chunks().0.iter().map(|raw| f32::from_le_bytes(*raw)).collect();
        finite(&values, name)?;
        Ok(values)
    }

    /// Safetensors two a byte, the even one low, and a scale for each block.
    fn quantised(&self, name: &str, count: usize) -> Result<(Vec<u8>, Vec<f32>), ConvertError> {
        let raw = self.tensor(name, true, count, count / BLOCK * BLOCK_BYTES)?;
        let (mut packed, mut scales) = (Vec::with_capacity(count / 2), Vec::new());
        for block in raw.chunks_exact(BLOCK_BYTES) {
            scales.push(f16::from_le_bytes([block[0], block[1]]).to_f32());
            let (low, high) = (|byte: u8| byte & 15, |byte: u8| byte >> 4);
            let pairs = block[2..].as_chunks::<2>().0;
            packed.extend(pairs.iter().map(|pair| low(pair[0]) | low(pair[1]) << 4));
            packed.extend(pairs.iter().map(|pair| high(pair[0]) | high(pair[1]) << 4));
        }
        finite(&scales, name)?;
        Ok((packed, scales))
    }

    /// The bytes of a tensor that must have this type and size.
    fn tensor(
        &self,
        name: &str,
        quantised: bool,
        count: usize,
        size: usize,
    ) -> Result<&'a [u8], ConvertError> {
        let entry = self
            .tensors
            .get(name)
            .ok_or_else(|| ConvertError::NoTensor { name: name.to_owned() })?;
        if entry.quantised != quantised || entry.elements != count || entry.bytes != size as u64 {
            return Err(ConvertError::Tensor { name: name.to_owned() });
        }
        let begin = usize::try_from(entry.offset).ok();
        let range = begin.and_then(|begin| Some(begin..begin.checked_add(size)?));
        let short = ConvertError::Short { what: "a tensor", at: entry.offset };
        range.and_then(|range| self.bytes.get(range)).ok_or(short)
    }
}

impl Sizes {
    fn parse(reader: &mut Reader) -> Result<Sizes, ConvertError> {
        let sizes = Sizes {
            hidden: reader.count("the hidden width", BLOCK..=4096)?,
            layers: reader.count("the number of layers", 1..=64)?,
            heads: reader.count("the number of heads", 1..=64)?,
            inner: reader.count("the inner width", BLOCK..=1 << 14)?,
            words: reader.count("the size of the vocabulary", 4..=1 << 20)?,
            positions: reader.count("the number of positions", 1..=1 << 14)?,
            segments: reader.count("the number of segments", 1..=16)?,
            epsilon: reader.f32("epsilon")?,
        };
        reader.count("the block size", BLOCK..=BLOCK)?;
        for (what, value, divisor) in [
            ("the hidden width", sizes.hidden, BLOCK),
            ("the hidden width", sizes.hidden, sizes.heads),
            ("the inner width", sizes.inner, BLOCK),
        ] {
            if value % divisor != 0 {
                return Err(ConvertError::Header { what, value: value as i64 });
            }
        }
        if !(0.0..1.0).contains(&sizes.epsilon) {
            return Err(ConvertError::NotFinite { name: "epsilon".to_owned() });
        }
        Ok(sizes)
    }
}

/// Reads the vocabulary; it may be smaller than the table of word vectors, never larger.
fn vocabulary<'a>(reader: &mut Reader<'a>, words: usize) -> Result<Vocabulary<'a>, ConvertError> {
    let count = reader.count("the number of pieces", 4..=words)?;
    let special: RangeInclusive<usize> = 0..=count - 1;
    let mut number = |what| reader.count(what, special.clone());
    let (begin, end) = (number("the begin token")?, number("the end token")?);
    let (pad, unknown) = (number("the padding token")?, number("the unknown token")?);
    let length = reader.u64("the pieces")?;
    let offsets = reader.u32s(count + 1, "the offsets of the pieces")?;
    let scores = reader.f32s(count, "the scores of the pieces")?;
    finite(&scores, "scores")?;
    let length = usize::try_from(length).unwrap_or(usize::MAX);
    let text = reader.take(length, "the pieces")?;
    let piece = |index: usize| {
        let range = offsets[index] as usize..offsets[index + 1] as usize;
        let piece = text.get(range).and_then(|piece| std::str::from_utf8(piece).ok());
        piece.ok_or(ConvertError::Piece { index })
    };
    let pieces = (0..count).map(piece).collect::<Result<_, _>>()?;
    Ok(Vocabulary { pieces, scores, begin, end, pad, unknown })
}

fn directory<'a>(reader: &mut Reader<'a>) -> Result<HashMap<&'a str, Entry>, ConvertError> {
    let what = "the directory of tensors";
    let count = reader.count("the number of tensors", 1..=1 << 14)?;
    let mut tensors = HashMap::new();
    for index in 0..count {
        let length = usize::from(reader.u16(what)?);
        let name = std::str::from_utf8(reader.take(length, what)?);
        let name = name.map_err(|_| ConvertError::Tensor { name: format!("number {index}") })?;
        let quantised = match reader.u8(what)? {
            0 => false,
            1 => true,
            _ => return Err(ConvertError::Tensor { name: name.to_owned() }),
        };
        let elements = reader.u32(what)? as usize;
        let (offset, bytes) = (reader.u64(what)?, reader.u64(what)?);
        tensors.insert(name, Entry { quantised, elements, offset, bytes });
    }
    Ok(tensors)
}

fn finite(values: &[f32], name: &str) -> Result<(), ConvertError> {
    match values.iter().all(|value| value.is_finite()) {
        true => Ok(()),
        false => Err(ConvertError::NotFinite { name: name.to_owned() }),
    }
}
