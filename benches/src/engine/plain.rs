//! fastembed as its documentation uses it: a model, and one call of `embed`.

use fastembed::{
    InitOptionsUserDefined, Pooling, TextEmbedding, TokenizerFiles, UserDefinedEmbeddingModel,
};
use recall_embed::{Home, Installed, ModelSpec};

use super::bare::library;
use crate::outcome::Outcome;

/// fastembed with the texts it is to run.
pub(super) struct Plain {
    model: ModelSpec,
    embedding: TextEmbedding,
    texts: Vec<String>,
}

impl Plain {
    pub(super) fn load(home: &Home, installed: &Installed) -> Outcome<Self> {
        let environment = ort::init_from(library(home)?)?.with_telemetry(false).build()?;
        let tokenizer = TokenizerFiles {
            tokenizer_file: std::fs::read(installed.tokenizer())?,
            config_file: br#"{"pad_token_id":1}"#.to_vec(),
            special_tokens_map_file: b"{}".to_vec(),
            tokenizer_config_file: br#"{"model_max_length":512,"pad_token":"<pad>"}"#.to_vec(),
        };
        let onnx = std::fs::read(installed.onnx())?;
        let model = UserDefinedEmbeddingModel::new(onnx, tokenizer).with_pooling(Pooling::Mean);
        let options = InitOptionsUserDefined::new().with_environment(environment);
        let embedding = TextEmbedding::try_new_from_user_defined(model, options)?;
        Ok(Self { model: installed.model.clone(), embedding, texts: Vec::new() })
    }

    pub(super) fn take(&mut self, texts: Vec<String>) {
        let prefix = &self.model.passage_prefix;
        self.texts = texts.into_iter().map(|text| format!("{prefix}{text}")).collect();
    }

    pub(super) fn run(&mut self) -> Outcome<()> {
        std::hint::black_box(self.embedding.embed(&self.texts, None)?);
        Ok(())
    }

    pub(super) fn question(&mut self, text: &str) -> Outcome<Vec<f32>> {
        let text = format!("{}{text}", self.model.query_prefix);
        Ok(self.embedding.embed([text], None)?.remove(0))
    }
}
