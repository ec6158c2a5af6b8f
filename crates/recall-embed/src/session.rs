//! One ONNX session, single-threaded: token numbers in, one vector out. The only file that names
//! fastembed.

use fastembed::{
    ExecutionProviderDispatch, InitOptionsUserDefined, Pooling as Pool, TextEmbedding,
    TokenizerFiles, UserDefinedEmbeddingModel,
};
use ort::environment::Environment;
use ort::ep::CPU;
use tokenizers::Tokenizer;
use tokenizers::models::wordlevel::WordLevel;
use tokenizers::pre_tokenizers::whitespace::WhitespaceSplit;

use crate::error::EmbedError;
use crate::model_spec::Pooling;

/// A loaded model.
///
/// fastembed tokenizes by itself, with a tokenizer of its own for each session; ours is large and
/// shared. So each run hands it the numbers as words, with a vocabulary of just those words.
pub(crate) struct Session(TextEmbedding);

impl Session {
    /// Loads the model in the bytes of an ONNX file.
    pub(crate) fn load(
        environment: &Environment,
        onnx: Vec<u8>,
        pooling: Pooling,
    ) -> Result<Session, fastembed::Error> {
        let pool = match pooling {
            Pooling::Mean => Pool::Mean,
            Pooling::Cls => Pool::Cls,
        };
        let model = UserDefinedEmbeddingModel::new(onnx, no_tokenizer()).with_pooling(pool);
        let options = InitOptionsUserDefined::new()
            .with_environment(environment.clone())
            .with_execution_providers(vec![processor()])
            .with_intra_threads(1)
            .with_max_length(usize::MAX)
            .with_session_config("session.intra_op.allow_spinning", "0");
        TextEmbedding::try_new_from_user_defined(model, options).map(Session)
    }

    /// The vector of a text given as token numbers: of length 1, every part finite.
    pub(crate) fn vector(&mut self, ids: &[u32]) -> Result<Vec<f32>, EmbedError> {
        let refused = |cause: String| EmbedError::Run { cause };
        self.0.tokenizer = numbers(ids).map_err(|e| refused(e.to_string()))?;
        let text = ids.iter().map(u32::to_string).collect::<Vec<_>>().join(" ");
        let mut vectors = self.0.embed([text], None).map_err(|e| refused(e.to_string()))?;
        let vector = vectors.pop().ok_or(EmbedError::BadVector { what: "nothing" })?;
        unit(vector)
    }
}

/// A model on a hub that is one ONNX file.
#[cfg(feature = "hub")]
pub(crate) struct HubModel {
    /// `owner/name`.
    pub(crate) repo: String,
    /// The model's path in it.
    pub(crate) file: String,
    pub(crate) dims: usize,
    pub(crate) pooling: Pooling,
}

/// What fastembed knows, without the models in several files or with outputs of their own.
#[cfg(feature = "hub")]
pub(crate) fn hub_models() -> Vec<HubModel> {
    let known = TextEmbedding::list_supported_models().into_iter();
    let single = known.filter(|info| info.additional_files.is_empty() && info.output_key.is_none());
    let model = |info: fastembed::ModelInfo<fastembed::EmbeddingModel>| HubModel {
        pooling: match TextEmbedding::get_default_pooling_method(&info.model) {
            Some(Pool::Cls) => Pooling::Cls,
            _ => Pooling::Mean,
        },
        repo: info.model_code,
        file: info.model_file,
        dims: info.dim,
    };
    single.map(model).collect()
}

/// A tokenizer that reads the numbers of `ids` written as words.
fn numbers(ids: &[u32]) -> tokenizers::Result<Tokenizer> {
    let vocab = ids.iter().map(|id| (id.to_string(), *id)).collect();
    let model = WordLevel::builder().vocab(vocab).build()?;
    let mut tokenizer = Tokenizer::new(model);
    tokenizer.with_pre_tokenizer(Some(WhitespaceSplit));
    Ok(tokenizer)
}

/// The least that fastembed takes for a tokenizer; never used on a text.
fn no_tokenizer() -> TokenizerFiles {
    TokenizerFiles {
        tokenizer_file: br#"{"model":{"type":"WordLevel","vocab":{"-":0},"unk_token":"-"}}"#.into(),
        config_file: br#"{"pad_token_id":0}"#.into(),
        special_tokens_map_file: b"{}".into(),
        tokenizer_config_file: br#"{"model_max_length":1e9,"pad_token":"-"}"#.into(),
    }
}

/// The processor without the arena: that one grows to the largest run ever seen and never shrinks.
fn processor() -> ExecutionProviderDispatch {
    CPU::default().with_arena_allocator(false).build()
}

/// `vector` if it is a direction. fastembed divides by the length, so all it can be is of length 1,
/// zero, or broken.
fn unit(vector: Vec<f32>) -> Result<Vec<f32>, EmbedError> {
    let square: f32 = vector.iter().map(|x| x * x).sum();
    if !square.is_finite() {
        return Err(EmbedError::BadVector { what: "numbers that are not finite" });
    }
    if (square - 1.0).abs() > 1e-2 {
        return Err(EmbedError::BadVector { what: "zeros" });
    }
    Ok(vector)
}
