//! How fast recall is, beside bare engines on the same texts in the same run.
//!
//! ```sh
//! cargo run --release -p recall-benches --features peers -- --dataset DIR
//! ```
//!
//! prints a table and writes the table of `benches/README.md` and `benches/figures.json`. It builds the program `recall` first.

mod asking;
mod beir;
mod chat;
mod child;
mod engine;
mod figures;
mod flags;
mod machine;
mod outcome;
mod peers;
mod program;
mod report;
mod row;
mod rows;
mod scaled;
mod scratch;
mod size;
mod stage;
mod statistics;
mod synthetic;
mod words;

use clap::Parser;

use flags::{Flags, Part};
use outcome::Outcome;

fn main() -> Outcome<()> {
    let flags = Flags::parse();
    match &flags.part {
        Some(Part::Child { command }) => child::serve(command),
        Some(Part::Keyword { peer, corpus, target, question }) => {
            peers::keyword(*peer, corpus, target, question)
        }
        Some(Part::Engine { kind, threads }) => engine::serve(*kind, *threads),
        None => rows::run(&flags),
    }
}
