//! Where an ELF file must end at the least, by its own headers.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

/// Length in bytes of a 64-bit ELF header.
const HEADER: usize = 64;

/// The byte the last segment and the section table end at, or `None` for a file that is no 64-bit
/// little-endian ELF: a loader refuses those by itself, and other platforms have other formats.
pub(crate) fn end(path: &Path) -> io::Result<Option<u64>> {
    let mut file = File::open(path)?;
    let mut header = Vec::new();
    file.by_ref().take(HEADER as u64).read_to_end(&mut header)?;
    if header.len() < HEADER || !header.starts_with(b"\x7fELF\x02\x01") {
        return Ok(None);
    }
    let sections = number(&header, 0x28, 8)
        .saturating_add(number(&header, 0x3a, 2) * number(&header, 0x3c, 2));
    let (at, size, count) =
        (number(&header, 0x20, 8), number(&header, 0x36, 2), number(&header, 0x38, 2));
    let mut table = Vec::new();
    file.seek(SeekFrom::Start(at))?;
    file.take(size * count).read_to_end(&mut table)?;
    if (table.len() as u64) < size * count {
        return Ok(Some(at.saturating_add(size * count)));
    }
    let segment = |row: &[u8]| number(row, 8, 8).saturating_add(number(row, 0x20, 8));
    let segments = table.chunks_exact(size.max(0x28) as usize).map(segment).max();
    Ok(Some(sections.max(segments.unwrap_or(0))))
}

/// A little-endian number of `width` bytes; what lies outside counts as zero.
fn number(bytes: &[u8], at: usize, width: usize) -> u64 {
    let byte = |i: usize| u64::from(bytes.get(at + i).copied().unwrap_or(0));
    (0..width).fold(0u64, |sum, i| sum | byte(i) << (8 * i))
}
