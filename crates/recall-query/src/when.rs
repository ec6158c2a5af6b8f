//! Parses dates as people write them: `2026`, `2026-03`, `2026-03-04`, `30d`, `last week`, RFC
//! 3339. Pure: the current time is an argument.

use std::ops::Range;

use jiff::civil::Date;
use jiff::{Span, Timestamp, ToSpan, ZonedDateTime};

/// The text is not a date.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a date")]
pub struct NotADate(pub String);

/// Parses `text`, as seen from `now`, into a range of seconds since 1970: a year, month or day from
/// its first to past its last second; a duration (`30d`, `6mo`) from that long ago until now; a
/// moment as one second.
pub fn parse(text: &str, now: &ZonedDateTime) -> Result<Range<i64>, NotADate> {
    let text = text.trim();
    calendar(text, now)
        .or_else(|| moment(text))
        .or_else(|| ago(text, now))
        .or_else(|| in_words(text, now))
        .ok_or_else(|| NotADate(text.to_owned()))
}

fn calendar(text: &str, now: &ZonedDateTime) -> Option<Range<i64>> {
    let parts: Vec<&str> = text.split('-').collect();
    let whole = |part: &&str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    if !parts.iter().all(whole) || parts[0].len() != 4 {
        return None;
    }
    let number = |i: usize| parts.get(i).map_or(Some(1), |p| p.parse::<i8>().ok());
    let year = parts[0].parse().ok()?;
    let start = Date::new(year, number(1)?, number(2)?).ok()?;
    let length = match parts.len() {
        1 => 1.year(),
        2 => 1.month(),
        3 => 1.day(),
        _ => return None,
    };
    days(start, start.checked_add(length).ok()?, now)
}

fn days(start: Date, end: Date, now: &ZonedDateTime) -> Option<Range<i64>> {
    let second = |day: Date| {
        day.to_zoned_datetime(now.time_zone().clone()).ok().map(|z| z.timestamp().as_second())
    };
    Some(second(start)?..second(end)?)
}

fn moment(text: &str) -> Option<Range<i64>> {
    let second = text.parse::<Timestamp>().ok()?.as_second();
    Some(second..second + 1)
}

fn ago(text: &str, now: &ZonedDateTime) -> Option<Range<i64>> {
    let span: Span = text.strip_suffix("ago").unwrap_or(text).trim().parse().ok()?;
    let start = now.checked_sub(span.abs()).ok()?;
    Some(start.timestamp().as_second()..now.timestamp().as_second())
}

/// Parses `yesterday`, `last week`, `3 days ago`: the day that the date library finds.
fn in_words(text: &str, now: &ZonedDateTime) -> Option<Range<i64>> {
    if !text.chars().any(char::is_alphabetic) {
        return None;
    }
    let second = now.timestamp().as_second();
    let base = jiff02::Timestamp::from_second(second).ok()?;
    let zone = now.offset().seconds();
    let base =
        base.to_zoned(jiff02::tz::TimeZone::fixed(jiff02::tz::Offset::from_seconds(zone).ok()?));
    let found = parse_datetime::parse_datetime_at_date(base, text).ok()?.unix_epoch_second();
    let day = Timestamp::from_second(found).ok()?.to_zoned_datetime(now.time_zone().clone()).date();
    days(day, day.tomorrow().ok()?, now)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let now: ZonedDateTime = "2026-11-29T12:00:00[UTC]".parse().unwrap();
        let got = match parse(text, &now) {
            Ok(range) => {
                let show = |second| Timestamp::from_second(second).unwrap().to_string();
                format!("{} {}", show(range.start), show(range.end))
            }
            Err(error) => error.to_string(),
        };
        assert_eq!(got, expected, "{text}");
    }

    #[test]
    fn dates_as_people_write_them() {
        check("2026", "2026-01-01T00:00:00Z 2027-01-01T00:00:00Z");
        check("2026-03", "2026-03-01T00:00:00Z 2026-04-01T00:00:00Z");
        check("2026-03-04", "2026-03-04T00:00:00Z 2026-03-05T00:00:00Z");
        check("2026-03-04T10:00:00Z", "2026-03-04T10:00:00Z 2026-03-04T10:00:01Z");
        check("30d", "2026-10-30T12:00:00Z 2026-11-29T12:00:00Z");
        check("6mo", "2026-05-29T12:00:00Z 2026-11-29T12:00:00Z");
        check("2 weeks ago", "2026-11-15T12:00:00Z 2026-11-29T12:00:00Z");
        check("yesterday", "2026-11-28T00:00:00Z 2026-11-29T00:00:00Z");
        check("last week", "2026-11-22T00:00:00Z 2026-11-23T00:00:00Z");
        check("2026-13", "`2026-13` is not a date");
        check("soonish", "`soonish` is not a date");
        check("", "`` is not a date");
    }
}
