//! Asks an index one question after another, as a server or an agent does: the index stays open and
//! the model loaded, and each answer is from the generation that is current when it is asked.
//!
//! ```sh
//! printf 'first question\nsecond question\n' | cargo run --release -p recall --example many_questions -- INDEX [KIND]
//! ```
//!
//! INDEX is the index folder (`.recall` in what was indexed). With KIND only documents of that kind
//! answer: note, ticket, chat, mail, runbook, memory, transcript, log.

use std::error::Error;
use std::io::BufRead;

use recall_query::{Conditions, Engine, Query, QueryError};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [index, kinds @ ..] = arguments.as_slice() else {
        return Err("usage: many_questions INDEX [KIND] < QUESTIONS".into());
    };
    let engine = Engine::new();
    for question in std::io::stdin().lock().lines() {
        let query = Query {
            conditions: Conditions { kinds: kinds.to_vec(), ..Conditions::default() },
            limit: 3,
            ..Query::new(index.as_str(), question?)
        };
        match engine.answer(&query) {
            Ok(answer) => {
                let titles: Vec<&str> = answer.hits.iter().map(|hit| hit.title.as_str()).collect();
                println!("{} -> {titles:?} in {:.0} ms", query.text, answer.took_ms);
            }
            // One bad condition is no reason to stop.
            Err(QueryError::Condition(why)) => println!("{} -> {why}", query.text),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}
