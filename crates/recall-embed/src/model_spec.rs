//! One model: what it is like, and where its files come from.

use serde::Deserialize;

use crate::origin::Origin;

/// One model of the catalogue.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelSpec {
    /// Its name, also in the manifest of an index.
    pub id: String,
    /// Length of its vectors, in numbers.
    pub dims: usize,
    /// Tokens it reads of a text, the two special ones and the prefix included; the rest is cut.
    pub max_tokens: usize,
    /// How the vectors of the tokens become that of the text.
    pub pooling: Pooling,
    /// Whether its vectors are meant to be compared by direction alone; ours always have length 1.
    pub normalised: bool,
    /// Put before a question.
    pub query_prefix: String,
    /// Put before a passage.
    pub passage_prefix: String,
    /// Languages it was trained on (BCP 47), or `any`.
    pub languages: Vec<String>,
    /// Its licence (SPDX).
    pub licence: String,
    /// Where its files come from, best first.
    #[serde(rename = "source")]
    pub sources: Vec<Origin>,
}

/// How the vectors of a text's tokens become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Pooling {
    /// Their mean.
    Mean,
    /// The first token's.
    Cls,
}

impl ModelSpec {
    /// Name of this model's folder: its id, with what a file name may not hold written as `_`.
    pub(crate) fn dir_name(&self) -> String {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        let name: String = self.id.chars().map(|c| if plain(c) { c } else { '_' }).collect();
        name.trim_start_matches('.').to_owned()
    }
}
