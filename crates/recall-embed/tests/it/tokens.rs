//! Tokens against the tokenizer library's own reading of the same file.

use std::sync::LazyLock;

use proptest::prelude::*;
use recall_embed::Tokens;
use tokenizers::Tokenizer;

use crate::installed::{E5, MINILM, model};

struct Pair {
    ours: Tokens,
    theirs: Tokenizer,
}

impl Pair {
    fn load(id: &str) -> Pair {
        let installed = model(id);
        let mut theirs = Tokenizer::from_file(installed.tokenizer()).unwrap();
        theirs.with_truncation(None).unwrap();
        theirs.with_padding(None);
        Pair { ours: Tokens::load(&installed).unwrap(), theirs }
    }

    fn check(&self, text: &str) {
        let theirs = self.theirs.encode(text, false).unwrap();
        let ours = self.ours.offsets(text);
        let expected: Vec<_> = theirs.get_offsets().iter().map(|&(from, to)| from..to).collect();
        assert_eq!(ours, expected, "{text:?}");
        assert_eq!(self.ours.count(text), expected.len(), "{text:?}");
        for range in ours {
            assert!(text.is_char_boundary(range.start) && text.is_char_boundary(range.end));
        }
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
fn offsets_are_bytes_of_the_text() {
    let text = "  Ổ đĩa đầy";
    let pieces: Vec<&str> =
        MULTILINGUAL.ours.offsets(text).into_iter().map(|range| &text[range]).collect();
    insta::assert_debug_snapshot!(pieces, @r#"
    [
        " ",
        "Ổ",
        " đĩa",
        " đầy",
    ]
    "#);
}

proptest! {
    #[test]
    fn tokens_of_any_text_are_the_librarys(text in any::<String>()) {
        MULTILINGUAL.check(&text);
        ENGLISH.check(&text);
    }

    #[test]
    fn tokens_of_words_are_the_librarys(text in "([a-zà-ỹ一-三あ-う0-9_./-]{1,12}[ \n]{1,2}){0,12}") {
        MULTILINGUAL.check(&text);
        ENGLISH.check(&text);
    }
}
