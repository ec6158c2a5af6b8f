//! Makes an index of a folder and asks it one question, in words of one's own.
//!
//! ```sh
//! cargo run --release -p recall --example index_and_ask -- FOLDER 'a question'
//! ```
//!
//! The index lies in a temporary folder. Vectors are made if the model is on this machine
//! (`recall model pull`); without it keywords answer alone, and the answer says so.

use std::error::Error;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use recall_index::{IndexOptions, IndexProgress};
use recall_query::{BuildSettings, Builder, Engine, Query};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, question] = arguments.as_slice() else {
        return Err("usage: index_and_ask FOLDER QUESTION".into());
    };
    let index = tempfile::tempdir()?;

    let builder = Builder::new(index.path(), BuildSettings::default(), &Builder::installed)?;
    let on_progress = |progress| {
        if progress == IndexProgress::Searchable {
            eprintln!("words can be searched");
        }
    };
    let stop = AtomicBool::new(false);
    let roots = [PathBuf::from(folder)];
    let built = builder.build(&roots, &IndexOptions::default(), &on_progress, &stop)?;
    println!("{} documents", built.manifest.counts.documents);
    for problem in &built.summary.problems {
        println!("not read: {problem}");
    }

    let answer = Engine::new().answer(&Query::new(index.path(), question.as_str()))?;
    if let Some(why) = &answer.degraded {
        println!("from keywords alone: {why}");
    }
    for hit in &answer.hits {
        let line = hit.lines.map_or(1, |(first, _)| first);
        println!("{:>3.0} % {}:{line} {}", hit.relevance * 100.0, hit.path, hit.title);
    }
    if answer.nothing_relevant {
        println!("nothing relevant");
    }
    Ok(())
}
