//! The rows of the table, in its order.

mod change;
mod embedding;
mod hybrid;
mod keyword;
mod memory;
mod resident;
mod scale;
mod space;

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use crate::flags::Flags;
use crate::machine::Machine;
use crate::outcome::Outcome;
use crate::report::{Line, Report};
use crate::row::Row;
use crate::size::Size;
use crate::stage::{Source, Stage};

static ROWS: [Row; 13] = [
    Row {
        name: "searchable",
        what: "time until the corpus answers keyword questions",
        target: "≤ 2 × bare tantivy, and faster than SQLite FTS5",
        cost: "3 min",
        extra: false,
        measure: keyword::searchable,
    },
    Row {
        name: "keyword-cold",
        what: "keyword query, cold process, the whole corpus, p50",
        target: "≤ 60 ms from start to exit",
        cost: "1 min (after `searchable`)",
        extra: false,
        measure: keyword::cold,
    },
    Row {
        name: "memory-keyword",
        what: "peak memory while indexing the corpus, keyword only",
        target: "≤ 400 MB, independent of file sizes",
        cost: "1 min (after `searchable`)",
        extra: false,
        measure: memory::keyword,
    },
    Row {
        name: "embedding",
        what: "embedding throughput, mixed-length chat and ticket chunks",
        target: "≥ 0.95 × bare ONNX Runtime at its best arrangement, ≥ 4 × fastembed's plain call",
        cost: "4 min",
        extra: false,
        measure: embedding::throughput,
    },
    Row {
        name: "memory-model",
        what: "peak memory while indexing with the model",
        target: "≤ 1 GB, independent of file sizes",
        cost: "4 min",
        extra: false,
        measure: memory::model,
    },
    Row {
        name: "hybrid-warm",
        what: "hybrid query, warm, p50",
        target: "≤ 1.25 × (query embedding + bare HNSW search + bare BM25 search)",
        cost: "1 min (after `memory-model`)",
        extra: false,
        measure: hybrid::warm,
    },
    Row {
        name: "resident",
        what: "hybrid query from the shell with the resident process up, p50",
        target: "≤ in-process warm time + 15 ms",
        cost: "1 min (after `memory-model`)",
        extra: false,
        measure: resident::from_the_shell,
    },
    Row {
        name: "size",
        what: "index size",
        target: "≤ 1.2 × text + 500 bytes a chunk",
        cost: "nothing (after `memory-model`)",
        extra: false,
        measure: space::size,
    },
    Row {
        name: "change",
        what: "commit of 100 changed documents into 1,000,000 chunks against into 10,000",
        target: "≤ 3 ×",
        cost: "12 min for the index of a million, shared by the next two",
        extra: false,
        measure: change::against_size,
    },
    Row {
        name: "hybrid-scale",
        what: "hybrid p95 at 1,000,000 chunks against 10,000, generated vectors",
        target: "≤ 4 ×",
        cost: "1 min (after `change`)",
        extra: false,
        measure: scale::hybrid,
    },
    Row {
        name: "recall",
        what: "recall@10 of the vector index at 1,000,000 against exact, generated vectors",
        target: "≥ 0.97",
        cost: "1 min (after `change`)",
        extra: false,
        measure: scale::recall,
    },
    Row {
        name: "full-embed",
        what: "the whole corpus indexed with the model",
        target: "≤ 1 GB",
        cost: "20 min and more",
        extra: true,
        measure: memory::whole,
    },
    Row {
        name: "start",
        what: "what a process costs that does nothing (`recall --version`)",
        target: "–",
        cost: "nothing",
        extra: false,
        measure: keyword::start,
    },
];

/// Measures what the flags ask for and reports it. A row that fails says so and stops no other.
pub(crate) fn run(flags: &Flags) -> Outcome<()> {
    if flags.list {
        for row in &ROWS {
            println!("{:15} {} [{}]", row.name, row.what, row.cost);
        }
        return Ok(());
    }
    let chosen = chosen(flags)?;
    let bar = ProgressBar::new(chosen.len() as u64);
    bar.set_style(ProgressStyle::with_template("[{elapsed}] {pos}/{len} {prefix}: {msg}")?);
    bar.enable_steady_tick(Duration::from_secs(1));
    let size = if flags.quick { Size::QUICK } else { Size::FULL };
    let size = Size {
        rounds: flags.rounds.unwrap_or(size.rounds).max(1),
        many: flags.chunks.unwrap_or(size.many),
        ..size
    };
    let source = Source { dataset: flags.dataset.clone(), program: flags.program.clone() };
    let stage = Stage::new(size, source, bar.clone())?;
    let mut lines = Vec::new();
    for row in chosen {
        bar.set_prefix(row.name);
        let started = Instant::now();
        let measured = (row.measure)(&stage).map_err(|error| error.to_string());
        let line = Line { row, measured, seconds: started.elapsed().as_secs_f64() };
        bar.suspend(|| eprintln!("{}", line.in_short()));
        bar.inc(1);
        lines.push(line);
    }
    bar.finish_and_clear();
    let corpus = stage.corpus().map_or_else(
        |_| String::new(),
        |corpus| format!("{}, {} documents", corpus.name, corpus.documents),
    );
    let report = Report { machine: Machine::here(), corpus, rounds: size.rounds, lines };
    print!("{}", report.markdown());
    if let Some(path) = &flags.json {
        std::fs::write(path, report.json()?)?;
    }
    if !flags.quick && (flags.only.is_empty() || flags.write) {
        report.write(&ROWS)?;
    }
    Ok(())
}

fn chosen(flags: &Flags) -> Outcome<Vec<&'static Row>> {
    let known: BTreeSet<&str> = ROWS.iter().map(|row| row.name).collect();
    if let Some(unknown) = flags.only.iter().find(|name| !known.contains(name.as_str())) {
        let known: Vec<&str> = known.into_iter().collect();
        return Err(format!("no row `{unknown}`; rows are {}", known.join(", ")).into());
    }
    let asked = |row: &&Row| match flags.only.is_empty() {
        true => !row.extra || (flags.full_embed && row.name == "full-embed"),
        false => flags.only.iter().any(|name| name == row.name),
    };
    Ok(ROWS.iter().filter(asked).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_without_a_model_measure_something() {
        let size = Size { few: 150, many: 400, rounds: 1, ..Size::QUICK };
        let stage = Stage::new(size, Source::default(), ProgressBar::hidden()).unwrap();
        let change = change::against_size(&stage).unwrap();
        assert!(change.figures.iter().all(|f| f.value > 0.0), "{change:?}");
        // So few vectors are compared one by one: only their coding costs anything.
        let recall = scale::recall(&stage).unwrap();
        assert!(recall.figures[0].value > 0.9, "{recall:?}");
    }
}
