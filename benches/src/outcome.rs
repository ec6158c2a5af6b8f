//! What a step of a benchmark gives back.

use std::error::Error;

/// A result, or a reason that is printed and nothing else.
pub(crate) type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;
