//! Formats the result of `recall eval --compare`, as text and as JSON. Pure.

use serde_json::{Value, json};

use crate::contrast::{Change, Contrast};
use crate::report::{SHOWN, TEXT_CHARS, contrast_line, more, number, shortened};

/// Two run files, compared.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// Name of the first run.
    pub a: String,
    /// Name of the second run.
    pub b: String,
    /// The contrast of each metric.
    pub contrasts: Vec<Contrast>,
    /// Questions that differ in nDCG@10, with their texts if known.
    pub changes: Vec<(Change, String)>,
    /// Lines of the files that could not be used, and questions missing from a run.
    pub notes: Vec<String>,
}

impl Comparison {
    /// Formats the comparison as JSON.
    pub fn json(&self) -> Value {
        let change = |(change, text): &(Change, String)| json!({"query": change.query, "text": text, "a": number(change.a), "b": number(change.b)});
        json!({
            "a": self.a, "b": self.b, "metrics": self.contrasts, "notes": self.notes,
            "queries": self.changes.iter().map(change).collect::<Vec<_>>(),
        })
    }

    /// Formats the comparison as text.
    pub fn text(&self) -> String {
        let mut out = format!("A {}\nB {}\n\n", self.a, self.b);
        for contrast in &self.contrasts {
            let (a, b) = (contrast.a, contrast.b);
            out.push_str(&format!("A {a:.3}  B {b:.3}{}", contrast_line(contrast)));
        }
        let (wins, losses): (Vec<_>, Vec<_>) = self.changes.iter().partition(|(c, _)| c.a > c.b);
        out.push_str(&changes_text("A ranks better (nDCG@10)", wins.iter().copied()));
        out.push_str(&changes_text("A ranks worse (nDCG@10)", losses.iter().rev().copied()));
        for note in &self.notes {
            out.push_str(&format!("note: {note}\n"));
        }
        out
    }
}

fn changes_text<'a>(
    head: &str,
    changes: impl ExactSizeIterator<Item = &'a (Change, String)>,
) -> String {
    let count = changes.len();
    let line = |(change, text): &(Change, String)| {
        let text = shortened(text, TEXT_CHARS);
        format!("  {} {:.3} against {:.3} {text}", change.query, change.a, change.b)
            .trim_end()
            .to_owned()
            + "\n"
    };
    let lines = changes.take(SHOWN).map(line).collect::<String>();
    format!("\n{head}: {count}\n{lines}{}", more(count))
}
