//! The fitted constants of the relevance model; `coefficients.rs` says what each means.
//!
//! Written by quality/fit.py; do not edit.

use super::coefficients::{AnswerCoefficients, Case, Constants, TopicCoefficients};

/// The constants that are shipped.
pub(super) const CONSTANTS: Constants = Constants {
    threshold: 0.2,
    score_gap_max: 4.0,
    cosine_gap_max: 2.0,
    collection_size_min: 10.0,
    collection_size_max: 1000.0,
    cohort_mean_min: 0.029,
    hybrid_same_language: Case {
        topic: TopicCoefficients {
            cosine: 35.94,
            collection_size: -1.27,
            cohort_mean: -32.79,
            coverage: 7.41,
            words_held: 0.0,
            intercept: -7.24,
        },
        answer: AnswerCoefficients {
            score_ahead: 1.08,
            score_behind: 2.69,
            cosine_ahead: 0.0,
            cosine_behind: 0.0,
            keyword_gap: 0.0,
            collection_size: -0.72,
            intercept: 2.76,
        },
    },
    hybrid_cross_language: Case {
        topic: TopicCoefficients {
            cosine: 35.94,
            collection_size: -1.27,
            cohort_mean: -32.79,
            coverage: 0.0,
            words_held: 0.0,
            intercept: -3.16,
        },
        answer: AnswerCoefficients {
            score_ahead: 0.0,
            score_behind: 0.0,
            cosine_ahead: 2.10,
            cosine_behind: 4.11,
            keyword_gap: 0.0,
            collection_size: 0.0,
            intercept: -0.75,
        },
    },
    vector_same_language: Case {
        topic: TopicCoefficients {
            cosine: 49.02,
            collection_size: -1.38,
            cohort_mean: -53.06,
            coverage: 0.0,
            words_held: 0.0,
            intercept: -8.24,
        },
        answer: AnswerCoefficients {
            score_ahead: 0.0,
            score_behind: 0.0,
            cosine_ahead: 2.44,
            cosine_behind: 8.68,
            keyword_gap: 0.0,
            collection_size: -0.54,
            intercept: 1.68,
        },
    },
    vector_cross_language: Case {
        topic: TopicCoefficients {
            cosine: 49.02,
            collection_size: -1.38,
            cohort_mean: -53.06,
            coverage: 0.0,
            words_held: 0.0,
            intercept: -5.61,
        },
        answer: AnswerCoefficients {
            score_ahead: 0.0,
            score_behind: 0.0,
            cosine_ahead: 2.20,
            cosine_behind: 4.44,
            keyword_gap: 0.0,
            collection_size: 0.0,
            intercept: -0.95,
        },
    },
    keyword: Case {
        topic: TopicCoefficients {
            cosine: 0.0,
            collection_size: 0.0,
            cohort_mean: 0.0,
            coverage: 8.75,
            words_held: 2.90,
            intercept: -7.82,
        },
        answer: AnswerCoefficients {
            score_ahead: 0.0,
            score_behind: 0.0,
            cosine_ahead: 0.0,
            cosine_behind: 0.0,
            keyword_gap: 14.74,
            collection_size: -0.55,
            intercept: 2.17,
        },
    },
};
