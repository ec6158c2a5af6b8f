//! A vector as stored: signed bytes scaled to the largest component. Pure.
//!
//! Cosine does not depend on the length of its arguments, so the scale is dropped; what is kept is
//! the inverse length of the bytes. Scaling to the largest component instead of to 1 uses the whole
//! range of a byte, where components of a 384-dimensional unit vector are around 0.05.

use multiversion::multiversion;

/// A vector of `dims` signed bytes with the inverse of its length.
#[derive(Debug, Clone, PartialEq)]
pub struct QuantizedVector {
    /// The components.
    pub bytes: Vec<i8>,
    /// 1 / Euclidean length of `bytes`.
    pub inverse_length: f32,
}

impl QuantizedVector {
    /// The code of `vector`, or `None` if it is not finite or has no length.
    pub fn new(vector: &[f32]) -> Option<Self> {
        if !vector.iter().all(|x| x.is_finite()) {
            return None;
        }
        let largest = vector.iter().fold(0.0_f32, |max, x| max.max(x.abs()));
        if largest < f32::MIN_POSITIVE {
            return None;
        }
        // `as` saturates and the quotient is at most 127.
        let bytes: Vec<i8> = vector.iter().map(|x| (x / largest * 127.0).round() as i8).collect();
        let inverse_length = 1.0 / (dot(&bytes, &bytes) as f32).sqrt();
        Some(Self { bytes, inverse_length })
    }
}

/// Inner product of two codes of one length.
#[multiversion(targets = "simd")]
pub fn dot(a: &[i8], b: &[i8]) -> i32 {
    a.iter().zip(b).map(|(x, y)| i32::from(*x) * i32::from(*y)).sum()
}

/// One minus the cosine of two codes of one length, 0 to 2; 1 where one has no length.
#[multiversion(targets = "simd")]
pub fn distance(a: &[i8], b: &[i8]) -> f32 {
    let (mut product, mut of_a, mut of_b) = (0, 0, 0);
    for (x, y) in a.iter().zip(b) {
        let (x, y) = (i32::from(*x), i32::from(*y));
        product += x * y;
        of_a += x * x;
        of_b += y * y;
    }
    if of_a == 0 || of_b == 0 {
        return 1.0;
    }
    1.0 - product as f32 / ((of_a as f32).sqrt() * (of_b as f32).sqrt())
}

/// Cosine of an exact vector of unit length with a code.
#[multiversion(targets = "simd")]
pub fn cosine(unit: &[f32], code: &[i8], inverse_length: f32) -> f32 {
    let sum: f32 = unit.iter().zip(code).map(|(x, y)| x * f32::from(*y)).sum();
    (sum * inverse_length).clamp(-1.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn refuses_what_no_search_can_use() {
        assert_eq!(QuantizedVector::new(&[0.0, 0.0]), None);
        assert_eq!(QuantizedVector::new(&[f32::NAN, 1.0]), None);
        assert_eq!(QuantizedVector::new(&[f32::INFINITY, 1.0]), None);
    }

    #[test]
    fn distances_are_those_of_cosines() {
        let check = |a: &[i8], b: &[i8], expected: f32| {
            let got = distance(a, b);
            assert!((got - expected).abs() < 1e-6, "{a:?} and {b:?}: {got}");
        };
        check(&[1, 2, 3], &[2, 4, 6], 0.0);
        check(&[1, 0], &[-1, 0], 2.0);
        check(&[1, 0], &[0, 5], 1.0);
        check(&[0, 0], &[1, 1], 1.0);
    }

    proptest! {
        #[test]
        fn keeps_the_cosine(pairs in proptest::collection::vec((-1.0f32..1.0, -1.0f32..1.0), 384)) {
            let (a, b): (Vec<f32>, Vec<f32>) = pairs.into_iter().unzip();
            let length = |v: &[f32]| v.iter().map(|x| x * x).sum::<f32>().sqrt();
            let exact = a.iter().zip(&b).map(|(x, y)| x * y).sum::<f32>() / length(&a) / length(&b);
            let unit: Vec<f32> = a.iter().map(|x| x / length(&a)).collect();
            let code = QuantizedVector::new(&b).unwrap();
            let got = cosine(&unit, &code.bytes, code.inverse_length);
            prop_assert!((got - exact).abs() < 0.003, "{} instead of {}", got, exact);
            let both = distance(&QuantizedVector::new(&a).unwrap().bytes, &code.bytes);
            prop_assert!((both - (1.0 - exact)).abs() < 0.006, "{} instead of {}", both, 1.0 - exact);
        }
    }
}
