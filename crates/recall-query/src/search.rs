//! From a question to ranked, judged documents: both retrievers, one evidence per document, fusion,
//! judgement. Reads one generation.

use std::collections::HashMap;

use recall_embed::{Embedder, Language};
use recall_index::{
    Allowed, Analyzer, Clause, Entry, EntryId, Filter, IndexError, QueryTerm, Snapshot, TermField,
    clause, language, literal, terms,
};

use crate::evidence::{Evidence, QueryEvidence, deviation};
use crate::fuse::{self, Shares, Weights};
use crate::judge::{self, Judge, Leaders, Standing};
use crate::question::Question;

/// Candidates that each retriever gives, at least: more than anyone reads, so that the first hits do
/// not depend on how many are asked for.
const DEPTH: usize = 256;
/// Vectors in the sample that tells what an unrelated text scores.
const SAMPLE: usize = 1000;
/// Documents whose language is looked at, from the first on.
const LANGUAGES_READ: usize = 16;
/// Entries with one and the same chunk text that are looked at.
const TWINS: usize = 32;
/// Factor between a term's idf and the most it can add to a BM25 score (k1 + 1).
const BM25_LIMIT: f32 = 2.2;

/// Which retrievers answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Both, fused.
    Hybrid,
    /// Words and identifiers only.
    Keyword,
    /// Vectors only.
    Vector,
}

/// What to look for.
#[derive(Debug, Clone)]
pub struct Request {
    /// The question taken apart.
    pub question: Question,
    /// Which documents may answer.
    pub filter: Filter,
    /// How many hits at the most.
    pub k: usize,
    /// Which retrievers answer.
    pub mode: Mode,
}

/// One document that answers, or nearly.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranked {
    /// The entry that answers best.
    pub entry: EntryId,
    /// Key of the document.
    pub document: u64,
    /// Its id, by which ties are broken.
    pub id: String,
    /// Its path.
    pub path: String,
    /// What fusion made of the evidence: only for comparing documents of one question.
    pub score: f32,
    /// What each arm adds to the score.
    pub shares: Shares,
    /// Estimated probability that it answers the question.
    pub relevance: f32,
    /// The evidence.
    pub evidence: Evidence,
    /// Rank in the keyword arm, from 1.
    pub keyword_rank: Option<usize>,
    /// Rank in the vector arm, from 1.
    pub vector_rank: Option<usize>,
}

/// Every candidate, best first, with what was known of the question.
#[derive(Debug, Clone, Default)]
pub struct Ranking {
    /// Documents, best first.
    pub documents: Vec<Ranked>,
    /// The question's own evidence.
    pub query: QueryEvidence,
    /// The question's terms.
    pub terms: Vec<QueryTerm>,
    /// Entries that a filter or a condition let pass; `None` if there was none.
    pub allowed: Option<u64>,
    /// The question's vector, of unit length.
    pub unit: Option<Vec<f32>>,
}

/// Searches one generation.
pub struct Searcher<'a> {
    snapshot: &'a Snapshot,
    embedder: Option<&'a Embedder>,
    language: Language,
    analyzer: &'a Analyzer,
    weights: Weights,
    judge: Judge,
}

/// A question made ready: terms, conditions, vector.
struct Prepared {
    terms: Vec<QueryTerm>,
    allowed: Option<Allowed>,
    unit: Option<Vec<f32>>,
}

impl<'a> Searcher<'a> {
    /// A searcher over `snapshot`; without an embedder the vector side is silent.
    pub fn new(
        snapshot: &'a Snapshot,
        embedder: Option<&'a Embedder>,
        analyzer: &'a Analyzer,
    ) -> Self {
        let settings = &snapshot.manifest().settings;
        let (weights, judge) = (Weights::from_settings(settings), Judge::from_settings(settings));
        let (id, dims) = embedder.map_or(("", 0), |e| (e.model().id.as_str(), e.dims()));
        let language = Language::of(id, dims);
        Self { snapshot, embedder, language, analyzer, weights, judge }
    }

    /// Below this relevance nothing counts as an answer.
    pub fn threshold(&self) -> f32 {
        self.judge.threshold
    }

    /// All candidates for a request, ranked and judged, not yet cut to k or to the relevant ones.
    pub fn rank(&self, request: &Request) -> Result<Ranking, IndexError> {
        let prepared = self.prepare(request)?;
        let depth = DEPTH.max(request.k.next_multiple_of(DEPTH));
        let keyword = match request.mode {
            Mode::Vector => Vec::new(),
            _ => {
                self.snapshot.keyword().search(&prepared.terms, prepared.allowed.as_ref(), depth)?
            }
        };
        let vector = match &prepared.unit {
            Some(unit) => self.nearest(unit, prepared.allowed.as_ref(), depth)?,
            None => Vec::new(),
        };
        let query = self.query_evidence(request, &prepared)?;
        let mut documents = self.documents(request, &prepared, &query, &keyword, &vector)?;
        rank_arms(&mut documents);
        self.score(&query, &mut documents);
        documents.sort_by(order);
        self.judge(&request.question.text, &query, &mut documents)?;
        let allowed = prepared.allowed.as_ref().map(Allowed::len);
        Ok(Ranking { documents, query, terms: prepared.terms, allowed, unit: prepared.unit })
    }

    fn score(&self, query: &QueryEvidence, documents: &mut [Ranked]) {
        let crowd = fuse::crowd(query, documents.iter().map(|d| &d.evidence));
        let usual = fuse::usual_cosine(documents.iter().map(|d| &d.evidence));
        for document in documents.iter_mut() {
            document.shares = fuse::score(query, &document.evidence, crowd, usual, &self.weights);
            document.score = document.shares.total();
        }
    }

    /// Judges ranked documents; for the first ones it looks at the language of their text too.
    fn judge(
        &self,
        question: &str,
        query: &QueryEvidence,
        documents: &mut [Ranked],
    ) -> Result<(), IndexError> {
        let own = language(question);
        let standings = standings(query, documents);
        for (rank, (document, standing)) in documents.iter_mut().zip(standings).enumerate() {
            let foreign = own.is_some() && rank < LANGUAGES_READ && {
                let entry = self.snapshot.keyword().fetch(document.entry)?;
                let other = language(&entry.document.text);
                other.is_some() && other != own
            };
            document.relevance = judge::relevance(query, &document.evidence, &standing, foreign);
        }
        Ok(())
    }

    fn prepare(&self, request: &Request) -> Result<Prepared, IndexError> {
        let question = &request.question;
        let clauses = |texts: &[String]| -> Vec<Clause> {
            texts.iter().filter_map(|text| clause(text, self.analyzer)).collect()
        };
        // In a question that is one token, the token ranks first without being a condition.
        let must = if question.exact.is_some() { Vec::new() } else { clauses(&question.must) };
        let not = clauses(&question.not);
        let allowed = self.snapshot.keyword().allowed(&request.filter, &must, &not)?;
        let terms = terms(&question.text, self.analyzer);
        // Where no word is left that says anything, a vector would only find something.
        let silent = request.mode == Mode::Keyword || terms.is_empty();
        let unit = match self.embedder {
            Some(embedder) if !silent && self.snapshot.vectors().is_ok_and(|v| v.is_some()) => {
                Some(self.language.query(embedder.query(&question.text).map_err(IndexError::from)?))
            }
            _ => None,
        };
        Ok(Prepared { terms, allowed, unit })
    }

    /// The entries of the nearest chunks with their cosines.
    fn nearest(
        &self,
        unit: &[f32],
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
        for (hash, cosine) in vectors.search(unit, hashes.as_deref(), depth)? {
            let entries = keyword.entries_with_chunk(hash)?;
            let passing = entries.into_iter().filter(|id| allowed.is_none_or(|a| a.contains(*id)));
            out.extend(passing.take(TWINS).map(|id| (id, cosine)));
        }
        Ok(out)
    }

    fn query_evidence(
        &self,
        request: &Request,
        prepared: &Prepared,
    ) -> Result<QueryEvidence, IndexError> {
        let keyword = self.snapshot.keyword();
        let entries = keyword.entries();
        let mut query = QueryEvidence {
            exact: request.question.exact.is_some(),
            has_vector: prepared.unit.is_some(),
            ..QueryEvidence::default()
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
        if let (Some(unit), Ok(Some(vectors))) = (&prepared.unit, self.snapshot.vectors()) {
            query.cosine_deviation = deviation(&vectors.sample(unit, SAMPLE));
        }
        Ok(query)
    }

    /// One evidence per document, from the best of its entries in each arm.
    fn documents(
        &self,
        request: &Request,
        prepared: &Prepared,
        query: &QueryEvidence,
        keyword: &[(EntryId, f32)],
        vector: &[(EntryId, f32)],
    ) -> Result<Vec<Ranked>, IndexError> {
        let mut ids: Vec<EntryId> = keyword.iter().chain(vector).map(|(id, _)| *id).collect();
        ids.sort_unstable();
        ids.dedup();
        let terms = if query.term_limits.is_empty() { &[][..] } else { &prepared.terms };
        let contributions = self.snapshot.keyword().contributions(terms, &ids)?;
        let mut by_document: HashMap<u64, Ranked> = HashMap::new();
        for (id, contributions) in ids.into_iter().zip(contributions) {
            let evidence = Evidence {
                bm25: contributions.iter().sum(),
                exact: request.question.exact.is_some()
                    && holds_exact(&prepared.terms, &contributions),
                contributions,
                cosine: self.cosine(prepared, id)?,
            };
            let document = self.snapshot.keyword().document_key(id)?;
            match by_document.get_mut(&document) {
                Some(known) => merge(known, id, evidence),
                None => {
                    by_document.insert(document, self.ranked(id, document, evidence)?);
                }
            }
        }
        let mut documents: Vec<Ranked> = by_document.into_values().collect();
        if let Some(phrase) = request.question.exact.as_ref().filter(|t| t.contains(' ')) {
            self.verify_phrase(phrase, &mut documents)?;
        }
        Ok(documents)
    }

    fn ranked(
        &self,
        entry: EntryId,
        document: u64,
        evidence: Evidence,
    ) -> Result<Ranked, IndexError> {
        let (id, path) = self.snapshot.keyword().id_and_path(entry)?;
        Ok(Ranked {
            entry,
            document,
            id,
            path,
            score: 0.0,
            shares: Shares::default(),
            relevance: 0.0,
            evidence,
            keyword_rank: None,
            vector_rank: None,
        })
    }

    /// The cosine with the nearest chunk of an entry.
    fn cosine(&self, prepared: &Prepared, id: EntryId) -> Result<Option<f32>, IndexError> {
        let (Some(unit), Ok(Some(vectors))) = (&prepared.unit, self.snapshot.vectors()) else {
            return Ok(None);
        };
        let hashes = self.snapshot.keyword().chunks_of(id)?;
        let cosines = hashes.into_iter().filter_map(|hash| vectors.cosine(unit, hash));
        Ok(cosines.max_by(f32::total_cmp))
    }

    /// Words in a row are not yet the phrase: accents, punctuation and stems must agree too.
    fn verify_phrase(&self, phrase: &str, documents: &mut [Ranked]) -> Result<(), IndexError> {
        let wanted = literal(phrase);
        for document in documents.iter_mut().filter(|d| d.evidence.exact) {
            let entry = self.snapshot.keyword().fetch(document.entry)?;
            document.evidence.exact = holds_literally(&entry, &wanted);
        }
        Ok(())
    }
}

fn holds_literally(entry: &Entry, wanted: &str) -> bool {
    literal(&entry.document.text).contains(wanted)
        || literal(&entry.document.title).contains(wanted)
}

/// Every identifier of the question is there; without identifiers, every word.
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

/// Joins what another entry of the same document says.
fn merge(known: &mut Ranked, id: EntryId, other: Evidence) {
    let nearer = other.cosine > known.evidence.cosine;
    let cosine = if nearer { other.cosine } else { known.evidence.cosine };
    let exact = known.evidence.exact || other.exact;
    let better = other.bm25 > known.evidence.bm25 || (other.bm25 == known.evidence.bm25 && nearer);
    if better {
        known.entry = id;
        known.evidence = other;
    }
    known.evidence.cosine = cosine;
    known.evidence.exact = exact;
}

/// Best first: exact, then score, then id and path.
fn order(a: &Ranked, b: &Ranked) -> std::cmp::Ordering {
    b.evidence
        .exact
        .cmp(&a.evidence.exact)
        .then(b.score.total_cmp(&a.score))
        .then_with(|| a.id.cmp(&b.id))
        .then_with(|| a.path.cmp(&b.path))
}

/// Sets each document's rank in each arm.
fn rank_arms(documents: &mut [Ranked]) {
    documents.sort_by(|a, b| {
        b.evidence
            .bm25
            .total_cmp(&a.evidence.bm25)
            .then_with(|| a.id.cmp(&b.id))
            .then_with(|| a.path.cmp(&b.path))
    });
    let matching = documents.iter_mut().filter(|d| d.evidence.bm25 > 0.0);
    matching.enumerate().for_each(|(i, d)| d.keyword_rank = Some(i + 1));
    let cosine = |d: &Ranked| d.evidence.cosine.unwrap_or(f32::NEG_INFINITY);
    documents.sort_by(|a, b| {
        cosine(b)
            .total_cmp(&cosine(a))
            .then_with(|| a.id.cmp(&b.id))
            .then_with(|| a.path.cmp(&b.path))
    });
    let near = documents.iter_mut().filter(|d| d.evidence.cosine.is_some());
    near.enumerate().for_each(|(i, d)| d.vector_rank = Some(i + 1));
}

/// Inverse document frequency as BM25 has it: ln(1 + (N - n + 0.5) / (n + 0.5)).
fn idf(documents: u64, holding: u64) -> f32 {
    let (n, df) = (documents as f32, holding as f32);
    (1.0 + (n - df + 0.5).max(0.0) / (df + 0.5)).ln()
}

/// How each document stands beside the others.
fn standings(query: &QueryEvidence, documents: &[Ranked]) -> Vec<Standing> {
    let cosine = |d: &Ranked| d.evidence.cosine.unwrap_or(0.0);
    let keyword: Vec<f32> = documents.iter().map(|d| d.evidence.keyword(query)).collect();
    let scores = Leaders::of(documents.iter().map(|d| d.score), f32::NEG_INFINITY);
    let cosines = Leaders::of(documents.iter().map(cosine), f32::NEG_INFINITY);
    let keywords = Leaders::of(keyword.iter().copied(), 0.0);
    let standing = |(document, own): (&Ranked, &f32)| Standing {
        score_gap: bounded(scores.gap(document.score)),
        cosine_gap: bounded(query.in_deviations(cosines.gap(cosine(document)))),
        keyword_gap: keywords.gap(*own),
        keyword_rank: keyword.iter().filter(|other| *other > own).count(),
    };
    documents.iter().zip(&keyword).map(standing).collect()
}

/// A gap; where there is no other document, a lead like that of most right answers.
fn bounded(gap: f32) -> f32 {
    if gap.is_finite() { gap } else { 2.0 }
}
