//! Dates as exports give them: an instant, the offset it was written with, and how exact it is.

use std::fmt;

use jiff::Timestamp;
use jiff::civil::{DateTime, Time};
use jiff::fmt::strtime::BrokenDownTime;
use jiff::fmt::temporal::{Pieces, PiecesOffset};
use jiff::tz::Offset;
use serde::{Deserialize, Serialize};

/// A moment or a day. Ordered by instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Date {
    /// Seconds since 1970-01-01T00:00:00Z. For a day: its first second at `offset_minutes`.
    pub seconds: i64,
    /// Offset from UTC that the source stated, in minutes; 0 where it stated none.
    pub offset_minutes: i16,
    /// Only the day is known.
    pub day_only: bool,
}

impl Date {
    /// The moment `timestamp`, shown at `offset`.
    pub fn at(timestamp: Timestamp, offset: Offset) -> Self {
        let offset_minutes = i16::try_from(offset.seconds() / 60).unwrap_or(0);
        Self { seconds: timestamp.as_second(), offset_minutes, day_only: false }
    }

    /// The day `date`, taken as UTC.
    pub fn day(date: jiff::civil::Date) -> Option<Self> {
        let start = Offset::UTC.to_timestamp(date.to_datetime(Time::midnight())).ok()?;
        Some(Self { seconds: start.as_second(), offset_minutes: 0, day_only: true })
    }
}

impl fmt::Display for Date {
    /// RFC 3339, or `YYYY-MM-DD` for a day.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let offset =
            Offset::from_seconds(i32::from(self.offset_minutes) * 60).unwrap_or(Offset::UTC);
        let Ok(timestamp) = Timestamp::from_second(self.seconds) else {
            return f.write_str("unknown");
        };
        if self.day_only {
            write!(f, "{}", offset.to_datetime(timestamp).date())
        } else {
            write!(f, "{}", timestamp.display_with_offset(offset))
        }
    }
}

/// Reads a date as exports write it; `None` if it is none, or one that stands for "unknown".
///
/// Understood are RFC 3339 and its relatives (`2026-03-04 10:11`), RFC 2822, seconds,
/// milliseconds, microseconds and nanoseconds since 1970, and a table of other ways to write it
/// (`PATTERNS`). Where no offset is stated, UTC is taken. `03/05/2024` is read only if one of
/// the two numbers cannot be a month.
pub fn parse(text: &str) -> Option<Date> {
    let text = text.trim();
    let parsed = since_epoch(text)
        .or_else(|| iso(text))
        .or_else(|| mail(text))
        .or_else(|| PATTERNS.iter().find_map(|pattern| by_pattern(pattern, text)))
        .or_else(|| by_slashes(text));
    parsed.filter(|date| !stands_for_unknown(date))
}

/// Ways to write a date that are no standard, for `strptime`.
const PATTERNS: [&str; 23] = [
    "%I:%M %p on %d %B, %Y",
    "%d/%b/%y %I:%M %p",
    "%d/%b/%y %H:%M",
    "%d/%b/%Y:%H:%M:%S %z",
    "%a %b %d %H:%M:%S %Y",
    "%a %b %d %H:%M:%S %z %Y",
    "%b %d %H:%M:%S %Y",
    "%B %d, %Y, %I:%M %p",
    "%B %d, %Y %I:%M %p",
    "%B %d, %Y %H:%M",
    "%B %d, %Y",
    "%d %B, %Y",
    "%d %B %Y %H:%M",
    "%d %B %Y",
    "%d-%b-%Y",
    "%d/%b/%y",
    "%Y/%m/%d %H:%M:%S",
    "%Y/%m/%d %H:%M",
    "%Y/%m/%d",
    "%d.%m.%Y %H:%M:%S",
    "%d.%m.%Y %H:%M",
    "%d.%m.%Y",
    "%Y.%m.%d",
];

/// What tools write when they know no date: the epoch itself, the first year.
fn stands_for_unknown(date: &Date) -> bool {
    const YEAR_1000: i64 = -30_610_224_000;
    date.seconds == 0 || date.seconds < YEAR_1000
}

/// A bare number: the count of digits tells the source.
fn since_epoch(text: &str) -> Option<Date> {
    let whole = match text.split_once('.') {
        Some((whole, fraction)) if fraction.bytes().all(|b| b.is_ascii_digit()) => whole,
        Some(_) => return None,
        None => text,
    };
    if !whole.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let number: i64 = whole.parse().ok()?;
    let seconds = match whole.len() {
        9..=11 => number,
        12..=14 => number / 1_000,
        15..=16 => number / 1_000_000,
        18..=19 => number / 1_000_000_000,
        _ => return None,
    };
    Some(Date::at(Timestamp::from_second(seconds).ok()?, Offset::UTC))
}

/// RFC 3339, ISO 8601, and what is close to them: a space for the `T`, no seconds, `UTC` at the
/// end, a space before the offset.
fn iso(text: &str) -> Option<Date> {
    if !text.as_bytes().first()?.is_ascii_digit() || text.len() < 8 {
        return None;
    }
    let tidy = match text.strip_suffix("UTC").or_else(|| text.strip_suffix("GMT")) {
        Some(front) => format!("{}Z", front.trim_end()),
        None => text.replace(" +", "+").replace(" -", "-").replace(" Z", "Z"),
    };
    let pieces = Pieces::parse(&tidy).ok()?;
    let Some(time) = pieces.time() else { return Date::day(pieces.date()) };
    let offset = match pieces.offset() {
        Some(PiecesOffset::Numeric(numeric)) => numeric.offset(),
        _ => Offset::UTC,
    };
    at_offset(pieces.date().to_datetime(time), offset)
}

fn at_offset(local: DateTime, offset: Offset) -> Option<Date> {
    Some(Date::at(offset.to_timestamp(local).ok()?, offset))
}

/// RFC 2822, as in mail.
fn mail(text: &str) -> Option<Date> {
    let zoned = jiff::fmt::rfc2822::parse(text).ok()?;
    Some(Date::at(zoned.timestamp(), zoned.offset()))
}

fn by_pattern(pattern: &str, text: &str) -> Option<Date> {
    let parts = BrokenDownTime::parse(pattern, text).ok()?;
    let date = parts.to_date().ok()?;
    match parts.to_time() {
        Ok(time) if pattern.contains("%M") => {
            at_offset(date.to_datetime(time), parts.offset().unwrap_or(Offset::UTC))
        }
        _ => Date::day(date),
    }
}

/// `13/05/2024` or `05/13/2024`, perhaps with a time of day; nothing if both could be a month.
fn by_slashes(text: &str) -> Option<Date> {
    let (day, time) = text.split_once([' ', ',']).unwrap_or((text, ""));
    let mut numbers = day.split('/').map(|part| part.parse::<u16>().ok());
    let (first, second) = (numbers.next()??, numbers.next()??);
    let order = match (first > 12, second > 12) {
        (true, false) => "%d/%m/%Y",
        (false, true) => "%m/%d/%Y",
        _ => return None,
    };
    let time = time.trim_start();
    if time.is_empty() {
        return by_pattern(order, day);
    }
    let tail = ["%H:%M:%S", "%H:%M", "%I:%M:%S %p", "%I:%M %p"];
    let text = format!("{day} {time}");
    tail.iter().find_map(|time| by_pattern(&format!("{order} {time}"), &text))
}
