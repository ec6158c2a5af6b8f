//! Vectors made by a seeded generator: topics, and around each a cloud of few dimensions, as the
//! vectors of a language model have them. Not those of any model.

/// Length of a vector.
pub(crate) const DIMS: usize = 384;
/// Topics that texts are about.
const TOPICS: u64 = 2_000;
/// Dimensions in which the texts of a topic differ.
const SPREAD: usize = 32;
/// How far a text lies from its topic's centre, whose length is 1.
const DISTANCE: f32 = 0.8;

/// Makes vectors.
pub(crate) struct Synthetic {
    /// The directions in which texts differ, `SPREAD` of them.
    directions: Vec<Vec<f32>>,
    topics: Vec<Vec<f32>>,
}

impl Synthetic {
    pub(crate) fn new() -> Self {
        let direction = |seed| unit(gaussian(&mut fastrand::Rng::with_seed(seed), DIMS));
        Self {
            directions: (0..SPREAD as u64).map(direction).collect(),
            topics: (0..TOPICS).map(|topic| direction(1_000_000 + topic)).collect(),
        }
    }

    /// The vector of a seed: `DIMS` numbers, of length 1.
    pub(crate) fn vector(&self, seed: u64) -> Vec<f32> {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut out = self.topics[random.usize(..self.topics.len())].clone();
        let scale = DISTANCE / (SPREAD as f32).sqrt();
        for (direction, weight) in self.directions.iter().zip(gaussian(&mut random, SPREAD)) {
            out.iter_mut().zip(direction).for_each(|(o, d)| *o += scale * weight * d);
        }
        unit(out)
    }

    /// The vector of a text; its seed is the hash under which an index knows the text.
    pub(crate) fn of(&self, text: &str) -> Vec<f32> {
        let mut first = [0; 8];
        first.copy_from_slice(&blake3::hash(text.as_bytes()).as_bytes()[..8]);
        self.vector(u64::from_le_bytes(first))
    }
}

/// Numbers around 0 with deviation 1 (Box and Muller).
fn gaussian(random: &mut fastrand::Rng, count: usize) -> Vec<f32> {
    let pair = |random: &mut fastrand::Rng| {
        let (radius, angle) = (1.0 - random.f32(), std::f32::consts::TAU * random.f32());
        let radius = (-2.0 * radius.ln()).sqrt();
        [radius * angle.cos(), radius * angle.sin()]
    };
    let mut out: Vec<f32> = (0..count.div_ceil(2)).flat_map(|_| pair(random)).collect();
    out.truncate(count);
    out
}

fn unit(mut vector: Vec<f32>) -> Vec<f32> {
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    vector.iter_mut().for_each(|x| *x /= length);
    vector
}

/// The product of two vectors: of unit vectors the cosine.
pub(crate) fn dot(a: &[f32], b: &[f32]) -> f32 {
    // Eight sums at once: a single one is a chain that no compiler may take apart.
    let mut sums = [0.0f32; 8];
    for (a, b) in a.chunks_exact(8).zip(b.chunks_exact(8)) {
        sums.iter_mut().zip(a.iter().zip(b)).for_each(|(sum, (a, b))| *sum += a * b);
    }
    sums.iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_unit_vector() {
        let (a, b) = (Synthetic::new(), Synthetic::new());
        assert_eq!(a.of("text"), b.of("text"));
        assert!((dot(&a.vector(1), &a.vector(1)) - 1.0).abs() < 1e-5);
        assert!(dot(&a.vector(1), &a.vector(2)) < 0.99);
    }
}
