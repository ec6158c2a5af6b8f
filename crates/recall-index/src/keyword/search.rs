//! Scores: BM25 of the terms of a question, and what each term adds to one.

use tantivy::collector::TopDocs;
use tantivy::query::{
    BooleanQuery, BoostQuery, DisjunctionMaxQuery, EmptyQuery, EnableScoring, Occur, PhraseQuery,
    Query, TermQuery, Weight,
};
use tantivy::schema::IndexRecordOption;
use tantivy::{DocSet, TERMINATED, Term};

use super::{Allowed, EntryId, KeywordReader};
use crate::error::IndexError;
use crate::terms::{Clause, QueryTerm, TermField, Variant};

impl KeywordReader {
    /// Finds the best `limit` entries for the terms with their BM25 scores, best first, ties by id. With
    /// `allowed`, only those that pass are looked at, so a narrow filter loses nothing.
    pub fn search(
        &self,
        terms: &[QueryTerm],
        allowed: Option<&Allowed>,
        limit: usize,
    ) -> Result<Vec<(EntryId, f32)>, IndexError> {
        if terms.is_empty() || limit == 0 {
            return Ok(Vec::new());
        }
        let should = terms.iter().map(|term| (Occur::Should, self.term_query(term))).collect();
        let query = BooleanQuery::new(should);
        self.contained(|| match allowed {
            None => {
                let top = TopDocs::with_limit(limit).order_by_score();
                let found = self.searcher.search(&query, &top)?;
                Ok(found.into_iter().map(|(score, at)| (at.into(), score)).collect())
            }
            Some(allowed) => self.search_allowed(&query, allowed, limit),
        })
    }

    /// Scores only what a filter lets pass, so that a narrow filter loses nothing.
    fn search_allowed(
        &self,
        query: &dyn Query,
        allowed: &Allowed,
        limit: usize,
    ) -> tantivy::Result<Vec<(EntryId, f32)>> {
        let weight = query.weight(EnableScoring::enabled_from_searcher(&self.searcher))?;
        let mut found = Vec::new();
        for (ordinal, set) in allowed.sets().iter().enumerate().filter(|(_, set)| !set.is_empty()) {
            let mut scorer = weight.scorer(self.searcher.segment_reader(ordinal as u32), 1.0)?;
            for number in set {
                if scorer.doc() < number {
                    scorer.seek(number);
                }
                if scorer.doc() == TERMINATED {
                    break;
                }
                if scorer.doc() == number {
                    found.push((EntryId { segment: ordinal as u32, number }, scorer.score()));
                }
            }
        }
        found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        found.truncate(limit);
        Ok(found)
    }

    /// Says for each of `entries` (sorted) what each term adds to its score: `[entries][terms]`.
    pub fn contributions(
        &self,
        terms: &[QueryTerm],
        entries: &[EntryId],
    ) -> Result<Vec<Vec<f32>>, IndexError> {
        debug_assert!(entries.is_sorted(), "scorers only move forward");
        let mut out = vec![vec![0.0; terms.len()]; entries.len()];
        self.contained(|| {
            for (column, term) in terms.iter().enumerate() {
                let query = self.term_query(term);
                let weight = query.weight(EnableScoring::enabled_from_searcher(&self.searcher))?;
                self.add_contributions(weight.as_ref(), entries, &mut |row, score| {
                    out[row][column] = score;
                })?;
            }
            Ok(())
        })?;
        Ok(out)
    }

    /// Calls `set` with the row and the score of each of `entries` (sorted) that matches.
    fn add_contributions(
        &self,
        weight: &dyn Weight,
        entries: &[EntryId],
        set: &mut dyn FnMut(usize, f32),
    ) -> tantivy::Result<()> {
        let mut start = 0;
        while start < entries.len() {
            let segment = entries[start].segment;
            let end = start + entries[start..].partition_point(|e| e.segment == segment);
            let mut scorer = weight.scorer(self.searcher.segment_reader(segment), 1.0)?;
            for (row, entry) in entries.iter().enumerate().take(end).skip(start) {
                if scorer.doc() < entry.number {
                    scorer.seek(entry.number);
                }
                if scorer.doc() == entry.number {
                    set(row, scorer.score());
                }
            }
            start = end;
        }
        Ok(())
    }

    /// Counts the entries that hold each variant of a term. Entries that were removed count until their
    /// segment is merged.
    pub fn document_frequencies(&self, term: &QueryTerm) -> Result<Vec<u64>, IndexError> {
        let frequency = |v: &Variant| self.searcher.doc_freq(&self.term(v.field, &v.text));
        self.contained(|| term.variants.iter().map(frequency).collect())
    }

    fn term(&self, field: TermField, text: &str) -> Term {
        let field = match field {
            TermField::Word => self.fields.body,
            TermField::Identifier => self.fields.identifier,
        };
        Term::from_field_text(field, text)
    }

    /// The query for entries that hold a term, scored by the best of its forms.
    fn term_query(&self, term: &QueryTerm) -> Box<dyn Query> {
        let mut variants: Vec<Box<dyn Query>> = Vec::with_capacity(term.variants.len());
        for variant in &term.variants {
            let option = match variant.field {
                TermField::Word => IndexRecordOption::WithFreqs,
                TermField::Identifier => IndexRecordOption::Basic,
            };
            let query = TermQuery::new(self.term(variant.field, &variant.text), option);
            let plain = (variant.weight - 1.0).abs() < f32::EPSILON;
            variants.push(if plain {
                Box::new(query)
            } else {
                Box::new(BoostQuery::new(Box::new(query), variant.weight))
            });
        }
        match variants.len() {
            0 => Box::new(EmptyQuery),
            1 => variants.remove(0),
            _ => Box::new(DisjunctionMaxQuery::new(variants)),
        }
    }

    /// The query for entries that hold a clause.
    pub(super) fn clause_query(&self, clause: &Clause) -> Box<dyn Query> {
        match clause {
            Clause::Term(term) => self.term_query(term),
            Clause::Phrase(words) => {
                let terms = words.iter().map(|(at, w)| (*at, self.term(TermField::Word, w)));
                Box::new(PhraseQuery::new_with_offset(terms.collect()))
            }
        }
    }
}
