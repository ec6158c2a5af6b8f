//! What stands before a WhatsApp message: date, time and perhaps a name, as each locale has it.

use std::sync::LazyLock;

use regex::Regex;

use crate::date::{self, Date};

/// `3/4/24, 8:55 AM - `, `[04/03/2024, 08:55:12] `, `2024/3/4 上午8:55 - `; in some locales the time
/// stands first: `15:56, 04/03/2024 - `.
static HEADERS: LazyLock<[Regex; 2]> = LazyLock::new(|| {
    const DAY: &str = r"
        (?P<a>\d{1,4}) \x{200f}? (?P<separator>[./-])\x20?
        (?P<b>\d{1,2}) \x{200f}? [./-]\x20? (?P<c>\d{1,4}) \.?";
    const TIME: &str = r"
        (?P<before>\p{L}[\p{L}\p{M}.]{0,12}\s*)?
        (?P<hour>\d{1,2}) [:.] (?P<minute>\d{2}) (?:[:.](?P<second>\d{2}))?
        (?:\s*(?P<after>\p{L}[\p{L}\p{M}.\s]{0,12}?))?";
    [[DAY, TIME], [TIME, DAY]].map(|[first, second]| {
        let pattern = format!(
            r"(?x)^ (?P<open>\[)? {first} (?P<comma>[,\x{{60c}}])? \s+ {second}
            (?P<close>\]|\s+[-\x{{2013}}]\s)"
        );
        Regex::new(&pattern).expect("a test reads every locale with it")
    })
});

/// Second half of the day, without dots and spaces, in lower case.
const AFTERNOON: [&str; 9] = ["pm", "下午", "오후", "ch", "μμ", "अपराह्न", "م", "gece", "datarde"];
/// First half of the day.
const MORNING: [&str; 8] = ["am", "上午", "오전", "sa", "πμ", "पूर्वाह्न", "ص", "damanhã"];

/// The first line of a message or of a notice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Header<'a> {
    /// Year, month and day in whatever order.
    pub(crate) numbers: [u16; 3],
    /// The year stands first.
    pub(crate) year_first: bool,
    /// Hour (of 24), minute, second.
    time: [u16; 3],
    /// The time has a half of the day and the day no leading zeros, as in the United States.
    pub(crate) american: bool,
    /// No other kind of file has lines that look so.
    pub(crate) certain: bool,
    /// What follows.
    pub(crate) rest: &'a str,
}

impl<'a> Header<'a> {
    /// The header that `line` begins with.
    pub(crate) fn parse(line: &'a str) -> Option<Self> {
        let line = line.trim_start_matches(is_mark);
        let found = HEADERS.iter().find_map(|header| header.captures(line))?;
        let text = |name| found.name(name).map_or("", |found| found.as_str());
        let is_bracketed = !text("open").is_empty();
        if is_bracketed != (text("close") == "]") || !is_bracketed && !text("second").is_empty() {
            return None;
        }
        let numbers = [text("a"), text("b"), text("c")].map(number);
        let half = half(text("before")).or_else(|| half(text("after")));
        let hour = match (half, number(text("hour"))) {
            (Some(true), 12) | (None, 24) => 12 * u16::from(half.is_some()),
            (Some(false), 12) => 0,
            (Some(true), hour) if hour < 12 => hour + 12,
            (_, hour) => hour,
        };
        let has_comma = !text("comma").is_empty();
        Some(Self {
            numbers,
            year_first: text("a").len() == 4 || numbers[0] > 99,
            time: [hour, number(text("minute")), number(text("second"))],
            american: half.is_some()
                && text("separator") == "/"
                && text("a").starts_with(|c| matches!(c, '1'..='9')),
            certain: has_comma || !is_bracketed && text("separator") != "-",
            rest: line[found.get_match().end()..].trim_start_matches(|c| c == ' ' || is_mark(c)),
        })
    }

    /// Who says what; `None` for a notice of the app.
    pub(crate) fn said(&self) -> Option<(&'a str, &'a str)> {
        const MAX_NAME: usize = 100;
        let (name, text) = self.rest.split_once(':')?;
        let is_name = name.len() <= MAX_NAME && !name.contains(['"', '“', '”', '«', '»', '„']);
        let is_text = text.is_empty() || text.starts_with(' ');
        (is_name && is_text)
            .then(|| (name.trim_matches(is_mark).trim(), text.trim_start_matches(' ')))
    }

    /// The moment, in a file that writes days in this `order`. No zone is stated.
    pub(crate) fn date(&self, order: Order) -> Option<Date> {
        let [a, b, c] = self.numbers;
        let (year, month, day) = match (self.year_first, order) {
            (true, _) if b > 12 => (a, c, b),
            (true, _) => (a, b, c),
            (false, Order::DayFirst) => (c, b, a),
            (false, Order::MonthFirst) => (c, a, b),
        };
        let year = if year < 100 { year + 2000 } else { year };
        let [hour, minute, second] = self.time;
        date::parse(&format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}"))
    }
}

/// Marks of writing direction, which the app puts before names and notices.
pub(crate) fn is_mark(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{feff}')
}

/// A number in any script's digits; there are few enough of them.
fn number(digits: &str) -> u16 {
    let value = |c: char| match c {
        '\u{660}'..='\u{669}' => u32::from(c) - 0x660,
        '\u{6f0}'..='\u{6f9}' => u32::from(c) - 0x6f0,
        '\u{966}'..='\u{96f}' => u32::from(c) - 0x966,
        '\u{9e6}'..='\u{9ef}' => u32::from(c) - 0x9e6,
        _ => c.to_digit(10).unwrap_or(0),
    };
    digits.chars().fold(0, |number, c| number * 10 + value(c) as u16)
}

/// Whether it is the afternoon; `None` if the word does not say.
fn half(word: &str) -> Option<bool> {
    let word: String =
        word.to_lowercase().chars().filter(|c| !c.is_whitespace() && *c != '.').collect();
    let is = |words: &[&str]| words.contains(&word.as_str());
    if is(&AFTERNOON) { Some(true) } else { is(&MORNING).then_some(false) }
}

/// In which order a file writes days.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    DayFirst,
    MonthFirst,
}

/// What tells the order: the numbers of all days of a file.
#[derive(Debug, Default)]
pub(crate) struct Days {
    largest: [u16; 2],
    /// How often the first and the second number changed from one message to the next.
    changes: [u32; 2],
    last: Option<[u16; 2]>,
    american: bool,
}

impl Days {
    pub(crate) fn note(&mut self, header: &Header<'_>) {
        let now = [header.numbers[0], header.numbers[1]];
        self.american |= header.american;
        for (place, &number) in now.iter().enumerate() {
            self.largest[place] = self.largest[place].max(number);
            let changed = self.last.is_some_and(|last| last[place] != number);
            self.changes[place] += u32::from(changed);
        }
        self.last = Some(now);
    }

    /// A number above 12 is a day; else the day is what changes more often; else the style tells.
    pub(crate) fn order(&self) -> Order {
        let month_first = match (self.largest, self.changes) {
            ([first, second], _) if (first > 12) != (second > 12) => second > 12,
            (_, [first, second]) if first != second => second > first,
            _ => self.american,
        };
        if month_first { Order::MonthFirst } else { Order::DayFirst }
    }
}
