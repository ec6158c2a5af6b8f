//! Confidence intervals and significance tests. Pure, with the same numbers every time: the seed is
//! fixed.

use fastrand::Rng;

const SEED: u64 = 20_261_129;
/// Number of samples drawn for an interval.
const RESAMPLES: usize = 1000;
/// Number of random exchanges tried for a test.
const EXCHANGES: usize = 10_000;

/// Returns the mean; 0 for an empty slice.
pub fn mean(values: &[f64]) -> f64 {
    if values.is_empty() { 0.0 } else { values.iter().sum::<f64>() / values.len() as f64 }
}

/// Returns the value that a share `p` in [0, 1] of all values does not exceed (nearest rank); 0 for
/// an empty slice.
pub fn percentile(values: &[f64], p: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let rank = (p * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.saturating_sub(1)).copied().unwrap_or(0.0)
}

/// Returns a 95 % confidence interval of the mean, by percentile bootstrap over the values.
pub fn interval(values: &[f64]) -> (f64, f64) {
    let mut rng = Rng::with_seed(SEED);
    let n = values.len();
    let resample = |_| (0..n).map(|_| values[rng.usize(0..n)]).sum::<f64>() / n.max(1) as f64;
    middle((0..RESAMPLES).map(resample).collect())
}

fn middle(figures: Vec<f64>) -> (f64, f64) {
    (percentile(&figures, 0.025), percentile(&figures, 0.975))
}

/// Returns the two-sided p-value of the difference of two means, paired query by query: the share
/// of random exchanges within pairs that differ at least as much (Fisher's randomisation test).
///
/// # Panics
/// If the lengths differ.
pub fn paired_p(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len(), "values are paired");
    // Pairs without a difference do not change the sum.
    let differences: Vec<f64> = a.iter().zip(b).map(|(a, b)| a - b).filter(|d| *d != 0.0).collect();
    let observed = differences.iter().sum::<f64>().abs();
    let mut rng = Rng::with_seed(SEED);
    let exchanged = |_: &usize| {
        let signed = differences.iter().map(|d| if rng.bool() { *d } else { -*d });
        // Sums in a different order differ in the last bits.
        signed.sum::<f64>().abs() >= observed - 1e-9
    };
    let as_large = (0..EXCHANGES).filter(exchanged).count();
    (as_large + 1) as f64 / (EXCHANGES + 1) as f64
}

/// Returns the area under the ROC curve: the probability that one of `high` is above one of `low`,
/// with ties counting half. `None` if either is empty.
pub fn auroc(high: &[f64], low: &[f64]) -> Option<f64> {
    if high.is_empty() || low.is_empty() {
        return None;
    }
    let mut sorted = low.to_vec();
    sorted.sort_by(f64::total_cmp);
    Some(area(high, &sorted))
}

fn area(high: &[f64], low_sorted: &[f64]) -> f64 {
    let wins = |value: &f64| {
        let below = low_sorted.partition_point(|low| low < value);
        let not_above = low_sorted.partition_point(|low| low <= value);
        (below + not_above) as f64 / 2.0
    };
    high.iter().map(wins).sum::<f64>() / (high.len() as f64 * low_sorted.len() as f64)
}

/// Returns a 95 % confidence interval of [`auroc`], by percentile bootstrap over both sides.
pub fn auroc_interval(high: &[f64], low: &[f64]) -> Option<(f64, f64)> {
    auroc(high, low)?;
    let mut rng = Rng::with_seed(SEED);
    let mut draw = |values: &[f64]| -> Vec<f64> {
        values.iter().map(|_| values[rng.usize(0..values.len())]).collect()
    };
    let resampled = (0..RESAMPLES).filter_map(|_| auroc(&draw(high), &draw(low)));
    Some(middle(resampled.collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_values_that_were_there() {
        let values: Vec<f64> = (1..=20).rev().map(f64::from).collect();
        assert_eq!(percentile(&values, 0.5), 10.0);
        assert_eq!(percentile(&values, 0.95), 19.0);
        assert_eq!(percentile(&values, 1.0), 20.0);
        assert_eq!(percentile(&[], 0.5), 0.0);
    }

    #[test]
    fn an_interval_holds_its_mean_and_narrows() {
        let values: Vec<f64> = (0..40).map(|i| f64::from(i % 4) / 3.0).collect();
        let (low, high) = interval(&values);
        assert!(low < mean(&values) && mean(&values) < high, "{low} {high}");
        // Standard error of 40 values of this spread is 0.059, so the interval is near ± 0.115.
        assert!((high - low - 0.23).abs() < 0.05, "{low} {high}");
        let many = values.repeat(16);
        assert!(interval(&many).1 - interval(&many).0 < (high - low) / 3.0);
        assert_eq!(interval(&values), (low, high));
        assert_eq!(interval(&[]), (0.0, 0.0));
    }

    #[test]
    fn the_paired_test_sees_what_is_there_and_nothing_else() {
        let base: Vec<f64> = (0..60).map(|i| f64::from(i % 7) / 7.0).collect();
        let better: Vec<f64> = base.iter().map(|v| v + 0.05).collect();
        assert!(paired_p(&better, &base) < 0.001);
        assert_eq!(paired_p(&base, &base), 1.0);
        let swapped: Vec<f64> =
            base.iter().enumerate().map(|(i, v)| v + if i % 2 == 0 { 0.1 } else { -0.1 }).collect();
        assert!(paired_p(&swapped, &base) > 0.5);
        // Three pairs, all in one direction: 2 of 8 sign patterns are as extreme.
        assert!((paired_p(&[1.0, 1.0, 1.0], &[0.0; 3]) - 0.25).abs() < 0.02);
    }

    #[test]
    fn auroc_counts_pairs() {
        assert_eq!(auroc(&[0.9, 0.8], &[0.1, 0.2]), Some(1.0));
        assert_eq!(auroc(&[0.1], &[0.9]), Some(0.0));
        assert_eq!(auroc(&[0.5], &[0.5]), Some(0.5));
        assert_eq!(auroc(&[0.8, 0.4], &[0.6, 0.4, 0.1]), Some((3.0 + 1.5) / 6.0));
        assert_eq!(auroc(&[], &[0.4]), None);
        assert_eq!(auroc_interval(&[0.9, 0.8], &[0.1, 0.2]), Some((1.0, 1.0)));
    }
}
