//! ModelTokenizer against the tokenizer library's own reading of the same file.

use std::sync::LazyLock;

use proptest::prelude::*;
use recall_embed::ModelTokenizer;
use tokenizers::Tokenizer;

use crate::installed::{E5, MINILM, model};

struct Pair {
    ours: ModelTokenizer,
    theirs: Tokenizer,
}

impl Pair {
    fn load(id: &str) -> Pair {
        let installed = model(id);
        let mut theirs = Tokenizer::from_file(installed.tokenizer()).unwrap();
        theirs.with_truncation(None).unwrap();
        theirs.with_padding(None);
        Pair { ours: ModelTokenizer::load(&installed).unwrap(), theirs }
    }

    /// Counts are the library's, and every word begins its tokens where the library's do when it
    /// reads the word alone: twice, since the second time they are remembered.
    fn check(&self, text: &str) {
        let whole = self.theirs.encode(text, false).unwrap();
        assert_eq!(self.ours.count(text), whole.len(), "{text:?}");
        let mut expected = Vec::new();
        for word in text.split_whitespace() {
            let at = word.as_ptr().addr() - text.as_ptr().addr();
            let encoding = self.theirs.encode(word, false).unwrap();
            expected.extend(encoding.get_offsets().iter().map(|&(from, _)| at + from));
        }
        for _ in 0..2 {
            assert_eq!(self.ours.starts(text), expected, "{text:?}");
        }
        assert!(expected.iter().all(|start| text.is_char_boundary(*start)), "{text:?}");
    }

    /// Words are texts of their own: the whole text has no other tokens.
    fn check_words(&self, text: &str) {
        self.check(text);
        assert_eq!(self.ours.starts(text).len(), self.ours.count(text), "{text:?}");
    }
}

static MULTILINGUAL: LazyLock<Pair> = LazyLock::new(|| Pair::load(E5));
static ENGLISH: LazyLock<Pair> = LazyLock::new(|| Pair::load(MINILM));

const TEXTS: &[&str] = &[
    "",
    " ",
    "restart the worker",
    "  two  spaces\tand\na line  ",
    "Máy chủ tìm kiếm đã hết dung lượng",
    "Ma\u{301}y chu\u{309} (decomposed)",
    "部署失败,请先回滚。",
    "สวัสดีชาวโลก",
    "ﬁne ½ Ⅻ ㍿ ＡＢＣ",
    "🙂🙃👩‍👩‍👧‍👦",
    "\u{0}\u{1}\u{7f}\u{200b}\u{feff}x\u{fffd}",
    "<s> </s> <unk> <mask> [CLS] [SEP]",
    "ERR_0x80070005 lib/config/env.dart --no-verify ▁▁",
    "𐍈𐍉 unknown scripts 𓀀𓀁𓀂 side by side",
];

#[test]
fn tokens_are_the_librarys() {
    for pair in [&*MULTILINGUAL, &*ENGLISH] {
        TEXTS.iter().for_each(|text| pair.check(text));
        pair.check(&TEXTS.join("\n").repeat(20));
    }
}

#[test]
fn starts_are_bytes_of_the_text() {
    let text = "  Ổ đĩa   đầy";
    assert_eq!(MULTILINGUAL.ours.starts(text), [2, 2, 6, 14]);
}

proptest! {
    #[test]
    fn tokens_of_any_text_are_the_librarys(text in any::<String>()) {
        MULTILINGUAL.check(&text);
        ENGLISH.check(&text);
    }

    #[test]
    fn tokens_of_words_are_the_librarys(text in "([a-zà-ỹ一-三あ-う0-9_./-]{1,12}[ \n]){0,12}x") {
        MULTILINGUAL.check_words(&text);
        ENGLISH.check_words(&text);
    }
}
