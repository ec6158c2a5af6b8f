//! Words of a question that say nothing of what it is about. Pure.
//!
//! They are dropped from questions only; the index keeps them, so that phrases stay whole. A word
//! may be empty in one language and not in another (`die`, `war`, `come`), so only the list of the
//! language with the most hits in the question is used.

use std::collections::HashMap;
use std::sync::LazyLock;

const ENGLISH: &str = "a about am an and are as at be been being but by can could did do does for \
    from had has have he her him his how i if in into is it its me my no not of on or our she \
    should such that the their them then there these they this to us was we were what when where \
    which who whom whose why will with would you your";
const VIETNAMESE: &str = "ai bao bị bởi bằng các cái cho có của cũng do gì hay khi không là làm lại \
    mà một muốn nào này nhất nhiêu như những nếu ở phải ra rằng sao sẽ ta tại theo thế thì trên \
    trong từ và vào về vì với việc đang đã đâu đây đó đến để được";
const GERMAN: &str = "als am an auf aus bei bin da das dass dem den der des die durch ein eine einem \
    einen einer eines er es für hat hatte ich ihr im in ist kann man mein mit nach nicht oder sich \
    sie sind so um und uns unter vom von vor wann war warum was welche welchem welchen welcher \
    welches wem wen wer werden wie wieso wir wird wo wurde wurden zu zum zur über";
const FRENCH: &str = "a au aux avec ce cette ces comment dans de des du elle en est et il ils je la \
    le les leur lui mais mon ne nous on ont ou où par pas pour pourquoi qu quand que quel quelle \
    quelles quels qui quoi sa se ses son sont sur un une vous y était été";
const SPANISH: &str = "a al ante como con cuando cuál cuáles cuándo cuánto cuántos cuánta cuántas \
    cómo de del desde donde dónde el ella en entre era es esta este esto está fue ha han hay la \
    las le lo los más mi no nos o para pero por porque qué que quien quién quiénes se ser si sin \
    sobre son su sus también un una uno y ya";
const PORTUGUESE: &str = "a ao aos as com como da das de do dos e ela ele em entre era essa esse \
    esta este eu foi há isso já mais mas me na nas no nos não o onde os ou para pela pelo por \
    porque qual quais quando quanto quantos que quem se sem ser seu sua são também um uma é";
const ITALIAN: &str = "a al alla alle che chi ci come con cosa cui da dal dalla dei del della delle \
    di dove e ed era gli ha hanno i il in io la le lo ma mi nel nella non o per perché più quale \
    quali quando quanti quanto quella quello questa questo se si sono su sua suo un una uno è";
const DUTCH: &str = "aan als bij dat de der die dit door een en er haar had heb heeft het hij hoe \
    ik in is kan maar me met mijn naar niet of om ook op over te tot uit van veel voor waar waarom \
    wanneer waren was wat we welk welke werd wie wij wordt ze zich zij zijn";
const RUSSIAN: &str = "а бы был была были было в вам вас во все где для до его ее если есть же за и \
    из или им их к как какая какие каким какое какой какую когда кого кому который кто куда ли мне \
    на не него ней нет ни но о об он она они от по под почему при с сколько со так такое то у чего \
    чей чем что чтобы эта это этот я";
const TURKISH: &str = "ama bir bu da de değil gibi hangi için ile kaç kadar kim kimin mi mı mu mü ne \
    neden nerede nasıl o olan olarak oldu olduğu şu ve veya ya";
const INDONESIAN: &str = "ada adalah apa atau bagaimana berapa bisa dalam dan dari dengan di ini itu \
    juga kapan karena ke kepada mana mengapa oleh pada saat siapa telah tidak untuk yang";
const POLISH: &str = "a ale czy co dla do gdzie i ich ile jak jaka jaki jakie jako jego jest kiedy kto \
    która które który lub ma na nie o od oraz po przez się są ten to w we z za ze że";

/// The lists, in the order of their numbers.
const LISTS: [&str; 12] = [
    ENGLISH, VIETNAMESE, GERMAN, FRENCH, SPANISH, PORTUGUESE, ITALIAN, DUTCH, RUSSIAN, TURKISH,
    INDONESIAN, POLISH,
];

/// For each word the lists that hold it: a bit for each number. One look-up a word, since a corpus is
/// asked word by word while it is indexed.
static LISTS_OF: LazyLock<HashMap<&'static str, u16>> = LazyLock::new(|| {
    let mut lists_of = HashMap::new();
    for (number, list) in LISTS.iter().enumerate() {
        list.split_whitespace().for_each(|word| *lists_of.entry(word).or_default() |= 1 << number);
    }
    lists_of
});
/// No word of a list has more bytes.
static LONGEST: LazyLock<usize> =
    LazyLock::new(|| LISTS_OF.keys().map(|word| word.len()).max().unwrap_or(0));

/// The lists that hold a lower-case word.
fn lists_of(word: &str) -> u16 {
    if word.len() > *LONGEST { 0 } else { LISTS_OF.get(word).copied().unwrap_or(0) }
}

/// For each of the lower-case `words` whether it is empty in the language that most of them are
/// from.
pub(crate) fn empty(words: &[String]) -> Vec<bool> {
    let mut hits = Hits::default();
    words.iter().for_each(|word| hits.count(word));
    let number = hits.most().map_or(0, |(number, _)| number);
    words.iter().map(|word| lists_of(word) & 1 << number != 0).collect()
}

/// How many words each list holds.
#[derive(Default)]
struct Hits([usize; LISTS.len()]);

impl Hits {
    fn count(&mut self, word: &str) {
        let mut lists = lists_of(word);
        while lists != 0 {
            self.0[lists.trailing_zeros() as usize] += 1;
            lists &= lists - 1;
        }
    }

    /// The list with the most hits and how many; the first wins a tie. One hit is enough for English
    /// only: one short word of another language is as likely a name.
    fn most(&self) -> Option<(usize, usize)> {
        let counts = self.0.iter().copied().enumerate();
        let best = counts.rev().max_by_key(|(_, hits)| *hits)?;
        (best.1 >= 2 || best.0 == 0 && best.1 == 1).then_some(best)
    }
}

/// Whether a character belongs to a script.
type IsOfScript = fn(char) -> bool;

/// What [`language`] can answer. An index stores the number of an answer: add to the end only.
const LANGUAGES: [&str; 20] = [
    "en", "vi", "de", "fr", "es", "pt", "it", "nl", "ru", "tr", "id", "pl", "ja", "zh", "ko", "th",
    "cyrillic", "arabic", "greek", "hindi",
];
/// Where the scripts that tell a language begin among them; before it, one for each list.
const FIRST_SCRIPT: usize = 12;
/// Scripts in which more than half the letters of a text must be.
const SCRIPTS: [IsOfScript; 8] = [
    |c| matches!(c, '\u{3040}'..='\u{30ff}'),
    |c| matches!(c, '\u{3400}'..='\u{9fff}'),
    |c| matches!(c, '\u{ac00}'..='\u{d7af}'),
    |c| matches!(c, '\u{e00}'..='\u{e7f}'),
    |c| matches!(c, '\u{400}'..='\u{4ff}'),
    |c| matches!(c, '\u{600}'..='\u{6ff}'),
    |c| matches!(c, '\u{370}'..='\u{3ff}'),
    |c| matches!(c, '\u{900}'..='\u{97f}'),
];
const VIETNAMESE_NUMBER: usize = 1;

/// Names the language of `text` where its script or its small words tell it beyond doubt: `en`,
/// `vi`, `zh`, or a script such as `cyrillic`. Two texts are compared by it, to know whether words
/// that are missing say anything.
pub fn language(text: &str) -> Option<&'static str> {
    language_number(text).and_then(language_of_number)
}

/// The number under which an index keeps [`language`] of `text`.
pub(crate) fn language_number(text: &str) -> Option<u64> {
    recognised(text).map(|number| number as u64)
}

/// The name behind a number of [`language_number`]; `None` for one that was never given.
pub(crate) fn language_of_number(number: u64) -> Option<&'static str> {
    LANGUAGES.get(usize::try_from(number).ok()?).copied()
}

/// Letters by which a script is told, and words by which a language is.
const LETTERS_READ: usize = 400;
const WORDS_READ: usize = 200;

fn recognised(text: &str) -> Option<usize> {
    // Most texts of most corpora: no script to look for, and no other alphabet.
    if text.is_ascii() {
        let letters = text.bytes().filter(u8::is_ascii_alphabetic).take(2).count();
        return if letters < 2 { None } else { by_small_words(text, |c| c.is_ascii_alphabetic()) };
    }
    let (mut letters, mut of_script, mut vietnamese) = (0, [0; SCRIPTS.len()], 0);
    for letter in text.chars().filter(|c| c.is_alphabetic()).take(LETTERS_READ) {
        letters += 1;
        if !letter.is_ascii() {
            let counts = of_script.iter_mut().zip(SCRIPTS);
            counts.for_each(|(count, is)| *count += usize::from(is(letter)));
            vietnamese += usize::from(is_vietnamese(letter));
        }
    }
    if letters < 2 {
        return None;
    }
    if let Some(number) = of_script.iter().position(|count| count * 2 > letters) {
        return Some(FIRST_SCRIPT + number);
    }
    if vietnamese * 20 > letters {
        return Some(VIETNAMESE_NUMBER);
    }
    by_small_words(text, char::is_alphabetic)
}

/// The language that a text's small words are from, if enough of its words are.
fn by_small_words(text: &str, is_letter: impl Fn(char) -> bool) -> Option<usize> {
    let (mut words, mut hits, mut lower) = (0, Hits::default(), String::new());
    let all = text.split(|c: char| !is_letter(c)).filter(|word| !word.is_empty());
    for word in all.take(WORDS_READ) {
        words += 1;
        lower.clear();
        if word.is_ascii() {
            lower.push_str(word);
            lower.make_ascii_lowercase();
        } else {
            lower.push_str(&word.to_lowercase());
        }
        hits.count(&lower);
    }
    let (number, most) = hits.most()?;
    (most * 8 >= words).then_some(number)
}

/// Whether a letter is one that only Vietnamese writes.
fn is_vietnamese(c: char) -> bool {
    matches!(c, 'ă' | 'đ' | 'ơ' | 'ư' | 'Ă' | 'Đ' | 'Ơ' | 'Ư' | '\u{1ea0}'..='\u{1ef9}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_language(text: &str, expected: Option<&str>) {
        assert_eq!(language(text), expected, "{text}");
    }

    #[test]
    fn a_language_is_named_only_beyond_doubt() {
        check_language("when did the server die", Some("en"));
        check_language("màn hình bị giật trên máy cấu hình yếu", Some("vi"));
        check_language("wann ist der Server ausgefallen", Some("de"));
        check_language("重启账本服务", Some("zh"));
        check_language("сервер", Some("cyrillic"));
        check_language("nginx", None);
        check_language("ERR_0x80070005", None);
        check_language("", None);
        check_language("ひらがな", Some("ja"));
        check_language("नमस्ते", Some("hindi"));
    }

    #[track_caller]
    fn check(question: &str, left: &str) {
        let words: Vec<String> = question.split_whitespace().map(str::to_owned).collect();
        let empty = empty(&words);
        let rest: Vec<&str> =
            words.iter().zip(empty).filter(|(_, e)| !e).map(|(w, _)| w.as_str()).collect();
        assert_eq!(rest.join(" "), left, "{question}");
    }

    #[test]
    fn only_the_language_of_the_question_counts() {
        check("when did the server die", "server die");
        check("wann ist der server ausgefallen", "server ausgefallen");
        check("ai đã khởi động lại máy chủ", "khởi động máy chủ");
        check("war file", "war file");
        check("to be or not to be", "");
        check("", "");
    }
}
