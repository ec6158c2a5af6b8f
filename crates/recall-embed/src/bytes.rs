//! Reading little-endian numbers out of bytes that may end too early.

use std::ops::RangeInclusive;

use crate::error::ConvertError;

/// A place in some bytes.
pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader { bytes, at: 0 }
    }

    /// The next `length` bytes, which are part of `what`.
    pub(crate) fn take(
        &mut self,
        length: usize,
        what: &'static str,
    ) -> Result<&'a [u8], ConvertError> {
        let range = self.at.checked_add(length).map(|end| self.at..end);
        let short = ConvertError::Short { what, at: self.at as u64 };
        let taken = range.and_then(|range| self.bytes.get(range)).ok_or(short)?;
        self.at += length;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self, what: &'static str) -> Result<[u8; N], ConvertError> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N, what)?);
        Ok(array)
    }

    pub(crate) fn u8(&mut self, what: &'static str) -> Result<u8, ConvertError> {
        self.array(what).map(u8::from_le_bytes)
    }

    pub(crate) fn u16(&mut self, what: &'static str) -> Result<u16, ConvertError> {
        self.array(what).map(u16::from_le_bytes)
    }

    pub(crate) fn u32(&mut self, what: &'static str) -> Result<u32, ConvertError> {
        self.array(what).map(u32::from_le_bytes)
    }

    pub(crate) fn u64(&mut self, what: &'static str) -> Result<u64, ConvertError> {
        self.array(what).map(u64::from_le_bytes)
    }

    pub(crate) fn f32(&mut self, what: &'static str) -> Result<f32, ConvertError> {
        self.array(what).map(f32::from_le_bytes)
    }

    /// A signed number that must lie in `allowed`.
    pub(crate) fn count(
        &mut self,
        what: &'static str,
        allowed: RangeInclusive<usize>,
    ) -> Result<usize, ConvertError> {
        let value = self.array(what).map(i32::from_le_bytes)?;
        let count = usize::try_from(value).ok().filter(|count| allowed.contains(count));
        count.ok_or(ConvertError::Header { what, value: value.into() })
    }

    pub(crate) fn u32s(
        &mut self,
        count: usize,
        what: &'static str,
    ) -> Result<Vec<u32>, ConvertError> {
        let raw = self.take(count * 4, what)?;
        Ok(raw.as_chunks().0.iter().map(|raw| u32::from_le_bytes(*raw)).collect())
    }

    pub(crate) fn f32s(
        &mut self,
        count: usize,
        what: &'static str,
    ) -> Result<Vec<f32>, ConvertError> {
        let raw = self.take(count * 4, what)?;
        Ok(raw.as_chunks().0.iter().map(|raw| f32::from_le_bytes(*raw)).collect())
    }
}
