//! Text to vectors, on this machine: the model catalogue, getting a model and the ONNX Runtime, and
//! running it.

mod bert;
mod bytes;
mod catalogue;
mod convert;
mod disk;
mod elf;
mod embedder;
mod error;
mod graph;
mod home;
mod hub;
mod installed;
mod onnx;
mod pack;
#[cfg(test)]
mod pack_tests;
mod package;
mod pieces;
mod pool;
mod progress;
mod pull;
mod runtime;
mod seal;
mod session;
mod tokens;
mod vocabulary;
mod weights;

pub use catalogue::{Catalogue, DEFAULT_MODEL, Form, Model, PackageFile, Pooling, Source};
pub use embedder::Embedder;
pub use error::{ConvertError, Damage, EmbedError};
pub use home::Home;
pub use installed::{FileState, Installed, State, installed, verify};
pub use progress::{Progress, Stage};
pub use pull::pull;
pub use tokens::Tokens;
