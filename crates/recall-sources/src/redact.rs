//! Masks credentials of [well-known shapes](crate::credential).

use crate::credential::{self, Credential};
use crate::document::{Document, Message};

/// What a credential becomes begins like this.
const MARK: &str = "[redacted:";

/// Masks what looks like a credential in the text, the title, the link and the metadata, keeps the
/// byte ranges of the messages right, and gives the kind of each that was found, with 1.
pub fn document(document: &mut Document) -> Vec<(&'static str, u64)> {
    let masks = find(&document.text);
    let mut kinds: Vec<&'static str> = masks.iter().map(|mask| mask.kind.name).collect();
    if !masks.is_empty() {
        for message in &mut document.messages {
            shift(message, &masks);
        }
        document.text = apply(&document.text, &masks);
    }
    let others = std::iter::once(&mut document.title).chain(document.metadata.values_mut());
    for text in others.chain(&mut document.url) {
        let masks = find(text);
        if !masks.is_empty() {
            *text = apply(text, &masks);
            kinds.extend(masks.iter().map(|mask| mask.kind.name));
        }
    }
    kinds.into_iter().map(|kind| (kind, 1)).collect()
}

/// What to mask in `text`, in order and without overlap. What was masked before stays.
fn find(text: &str) -> Vec<Credential> {
    let mut found = credential::find(text);
    found.retain(|credential| !text[credential.range.clone()].starts_with(MARK));
    found
}

/// What stands for `credential`: `[redacted:password]`.
fn mark(credential: &Credential) -> String {
    format!("{MARK}{}]", credential.kind.name)
}

fn apply(text: &str, masks: &[Credential]) -> String {
    let mut masked = String::with_capacity(text.len());
    let mut from = 0;
    for mask in masks {
        masked.push_str(&text[from..mask.range.start]);
        masked.push_str(&mark(mask));
        from = mask.range.end;
    }
    masked + &text[from..]
}

fn shift(message: &mut Message, masks: &[Credential]) {
    message.start = moved(message.start, masks, false);
    message.end = moved(message.end, masks, true);
}

/// Where `position` is after masking. In the middle of a mask it is the mark's end if it `ends`
/// something, else its start.
fn moved(position: usize, masks: &[Credential], ends: bool) -> usize {
    let mut shift = 0_isize;
    for mask in masks.iter().take_while(|mask| mask.range.start < position) {
        let grown = mark(mask).len();
        if position < mask.range.end {
            let start = mask.range.start.saturating_add_signed(shift);
            return if ends { start + grown } else { start };
        }
        shift += grown as isize - (mask.range.end - mask.range.start) as isize;
    }
    position.saturating_add_signed(shift)
}
