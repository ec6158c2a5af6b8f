//! The language of an entry is a column that agrees with its text.

use recall_index::language;

use crate::corpus::Corpus;

#[test]
fn the_column_says_what_the_text_does() {
    let corpus = Corpus::new(&[
        ("en.md", "What to do when the server is down and nobody is there to help you."),
        ("vi.md", "Màn hình bị giật trên máy cấu hình yếu, phải làm gì bây giờ?"),
        ("de.md", "Wann ist der Server ausgefallen und wer hat es bemerkt?"),
        ("zh.md", "重启账本服务"),
        ("ru.md", "сервер не отвечает"),
        ("ja.md", "サーバーをさいきどうする"),
        ("front.md", "---\ntitle: Der Server ist aus und die Lampe auch\n---\nnginx\n"),
        ("none.md", "nginx"),
        ("digits.md", "0 1 2 3"),
    ]);
    let snapshot = corpus.snapshot();
    let keyword = snapshot.keyword();
    let mut named = 0;
    for id in keyword.all().unwrap() {
        let document = keyword.fetch(id).unwrap().document;
        let expected = language(&document.text);
        assert_eq!(keyword.language(id).unwrap(), expected, "{}", document.path);
        named += usize::from(expected.is_some());
    }
    assert!((6..=7).contains(&named), "{named} have a language");
}
