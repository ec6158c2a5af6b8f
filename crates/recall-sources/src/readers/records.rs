//! One JSON value a line, of a file that may still be written to.

use serde_json::Value;

use crate::document::Span;
use crate::input::Input;
use crate::problem::Reason;
use crate::readers::lines::Lines;
use crate::reading::{Context, Halt, Sink};

/// A line may be this many times larger than a document: it holds more than text.
const LINE_LIMIT: u64 = 4;

/// The lines of a file as JSON.
pub(crate) struct Records<'a> {
    lines: Lines<'a>,
    context: &'a Context<'a>,
    limit: u64,
    text: String,
}

/// One line.
pub(crate) struct Record {
    pub(crate) value: Value,
    pub(crate) span: Span,
}

impl<'a> Records<'a> {
    pub(crate) fn open(input: &'a Input, context: &'a Context<'a>) -> Result<Self, Halt> {
        let limit = context.options.max_document_bytes.saturating_mul(LINE_LIMIT);
        let lines = Lines::new(input, limit).map_err(|error| context.failed(&error))?;
        Ok(Self { lines, context, limit, text: String::new() })
    }

    /// The next line that is an object; others are named and passed over.
    pub(crate) fn next(&mut self, sink: &mut Sink<'_>) -> Result<Option<Record>, Halt> {
        loop {
            let line = self.lines.next(&mut self.text).map_err(|e| self.context.failed(&e))?;
            let Some(line) = line else { return Ok(None) };
            if self.text.trim().is_empty() {
                continue;
            }
            let reason = match line.cut {
                Some(size) => Reason::TooLarge { size, limit: self.limit },
                None => match object(&self.text) {
                    Ok(value) => return Ok(Some(Record { value, span: line.span })),
                    Err(reason) => reason,
                },
            };
            sink.problem(self.context.problem(Some(line.number), reason))?;
        }
    }
}

/// The line `text` as an object, or what is wrong with it.
fn object(text: &str) -> Result<Value, Reason> {
    match serde_json::from_str::<Value>(text) {
        Ok(value) if value.is_object() => Ok(value),
        Ok(_) => Err(Reason::Malformed("not an object".to_owned())),
        Err(error) if error.is_eof() => Err(Reason::Cut("the line ends in the middle".to_owned())),
        Err(error) => {
            // The line is said already; the library would say line 1.
            let what = error.to_string();
            let what = what.split(" at line ").next().unwrap_or_default();
            Err(Reason::Malformed(format!("{what} at column {}", error.column())))
        }
    }
}
