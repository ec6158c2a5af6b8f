//! A BERT in safetensors with 32-bit weights, quantised to 8 bits.
//!
//! Eight bits in blocks of 32 keep a cosine of 0.999 with the original; 4 bits are too few for a
//! model that was not trained for them (0.93).

use half::f16;
use safetensors::{Dtype, SafeTensors};

use crate::bert::{self, BLOCK, Bert, Layer, Linear, Norm, Words};
use crate::error::ConvertError;

/// Width of an attention head in every BERT of this family.
const HEAD: usize = 32;
/// Zero of an unsigned 8-bit weight.
const MIDDLE: f32 = 128.0;

/// The weights of a file.
pub(crate) struct Safetensors<'a> {
    file: SafeTensors<'a>,
}

impl<'a> Safetensors<'a> {
    /// Reads the directory of a safetensors file.
    pub(crate) fn parse(bytes: &'a [u8]) -> Result<Safetensors<'a>, ConvertError> {
        let file = SafeTensors::deserialize(bytes);
        let file = file.map_err(|e| ConvertError::Safetensors { cause: e.to_string() })?;
        Ok(Safetensors { file })
    }

    /// The encoder.
    pub(crate) fn bert(&self) -> Result<Bert, ConvertError> {
        let (words, shape) = self.floats("embeddings.word_embeddings.weight")?;
        let hidden = *shape.last().unwrap_or(&0);
        if hidden == 0 || hidden % BLOCK != 0 {
            return Err(ConvertError::Header { what: "the hidden width", value: hidden as i64 });
        }
        let places = self.sized("embeddings.position_embeddings.weight", hidden)?;
        let segments = self.sized("embeddings.token_type_embeddings.weight", hidden)?;
        Ok(Bert {
            hidden,
            heads: hidden / HEAD,
            epsilon: 1e-12,
            words: Words::F16(words.iter().flat_map(|x| f16::from_f32(*x).to_le_bytes()).collect()),
            positions: bert::positions(places, &segments[..hidden]),
            norm: self.norm("embeddings.LayerNorm", hidden)?,
            layers: (0..self.layers()?)
                .map(|number| self.layer(number, hidden))
                .collect::<Result<_, _>>()?,
        })
    }

    /// How many layers there are.
    fn layers(&self) -> Result<usize, ConvertError> {
        let first = |number: usize| format!("encoder.layer.{number}.output.dense.weight");
        match (0..).take_while(|number| self.file.tensor(&first(*number)).is_ok()).count() {
            0 => Err(ConvertError::NoTensor { name: first(0) }),
            layers => Ok(layers),
        }
    }

    fn layer(&self, number: usize, hidden: usize) -> Result<Layer, ConvertError> {
        let at = |part: &str| format!("encoder.layer.{number}.{part}");
        Ok(Layer {
            query: self.linear(&at("attention.self.query"))?,
            key: self.linear(&at("attention.self.key"))?,
            value: self.linear(&at("attention.self.value"))?,
            mix: self.linear(&at("attention.output.dense"))?,
            mix_norm: self.norm(&at("attention.output.LayerNorm"), hidden)?,
            widen: self.linear(&at("intermediate.dense"))?,
            narrow: self.linear(&at("output.dense"))?,
            norm: self.norm(&at("output.LayerNorm"), hidden)?,
        })
    }

    fn linear(&self, name: &str) -> Result<Linear, ConvertError> {
        let (weights, shape) = self.floats(&format!("{name}.weight"))?;
        let (outputs, inputs) = match shape[..] {
            [outputs, inputs] if inputs > 0 && inputs % BLOCK == 0 => (outputs, inputs),
            _ => return Err(ConvertError::Tensor { name: name.to_owned() }),
        };
        let bias = self.exactly(&format!("{name}.bias"), outputs)?;
        let (packed, scales) = quantise(&weights);
        Ok(Linear { inputs, outputs, bits: 8, packed, scales, bias })
    }

    fn norm(&self, name: &str, width: usize) -> Result<Norm, ConvertError> {
        let weight = self.exactly(&format!("{name}.weight"), width)?;
        let bias = self.exactly(&format!("{name}.bias"), width)?;
        Ok(Norm { weight, bias })
    }

    /// A tensor of so many numbers.
    fn exactly(&self, name: &str, count: usize) -> Result<Vec<f32>, ConvertError> {
        match self.floats(name)?.0 {
            values if values.len() == count => Ok(values),
            _ => Err(ConvertError::Tensor { name: name.to_owned() }),
        }
    }

    /// A tensor of one or more rows of this width.
    fn sized(&self, name: &str, width: usize) -> Result<Vec<f32>, ConvertError> {
        match self.floats(name)?.0 {
            values if !values.is_empty() && values.len() % width == 0 => Ok(values),
            _ => Err(ConvertError::Tensor { name: name.to_owned() }),
        }
    }

    /// The numbers and the shape of a tensor of 32-bit floats, all finite.
    fn floats(&self, name: &str) -> Result<(Vec<f32>, Vec<usize>), ConvertError> {
        let owned = || name.to_owned();
        let view = self.file.tensor(name).map_err(|_| ConvertError::NoTensor { name: owned() })?;
        if view.dtype() != Dtype::F32 {
            return Err(ConvertError::Tensor { name: owned() });
        }
        let raw = view.data().as_chunks().0;
        let values: Vec<f32> = raw.iter().map(|raw| f32::from_le_bytes(*raw)).collect();
        match values.iter().all(|value| value.is_finite()) {
            true => Ok((values, view.shape().to_vec())),
            false => Err(ConvertError::NotFinite { name: owned() }),
        }
    }
}

/// The largest weight of each block of 32 becomes 127 steps from the middle, the rest in proportion.
fn quantise(weights: &[f32]) -> (Vec<u8>, Vec<f32>) {
    let (mut packed, mut scales) = (Vec::with_capacity(weights.len()), Vec::new());
    for block in weights.chunks_exact(BLOCK) {
        let largest = block.iter().fold(0f32, |largest, weight| largest.max(weight.abs()));
        let scale = if largest == 0.0 { 1.0 } else { largest / (MIDDLE - 1.0) };
        packed.extend(block.iter().map(|weight| (weight / scale + MIDDLE).round() as u8));
        scales.push(scale);
    }
    (packed, scales)
}
