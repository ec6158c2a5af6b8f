//! Which entries may answer: filters and conditions, as sets that both retrievers use.

use std::ops::Bound;

use roaring::RoaringBitmap;
use tantivy::query::{
    AllQuery, BooleanQuery, ConstScoreQuery, EnableScoring, Occur, Query, RangeQuery, TermQuery,
    TermSetQuery,
};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocSet, TERMINATED, Term};

use super::schema::field_term;
use super::{EntryId, KeywordReader};
use crate::error::IndexError;
use crate::filter::Filter;
use crate::terms::Clause;

/// The entries that a filter lets pass, by segment.
#[derive(Debug, Clone, Default)]
pub struct Allowed(Vec<RoaringBitmap>);

impl Allowed {
    /// The numbers of the entries that pass, one set for each segment.
    pub(super) fn sets(&self) -> &[RoaringBitmap] {
        &self.0
    }

    /// Whether an entry passes.
    pub fn contains(&self, id: EntryId) -> bool {
        self.0.get(id.segment as usize).is_some_and(|set| set.contains(id.number))
    }

    /// Counts the entries that pass.
    pub fn len(&self) -> u64 {
        self.0.iter().map(RoaringBitmap::len).sum()
    }

    /// Whether none passes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl KeywordReader {
    /// Finds the entries that pass a filter, hold every clause of `must` and none of `not`. `None` means
    /// that there is no condition, so every entry passes.
    pub fn allowed(
        &self,
        filter: &Filter,
        must: &[Clause],
        not: &[Clause],
    ) -> Result<Option<Allowed>, IndexError> {
        if filter.is_empty() && must.is_empty() && not.is_empty() {
            return Ok(None);
        }
        self.contained(|| {
            let mut clauses = self.filter_clauses(filter)?;
            clauses.extend(must.iter().map(|c| (Occur::Must, self.clause_query(c))));
            clauses.extend(not.iter().map(|c| (Occur::MustNot, self.clause_query(c))));
            // A boolean query of exclusions alone matches nothing.
            clauses.push((Occur::Must, Box::new(ConstScoreQuery::new(Box::new(AllQuery), 0.0))));
            self.collect(&BooleanQuery::new(clauses)).map(Some)
        })
    }

    /// One query for each condition of a filter.
    fn filter_clauses(&self, filter: &Filter) -> tantivy::Result<Vec<(Occur, Box<dyn Query>)>> {
        let f = &self.fields;
        let mut clauses: Vec<(Occur, Box<dyn Query>)> = Vec::new();
        let mut must = |query: Box<dyn Query>| clauses.push((Occur::Must, query));
        if !filter.kinds.is_empty() {
            let names = filter.kinds.iter().map(|k| Term::from_field_text(f.kind, k.name()));
            must(Box::new(TermSetQuery::new(names.collect::<Vec<_>>())));
        }
        for (name, value) in &filter.fields {
            let term = Term::from_field_text(f.field, &field_term(name, value));
            must(Box::new(TermQuery::new(term, IndexRecordOption::Basic)));
        }
        if !filter.sources.is_empty() {
            must(Box::new(self.matching(f.source, &|text| filter.source_passes(text))?));
        }
        if !filter.authors.is_empty() {
            must(Box::new(self.matching(f.author, &|text| filter.author_passes(text))?));
        }
        if !filter.tags.is_empty() {
            must(Box::new(self.matching(f.tag, &|text| filter.tag_passes(text))?));
        }
        if !filter.paths.is_empty() {
            must(Box::new(self.matching(f.path, &|text| filter.path_passes(text))?));
        }
        if filter.since.is_some() || filter.until.is_some() {
            let bound = |second: i64| Term::from_field_i64(f.date, second);
            let lower = filter.since.map_or(Bound::Unbounded, |s| Bound::Included(bound(s)));
            let upper = filter.until.map_or(Bound::Unbounded, |s| Bound::Excluded(bound(s)));
            must(Box::new(RangeQuery::new(lower, upper)));
        }
        Ok(clauses)
    }

    /// The entries with a term of `field` that passes.
    fn matching(
        &self,
        field: Field,
        passes: &dyn Fn(&str) -> bool,
    ) -> tantivy::Result<TermSetQuery> {
        let mut terms = Vec::new();
        for segment in self.searcher.segment_readers() {
            let index = segment.inverted_index(field)?;
            let mut stream = index.terms().stream()?;
            while let Some((key, _)) = stream.next() {
                if let Some(text) = std::str::from_utf8(key).ok().filter(|text| passes(text)) {
                    terms.push(Term::from_field_text(field, text));
                }
            }
        }
        Ok(TermSetQuery::new(terms))
    }

    /// The entries that match a query.
    pub(super) fn collect(&self, query: &dyn Query) -> tantivy::Result<Allowed> {
        let weight = query.weight(EnableScoring::disabled_from_searcher(&self.searcher))?;
        let mut sets = Vec::new();
        for segment in self.searcher.segment_readers() {
            let mut set = RoaringBitmap::new();
            let mut scorer = weight.scorer(segment, 1.0)?;
            while scorer.doc() != TERMINATED {
                if !segment.is_deleted(scorer.doc()) {
                    set.insert(scorer.doc());
                }
                scorer.advance();
            }
            sets.push(set);
        }
        Ok(Allowed(sets))
    }
}
