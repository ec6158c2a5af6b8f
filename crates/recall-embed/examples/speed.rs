//! How fast a model loads and embeds here: `speed [MODEL] [THREADS] < texts`, one text a line.

use std::io::{self, BufRead};
use std::time::Instant;

use recall_embed::{DEFAULT_MODEL, Embedder, Home, ModelCatalogue, ModelTokenizer, pull};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let id = arguments.next().unwrap_or_else(|| DEFAULT_MODEL.to_owned());
    let threads = arguments.next().map_or(Ok(2), |threads| threads.parse())?;
    let home = Home::from_env();
    let catalogue = ModelCatalogue::of(&home)?;

    let clock = Instant::now();
    let installed = pull(&home, catalogue.find(&id)?, false, &|_| {})?;
    println!("pull      {:?}", clock.elapsed());
    let clock = Instant::now();
    recall_embed::installed(&home, &installed.model)?;
    println!("installed {:?}", clock.elapsed());
    let clock = Instant::now();
    let tokens = ModelTokenizer::load(&installed)?;
    println!("tokens    {:?}", clock.elapsed());
    let clock = Instant::now();
    let embedder = Embedder::load(&home, &installed, threads)?;
    println!("embedder  {:?}", clock.elapsed());
    let clock = Instant::now();
    embedder.query("how do I restart the ingest worker")?;
    println!("query     {:?}", clock.elapsed());

    let texts: Vec<String> = io::stdin().lock().lines().collect::<Result<_, _>>()?;
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let clock = Instant::now();
    let counted: usize = texts.iter().map(|text| tokens.count(text)).sum();
    println!("counted   {counted} tokens in {:?}", clock.elapsed());
    let clock = Instant::now();
    embedder.passages(&texts, &|_| {})?;
    let seconds = clock.elapsed().as_secs_f64();
    println!("passages  {} texts, {:.0} tokens/s", texts.len(), counted as f64 / seconds);
    Ok(())
}
