//! Measures whether relevance is calibrated: of all first hits that claim 70 %, 70 % should be
//! right. Pure.

/// Number of bins of equal width over [0, 1].
const BINS: usize = 10;

/// First hits whose relevance lies in one bin.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bin {
    /// Where the bin begins.
    pub from: f64,
    /// Where it ends; only the last bin includes its end.
    pub to: f64,
    /// Number of hits.
    pub hits: usize,
    /// Their mean relevance.
    pub relevance: f64,
    /// The share of them that are relevant.
    pub right: f64,
}

/// A reliability table and its error.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Calibration {
    /// Expected calibration error: mean difference of claim and truth, in [0, 1]; 0 without hits.
    pub error: f64,
    /// Bins that are not empty, in rising order.
    pub bins: Vec<Bin>,
}

impl Calibration {
    /// Computes the calibration of first hits: (relevance claimed, whether it is relevant).
    pub fn of(hits: &[(f64, bool)]) -> Self {
        let bins: Vec<Bin> = (0..BINS).filter_map(|number| bin(number, hits)).collect();
        let off = |bin: &Bin| bin.hits as f64 * (bin.relevance - bin.right).abs();
        let error = bins.iter().map(off).sum::<f64>() / hits.len().max(1) as f64;
        Self { error, bins }
    }
}

fn bin(number: usize, hits: &[(f64, bool)]) -> Option<Bin> {
    let belongs = |claim: f64| ((claim * BINS as f64) as usize).min(BINS - 1) == number;
    let inside: Vec<&(f64, bool)> = hits.iter().filter(|(claim, _)| belongs(*claim)).collect();
    let n = inside.len() as f64;
    (!inside.is_empty()).then(|| Bin {
        from: number as f64 / BINS as f64,
        to: (number + 1) as f64 / BINS as f64,
        hits: inside.len(),
        relevance: inside.iter().map(|(claim, _)| claim).sum::<f64>() / n,
        right: inside.iter().filter(|(_, right)| *right).count() as f64 / n,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_is_the_gap_between_claim_and_truth() {
        let hits = |claim: f64, right: usize, wrong: usize| {
            let all = (0..right).map(|_| (claim, true)).chain((0..wrong).map(|_| (claim, false)));
            all.collect::<Vec<_>>()
        };
        let honest = Calibration::of(&[hits(0.75, 3, 1), hits(0.25, 1, 3)].concat());
        assert!(honest.error < 1e-12 && honest.bins.len() == 2);
        let boastful = Calibration::of(&[hits(1.0, 1, 1), hits(0.2, 2, 8)].concat());
        assert!((boastful.error - 2.0 / 12.0 * 0.5).abs() < 1e-12, "{}", boastful.error);
        assert_eq!(boastful.bins[1].to, 1.0);
        assert_eq!(Calibration::of(&[]), Calibration::default());
    }
}
