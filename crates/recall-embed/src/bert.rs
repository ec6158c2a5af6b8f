//! The weights of a BERT encoder, ready for its graph: post-norm, learned positions, one segment.

/// Weights in a block that share one scale.
pub(crate) const BLOCK: usize = 32;

/// An encoder.
#[derive(Debug, PartialEq)]
pub(crate) struct Bert {
    /// Width of every token's vector.
    pub(crate) hidden: usize,
    /// Attention heads of a layer.
    pub(crate) heads: usize,
    /// Added to variances before a division.
    pub(crate) epsilon: f32,
    /// The vector of each token of the vocabulary.
    pub(crate) words: Words,
    /// `[position, hidden]`: the vector of each place in a text, that of the first segment added.
    pub(crate) positions: Vec<f32>,
    /// Applied to their sum.
    pub(crate) norm: Norm,
    /// The layers, from the bottom.
    pub(crate) layers: Vec<Layer>,
}

/// The table of word vectors, `[vocabulary, hidden]`.
#[derive(Debug, PartialEq)]
pub(crate) enum Words {
    /// Two weights a byte, the even one low; each is `(nibble - 8) * scale` of its block.
    Q4 { packed: Vec<u8>, scales: Vec<f32> },
    /// Little-endian half-precision floats.
    F16(Vec<u8>),
}

/// One layer.
#[derive(Debug, PartialEq)]
pub(crate) struct Layer {
    pub(crate) query: Linear,
    pub(crate) key: Linear,
    pub(crate) value: Linear,
    /// After the attention.
    pub(crate) mix: Linear,
    pub(crate) mix_norm: Norm,
    /// Hidden to inner width.
    pub(crate) widen: Linear,
    /// Inner width to hidden.
    pub(crate) narrow: Linear,
    pub(crate) norm: Norm,
}

/// A linear map with quantised weights, a row for each output.
#[derive(Debug, PartialEq)]
pub(crate) struct Linear {
    pub(crate) inputs: usize,
    pub(crate) outputs: usize,
    /// Bits of a weight: 4 (two a byte, the even one low) or 8. Zero is the middle of the range.
    pub(crate) bits: usize,
    pub(crate) packed: Vec<u8>,
    /// A scale for each block of a row.
    pub(crate) scales: Vec<f32>,
    pub(crate) bias: Vec<f32>,
}

/// A layer normalisation.
#[derive(Debug, PartialEq)]
pub(crate) struct Norm {
    pub(crate) weight: Vec<f32>,
    pub(crate) bias: Vec<f32>,
}

/// Where in a text of positions the first segment's vector is added to each position's.
pub(crate) fn positions(mut places: Vec<f32>, segment: &[f32]) -> Vec<f32> {
    for place in places.chunks_exact_mut(segment.len()) {
        place.iter_mut().zip(segment).for_each(|(sum, add)| *sum += add);
    }
    places
}
