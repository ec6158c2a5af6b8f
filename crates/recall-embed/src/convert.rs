//! Weights as packages carry them, turned into `model.onnx` and `tokenizer.json`.

use std::fs;
use std::path::{Path, PathBuf};

use prost::Message;

use crate::bert::Bert;
use crate::disk;
use crate::error::{ConvertError, EmbedError};
use crate::graph;
use crate::home::{MODEL_FILE, TOKENIZER_FILE};
use crate::origin::Form;
use crate::pack::Pack;
use crate::safetensors::Safetensors;

/// Makes the two files in `made` from the unpacked `files` of a source, which are in the order the
/// form expects: the weights, then the tokenizer where it is a file of its own.
pub(crate) fn convert(form: Form, files: &[PathBuf], made: &Path) -> Result<(), EmbedError> {
    let weights = |index: usize| {
        let missing = || EmbedError::NoFile { form, index };
        let path = files.get(index).ok_or_else(missing)?;
        fs::read(path).map_err(EmbedError::io(path))
    };
    let refused = |cause| EmbedError::Convert { path: files[0].clone(), cause };
    let (model, tokenizer) = match form {
        Form::E5s1 => from_pack(&weights(0)?).map_err(refused)?,
        Form::BertSafetensors => (from_safetensors(&weights(0)?).map_err(refused)?, weights(1)?),
        Form::Onnx => (weights(0)?, weights(1)?),
    };
    disk::write(&made.join(MODEL_FILE), &model)?;
    disk::write(&made.join(TOKENIZER_FILE), &tokenizer)
}

fn from_pack(bytes: &[u8]) -> Result<(Vec<u8>, Vec<u8>), ConvertError> {
    let pack = Pack::parse(bytes)?;
    Ok((onnx(pack.bert()?), pack.vocabulary.tokenizer().to_string().into_bytes()))
}

fn from_safetensors(bytes: &[u8]) -> Result<Vec<u8>, ConvertError> {
    Ok(onnx(Safetensors::parse(bytes)?.bert()?))
}

fn onnx(bert: Bert) -> Vec<u8> {
    graph::model(bert).encode_to_vec()
}
