//! A limit to what one record may cost, for parsers that have none of their own.

use std::cell::Cell;
use std::io::{self, Read};
use std::rc::Rc;

use crate::problem::Reason;

/// A reader that fails with [`Reason::TooLarge`] when more than `limit` bytes are read without
/// [`Meter::reset`]. Parsers read ahead a little, so the limit is not exact.
pub struct Metered<R> {
    inner: R,
    meter: Meter,
}

/// The other end of a [`Metered`] reader.
#[derive(Debug, Clone)]
pub struct Meter {
    /// `None` while nothing counts.
    used: Rc<Cell<Option<u64>>>,
    limit: u64,
}

impl Meter {
    /// A record begins: nothing of the limit is used.
    pub fn reset(&self) {
        self.used.set(Some(0));
    }

    /// What comes is passed over and costs nothing: it does not count until the next record.
    pub fn pause(&self) {
        self.used.set(None);
    }
}

impl<R: Read> Metered<R> {
    /// `inner` with a limit, in bytes, for each record.
    pub fn new(inner: R, limit: u64) -> (Self, Meter) {
        let meter = Meter { used: Rc::new(Cell::new(Some(0))), limit };
        (Self { inner, meter: meter.clone() }, meter)
    }
}

impl<R: Read> Read for Metered<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        let Some(before) = self.meter.used.get() else { return Ok(count) };
        let (used, limit) = (before + count as u64, self.meter.limit);
        self.meter.used.set(Some(used));
        // What was read ahead for the record before may be as much as a buffer.
        if used > limit.saturating_add(buffer.len() as u64) {
            return Err(Reason::TooLarge { size: used, limit }.into_io());
        }
        Ok(count)
    }
}
