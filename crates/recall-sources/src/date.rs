//! Dates as exports give them: an instant, the offset it was written with, and how exact it is.

use std::fmt;

use jiff::Timestamp;
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
        let start =
            Offset::UTC.to_timestamp(date.to_datetime(jiff::civil::Time::midnight())).ok()?;
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
