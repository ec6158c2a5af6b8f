//! A question in, one ranked list with relevances out.
//!
//! [`question`] takes the words apart, [`search`] asks both retrievers of one generation, [`fuse`]
//! makes one score of their features, [`relevance`] says how likely a document is to answer, [`ranking`]
//! holds the documents in their order, and [`answer`] is what is printed. Everything but `search` and `answer` is pure.

pub mod answer;
pub mod features;
pub mod fuse;
pub mod passage;
pub mod question;
pub mod ranking;
pub mod relevance;
pub mod search;
pub mod when;
