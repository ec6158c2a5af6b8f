//! Everything a caller of the crate can see, tested from outside: real files, real indexes, vectors
//! from a function instead of a model.

mod corpus;
mod dry_run;
mod filters;
mod freshness;
mod generations;
mod language;
mod ranking;
mod vectors;
mod whole;
