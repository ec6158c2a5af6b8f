//! Texts in, finished vectors out.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::{fs, iter, thread};

use crate::error::EmbedError;
use crate::home::Home;
use crate::installed::Installed;
use crate::language_removal::LanguageRemoval;
use crate::model_spec::ModelSpec;
use crate::model_tokenizer::ModelTokenizer;
use crate::pool::Pool;
use crate::runtime;
use crate::session::Session;

/// A loaded model on a fixed number of single-threaded sessions.
///
/// A text's vector depends on that text alone: each is run by itself, on one thread. One embedder
/// serves many threads at once; a question waits for no more than the texts that are being run.
pub struct Embedder {
    model: ModelSpec,
    removal: LanguageRemoval,
    fingerprint: String,
    tokens: Arc<ModelTokenizer>,
    sessions: Pool<Session>,
    threads: usize,
}

impl Embedder {
    /// Loads the ONNX Runtime (once in a process) and the model, on `threads` sessions; each costs
    /// about as much memory as the model file has bytes.
    ///
    /// # Errors
    /// Those of [`ModelTokenizer::load`], and [`EmbedError::NoRuntime`], [`EmbedError::Damaged`],
    /// [`EmbedError::RuntimeLoad`], [`EmbedError::Hang`] or [`EmbedError::ModelLoad`].
    pub fn load(
        home: &Home,
        installed: &Installed,
        threads: usize,
    ) -> Result<Embedder, EmbedError> {
        let threads = threads.max(1);
        let (tokens, sessions) = thread::scope(|scope| {
            let tokens = scope.spawn(|| ModelTokenizer::load(installed));
            let sessions = load_sessions(home, installed, threads);
            (joined(tokens), sessions)
        });
        Ok(Embedder {
            removal: LanguageRemoval::of(&installed.model.id, installed.model.dims),
            fingerprint: installed.fingerprint(),
            model: installed.model.clone(),
            tokens: Arc::new(tokens?),
            sessions: Pool::new(sessions?),
            threads,
        })
    }

    /// The vector of a question, ready to be compared with those of [`Embedder::passages`]: its
    /// [`Embedder::dims`] numbers have length 1, and what its language and all questions have in
    /// common is removed. The model's query prefix is put before the text, and what is beyond the
    /// model's limit of tokens is cut.
    ///
    /// # Errors
    /// [`EmbedError::Tokenize`], [`EmbedError::Run`], [`EmbedError::BadVector`],
    /// [`EmbedError::Dims`].
    pub fn query(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        Ok(self.removal.query(self.raw_query(text)?))
    }

    /// The vectors of passages, one for each text and in their order, each finished like that of
    /// [`Embedder::query`] but with the passage prefix and what passages have in common. The cosine
    /// of a question with an unrelated passage is about 0, in one language or two. `done` is called
    /// after each text, from the thread that ran it, with its number of tokens, prefix and special
    /// ones included.
    ///
    /// # Errors
    /// Those of [`Embedder::query`]; the first one ends the run.
    pub fn passages(
        &self,
        texts: &[&str],
        done: &(dyn Fn(usize) + Sync),
    ) -> Result<Vec<Vec<f32>>, EmbedError> {
        let order = longest_first(texts);
        let results: Vec<OnceLock<Vec<f32>>> = texts.iter().map(|_| OnceLock::new()).collect();
        let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
        let work = || -> Result<(), EmbedError> {
            while let Some(&place) = order.get(next.fetch_add(1, Ordering::Relaxed)) {
                if stop.load(Ordering::Relaxed) {
                    break;
                }
                let (vector, tokens) = self.passage(texts[place])?;
                let _ = results[place].set(vector);
                done(tokens);
            }
            Ok(())
        };
        let guarded = || work().inspect_err(|_| stop.store(true, Ordering::Relaxed));
        thread::scope(|scope| {
            let workers: Vec<_> =
                (0..self.threads.min(texts.len())).map(|_| scope.spawn(guarded)).collect();
            workers.into_iter().try_for_each(joined)
        })?;
        Ok(results.into_iter().filter_map(OnceLock::into_inner).collect())
    }

    /// How near a question is to paragraphs of any kind: the mean of its cosines with a fixed cohort
    /// of them, about -0.05 to 0.15; 0 for a model of which no cohort is known. `query_vector` is what
    /// [`Embedder::query`] gave.
    pub fn cohort_mean(&self, query_vector: &[f32]) -> f32 {
        self.removal.cohort_mean(query_vector)
    }

    /// What makes the vectors, as [`Installed::fingerprint`] says it: vectors of embedders with
    /// different fingerprints must not be compared.
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    /// Length of the vectors, in numbers.
    pub fn dims(&self) -> usize {
        self.model.dims
    }

    /// The model's row of the catalogue.
    pub fn model(&self) -> &ModelSpec {
        &self.model
    }

    /// The model's tokenizer; clone the pointer to keep it without the model.
    pub fn tokens(&self) -> &Arc<ModelTokenizer> {
        &self.tokens
    }

    fn passage(&self, text: &str) -> Result<(Vec<f32>, usize), EmbedError> {
        let (vector, tokens) = self.raw_passage(text)?;
        Ok((self.removal.passage(vector), tokens))
    }

    /// A question's vector as the model gives it.
    pub(crate) fn raw_query(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        let ids = self.ids(&self.model.query_prefix, text)?;
        self.checked(self.sessions.first(|session| session.vector(&ids))?)
    }

    /// A passage's vector as the model gives it, and its number of tokens.
    pub(crate) fn raw_passage(&self, text: &str) -> Result<(Vec<f32>, usize), EmbedError> {
        let ids = self.ids(&self.model.passage_prefix, text)?;
        let vector = self.sessions.later(|session| session.vector(&ids))?;
        Ok((self.checked(vector)?, ids.len()))
    }

    fn ids(&self, prefix: &str, text: &str) -> Result<Vec<u32>, EmbedError> {
        self.tokens.ids(&format!("{prefix}{text}"), self.model.max_tokens)
    }

    fn checked(&self, vector: Vec<f32>) -> Result<Vec<f32>, EmbedError> {
        match vector.len() {
            got if got == self.model.dims => Ok(vector),
            got => Err(EmbedError::Dims { expected: self.model.dims, got }),
        }
    }
}

/// Places of the texts, the longest first: the last ones to run are short, so no thread waits long.
fn longest_first(texts: &[&str]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..texts.len()).collect();
    order.sort_by_key(|&place| std::cmp::Reverse(texts[place].len()));
    order
}

fn load_sessions(
    home: &Home,
    installed: &Installed,
    threads: usize,
) -> Result<Vec<Session>, EmbedError> {
    let environment = runtime::environment(home)?;
    let path = installed.onnx();
    let onnx = fs::read(&path).map_err(EmbedError::io(&path))?;
    let load = |onnx| {
        let loaded = Session::load(&environment, onnx, installed.model.pooling);
        loaded.map_err(|e| EmbedError::ModelLoad { path: path.clone(), cause: e.to_string() })
    };
    thread::scope(|scope| {
        // The last copy is the file as it was read.
        let copies = iter::repeat_n(onnx, threads);
        let loading: Vec<_> = copies.map(|onnx| scope.spawn(|| load(onnx))).collect();
        loading.into_iter().map(joined).collect()
    })
}

/// The result of a thread; a panic in it goes on here.
fn joined<T>(thread: thread::ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}
