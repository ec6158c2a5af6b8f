//! The two doors from outside, without a model: an index is made and asked.

mod asking;
mod conditions;
mod notes;
