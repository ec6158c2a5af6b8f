//! Which encoding a text is in, judged from its first bytes.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

/// The encoding of a text that starts with `head`, or `None` if it is not text.
///
/// `complete` says that `head` is all there is. A byte order mark decides; then UTF-16 without
/// one, if every other byte is mostly zero; then UTF-8; else the detector's guess among the
/// code pages in use.
pub(crate) fn detect(head: &[u8], complete: bool) -> Option<&'static Encoding> {
    if let Some((encoding, _)) = Encoding::for_bom(head) {
        return Some(encoding);
    }
    if head.contains(&0) {
        return utf16_without_mark(head);
    }
    if looks_binary(head) {
        return None;
    }
    if is_mostly_utf8(head, complete) {
        return Some(UTF_8);
    }
    Some(code_page(head, complete))
}

/// Which code page `bytes` are in, which are not UTF-8. A few letters that stand alone tell the
/// detector too little: they are taken for Western European.
pub(crate) fn code_page(bytes: &[u8], complete: bool) -> &'static Encoding {
    if has_few_letters_apart(bytes) {
        return WINDOWS_1252;
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    detector.feed(bytes, complete);
    detector.guess(None, Utf8Detection::Deny)
}

/// One to three bytes are not ASCII; each stands alone and is a letter in windows-1252.
fn has_few_letters_apart(bytes: &[u8]) -> bool {
    const FEW: usize = 3;
    let places: Vec<usize> = bytes
        .iter()
        .enumerate()
        .filter(|(_, byte)| !byte.is_ascii())
        .map(|(place, _)| place)
        .take(FEW + 1)
        .collect();
    let are_letters =
        || WINDOWS_1252.decode(bytes).0.chars().all(|c| c.is_ascii() || c.is_alphabetic());
    !places.is_empty()
        && places.len() <= FEW
        && places.windows(2).all(|pair| pair[1] > pair[0] + 1)
        && are_letters()
}

/// UTF-16 of text that is largely Latin: zeros on one side of the pairs only.
fn utf16_without_mark(head: &[u8]) -> Option<&'static Encoding> {
    let pairs = head.chunks_exact(2);
    let count = pairs.len();
    let (high_first, low_first) = pairs.fold((0, 0), |(be, le), pair| {
        (be + usize::from(pair[0] == 0), le + usize::from(pair[1] == 0))
    });
    let (encoding, zeros, others) = if low_first >= high_first {
        (UTF_16LE, low_first, high_first)
    } else {
        (UTF_16BE, high_first, low_first)
    };
    let plausible = count >= 2 && zeros * 10 >= count * 4 && others == 0;
    let clean = plausible
        && !encoding.decode_without_bom_handling(&head[..count * 2]).0.chars().any(is_odd);
    clean.then_some(encoding)
}

/// A control character that no text has.
fn is_odd(c: char) -> bool {
    matches!(c, '\0'..='\u{6}' | '\u{e}'..='\u{1a}')
}

/// More than one byte in fifty is a control character that no text has.
fn looks_binary(head: &[u8]) -> bool {
    let odd = head.iter().filter(|&&byte| byte < 0x80 && is_odd(char::from(byte))).count();
    odd * 50 > head.len()
}

/// Valid UTF-8, or UTF-8 with a few stray bytes: more well-formed sequences than broken ones.
fn is_mostly_utf8(head: &[u8], complete: bool) -> bool {
    let (mut sequences, mut broken) = (0_usize, 0_usize);
    for chunk in head.utf8_chunks() {
        sequences += chunk.valid().chars().filter(|c| !c.is_ascii()).count();
        broken += usize::from(!chunk.invalid().is_empty());
    }
    let cut_at_the_end =
        !complete && head.utf8_chunks().last().is_some_and(|chunk| !chunk.invalid().is_empty());
    let broken = broken - usize::from(cut_at_the_end);
    broken == 0 || sequences > 2 * broken
}
