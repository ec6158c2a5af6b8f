//! Bytes of an index beside those of its texts.

use recall_index::Manifest;

use crate::figures::{Measured, number};
use crate::outcome::Outcome;
use crate::stage::{Stage, index_bytes};

/// Index size against 1.2 × text + 500 bytes a chunk.
pub(super) fn size(stage: &Stage) -> Outcome<Measured> {
    let index = &stage.embedded()?.folder;
    let text = stage.sample()?.text_bytes as f64;
    let chunks = Manifest::read(index)?.counts.chunks as f64;
    let bytes = index_bytes(index)? as f64;
    let allowed = 1.2 * text + 500.0 * chunks;
    let mut out = Measured { met: Some(bytes <= allowed), ..Measured::default() };
    out.reached = format!("{} of what is allowed", number(bytes / allowed));
    out.add("index, keyword side and vectors", bytes / 1e6, "MB");
    out.add("text", text / 1e6, "MB");
    out.add("bytes a chunk beyond 1.2 × text", (bytes - 1.2 * text) / chunks, "B");
    let keyword = index_bytes(&stage.keyword()?.folder)? as f64 / 1e6;
    out.add("keyword index of the whole corpus", keyword, "MB");
    out.add("text of the whole corpus", stage.corpus()?.text_bytes as f64 / 1e6, "MB");
    Ok(out)
}
