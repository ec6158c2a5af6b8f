//! The program, end to end, with the real model and real indexes.

mod cli;
mod corpus;
mod damage;
mod eval;
mod honest;
mod incremental;
mod kill;
mod program;
#[cfg(unix)]
mod readers;
#[cfg(unix)]
mod resident;
#[cfg(unix)]
mod runtime;
#[cfg(unix)]
mod watch;
