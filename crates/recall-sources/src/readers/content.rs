//! All of a file at once, for formats that cannot be read in pieces; with a limit.

use std::io::{BufRead, Read};

use crate::input::Input;
use crate::problem::Reason;
use crate::reading::{Context, Halt};

/// The text of `input`.
///
/// # Errors
/// It cannot be read, or is larger than a document may be.
pub(crate) fn text(input: &Input, context: &Context<'_>) -> Result<String, Halt> {
    let mut text = String::new();
    let limit = context.options.max_document_bytes;
    let reader = input.text().map_err(|error| context.failed(&error))?;
    // One byte more than allowed tells whether there is more.
    let read = reader.take(limit.saturating_add(1)).read_to_string(&mut text);
    // The limit may cut a character in two: that is too large, too.
    match read {
        Ok(size) if size as u64 <= limit => Ok(text),
        Err(error) if input.size() <= limit => Err(context.failed(&error)),
        _ => Err(too_large(input, limit, context)),
    }
}

/// The bytes of `input`, unpacked and not decoded; at most `limit` of them.
///
/// # Errors
/// It cannot be read, or is larger.
pub(crate) fn bytes(input: &Input, limit: u64, context: &Context<'_>) -> Result<Vec<u8>, Halt> {
    let mut bytes = Vec::new();
    let reader = input.bytes().map_err(|error| context.failed(&error))?;
    let read = reader.take(limit.saturating_add(1)).read_to_end(&mut bytes);
    match read.map_err(|error| context.failed(&error))? {
        size if size as u64 <= limit => Ok(bytes),
        _ => Err(too_large(input, limit, context)),
    }
}

fn too_large(input: &Input, limit: u64, context: &Context<'_>) -> Halt {
    let size = input.size().max(limit.saturating_add(1));
    context.problem(None, Reason::TooLarge { size, limit }).into()
}

/// Reads the next line, with its end, into `line`; of a very long line the first `limit` bytes.
/// Gives the line's full length; 0 at the end.
///
/// # Errors
/// Reading failed.
pub(crate) fn next_line(
    reader: &mut dyn BufRead,
    limit: u64,
    line: &mut Vec<u8>,
) -> std::io::Result<u64> {
    line.clear();
    let read = reader.take(limit).read_until(b'\n', line)? as u64;
    if read < limit || line.ends_with(b"\n") {
        return Ok(read);
    }
    Ok(read + reader.skip_until(b'\n')? as u64)
}
