use recall_sources::{ReadOptions, Span};

use crate::show::{lines, read, shown};

/// The text of the one document in a file called `a.txt`.
#[track_caller]
fn check(bytes: &[u8], expected: &str) {
    let outcome = read("a.txt", bytes, &ReadOptions::default());
    let texts: Vec<&str> = outcome.documents.iter().map(|d| d.text.as_str()).collect();
    assert_eq!(texts, [expected], "{}", lines(&outcome));
}

fn utf16(text: &str, mark: bool, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    let mark = mark.then_some(0xfeff);
    mark.into_iter().chain(text.encode_utf16()).flat_map(bytes).collect()
}

#[test]
fn marks_and_code_pages() {
    check(b"\xef\xbb\xbfplain \xc3\xa9", "plain é");
    check(&utf16("khóa hết hạn\r\n", true, u16::to_le_bytes), "khóa hết hạn\r\n");
    check(&utf16("khóa hết hạn", true, u16::to_be_bytes), "khóa hết hạn");
    check(&utf16("no mark at all", false, u16::to_le_bytes), "no mark at all");
    check(&utf16("no mark at all", false, u16::to_be_bytes), "no mark at all");
    check(b"caf\xe9 cr\xe8me, na\xefve fa\xe7ade", "café crème, naïve façade");
    check(b"na\xefve", "naïve");
    check(b"Jos\xe9 and Zo\xeb", "José and Zoë");
    check(
        &encoding("Перезапустите очередь платежей, пожалуйста"),
        "Перезапустите очередь платежей, пожалуйста",
    );
}

/// Cyrillic letters in windows-1251.
fn encoding(text: &str) -> Vec<u8> {
    let byte = |c: char| match c {
        'А'..='я' => (c as u32 - 'А' as u32 + 0xc0) as u8,
        other => other as u8,
    };
    text.chars().map(byte).collect()
}

#[test]
fn stray_bytes_are_named_and_positions_stay() {
    let text = "Đặng Thị Hồng đặt lịch \u{1}bảo trì".replace('\u{1}', "*");
    let mut bytes = text.clone().into_bytes();
    let place = text.find('*').expect("it is there");
    bytes[place] = 0xe9;
    let outcome = read("a.txt", &bytes, &ReadOptions::default());
    assert_eq!(outcome.documents[0].text, text.replace('*', "?"));
    let length = bytes.len() as u64;
    let whole = Span { byte_start: 0, byte_end: length, line_start: 1, line_end: 1 };
    assert_eq!(outcome.documents[0].span, Some(whole));
    insta::assert_snapshot!(outcome.problems[0], @"a.txt: cut: 1 bytes that are not UTF-8 stand as `?`");
}

#[test]
fn what_is_no_text_is_named() {
    insta::assert_snapshot!(shown("a.txt", b"\x00\x01\x02 binary"), @"= FAILED a.txt: binary, not text");
    insta::assert_snapshot!(shown("a.md", b"\x7fELF\x02\x01\x01\x00\x00\x00"), @"= FAILED a.md: binary, not text");
    insta::assert_snapshot!(shown("a.txt", b" \r\n\t"), @"= FAILED a.txt: empty");
    insta::assert_snapshot!(shown("a.txt", b""), @"= FAILED a.txt: empty");
}

#[test]
fn controls_and_line_ends_are_kept() {
    check(
        b"a\x1b[31mred\x1b[0m\x07\x08\x0c\xe2\x80\xa8\xc2\x85 end\n",
        "a\u{1b}[31mred\u{1b}[0m\u{7}\u{8}\u{c}\u{2028}\u{85} end\n",
    );
    check(b"one\r\ntwo\nthree\rfour", "one\r\ntwo\nthree\rfour");
}
