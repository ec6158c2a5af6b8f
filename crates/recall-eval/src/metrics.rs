//! Scores one ranking against its labels. Pure.

use std::fmt;
use std::str::FromStr;

use crate::qrels::Grades;

/// A metric of one ranking, in [0, 1]; the number is the cut-off rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Metric {
    /// Normalised discounted cumulative gain.
    Ndcg(usize),
    /// Share of the relevant documents that are found.
    Recall(usize),
    /// One over the rank of the first relevant document.
    Mrr(usize),
    /// Whether any relevant document is found.
    Success(usize),
}

impl Metric {
    /// The metrics that `recall eval` reports, in this order.
    pub const ALL: [Self; 7] = [
        Self::Ndcg(10),
        Self::Recall(5),
        Self::Recall(10),
        Self::Recall(100),
        Self::Mrr(10),
        Self::Success(1),
        Self::Success(5),
    ];

    /// Computes the metric of one ranking.
    pub fn of(self, judged: &Judged) -> f64 {
        match self {
            Self::Ndcg(k) => judged.ndcg(k),
            Self::Recall(k) => judged.recall(k),
            Self::Mrr(k) => judged.first(k).map_or(0.0, |rank| 1.0 / rank as f64),
            Self::Success(k) => f64::from(u8::from(judged.first(k).is_some())),
        }
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ndcg(k) => write!(f, "ndcg@{k}"),
            Self::Recall(k) => write!(f, "recall@{k}"),
            Self::Mrr(k) => write!(f, "mrr@{k}"),
            Self::Success(k) => write!(f, "success@{k}"),
        }
    }
}

/// The text is not the name of a [`Metric`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a metric; the metrics are ndcg@K, recall@K, mrr@K and success@K")]
pub struct UnknownMetric(pub String);

impl FromStr for Metric {
    type Err = UnknownMetric;

    fn from_str(text: &str) -> Result<Self, UnknownMetric> {
        let unknown = || UnknownMetric(text.to_owned());
        let (name, k) = text.split_once('@').ok_or_else(unknown)?;
        let k = k.parse().ok().filter(|k| *k > 0).ok_or_else(unknown)?;
        match name.to_ascii_lowercase().as_str() {
            "ndcg" => Ok(Self::Ndcg(k)),
            "recall" => Ok(Self::Recall(k)),
            "mrr" => Ok(Self::Mrr(k)),
            "success" => Ok(Self::Success(k)),
            _ => Err(unknown()),
        }
    }
}

/// A ranking as the grade of each document in it, and the grades of the ideal ranking.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Judged {
    gains: Vec<u32>,
    ideal: Vec<u32>,
}

impl Judged {
    /// Looks up the grade of every document of a ranking, which is best first and without repeats.
    pub fn new<'a>(ranking: impl IntoIterator<Item = &'a str>, grades: &Grades) -> Self {
        let gain = |grade: i64| u32::try_from(grade).unwrap_or(0);
        let gains = ranking.into_iter().map(|id| grades.get(id).map_or(0, |g| gain(*g))).collect();
        let mut ideal: Vec<u32> = grades.values().map(|g| gain(*g)).filter(|g| *g > 0).collect();
        ideal.sort_unstable_by(|a, b| b.cmp(a));
        Self { gains, ideal }
    }

    /// Returns the rank, from 1, of the first relevant document among the first `k`.
    pub fn first(&self, k: usize) -> Option<usize> {
        self.gains.iter().take(k).position(|gain| *gain > 0).map(|at| at + 1)
    }

    /// Whether any document is labelled relevant.
    pub fn has_answer(&self) -> bool {
        !self.ideal.is_empty()
    }

    /// Whether the first hit is relevant; `None` without a hit.
    pub fn first_is_right(&self) -> Option<bool> {
        self.gains.first().map(|gain| *gain > 0)
    }

    fn recall(&self, k: usize) -> f64 {
        let found = self.gains.iter().take(k).filter(|gain| **gain > 0).count();
        if self.ideal.is_empty() { 0.0 } else { found as f64 / self.ideal.len() as f64 }
    }

    fn ndcg(&self, k: usize) -> f64 {
        let ideal = discounted(&self.ideal, k);
        if ideal > 0.0 { discounted(&self.gains, k) / ideal } else { 0.0 }
    }
}

fn discounted(gains: &[u32], k: usize) -> f64 {
    let gain = |(at, gain): (usize, &u32)| f64::from(*gain) / ((at + 2) as f64).log2();
    gains.iter().take(k).enumerate().map(gain).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[track_caller]
    fn check(ranking: &str, grades: &[(&str, i64)], expected: &[(&str, f64)]) {
        let grades: Grades = grades.iter().map(|(id, g)| ((*id).to_owned(), *g)).collect();
        let judged = Judged::new(ranking.split(' ').filter(|id| !id.is_empty()), &grades);
        for (name, value) in expected {
            let got = name.parse::<Metric>().unwrap().of(&judged);
            assert!((got - value).abs() < 1e-12, "{name} of {ranking:?}: {got} instead of {value}");
        }
    }

    // Figures by pytrec_eval 0.5, that is trec_eval's own code.
    #[test]
    fn grades_gain_as_in_trec_eval() {
        check(
            "d8 d2 d7 d3 d1",
            &[("d1", 3), ("d2", 1), ("d3", 0), ("d9", 2), ("d8", -1)],
            &[
                ("ndcg@10", 0.3762160921773947),
                ("recall@5", 0.6666666666666666),
                ("mrr@10", 0.5),
                ("success@1", 0.0),
                ("success@5", 1.0),
            ],
        );
    }

    #[test]
    fn nothing_found_and_nothing_to_find_are_zero() {
        check("a b", &[("c", 1)], &[("ndcg@10", 0.0), ("recall@5", 0.0), ("mrr@10", 0.0)]);
        check("", &[("c", 1)], &[("ndcg@10", 0.0), ("success@5", 0.0)]);
        check("a", &[("a", 0)], &[("ndcg@10", 0.0), ("recall@5", 0.0), ("success@1", 0.0)]);
    }

    #[test]
    fn what_is_past_the_cut_does_not_count() {
        let ten = "a b c d e f g h i j X";
        check(ten, &[("X", 1)], &[("mrr@10", 0.0), ("ndcg@10", 0.0), ("recall@100", 1.0)]);
        check(ten, &[("X", 1)], &[("mrr@11", 1.0 / 11.0)]);
    }

    #[test]
    fn names_are_read_as_they_are_written() {
        for metric in Metric::ALL {
            assert_eq!(metric.to_string().parse(), Ok(metric));
        }
        for wrong in ["", "ndcg", "ndcg@", "ndcg@0", "ndcg@-1", "map@10"] {
            assert_eq!(wrong.parse::<Metric>(), Err(UnknownMetric(wrong.to_owned())));
        }
    }

    proptest! {
        #[test]
        fn figures_are_shares(gains in prop::collection::vec(0_u32..5, 0..20), more in 0_u32..5) {
            let mut ideal: Vec<u32> = gains.iter().copied().chain([more]).filter(|g| *g > 0).collect();
            ideal.sort_unstable_by(|a, b| b.cmp(a));
            let judged = Judged { gains, ideal };
            for metric in Metric::ALL {
                prop_assert!((0.0..=1.0 + 1e-12).contains(&metric.of(&judged)), "{metric}");
            }
        }
    }
}
