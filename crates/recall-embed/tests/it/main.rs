//! Tests of the model room, with the real models: the first run fetches them.

mod catalogue;
mod damage;
mod hub;
mod installed;
mod process;
mod pulling;
mod tokens;
mod vectors;
