//! Chooses the passage of a document to show, and the words in it to mark. Pure.

use std::ops::Range;

use recall_index::{Analyzer, Entry, QueryTerm, TermField, Variant};

/// Chooses the best chunk of `entry`: by the share of the question's weight that it contains, then
/// by its cosine, then by position. `weights` go with `terms`.
pub fn best_chunk(
    entry: &Entry,
    terms: &[QueryTerm],
    weights: &[f32],
    cosines: &[Option<f32>],
    analyzer: &Analyzer,
) -> usize {
    let whole: f32 = weights.iter().sum::<f32>().max(f32::MIN_POSITIVE);
    let score = |index: usize| {
        let text = chunk_text(entry, index);
        let held = held(text, terms, analyzer);
        let share: f32 = weights.iter().zip(held).filter(|(_, h)| *h).map(|(w, _)| w).sum();
        // Cosines within one document differ by at most a tenth; one more word is worth as much.
        share / whole + 5.0 * cosines.get(index).copied().flatten().unwrap_or(0.0)
    };
    let scores: Vec<f32> = (0..entry.chunks.len()).map(score).collect();
    (0..scores.len()).rev().max_by(|a, b| scores[*a].total_cmp(&scores[*b])).unwrap_or(0)
}

/// Returns the text of a chunk.
pub fn chunk_text(entry: &Entry, index: usize) -> &str {
    let Some(chunk) = entry.chunks.get(index) else { return &entry.document.text };
    entry.document.text.get(chunk.start as usize..chunk.end as usize).unwrap_or_default()
}

/// Tells for each term whether `text` contains one of its forms.
fn held(text: &str, terms: &[QueryTerm], analyzer: &Analyzer) -> Vec<bool> {
    let words = analyzer.words(text);
    let lower = text.to_lowercase();
    let holds = |variant: &Variant| match variant.field {
        TermField::Word => words.iter().any(|word| word.text == variant.text),
        TermField::Identifier => lower.contains(&variant.text),
    };
    terms.iter().map(|term| term.variants.iter().any(holds)).collect()
}

/// Returns the byte ranges of `text` that match a term of the question, in order, without overlaps.
pub fn marks(text: &str, terms: &[QueryTerm], analyzer: &Analyzer) -> Vec<Range<usize>> {
    let variants = || terms.iter().flat_map(|term| &term.variants);
    let is_term = |word: &str| variants().any(|v| v.field == TermField::Word && v.text == word);
    let mut out: Vec<Range<usize>> = analyzer
        .words(text)
        .into_iter()
        .filter(|word| is_term(&word.text))
        .map(|word| word.span)
        .collect();
    for name in variants().filter(|v| v.field == TermField::Identifier) {
        // Lower case may change lengths; then only the words are marked.
        let lower = text.to_lowercase();
        if lower.len() == text.len() {
            out.extend(lower.match_indices(&name.text).map(|(at, found)| at..at + found.len()));
        }
    }
    out.retain(|range| text.get(range.clone()).is_some());
    out.sort_by_key(|range| (range.start, std::cmp::Reverse(range.end)));
    let mut merged: Vec<Range<usize>> = Vec::new();
    for range in out {
        match merged.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => merged.push(range),
        }
    }
    merged
}

/// Returns a range of at most `bytes` of `text` around its first mark, starting at the beginning of
/// a line or word.
pub fn window(text: &str, marks: &[Range<usize>], bytes: usize) -> Range<usize> {
    if text.len() <= bytes {
        return 0..text.len();
    }
    let first = marks.first().map_or(0, |mark| mark.start);
    let earliest = text.floor_char_boundary(first.saturating_sub(bytes / 4));
    let head = &text[earliest..first];
    let start = match head.rfind('\n').or_else(|| head.find(' ')) {
        Some(at) if earliest > 0 => earliest + at + 1,
        _ => earliest,
    };
    let end = text.floor_char_boundary((start + bytes).min(text.len()));
    let end = if end == text.len() {
        end
    } else {
        text[start..end].rfind(' ').map_or(end, |at| start + at)
    };
    start..end.max(start)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[track_caller]
    fn check(text: &str, question: &str, expected: &str) {
        let analyzer = Analyzer::default();
        let terms = recall_index::terms(question, &analyzer);
        let mut out = String::new();
        let mut at = 0;
        for mark in marks(text, &terms, &analyzer) {
            out.push_str(&text[at..mark.start]);
            out.push('[');
            out.push_str(&text[mark.clone()]);
            out.push(']');
            at = mark.end;
        }
        out.push_str(&text[at..]);
        assert_eq!(out, expected);
    }

    #[test]
    fn marks_words_in_any_form_and_identifiers_whole() {
        check("The disks are full.", "disk", "The [disks] are full.");
        check("see lib/env.dart now", "lib/env.dart", "see [lib/env.dart] now");
        check("Đặt lịch bảo trì", "dat lich", "[Đặt] [lịch] bảo trì");
        check("nothing", "else entirely", "nothing");
    }

    proptest! {
        #[test]
        fn windows_are_stretches_of_the_text(text in "\\PC{0,200}", bytes in 1usize..100) {
            let range = window(&text, &[], bytes);
            prop_assert!(text.get(range.clone()).is_some());
            prop_assert!(range.len() <= bytes.max(text.len().min(bytes)));
        }
    }
}
