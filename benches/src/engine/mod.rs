//! Embedding engines, each in a process of its own (one ONNX Runtime environment is allowed in a
//! process), driven in turn so that all are measured under the same load.

mod bare;
mod plain;

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

use clap::ValueEnum;
use recall_embed::{DEFAULT_MODEL, Embedder, Home, Installed, ModelCatalogue};
use serde::{Deserialize, Serialize};

use crate::outcome::Outcome;
use bare::Bare;
use plain::Plain;

/// Which engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Kind {
    /// recall's own.
    Recall,
    /// ONNX Runtime: one text a run, one thread a session.
    Bare,
    /// ONNX Runtime: sorted batches, one session on all threads.
    Batched,
    /// fastembed's plain `embed`.
    Plain,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Recall => "recall",
            Self::Bare => "bare",
            Self::Batched => "batched",
            Self::Plain => "plain",
        }
    }
}

/// The installed default model.
pub(crate) fn model() -> Outcome<(Home, Installed)> {
    let home = Home::from_env();
    let catalogue = ModelCatalogue::of(&home)?;
    let installed = recall_embed::installed(&home, catalogue.find(DEFAULT_MODEL)?)
        .map_err(|e| format!("{e}; fetch it with: recall model pull"))?;
    Ok((home, installed))
}

#[derive(Debug, Serialize, Deserialize)]
enum Order {
    /// Take these texts; what can be prepared without the model is.
    Load(Vec<String>),
    /// Embed the texts taken.
    Run,
    /// Embed one question, its tokenizing included.
    Question(String),
}

#[derive(Debug, Serialize, Deserialize)]
struct Done {
    seconds: f64,
    tokens: usize,
    vector: Vec<f32>,
}

enum Engine {
    Recall(Box<Embedder>, Vec<String>),
    Bare(Box<Bare>),
    Plain(Box<Plain>),
}

impl Engine {
    fn load(kind: Kind, threads: usize) -> Outcome<Self> {
        let (home, installed) = model()?;
        Ok(match kind {
            Kind::Recall => {
                let embedder = Embedder::load(&home, &installed, threads)?;
                Self::Recall(Box::new(embedder), Vec::new())
            }
            Kind::Bare => Self::Bare(Box::new(Bare::load(&home, &installed, threads, 1)?)),
            Kind::Batched => Self::Bare(Box::new(Bare::load(&home, &installed, 1, threads)?)),
            Kind::Plain => Self::Plain(Box::new(Plain::load(&home, &installed)?)),
        })
    }

    /// Takes texts; returns how many tokens they have, 0 where the engine cannot tell.
    fn take(&mut self, texts: Vec<String>) -> Outcome<usize> {
        Ok(match self {
            Self::Recall(embedder, own) => {
                *own = texts;
                own.iter().map(|text| embedder.tokens().count(text)).sum()
            }
            Self::Bare(bare) => bare.take(&texts)?,
            Self::Plain(plain) => {
                plain.take(texts);
                0
            }
        })
    }

    fn run(&mut self) -> Outcome<()> {
        match self {
            Self::Recall(embedder, own) => {
                let texts: Vec<&str> = own.iter().map(String::as_str).collect();
                std::hint::black_box(embedder.passages(&texts, &|_| {})?);
                Ok(())
            }
            Self::Bare(bare) => bare.run(),
            Self::Plain(plain) => plain.run(),
        }
    }

    fn question(&mut self, text: &str) -> Outcome<Vec<f32>> {
        match self {
            Self::Recall(embedder, _) => Ok(embedder.query(text)?),
            Self::Bare(bare) => bare.question(text),
            Self::Plain(plain) => plain.question(text),
        }
    }

    fn obey(&mut self, order: Order) -> Outcome<Done> {
        let (mut tokens, mut vector) = (0, Vec::new());
        let clock = Instant::now();
        match order {
            Order::Load(texts) => tokens = self.take(texts)?,
            Order::Run => self.run()?,
            Order::Question(text) => vector = self.question(&text)?,
        }
        Ok(Done { seconds: clock.elapsed().as_secs_f64(), tokens, vector })
    }
}

/// Obeys orders on standard input, one a line, until it ends.
pub(crate) fn serve(kind: Kind, threads: usize) -> Outcome<()> {
    let mut engine = Engine::load(kind, threads)?;
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let done = engine.obey(serde_json::from_str(&line?)?)?;
        writeln!(out, "{}", serde_json::to_string(&done)?)?;
        out.flush()?;
    }
    Ok(())
}

/// An engine in a process of its own.
pub(crate) struct Remote {
    child: Child,
    orders: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Remote {
    /// Starts one; it is loaded when the first order is answered.
    pub(crate) fn start(kind: Kind, threads: usize) -> Outcome<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["engine", kind.name(), &threads.to_string()]);
        // As recall does: what is searched here is nobody else's business.
        command.env("ORT_DISABLE_TELEMETRY", "1").env("ORT_TELEMETRY_DISABLED", "1");
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let orders = child.stdin.take();
        let answers = BufReader::new(child.stdout.take().ok_or("no pipe to an engine")?);
        Ok(Self { child, orders, answers })
    }

    /// Hands over texts; returns how many tokens they have, special ones not counted, where the
    /// engine can tell.
    pub(crate) fn load(&mut self, texts: &[String]) -> Outcome<usize> {
        Ok(self.ask(&Order::Load(texts.to_vec()))?.tokens)
    }

    /// Seconds to embed the texts handed over.
    pub(crate) fn run(&mut self) -> Outcome<f64> {
        Ok(self.ask(&Order::Run)?.seconds)
    }

    /// Seconds to embed one question, and its vector.
    pub(crate) fn question(&mut self, text: &str) -> Outcome<(f64, Vec<f32>)> {
        let done = self.ask(&Order::Question(text.to_owned()))?;
        Ok((done.seconds, done.vector))
    }

    fn ask(&mut self, order: &Order) -> Outcome<Done> {
        let orders = self.orders.as_mut().ok_or("the engine was stopped")?;
        writeln!(orders, "{}", serde_json::to_string(order)?)?;
        orders.flush()?;
        let mut line = String::new();
        if self.answers.read_line(&mut line)? == 0 {
            return Err("an engine stopped: see what it said above".into());
        }
        Ok(serde_json::from_str(&line)?)
    }
}

impl Drop for Remote {
    fn drop(&mut self) {
        self.orders = None;
        let _ = self.child.wait();
    }
}
