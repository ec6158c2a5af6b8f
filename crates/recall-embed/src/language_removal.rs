//! What is language, and what is common to all texts, in a model's vectors: removed. Pure.
//!
//! After it the cosine of two unrelated texts is about 0, in one language or two.
//!
//! The method and its figures: `models/language/README.md`.

use sha2::{Digest, Sha256};

/// The directions of one model that tell languages apart, and its mean vectors.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LanguageRemoval {
    /// Orthonormal rows of `dims` numbers; none for a model that is used as it is.
    basis: Vec<Vec<f32>>,
    /// Mean of unrelated questions, after the removal.
    mean_query: Vec<f32>,
    /// Mean of unrelated passages, after the removal.
    mean_passage: Vec<f32>,
    /// Mean of whole paragraphs of many kinds, after all that.
    common: Vec<f32>,
}

const E5_SMALL: &[u8] = include_bytes!("../../../models/language/multilingual-e5-small.bin");

impl LanguageRemoval {
    /// What is known of the model called `id`, whose vectors have `dims` numbers; removes nothing where
    /// nothing is known.
    pub(crate) fn of(id: &str, dims: usize) -> Self {
        let known = match id {
            "multilingual-e5-small" => Self::read(E5_SMALL),
            _ => None,
        };
        known.filter(|language| language.mean_query.len() == dims).unwrap_or_else(|| Self {
            basis: Vec::new(),
            mean_query: vec![0.0; dims],
            mean_passage: vec![0.0; dims],
            common: vec![0.0; dims],
        })
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let number = |at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
        let (rank, dims) = (number(0)? as usize, number(4)? as usize);
        let numbers: Vec<f32> = bytes[8..]
            .chunks_exact(4)
            .map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]))
            .collect();
        let mut rows: Vec<Vec<f32>> = numbers.chunks_exact(dims).map(<[f32]>::to_vec).collect();
        if rows.len() != rank + 3 {
            return None;
        }
        let common = rows.pop()?;
        let mean_passage = rows.pop()?;
        let mean_query = rows.pop()?;
        Some(Self { basis: rows, mean_query, mean_passage, common })
    }

    /// Which removal this is: vectors of another one must not be compared. `0` for none.
    pub(crate) fn fingerprint(&self) -> String {
        if self.basis.is_empty() {
            return "0".to_owned();
        }
        let means = self.mean_query.iter().chain(&self.mean_passage);
        let bytes: Vec<u8> =
            self.basis.iter().flatten().chain(means).flat_map(|x| x.to_le_bytes()).collect();
        Sha256::digest(&bytes).iter().take(4).map(|byte| format!("{byte:02x}")).collect()
    }

    /// The vector of a question without its language and what it shares with all questions, of unit
    /// length.
    pub(crate) fn query(&self, vector: Vec<f32>) -> Vec<f32> {
        self.meaning(vector, &self.mean_query)
    }

    /// The same for a passage.
    pub(crate) fn passage(&self, vector: Vec<f32>) -> Vec<f32> {
        self.meaning(vector, &self.mean_passage)
    }

    /// How near a question's vector, as [`query`](Self::query) gives it, is to paragraphs of any kind:
    /// the mean of its cosines with a fixed cohort of them, about -0.05 to 0.15.
    pub(crate) fn cohort_mean(&self, unit: &[f32]) -> f32 {
        dot(unit, &self.common)
    }

    fn meaning(&self, vector: Vec<f32>, mean: &[f32]) -> Vec<f32> {
        let mut out = unit(self.without_language(vector));
        out.iter_mut().zip(mean).for_each(|(x, m)| *x -= m);
        unit(out)
    }

    fn without_language(&self, mut vector: Vec<f32>) -> Vec<f32> {
        let along: Vec<f32> = self.basis.iter().map(|row| dot(row, &vector)).collect();
        for (row, along) in self.basis.iter().zip(along) {
            vector.iter_mut().zip(row).for_each(|(x, r)| *x -= along * r);
        }
        vector
    }
}

/// `vector` at length 1; one without length stays as it is, for the store to refuse.
fn unit(mut vector: Vec<f32>) -> Vec<f32> {
    let length = dot(&vector, &vector).sqrt();
    if length > f32::MIN_POSITIVE {
        vector.iter_mut().for_each(|x| *x /= length);
    }
    vector
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_basis_is_orthonormal_and_removed_once_and_for_all() {
        let language = LanguageRemoval::of("multilingual-e5-small", 384);
        assert_eq!(language.basis.len(), 16);
        for (i, a) in language.basis.iter().enumerate() {
            for (j, b) in language.basis.iter().enumerate() {
                let expected = if i == j { 1.0 } else { 0.0 };
                assert!((dot(a, b) - expected).abs() < 1e-4, "{i} {j}");
            }
        }
        let vector: Vec<f32> = (0..384).map(|i| ((i * 37 % 101) as f32 - 50.0) / 577.0).collect();
        let once = language.without_language(vector.clone());
        assert!(language.basis.iter().all(|row| dot(row, &once).abs() < 1e-4));
        let twice = language.without_language(once.clone());
        assert!(once.iter().zip(&twice).all(|(a, b)| (a - b).abs() < 1e-5));
        for meaning in [language.query(vector.clone()), language.passage(vector)] {
            assert!((dot(&meaning, &meaning) - 1.0).abs() < 1e-4);
            assert!(language.basis.iter().all(|row| dot(row, &meaning).abs() < 1e-3));
        }
    }

    #[test]
    fn an_unknown_model_is_used_as_it_is() {
        let language = LanguageRemoval::of("other", 3);
        assert_eq!(language.query(vec![0.0, 0.6, 0.8]), vec![0.0, 0.6, 0.8]);
        assert_eq!(language.passage(vec![0.0; 3]), vec![0.0; 3]);
    }
}
