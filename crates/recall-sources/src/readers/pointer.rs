//! Fields of a JSON value by JSON pointer (`/author/name`); what is missing or is of another type
//! is empty.

use serde_json::Value;

use crate::date::{self, Date};

/// The text at the first of `pointers` that holds some; numbers are text, too.
pub(crate) fn text(value: &Value, pointers: &[&str]) -> String {
    let texts = pointers.iter().filter_map(|pointer| match value.pointer(pointer)? {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    });
    texts.into_iter().find(|text| !text.is_empty()).unwrap_or_default()
}

/// The string at `pointer`.
pub(crate) fn str<'a>(value: &'a Value, pointer: &str) -> &'a str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

/// The date at the first of `pointers` that holds one.
pub(crate) fn date(value: &Value, pointers: &[&str]) -> Option<Date> {
    pointers.iter().find_map(|pointer| date::parse(&text(value, &[pointer])))
}

/// The elements of the array at `pointer`.
pub(crate) fn list<'a>(value: &'a Value, pointer: &str) -> &'a [Value] {
    value.pointer(pointer).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// `true` stands at `pointer`.
pub(crate) fn is_true(value: &Value, pointer: &str) -> bool {
    value.pointer(pointer) == Some(&Value::Bool(true))
}
