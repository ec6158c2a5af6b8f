//! Medians and percentiles.

/// The value below which `share` (0 to 1) of the values lie, the nearest one; `NaN` of none.
pub(crate) fn percentile(values: &[f64], share: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let place = (share * sorted.len().saturating_sub(1) as f64).round() as usize;
    sorted.get(place).copied().unwrap_or(f64::NAN)
}

/// The middle value; of an even number the mean of the middle two.
pub(crate) fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    match sorted.len() {
        0 => f64::NAN,
        n if n % 2 == 1 => sorted[n / 2],
        n => f64::midpoint(sorted[n / 2 - 1], sorted[n / 2]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(values: &[f64], expected: (f64, f64, f64)) {
        let got = (median(values), percentile(values, 0.5), percentile(values, 0.95));
        assert_eq!(got, expected);
    }

    #[test]
    fn the_middle_and_the_tail() {
        check(&[3.0], (3.0, 3.0, 3.0));
        check(&[4.0, 1.0], (2.5, 4.0, 4.0));
        check(&[5.0, 1.0, 3.0, 2.0, 4.0], (3.0, 3.0, 5.0));
        let hundred: Vec<f64> = (0..=100).map(f64::from).collect();
        check(&hundred, (50.0, 50.0, 95.0));
        assert!(median(&[]).is_nan() && percentile(&[], 0.5).is_nan());
    }
}
