//! What the constants of the relevance model are called and mean; their values are in
//! `constants.rs`.

/// All constants of the relevance model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Constants {
    /// Relevance of a document that is as likely on the topic as not: the default threshold. About
    /// this share of first hits barely beyond it is right; values from 0.1 to 0.3 calibrate alike.
    pub threshold: f32,
    /// A gap in score beyond this says no more.
    pub score_gap_max: f32,
    /// The same for a gap in cosine, in standard deviations: it may be large by chance.
    pub cosine_gap_max: f32,
    /// Below this many documents the size of the collection makes no difference. The fit has seen
    /// collections of 36 to 5,183 documents; further down its slope is that of the best of so many
    /// unrelated cosines.
    pub collection_size_min: f32,
    /// Above this many documents the size of the collection makes no difference.
    pub collection_size_max: f32,
    /// The least cohort mean that counts, the lower quartile of all questions: a question that is
    /// like no text at all, as nonsense is, earns no credit for that.
    pub cohort_mean_min: f32,
    /// Words and vectors; question and document in one language.
    pub hybrid_same_language: Case,
    /// Words and vectors; question and document in two languages.
    pub hybrid_cross_language: Case,
    /// Vectors alone; one language.
    pub vector_same_language: Case,
    /// Vectors alone; two languages.
    pub vector_cross_language: Case,
    /// Words alone.
    pub keyword: Case,
}

/// The two logistic regressions of one case.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Case {
    /// That the document is on the topic.
    pub topic: TopicCoefficients,
    /// That it answers, being on the topic.
    pub answer: AnswerCoefficients,
}

/// Coefficients of the probability that a document is on the topic. A feature that the case does not
/// use has 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct TopicCoefficients {
    /// Of the cosine of question and document.
    pub cosine: f32,
    /// Of the logarithm of the collection's size.
    pub collection_size: f32,
    /// Of the question's mean cosine with the cohort.
    pub cohort_mean: f32,
    /// Of the share of the question's words, by weight, that the document holds.
    pub coverage: f32,
    /// Of the logarithm of one more than the number of words that it holds.
    pub words_held: f32,
    /// The constant term.
    pub intercept: f32,
}

/// Coefficients of the probability that a document on the topic answers. A feature that the case does
/// not use has 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct AnswerCoefficients {
    /// Of the gap in score, where the document is ahead of the others.
    pub score_ahead: f32,
    /// Of the gap in score, where it is behind the best of them.
    pub score_behind: f32,
    /// Of the gap in cosine, ahead.
    pub cosine_ahead: f32,
    /// Of the gap in cosine, behind.
    pub cosine_behind: f32,
    /// Of the gap in keyword score, ahead or behind.
    pub keyword_gap: f32,
    /// Of the logarithm of the collection's size.
    pub collection_size: f32,
    /// The constant term.
    pub intercept: f32,
}
