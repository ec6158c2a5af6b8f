//! How much is measured.

/// Sizes of one run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Size {
    /// Documents of the corpus that are used.
    pub documents: usize,
    /// Of these, how many get vectors from the model.
    pub embedded: usize,
    /// Texts whose embedding is timed.
    pub texts: usize,
    /// Chunks of the small index that a large one is compared with.
    pub few: usize,
    /// Chunks of the large index.
    pub many: usize,
    /// Times that each thing is measured; figures are medians.
    pub rounds: usize,
    /// Questions of a round.
    pub questions: usize,
}

impl Size {
    /// What is quoted.
    pub(crate) const FULL: Self = Self {
        documents: usize::MAX,
        embedded: 10_000,
        texts: 320,
        few: 10_000,
        many: 1_000_000,
        rounds: 5,
        questions: 40,
    };
    /// Enough to see that every row runs.
    pub(crate) const QUICK: Self = Self {
        documents: 4_000,
        embedded: 300,
        texts: 24,
        few: 1_000,
        many: 20_000,
        rounds: 2,
        questions: 5,
    };
}
