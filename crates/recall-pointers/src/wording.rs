//! What the words of a statement give away, in English and Vietnamese.

use std::sync::LazyLock;

use regex::Regex;

use crate::fold::{fold, words};

/// Words that say that there is something to say, instead of saying it. Folded.
const VAGUE: [&str; 22] = [
    "and so on",
    "be careful",
    "can luu y",
    "can than",
    "cac van de",
    "etc",
    "important stuff",
    "linh tinh",
    "mot so thu",
    "mot so viec",
    "misc",
    "miscellaneous",
    "nhieu thu",
    "see above",
    "some things",
    "stuff",
    "todo",
    "van van",
    "various",
    "vai thu",
    "vai viec",
    "whatever",
];

/// A statement of at most this many words is vague when it holds a vague phrase.
const SHORT_STATEMENT_WORDS: usize = 7;

/// Fewer words than this say nothing that can be acted on.
const FEWEST_WORDS: usize = 2;

static SESSION_REPORT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?x)
        ^ (?: we\ |i\ |da\ |we've\ |i've\ )? (?:
            # Past tenses that are nothing else.
            (?: implemented | refactored | investigated | debugged | rewrote | ran | wrote | tried
              | switched | managed\ to | got | did | went | made | spent | discovered ) \b
            # Past tenses that may also be adjectives (`fixed seeds`): only before an object.
          | (?: added | fixed | updated | changed | removed | deleted | renamed | moved | merged
              | deployed | pushed | committed | created | finished | completed | improved | cleaned
              | migrated | upgraded | resolved | tested | reviewed | released | reverted ) \s
            (?: the | a | an | this | that | these | those | all | some | several | my | our | its
              | it | up | support | tests? | docs? | bugs? | issues? | \#?\d+ ) \b
        )
      | \b (?: we | i ) \ (?: have\ |'ve\ )? (?: fixed | added | changed | removed | updated
          | implemented | moved | finished | tried | deployed | merged ) \b
      | \b (?: today | yesterday | this\ (?:session|morning|afternoon|week) | in\ this\ session
          | earlier\ today | last\ (?:session|week) ) \b .* \b (?: \w+ed | ran | wrote | made | did ) \b
      | \b (?: has | have ) \ been \ \w+ed \b
      | ^ (?: done | completed | finished | xong | hoan\ thanh ) \s* [:.!]
      | \b (?: hom\ nay | hom\ qua | phien\ (?:nay|truoc) | sang\ nay | chieu\ nay | vua\ (?:roi|moi)
          ) \b
      | (?: ^ | \b (?: toi | chung\ toi | minh | vua ) \ ) (?: da | vua ) \ (?: sua | them | xoa
          | cap\ nhat | chay | viet | lam | tao | doi | chuyen | hoan\ thanh | kiem\ tra | trien\ khai
          | gop | day | thu | tim\ ra ) \b",
    )
    .expect("the pattern is constant")
});

static REASON: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)\b(?:because|since|so that|so the|so they|otherwise|as it|to avoid|to keep|in order to|which would|vì|bởi|do đó|để|nếu không|nhằm|kẻo)\b",
    )
    .expect("the pattern is constant")
});

static LEADING_DATE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^[\s*_(\[]*\d{1,4}[-/]\d{1,2}(?:[-/]\d{1,4})?[\s*_)\]:.,–—-]*")
        .expect("the pattern is constant")
});

/// The statement without the date that it starts with.
pub(crate) fn without_leading_date(plain: &str) -> &str {
    LEADING_DATE.find(plain).map_or(plain, |date| &plain[date.end()..])
}

/// Whether the words are too few, or too empty, to act on.
pub(crate) fn is_vague(plain: &str) -> bool {
    let words = words(without_leading_date(plain));
    if words.len() < FEWEST_WORDS {
        return true;
    }
    let sentence = format!(" {} ", words.join(" "));
    words.len() <= SHORT_STATEMENT_WORDS
        && VAGUE.iter().any(|phrase| sentence.contains(&format!(" {phrase} ")))
}

/// Whether the words tell what happened in a session instead of what holds from now on.
pub(crate) fn is_session_report(plain: &str) -> bool {
    SESSION_REPORT.is_match(&fold(without_leading_date(plain).trim_start()))
}

/// Whether the words give a reason.
pub(crate) fn gives_reason(plain: &str) -> bool {
    REASON.is_match(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn session_reports_are_told_from_rules() {
        for report in [
            "Fixed the flaky index test",
            "2026-11-03: Implemented fusion",
            "We added a flag for quiet runs",
            "Today the parser was changed and merged",
            "The cache has been removed",
            "Done: migration",
            "Đã sửa lỗi trong bộ đọc thư",
            "Hôm nay chạy lại bộ kiểm thử",
            "Chúng tôi đã thêm cờ mới",
        ] {
            assert!(is_session_report(report), "{report}");
        }
        for rule in [
            "Fixed seeds in every test, because runs must repeat",
            "Merged branches are deleted",
            "Use tabs in Go",
            "Deploys go out on Tuesday, since Friday deploys broke twice",
            "Added words keep their order",
            "Trả lời bằng tiếng Việt khi được hỏi bằng tiếng Việt",
            "Không đẩy thẳng lên main, vì mọi thay đổi đã có người xem",
        ] {
            assert!(!is_session_report(rule), "{rule}");
        }
    }

    #[test]
    fn vague_lines_say_nothing_to_act_on() {
        for vague in [
            "Be careful with deploys",
            "notes",
            "Various fixes and stuff",
            "Cần lưu ý khi deploy",
            "2026-11-03 tests",
        ] {
            assert!(is_vague(vague), "{vague}");
        }
        for clear in [
            "Use tabs",
            "Short commit subjects",
            "Ghi chú bằng tiếng Việt",
            "Keep notes under one page, because nobody reads two pages",
        ] {
            assert!(!is_vague(clear), "{clear}");
        }
    }

    #[test]
    fn reasons_are_seen_in_both_languages() {
        assert!(gives_reason("Use tabs, because gofmt does"));
        assert!(gives_reason("Dùng tab vì gofmt dùng tab"));
        assert!(!gives_reason("Use tabs"));
    }
}
