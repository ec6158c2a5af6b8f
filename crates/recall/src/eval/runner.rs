//! Asks every labelled question in every mode, one after the other, and times each.

use std::sync::atomic::Ordering;
use std::time::Instant;

use recall_eval::measure::{Outcome, Outcomes};
use recall_eval::qrels::Grades;
use recall_eval::queries::Query;
use recall_index::IndexError;
use recall_query::{Mode, Query as Question, Ranking, Searcher};

use super::labelled::Labelled;
use crate::bars::Bars;
use crate::failure::Failure;
use crate::stop;

/// Asks labelled questions.
pub(crate) struct Runner<'a> {
    /// The searcher that answers.
    pub searcher: &'a Searcher,
    /// The labelled questions.
    pub labelled: &'a Labelled,
    /// If set, each question searches only documents that have its own value in this metadata
    /// field.
    pub field: Option<&'a str>,
}

impl Runner<'_> {
    /// Returns the outcome of every question in each of `modes`.
    pub(crate) fn ask(&self, modes: &[Mode]) -> Result<Vec<(Mode, Outcomes)>, Failure> {
        let bars = Bars::new();
        let all = self.ask_all(modes, &bars);
        bars.clear();
        all
    }

    fn ask_all(&self, modes: &[Mode], bars: &Bars) -> Result<Vec<(Mode, Outcomes)>, Failure> {
        let sets = [&self.labelled.queries, &self.labelled.unanswerable, &self.labelled.off_topic];
        let total = modes.len() * sets.iter().map(|set| set.len()).sum::<usize>();
        let mut done = 0;
        let mut all = Vec::new();
        for mode in modes {
            self.warm(*mode)?;
            let mut set = |queries: &[Query]| -> Result<Vec<Outcome>, Failure> {
                let mut outcomes = Vec::with_capacity(queries.len());
                for query in queries {
                    outcomes.push(self.one(query, *mode)?);
                    done += 1;
                    bars.questions(done, total as u64);
                }
                Ok(outcomes)
            };
            let [answerable, unanswerable, off_topic] =
                [set(sets[0])?, set(sets[1])?, set(sets[2])?];
            all.push((*mode, Outcomes { answerable, unanswerable, off_topic }));
        }
        Ok(all)
    }

    /// Asks one question untimed: the first one also pays for what is read from disk and cached.
    fn warm(&self, mode: Mode) -> Result<(), Failure> {
        self.labelled.queries.first().map_or(Ok(()), |query| self.one(query, mode).map(|_| ()))
    }

    fn one(&self, query: &Query, mode: Mode) -> Result<Outcome, Failure> {
        let (ranking, seconds) = self.rank(query, mode)?;
        let none = Grades::new();
        let grades = self.labelled.qrels.get(&query.id).unwrap_or(&none);
        Ok(Outcome::new(query, grades, &ranking.documents, seconds))
    }

    /// Returns all candidates for a question except those it excludes, and the seconds it took.
    pub(crate) fn rank(&self, query: &Query, mode: Mode) -> Result<(Ranking, f64), Failure> {
        if stop::flag().load(Ordering::Relaxed) {
            return Err(IndexError::Interrupted.into());
        }
        let started = Instant::now();
        let folder = self.searcher.snapshot().folder();
        let mut request =
            Question { mode, ..Question::new(folder, query.text.as_str()) }.request()?;
        let value = self
            .field
            .and_then(|field| Some((field.to_owned(), query.metadata.get(field)?.clone())));
        request.filter.fields.extend(value);
        let mut ranking = self.searcher.rank(&request)?;
        let seconds = started.elapsed().as_secs_f64();
        ranking.leave_out(|d| query.excludes(&d.id, &d.path), self.searcher.weights());
        Ok((ranking, seconds))
    }
}
