//! ONNX Runtime without recall or fastembed around it: token numbers in, mean-pooled vectors out.

use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use ort::session::Session;
use ort::session::builder::GraphOptimizationLevel;
use ort::value::Tensor;
use recall_embed::{Home, Installed};
use tokenizers::{Tokenizer, TruncationParams};

use crate::outcome::Outcome;

/// ModelTokenizer of one batch, where texts are run in batches.
const BATCH_TOKENS: usize = 2_048;

/// Sessions with the texts they are to run.
pub(super) struct Bare {
    installed: Installed,
    tokenizer: Tokenizer,
    sessions: Vec<Mutex<Session>>,
    /// Batches of texts of about one length, the longest first.
    batches: Vec<Vec<Vec<i64>>>,
    /// Whether texts are run one by one.
    single: bool,
}

impl Bare {
    /// `sessions` sessions on `threads` threads each. Several sessions run texts one by one, a single
    /// one in batches.
    pub(super) fn load(
        home: &Home,
        installed: &Installed,
        sessions: usize,
        threads: usize,
    ) -> Outcome<Self> {
        let environment = ort::init_from(library(home)?)?.with_telemetry(false).build()?;
        let load = |_| -> Outcome<Mutex<Session>> {
            let builder = Session::builder(&environment)?
                .with_optimization_level(GraphOptimizationLevel::Level3)
                .map_err(|e| e.to_string())?
                .with_intra_threads(threads)
                .map_err(|e| e.to_string())?
                .with_intra_op_spinning(threads > 1)
                .map_err(|e| e.to_string())?;
            let mut builder = builder;
            Ok(Mutex::new(builder.commit_from_file(installed.onnx())?))
        };
        let sessions = (0..sessions).map(load).collect::<Outcome<_>>()?;
        let mut tokenizer = Tokenizer::from_file(installed.tokenizer())?;
        let max_length = installed.model.max_tokens;
        tokenizer.with_truncation(Some(TruncationParams { max_length, ..Default::default() }))?;
        tokenizer.with_padding(None);
        let single = threads == 1;
        Ok(Self { installed: installed.clone(), tokenizer, sessions, batches: Vec::new(), single })
    }

    /// Takes texts as passages, and returns how many tokens they have, special ones not counted.
    pub(super) fn take(&mut self, texts: &[String]) -> Outcome<usize> {
        let prefix = &self.installed.model.passage_prefix;
        let mut ids =
            texts.iter().map(|text| self.ids(prefix, text)).collect::<Outcome<Vec<_>>>()?;
        ids.sort_by_key(|ids| std::cmp::Reverse(ids.len()));
        let count =
            |text: &String| self.tokenizer.encode_fast(text.as_str(), false).map(|e| e.len());
        let tokens = texts.iter().map(count).sum::<Result<usize, _>>()?;
        self.batches.clear();
        for one in ids {
            let fits = |batch: &Vec<Vec<i64>>| {
                !self.single && (batch.len() + 1) * batch[0].len() <= BATCH_TOKENS
            };
            match self.batches.last_mut().filter(|batch| fits(batch)) {
                Some(batch) => batch.push(one),
                None => self.batches.push(vec![one]),
            }
        }
        Ok(tokens)
    }

    /// Runs the texts taken, on all sessions at once.
    pub(super) fn run(&self) -> Outcome<()> {
        let next = AtomicUsize::new(0);
        let work = |session: &Mutex<Session>| -> Outcome<()> {
            let mut session = session.lock().map_err(|e| e.to_string())?;
            while let Some(batch) = self.batches.get(next.fetch_add(1, Ordering::Relaxed)) {
                std::hint::black_box(vectors(&mut session, batch)?);
            }
            Ok(())
        };
        std::thread::scope(|scope| {
            let workers: Vec<_> =
                self.sessions.iter().map(|session| scope.spawn(move || work(session))).collect();
            workers
                .into_iter()
                .try_for_each(|worker| worker.join().map_err(|_| "a run panicked")?)
        })
    }

    /// The vector of a question.
    pub(super) fn question(&self, text: &str) -> Outcome<Vec<f32>> {
        let ids = self.ids(&self.installed.model.query_prefix, text)?;
        let mut session = self.sessions[0].lock().map_err(|e| e.to_string())?;
        Ok(vectors(&mut session, &[ids])?.remove(0))
    }

    fn ids(&self, prefix: &str, text: &str) -> Outcome<Vec<i64>> {
        let encoding = self.tokenizer.encode_fast(format!("{prefix}{text}"), true)?;
        Ok(encoding.get_ids().iter().map(|id| i64::from(*id)).collect())
    }
}

/// Where the runtime lies: as the user says, else where recall keeps it.
pub(super) fn library(home: &Home) -> Outcome<PathBuf> {
    let own = ["RECALL_ORT", "ORT_DYLIB_PATH"].iter().filter_map(std::env::var_os).next();
    if let Some(own) = own {
        return Ok(own.into());
    }
    let versions = std::fs::read_dir(home.path().join("runtime"))?.flatten();
    let files = versions.filter_map(|version| std::fs::read_dir(version.path()).ok());
    let mut paths: Vec<PathBuf> = files.flatten().flatten().map(|file| file.path()).collect();
    paths.sort();
    paths.pop().ok_or_else(|| "no ONNX Runtime; fetch it with: recall model pull".into())
}

/// The mean of each text's tokens, of length 1; `batch` holds token numbers, the longest text first.
fn vectors(session: &mut Session, batch: &[Vec<i64>]) -> Outcome<Vec<Vec<f32>>> {
    let (rows, width) = (batch.len(), batch.first().map_or(0, Vec::len));
    let mut ids = Vec::with_capacity(rows * width);
    let mut mask = Vec::with_capacity(rows * width);
    for row in batch {
        ids.extend(row.iter().copied().chain(std::iter::repeat_n(1, width - row.len())));
        mask.extend((0..width).map(|place| i64::from(place < row.len())));
    }
    let shape = [rows as i64, width as i64];
    let inputs = ort::inputs![
        "input_ids" => Tensor::from_array((shape, ids))?,
        "attention_mask" => Tensor::from_array((shape, mask))?,
    ];
    let outputs = session.run(inputs)?;
    let (shape, values) = outputs[0].try_extract_tensor::<f32>()?;
    let dims = shape[2] as usize;
    let texts = values.chunks_exact(width * dims).zip(batch);
    Ok(texts.map(|(tokens, row)| mean(tokens, row.len(), dims)).collect())
}

fn mean(tokens: &[f32], count: usize, dims: usize) -> Vec<f32> {
    let mut sum = vec![0.0f32; dims];
    for token in tokens.chunks_exact(dims).take(count) {
        sum.iter_mut().zip(token).for_each(|(s, t)| *s += t);
    }
    let length = sum.iter().map(|x| x * x).sum::<f32>().sqrt();
    sum.iter_mut().for_each(|x| *x /= length);
    sum
}
