//! Dates as people write them in one-line statements.

use std::sync::LazyLock;

use jiff::civil::Date;
use regex::{Captures, Regex};

static DATE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?x)
        \b(?<y>\d{4}) [-/] (?<m>\d{1,2}) (?: [-/] (?<d>\d{1,2}) )? \b
      | \b(?<d2>\d{1,2}) / (?<m2>\d{1,2}) / (?<y2>\d{4}) \b",
    )
    .expect("the pattern is constant")
});

/// Every date in `text`, in order: `2026-11-29`, `2026/11/29`, `2026-11` (its first day) and
/// `29/11/2026` (day first). What no calendar has, such as `2026-13-40`, is not a date.
pub(crate) fn dates_in(text: &str) -> Vec<Date> {
    DATE.captures_iter(text).filter_map(|found| civil(&found)).collect()
}

fn civil(found: &Captures<'_>) -> Option<Date> {
    let number = |name| found.name(name).map(|digits| digits.as_str().parse::<i16>().ok());
    let year = number("y").or(number("y2"))??;
    let month = number("m").or(number("m2"))??;
    let day = number("d").or(number("d2")).unwrap_or(Some(1))?;
    Date::new(year, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()
}

/// `date` moved back by whole days; the first date there is when it would fall before it.
pub(crate) fn days_before(date: Date, days: u32) -> Date {
    date.saturating_sub(jiff::Span::new().days(days))
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    fn check(text: &str, expected: &[Date]) {
        assert_eq!(dates_in(text), expected, "{text}");
    }

    #[test]
    fn dates_are_found_as_people_write_them() {
        check("2026-11-29 Use tabs", &[date(2026, 11, 29)]);
        check("since 2026/1/5, until 2026-08", &[date(2026, 1, 5), date(2026, 8, 1)]);
        check("từ 29/11/2026", &[date(2026, 11, 29)]);
        check("2026-13-40 and 31/02/2026 are none", &[]);
        check("version 1.2.3, ticket 2026", &[]);
        check("", &[]);
    }
}
