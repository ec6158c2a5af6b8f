//! What can go wrong between a text and its vector, as data.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use crate::origin::Form;

/// Why a model could not be named, fetched, checked, loaded or run.
///
/// Every variant says what happened, with the paths and the cause; what to do about it is for the
/// program to say.
#[derive(Debug, thiserror::Error)]
pub enum EmbedError {
    /// No row of the catalogue has this id.
    #[error("no model is called `{id}`; known: {}", known.join(", "))]
    UnknownModel {
        /// The id asked for.
        id: String,
        /// The ids there are.
        known: Vec<String>,
    },
    /// A catalogue file does not parse.
    #[error("{}: not a model catalogue: {cause}", path.display())]
    ModelCatalogue {
        /// The catalogue.
        path: PathBuf,
        /// What the TOML parser said.
        cause: toml::de::Error,
    },
    /// The model's files are not on this machine.
    #[error("model `{id}` is not installed")]
    NotInstalled {
        /// The model.
        id: String,
    },
    /// No ONNX Runtime library was found.
    #[error("ONNX Runtime is not installed ({} does not exist)", path.display())]
    NoRuntime {
        /// Where it was looked for.
        path: PathBuf,
    },
    /// The catalogue has no ONNX Runtime for this machine.
    #[error("the catalogue names no ONNX Runtime for {os} on {arch}")]
    NoRuntimeForPlatform {
        /// Operating system, as Rust calls it.
        os: &'static str,
        /// Processor, as Rust calls it.
        arch: &'static str,
    },
    /// A file is not what was installed: cut, changed or replaced.
    #[error("{}: damaged: {why}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: Damage,
    },
    /// Something has to be fetched and fetching was not allowed.
    #[error("{what} is missing and may not be fetched: offline")]
    Offline {
        /// What would have been fetched.
        what: String,
    },
    /// No Python with pip, which fetches packages, was found.
    #[error("cannot run `python3 -m pip`: {cause}")]
    NoPip {
        /// What starting it, or pip itself, said.
        cause: String,
    },
    /// pip could not fetch a package.
    #[error("cannot fetch package {package}: {cause}")]
    Fetch {
        /// Name and version.
        package: String,
        /// pip's last lines.
        cause: String,
    },
    /// A fetched package lacks the file it is known for, or is no zip archive.
    #[error("{}: no usable `{member}` inside: {cause}", archive.display())]
    Package {
        /// The fetched archive.
        archive: PathBuf,
        /// The file wanted.
        member: String,
        /// What the archive reader said.
        cause: io::Error,
    },
    /// Weights do not have the layout their row says.
    #[error("{}: cannot be turned into a model: {cause}", path.display())]
    Convert {
        /// The source file.
        path: PathBuf,
        /// What is wrong with it.
        cause: ConvertError,
    },
    /// A row of the catalogue names too few files.
    #[error("a source of form {form:?} needs a file more than its row names ({index})")]
    NoFile {
        /// The form.
        form: Form,
        /// Index of the file that is missing.
        index: usize,
    },
    /// A model hub did not give a file.
    #[error("cannot fetch {file} of {repo} from the hub: {cause}")]
    Hub {
        /// Repository on the hub.
        repo: String,
        /// File in the repository.
        file: String,
        /// What the downloader said.
        cause: String,
    },
    /// The model is on a hub and this crate was built without the feature `hub`.
    #[error("`{repo}` comes from a model hub, and this program was built without one")]
    NoHub {
        /// Repository on the hub.
        repo: String,
    },
    /// The runtime library does not load, or is too old.
    #[error("{}: cannot be loaded as ONNX Runtime: {cause}", path.display())]
    RuntimeLoad {
        /// The library.
        path: PathBuf,
        /// What the loader said.
        cause: String,
    },
    /// Loading did not come back.
    #[error("{}: still loading after {} s", path.display(), after.as_secs())]
    Hang {
        /// What was loading.
        path: PathBuf,
        /// How long it was waited for.
        after: Duration,
    },
    /// This process already uses another ONNX Runtime library.
    #[error("{}: another ONNX Runtime is already in use: {}", path.display(), in_use.display())]
    OtherRuntime {
        /// The library asked for.
        path: PathBuf,
        /// The library loaded before.
        in_use: PathBuf,
    },
    /// The model file is refused by ONNX Runtime.
    #[error("{}: cannot be loaded as a model: {cause}", path.display())]
    ModelLoad {
        /// The model file.
        path: PathBuf,
        /// What the runtime said.
        cause: String,
    },
    /// The tokenizer file is refused.
    #[error("{}: cannot be loaded as a tokenizer: {cause}", path.display())]
    TokenizerLoad {
        /// The tokenizer file.
        path: PathBuf,
        /// What the tokenizer library said.
        cause: String,
    },
    /// A text could not be split into tokens.
    #[error("text cannot be tokenized: {cause}")]
    Tokenize {
        /// What the tokenizer library said.
        cause: String,
    },
    /// The model failed on a text.
    #[error("the model failed: {cause}")]
    Run {
        /// What the runtime said.
        cause: String,
    },
    /// The model answered with something that is no direction: NaN, infinite, zero.
    #[error("the model gave {what} instead of a vector")]
    BadVector {
        /// What was wrong with it.
        what: &'static str,
    },
    /// The model's vectors are not as long as its row says.
    #[error("the model gives {got} dimensions where its row says {expected}")]
    Dims {
        /// Dimensions of the row.
        expected: usize,
        /// Dimensions the model gave.
        got: usize,
    },
    /// The file system refused.
    #[error("{}: {cause}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The system's reason.
        cause: io::Error,
    },
}

/// How a file differs from what was installed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Damage {
    /// The file has another length.
    #[error("{got} bytes instead of {expected}")]
    Size {
        /// Bytes expected.
        expected: u64,
        /// Bytes found.
        got: u64,
    },
    /// The file has the right length and other bytes.
    #[error("sha256 is {got}, not {expected}")]
    Hash {
        /// Hash expected, hexadecimal.
        expected: String,
        /// Hash found, hexadecimal.
        got: String,
    },
    /// A file that was installed is gone.
    #[error("missing")]
    Missing,
    /// The record of what was installed cannot be read, or is another model's.
    #[error("not the record of this model's installation")]
    Record,
    /// The system does not let the file be read.
    #[error("unreadable")]
    Unreadable,
    /// The library file ends before its own headers say.
    #[error("cut short: {got} bytes where its headers speak of {expected}")]
    Cut {
        /// Bytes its headers speak of.
        expected: u64,
        /// Bytes found.
        got: u64,
    },
}

/// Why weights could not be turned into an ONNX model.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ConvertError {
    /// The file does not begin with the right magic.
    #[error("the magic is wrong")]
    Magic,
    /// The file ends before something it announces.
    #[error("{what} ends after the file does (byte {at})")]
    Short {
        /// What was being read.
        what: &'static str,
        /// Where it begins, in bytes.
        at: u64,
    },
    /// A number of the header is outside what any such model has.
    #[error("{what} is {value}")]
    Header {
        /// The field.
        what: &'static str,
        /// Its value.
        value: i64,
    },
    /// A piece of the vocabulary is not UTF-8 or its offsets run backwards.
    #[error("piece {index} of the vocabulary is not text")]
    Piece {
        /// Index of the piece.
        index: usize,
    },
    /// A tensor the model needs is not there.
    #[error("there is no tensor `{name}`")]
    NoTensor {
        /// Its name.
        name: String,
    },
    /// A tensor has another type or size than the model needs.
    #[error("tensor `{name}` does not have the type and size of its place")]
    Tensor {
        /// Its name.
        name: String,
    },
    /// A weight or a score is NaN or infinite.
    #[error("`{name}` holds a number that is not finite")]
    NotFinite {
        /// The tensor, or `scores`.
        name: String,
    },
    /// The safetensors header does not parse.
    #[error("not safetensors: {cause}")]
    Safetensors {
        /// What its reader said.
        cause: String,
    },
}

impl EmbedError {
    /// An [`EmbedError::Io`] about `path`, for `map_err`.
    pub(crate) fn io(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> EmbedError {
        let path = path.into();
        move |cause| EmbedError::Io { path, cause }
    }
}
