//! Searches one generation of an index: both retrievers, the features of each document, fusion and
//! relevance.

use std::collections::HashMap;
use std::sync::Arc;

use recall_embed::Embedder;
use recall_index::{
    Allowed, Analyzer, Clause, Entry, EntryId, IndexError, QueryTerm, Snapshot, TermField, clause,
    language, literal, terms,
};

use crate::degraded::Degraded;
use crate::error::QueryError;
use crate::features::{Features, QueryFeatures, deviation};
use crate::fuse::FusionWeights;
use crate::query::{Mode, Request};
use crate::ranking::{Ranked, Ranking};
use crate::relevance::RelevanceModel;

/// Minimum number of candidates from each retriever: more than anyone reads, so that the first hits
/// do not depend on how many are requested.
const DEPTH: usize = 256;
/// Number of vectors sampled to learn what unrelated texts score.
const SAMPLE: usize = 1000;
/// Number of top documents whose language is compared with the question's.
const LANGUAGES_READ: usize = 16;
/// Maximum number of entries considered that share the same chunk text.
const TWINS: usize = 32;
/// Factor between a term's idf and the most it can add to a BM25 score (k1 + 1).
const BM25_LIMIT: f32 = 2.2;

/// Searches one generation of an index; created by [`Engine::searcher`](crate::Engine::searcher).
pub struct Searcher {
    snapshot: Arc<Snapshot>,
    embedder: Option<Arc<Embedder>>,
    analyzer: Arc<Analyzer>,
    weights: FusionWeights,
    relevance: RelevanceModel,
    mode: Mode,
    degraded: Option<Degraded>,
}

/// A question prepared for searching: its terms, allowed entries and vector.
struct Prepared {
    terms: Vec<QueryTerm>,
    allowed: Option<Allowed>,
    /// Of unit length.
    vector: Option<Vec<f32>>,
}

impl Searcher {
    /// Creates a searcher over `snapshot`; without an embedder the vector retriever returns
    /// nothing.
    pub(crate) fn new(
        snapshot: Arc<Snapshot>,
        embedder: Option<Arc<Embedder>>,
        analyzer: Arc<Analyzer>,
        mode: Mode,
        degraded: Option<Degraded>,
    ) -> Self {
        let settings = &snapshot.manifest().settings;
        let weights = FusionWeights::from_settings(settings);
        let relevance = RelevanceModel::from_settings(settings);
        Self { snapshot, embedder, analyzer, weights, relevance, mode, degraded }
    }

    /// Returns the generation that is searched.
    pub fn snapshot(&self) -> &Arc<Snapshot> {
        &self.snapshot
    }

    /// Returns the model of the vector retriever, if that is in use.
    pub fn embedder(&self) -> Option<&Arc<Embedder>> {
        self.embedder.as_ref()
    }

    /// Returns the retrievers in use: those requested, or keywords alone.
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// Returns why the vector side is missing or incomplete, if it is.
    pub fn degraded(&self) -> Option<&Degraded> {
        self.degraded.as_ref()
    }

    /// Returns the analyzer that splits text into words.
    pub fn analyzer(&self) -> &Analyzer {
        &self.analyzer
    }

    /// Returns the weight of each retriever.
    pub fn weights(&self) -> &FusionWeights {
        &self.weights
    }

    /// Returns the relevance below which nothing counts as an answer.
    pub fn threshold(&self) -> f32 {
        self.relevance.threshold
    }

    /// Returns all candidates for a request, ranked and with their relevance, not yet cut to k or
    /// to the relevant ones.
    ///
    /// # Errors
    /// [`QueryError::Index`] and [`QueryError::Embed`].
    pub fn rank(&self, request: &Request) -> Result<Ranking, QueryError> {
        let prepared = self.prepare(request)?;
        let depth = DEPTH.max(request.k.next_multiple_of(DEPTH));
        let keyword = match request.mode {
            Mode::Vector => Vec::new(),
            _ => {
                self.snapshot.keyword().search(&prepared.terms, prepared.allowed.as_ref(), depth)?
            }
        };
        let vector = match &prepared.vector {
            Some(vector) => self.nearest(vector, prepared.allowed.as_ref(), depth)?,
            None => Vec::new(),
        };
        let query = self.query_features(request, &prepared)?;
        let documents = self.documents(request, &prepared, &query, &keyword, &vector)?;
        let allowed = prepared.allowed.as_ref().map(Allowed::len);
        let mut ranking =
            Ranking { documents, query, terms: prepared.terms, allowed, vector: prepared.vector };
        ranking.arrange(&self.weights);
        self.compare_languages(&request.question.text, &mut ranking)?;
        ranking.estimate_relevance();
        Ok(ranking)
    }

    /// Marks which of the top documents are written in another language than the question.
    fn compare_languages(&self, question: &str, ranking: &mut Ranking) -> Result<(), IndexError> {
        let Some(own) = language(question) else { return Ok(()) };
        for document in ranking.documents.iter_mut().take(LANGUAGES_READ) {
            let other = self.snapshot.keyword().language(document.entry)?;
            document.cross_language = other.is_some_and(|other| other != own);
        }
        Ok(())
    }

    fn prepare(&self, request: &Request) -> Result<Prepared, QueryError> {
        let question = &request.question;
        let clauses = |texts: &[String]| -> Vec<Clause> {
            texts.iter().filter_map(|text| clause(text, &self.analyzer)).collect()
        };
        // If the question is one token, documents with it rank first, but it is not a condition.
        let must = if question.exact.is_some() { Vec::new() } else { clauses(&question.must) };
        let not = clauses(&question.not);
        let allowed = self.snapshot.keyword().allowed(&request.filter, &must, &not)?;
        let terms = terms(&question.text, &self.analyzer);
        // If no meaningful word is left, a vector would still find something, but nothing relevant.
        let silent = request.mode == Mode::Keyword || terms.is_empty();
        let vector = match &self.embedder {
            Some(embedder) if !silent && self.snapshot.vectors().is_ok_and(|v| v.is_some()) => {
                Some(embedder.query(&question.text)?)
            }
            _ => None,
        };
        Ok(Prepared { terms, allowed, vector })
    }

    /// Returns the entries of the nearest chunks, with their cosines.
    fn nearest(
        &self,
        vector: &[f32],
        allowed: Option<&Allowed>,
        depth: usize,
    ) -> Result<Vec<(EntryId, f32)>, IndexError> {
        let Ok(Some(vectors)) = self.snapshot.vectors() else { return Ok(Vec::new()) };
        let keyword = self.snapshot.keyword();
        let hashes = match allowed {
            Some(allowed) => Some(keyword.chunk_hashes(Some(allowed))?),
            None => None,
        };
        let mut out = Vec::new();
        for (hash, cosine) in vectors.search(vector, hashes.as_deref(), depth)? {
            let entries = keyword.entries_with_chunk(hash)?;
            let passing = entries.into_iter().filter(|id| allowed.is_none_or(|a| a.contains(*id)));
            out.extend(passing.take(TWINS).map(|id| (id, cosine)));
        }
        Ok(out)
    }

    fn query_features(
        &self,
        request: &Request,
        prepared: &Prepared,
    ) -> Result<QueryFeatures, IndexError> {
        let keyword = self.snapshot.keyword();
        let entries = keyword.entries();
        let mut query = QueryFeatures {
            searched: prepared.allowed.as_ref().map_or(entries, Allowed::len),
            exact: request.question.exact.is_some() || says_one_name(&prepared.terms),
            has_vector: prepared.vector.is_some(),
            ..QueryFeatures::default()
        };
        let terms = if request.mode == Mode::Vector { &[][..] } else { &prepared.terms };
        for term in terms {
            let frequencies = keyword.document_frequencies(term)?;
            let known = frequencies.iter().any(|f| *f > 0);
            let best =
                term.variants.iter().zip(&frequencies).filter(|(_, f)| **f > 0 || !known).map(
                    |(v, f)| if known { v.weight * idf(entries, *f) } else { idf(entries, *f) },
                );
            query.term_limits.push(best.fold(0.0, f32::max) * BM25_LIMIT);
            query.identifiers.push(term.is_identifier());
            query.known.push(known);
        }
        if let (Some(vector), Some(embedder), Ok(Some(vectors))) =
            (&prepared.vector, &self.embedder, self.snapshot.vectors())
        {
            query.cohort_mean = embedder.cohort_mean(vector);
            query.cosine_deviation = deviation(&vectors.sample(vector, SAMPLE));
        }
        Ok(query)
    }

    /// Computes the features of each document, from its best entry for each retriever.
    fn documents(
        &self,
        request: &Request,
        prepared: &Prepared,
        query: &QueryFeatures,
        keyword: &[(EntryId, f32)],
        vector: &[(EntryId, f32)],
    ) -> Result<Vec<Ranked>, IndexError> {
        let mut ids: Vec<EntryId> = keyword.iter().chain(vector).map(|(id, _)| *id).collect();
        ids.sort_unstable();
        ids.dedup();
        let terms = if query.term_limits.is_empty() { &[][..] } else { &prepared.terms };
        let contributions = self.snapshot.keyword().contributions(terms, &ids)?;
        let names = self.snapshot.keyword().ids_and_paths(&ids)?;
        let mut by_document: HashMap<u64, Ranked> = HashMap::new();
        for ((id, contributions), name) in ids.into_iter().zip(contributions).zip(names) {
            let features = Features {
                bm25: contributions.iter().sum(),
                exact: query.exact && holds_exact(&prepared.terms, &contributions),
                contributions,
                cosine: self.cosine(prepared, id)?,
            };
            let document = self.snapshot.keyword().document_key(id)?;
            match by_document.get_mut(&document) {
                Some(known) => known.merge(id, features),
                None => {
                    by_document.insert(document, Ranked::new(id, document, name, features));
                }
            }
        }
        let mut documents: Vec<Ranked> = by_document.into_values().collect();
        if let Some(phrase) = request.question.exact.as_ref().filter(|t| t.contains(' ')) {
            self.verify_phrase(phrase, &mut documents)?;
        }
        Ok(documents)
    }

    /// Returns the cosine with the nearest chunk of an entry.
    fn cosine(&self, prepared: &Prepared, id: EntryId) -> Result<Option<f32>, IndexError> {
        let (Some(vector), Ok(Some(vectors))) = (&prepared.vector, self.snapshot.vectors()) else {
            return Ok(None);
        };
        let hashes = self.snapshot.keyword().chunks_of(id)?;
        let cosines = hashes.into_iter().filter_map(|hash| vectors.cosine(vector, hash));
        Ok(cosines.max_by(f32::total_cmp))
    }

    /// Checks exact phrases against the text: consecutive words are not enough, since accents,
    /// punctuation and stems must match too.
    fn verify_phrase(&self, phrase: &str, documents: &mut [Ranked]) -> Result<(), IndexError> {
        let wanted = literal(phrase);
        for document in documents.iter_mut().filter(|d| d.features.exact) {
            let entry = self.snapshot.keyword().fetch(document.entry)?;
            document.features.exact = holds_literally(&entry, &wanted);
            document.fetched = Some(Arc::new(entry));
        }
        Ok(())
    }
}

fn holds_literally(entry: &Entry, wanted: &str) -> bool {
    literal(&entry.document.text).contains(wanted)
        || literal(&entry.document.title).contains(wanted)
}

/// Whether every term is part of one name: "What about OPS-1234?" says no more than `OPS-1234`.
fn says_one_name(terms: &[QueryTerm]) -> bool {
    let name = terms.iter().find(|term| term.is_identifier());
    let part =
        |name: &QueryTerm| terms.iter().all(|term| name.text.contains(&term.text.to_lowercase()));
    name.is_some_and(part)
}

/// Whether every identifier of the question is there; without identifiers, every word.
fn holds_exact(terms: &[QueryTerm], contributions: &[f32]) -> bool {
    let is_name = |term: &QueryTerm| term.variants.iter().any(|v| v.field == TermField::Identifier);
    let has_name = terms.iter().any(is_name);
    let mut wanted =
        terms.iter().zip(contributions).filter(|(t, _)| !has_name || is_name(t)).peekable();
    // The longest identifier comes first; its parts follow and need not stand alone.
    let wanted: Vec<f32> = if has_name {
        wanted.next().map(|(_, c)| *c).into_iter().collect()
    } else {
        wanted.map(|(_, c)| *c).collect()
    };
    !wanted.is_empty() && wanted.iter().all(|c| *c > 0.0)
}

/// Inverse document frequency as in BM25: ln(1 + (N - n + 0.5) / (n + 0.5)).
fn idf(documents: u64, holding: u64) -> f32 {
    let (n, df) = (documents as f32, holding as f32);
    (1.0 + (n - df + 0.5).max(0.0) / (df + 0.5)).ln()
}
