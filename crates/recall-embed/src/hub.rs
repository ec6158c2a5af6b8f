//! Models from a hub.

use std::path::Path;

use crate::error::EmbedError;
use crate::home::Home;

/// Makes `model.onnx` and `tokenizer.json` of hub repository `repo` in `made`.
pub(crate) fn fetch(_: &Home, repo: &str, _: &Path) -> Result<(), EmbedError> {
    Err(EmbedError::NoHub { repo: repo.to_owned() })
}
