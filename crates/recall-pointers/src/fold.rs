//! Text compared the way people read it: without case, accents or Unicode form.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Lower case, without accents; `đ` becomes `d`. NFC and NFD text fold to the same.
pub(crate) fn fold(text: &str) -> String {
    text.nfkd()
        .filter(|c| !is_combining_mark(*c))
        .flat_map(char::to_lowercase)
        .map(|c| if c == 'đ' { 'd' } else { c })
        .collect()
}

/// The words of the folded text, without the punctuation around them.
pub(crate) fn words(text: &str) -> Vec<String> {
    fold(text)
        .split_whitespace()
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()).to_owned())
        .filter(|word| !word.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_unicode_forms_fold_to_the_same() {
        let composed = "Quyết Định";
        let decomposed: String = composed.nfd().collect();
        assert_eq!(fold(composed), "quyet dinh");
        assert_eq!(fold(&decomposed), "quyet dinh");
    }

    #[test]
    fn words_lose_their_punctuation() {
        assert_eq!(words("- **Đừng** (never) push!"), ["dung", "never", "push"]);
    }
}
