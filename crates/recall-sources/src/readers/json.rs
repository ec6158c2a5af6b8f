//! JSON: an array of records, an object around one, or a lone record.

use std::io::Read;

use serde::de::DeserializeOwned;
use struson::reader::{
    JsonReader, JsonReaderPosition, JsonStreamReader, ReaderError, ReaderSettings, ValueType,
};
use struson::serde::DeserializerError;

use crate::document::{Document, Span};
use crate::fields::{Field, Roles};
use crate::format::Head;
use crate::input::{Input, Places};
use crate::leaves::Leaves;
use crate::problem::Reason;
use crate::readers::metered::{Meter, Metered};
use crate::readers::{jsonl, text};
use crate::reading::{Context, Halt, Outcome, Sink};
use crate::record::Record;

/// One element may be this many times larger than a document's limit: it holds more than text.
const ELEMENT_LIMIT: u64 = 16;
/// How deep an array of records may lie in objects.
const MAX_ENVELOPE: usize = 4;
/// Names of the array that holds the records, where an object holds several arrays.
const ARRAYS: [&str; 16] = [
    "items",
    "records",
    "results",
    "data",
    "entries",
    "rows",
    "documents",
    "docs",
    "issues",
    "tickets",
    "posts",
    "articles",
    "notes",
    "pages",
    "hits",
    "nodes",
];

pub(crate) fn is_json(head: &Head<'_>) -> bool {
    head.is_text && (head.has_extension(&["json"]) || head.has_extension(jsonl::EXTENSIONS))
}

/// Reads an array of records, wherever in the file it is. An object that is one record is one
/// document; any other is read as plain text.
pub(crate) fn read(input: &Input, context: &Context<'_>, sink: &mut Sink<'_>) -> Outcome {
    let mut roles = Roles::new(&context.options.map);
    match shape(input, context, &mut roles)? {
        Shape::Array(path) => {
            let path: Vec<&str> = path.iter().map(String::as_str).collect();
            elements(input, context, &path, |element| record(element, context, &mut roles, sink))
        }
        Shape::Record => {
            elements(input, context, &[], |element| record(element, context, &mut roles, sink))
        }
        Shape::Other => text::read(input, context, sink),
    }
}

fn record(
    element: Element<Leaves>,
    context: &Context<'_>,
    roles: &mut Roles,
    sink: &mut Sink<'_>,
) -> Outcome {
    let (span, leaves) = (element.span, element.value);
    let place = match element.number {
        0 => context.name.to_owned(),
        number => format!("{}#{number}", context.name),
    };
    let fields = match leaves.leaves.as_slice() {
        [text] if text.is_string && !leaves.is_object => {
            Ok(Record { text: Some(text.value.clone()), ..Record::default() })
        }
        _ if leaves.is_object => Ok(Record::new(leaves.leaves, roles)),
        _ => Err(Reason::Malformed(format!("element {} is not an object", element.number))),
    };
    let record =
        fields.and_then(|record| record.into_document(context.path, &place).ok_or(Reason::Empty));
    match record {
        Ok(document) => sink.document(Document { span: Some(span), ..document }),
        Err(reason) => sink.problem(context.problem(Some(span.line_start), reason)),
    }
}

/// An element of an array in a JSON file.
#[derive(Debug)]
pub struct Element<T> {
    /// The element.
    pub value: T,
    /// Its place in the array, counted from 1 and on through all arrays of the file; 0 for a value
    /// that is in no array and the first of its file.
    pub number: u64,
    /// Where it stands in the file.
    pub span: Span,
}

/// Hands the elements of the array at `path` (names of objects' fields from the top) to `each`,
/// one at a time. If there is no array but another value, that value is handed over.
///
/// A file may hold several values one after another, as an export does that was fetched page by
/// page: each is gone through in the same way, and the elements are counted on.
///
/// `T` should accept any JSON, such as [`serde_json::Value`]: an element that does not fit ends
/// the reading, as does JSON that is broken, nested deeper than 128 levels, or too large.
///
/// # Errors
/// [`Halt`], with the line and column of what is wrong.
pub fn elements<T: DeserializeOwned>(
    input: &Input,
    context: &Context<'_>,
    path: &[&str],
    mut each: impl FnMut(Element<T>) -> Outcome,
) -> Outcome {
    let mut json = Json::open(input, context)?;
    let mut number = 0;
    json.values(|json| {
        json.enter(path)?;
        if json.peek()? == ValueType::Array {
            return json.array(|json, _| {
                number += 1;
                each(json.element(number)?)
            });
        }
        number += 1;
        // The first is in no array and has no number; a second one is the second.
        let element = json.element(if number == 1 { 0 } else { number })?;
        each(element)
    })
}

/// The field `name` of the object that the file is, without a look at what stands behind it.
/// `None` if there is no such field.
///
/// # Errors
/// [`Halt`], with the line and column of what is wrong before the end of the field.
pub(crate) fn field(
    input: &Input,
    context: &Context<'_>,
    name: &str,
) -> Result<Option<serde_json::Value>, Halt> {
    let mut json = Json::open(input, context)?;
    match json.find(name)? {
        true => json.element(0).map(|element| Some(element.value)),
        false => Ok(None),
    }
}

/// A JSON file being read.
pub(crate) struct Json<'a> {
    reader: JsonStreamReader<Box<dyn Read + 'a>>,
    meter: Meter,
    places: Places,
    context: &'a Context<'a>,
}

impl<'a> Json<'a> {
    /// The file from its beginning.
    pub(crate) fn open(input: &'a Input, context: &'a Context<'a>) -> Result<Self, Halt> {
        let text = input.text().map_err(|error| context.failed(&error))?;
        let places = text.places();
        let limit = context.options.max_document_bytes.saturating_mul(ELEMENT_LIMIT);
        let (metered, meter) = Metered::new(text, limit);
        let settings = ReaderSettings {
            track_path: false,
            restrict_number_values: false,
            allow_multiple_top_level: true,
            ..ReaderSettings::default()
        };
        let reader =
            JsonStreamReader::new_custom(Box::new(metered) as Box<dyn Read + 'a>, settings);
        Ok(Self { reader, meter, places, context })
    }

    fn check<T>(
        &mut self,
        step: impl FnOnce(&mut JsonStreamReader<Box<dyn Read + 'a>>) -> Result<T, ReaderError>,
    ) -> Result<T, Halt> {
        step(&mut self.reader).map_err(|error| halt(error, self.context))
    }

    fn peek(&mut self) -> Result<ValueType, Halt> {
        self.check(|reader| reader.peek())
    }

    /// Calls `each` at each value of the file; it must read or skip the value, or read its
    /// beginning.
    pub(crate) fn values(&mut self, mut each: impl FnMut(&mut Self) -> Outcome) -> Outcome {
        loop {
            each(self)?;
            self.meter.pause();
            self.check(|reader| reader.skip_to_top_level())?;
            if !self.check(|reader| reader.has_next())? {
                return Ok(());
            }
        }
    }

    /// Goes to the value at `path`, names of objects' fields.
    fn enter(&mut self, path: &[&str]) -> Outcome {
        for name in path {
            let line = position(&self.reader.current_position(false)).1;
            if !self.find(name)? {
                return Err(self.context.malformed(line, format!("there is no `{name}`")));
            }
        }
        Ok(())
    }

    /// Goes to the value of the field `name` of the object that is next; false if there is none.
    fn find(&mut self, name: &str) -> Result<bool, Halt> {
        if self.peek()? != ValueType::Object {
            return Ok(false);
        }
        self.check(|reader| reader.begin_object())?;
        while self.check(|reader| reader.has_next())? {
            if self.check(|reader| reader.next_name().map(|found| found == name))? {
                return Ok(true);
            }
            self.skip()?;
        }
        Ok(false)
    }

    /// Hands the name of each field of the object that is next to `each`, which must read or skip
    /// its value. What is no object is skipped.
    pub(crate) fn object(&mut self, mut each: impl FnMut(&mut Self, &str) -> Outcome) -> Outcome {
        if self.peek()? != ValueType::Object {
            return self.skip();
        }
        self.check(|reader| reader.begin_object())?;
        while self.check(|reader| reader.has_next())? {
            let name = self.check(|reader| reader.next_name_owned())?;
            each(self, &name)?;
        }
        self.check(|reader| reader.end_object())
    }

    /// Calls `each` at each element of the array that is next, counted from 1; it must read or
    /// skip the element. What is no array is skipped.
    pub(crate) fn array(&mut self, mut each: impl FnMut(&mut Self, u64) -> Outcome) -> Outcome {
        if self.peek()? != ValueType::Array {
            return self.skip();
        }
        self.check(|reader| reader.begin_array())?;
        let mut number = 0;
        while self.check(|reader| reader.has_next())? {
            number += 1;
            each(self, number)?;
        }
        self.check(|reader| reader.end_array())
    }

    /// Passes over the value that is next.
    pub(crate) fn skip(&mut self) -> Result<(), Halt> {
        self.meter.pause();
        self.check(|reader| reader.skip_value())
    }

    /// The value that is next, as element `number` of its array (0 = of none).
    pub(crate) fn element<T: DeserializeOwned>(&mut self, number: u64) -> Result<Element<T>, Halt> {
        self.meter.reset();
        // White space before the value is skipped by looking at its type.
        self.peek()?;
        let start = position(&self.reader.current_position(false));
        let value = self.reader.deserialize_next().map_err(|error| match error {
            DeserializerError::ReaderError(error) => halt(error, self.context),
            other => self.context.malformed(start.1, other),
        })?;
        let end = position(&self.reader.current_position(false));
        let span = self.places.span(start.0..end.0, start.1..=end.1);
        Ok(Element { value, number, span })
    }
}

/// Bytes before, and the line counted from 1.
fn position(position: &JsonReaderPosition) -> (u64, u64) {
    (position.data_pos.unwrap_or(0), position.line_pos.map_or(1, |place| place.line + 1))
}

fn halt(error: ReaderError, context: &Context<'_>) -> Halt {
    let at = |location: &JsonReaderPosition, what: String| {
        let (line, column) = location.line_pos.map_or((0, 0), |p| (p.line + 1, p.column + 1));
        context.malformed(line, format!("{what} at column {column}"))
    };
    match &error {
        ReaderError::IoError { error, .. } => context.failed(error),
        ReaderError::SyntaxError(syntax) => {
            at(&syntax.location, in_words(&syntax.kind.to_string()))
        }
        ReaderError::MaxNestingDepthExceeded { max_nesting_depth, location } => {
            at(location, format!("nested deeper than {max_nesting_depth} levels"))
        }
        other => context.malformed(0, other),
    }
}

/// `IncompleteDocument` as "incomplete document".
fn in_words(name: &str) -> String {
    let mut words = String::new();
    for (place, c) in name.char_indices() {
        if place > 0 && c.is_uppercase() {
            words.push(' ');
        }
        words.extend(c.to_lowercase());
    }
    words
}

/// How the records lie in a file.
enum Shape {
    /// In the array at this path.
    Array(Vec<String>),
    /// The file is one record.
    Record,
    /// Something else.
    Other,
}

/// Passes over the file once to see how its records lie; an array is known by its first byte.
fn shape(input: &Input, context: &Context<'_>, roles: &mut Roles) -> Result<Shape, Halt> {
    let mut json = Json::open(input, context)?;
    match json.peek()? {
        ValueType::Array => return Ok(Shape::Array(Vec::new())),
        ValueType::Object => {}
        _ => return Ok(Shape::Other),
    }
    let mut outline = Outline::default();
    outline.object(&mut json, &mut Vec::new(), roles)?;
    Ok(outline.shape())
}

/// What an object holds, as far as it tells where the records are.
#[derive(Debug, Default)]
struct Outline {
    /// Fields of the top object, by what they hold.
    fields: Vec<Field>,
    /// Paths of arrays of objects.
    arrays: Vec<Vec<String>>,
}

impl Outline {
    fn object(
        &mut self,
        json: &mut Json<'_>,
        path: &mut Vec<String>,
        roles: &mut Roles,
    ) -> Outcome {
        json.check(|reader| reader.begin_object())?;
        while json.check(|reader| reader.has_next())? {
            path.push(json.check(|reader| reader.next_name_owned())?);
            self.value(json, path, roles)?;
            path.pop();
        }
        json.check(|reader| reader.end_object())
    }

    fn value(&mut self, json: &mut Json<'_>, path: &mut Vec<String>, roles: &mut Roles) -> Outcome {
        match json.peek()? {
            ValueType::Object if path.len() < MAX_ENVELOPE => self.object(json, path, roles),
            ValueType::Array => {
                json.check(|reader| reader.begin_array())?;
                let holds_objects =
                    json.check(|reader| reader.has_next())? && json.peek()? == ValueType::Object;
                if holds_objects {
                    self.arrays.push(path.clone());
                }
                while json.check(|reader| reader.has_next())? {
                    json.skip()?;
                }
                json.check(|reader| reader.end_array())
            }
            ValueType::Object => json.skip(),
            _ => {
                self.fields.extend(roles.of(&path.join(".")).map(|role| role.field));
                json.skip()
            }
        }
    }

    fn shape(mut self) -> Shape {
        let has = |field| self.fields.contains(&field);
        if has(Field::Text) && has(Field::Id) {
            return Shape::Record;
        }
        let is_named = |path: &Vec<String>| {
            path.last().is_some_and(|name| ARRAYS.contains(&name.to_lowercase().as_str()))
        };
        if self.arrays.len() > 1 {
            self.arrays.retain(is_named);
        }
        match self.arrays.len() {
            1 => Shape::Array(self.arrays.remove(0)),
            _ => Shape::Other,
        }
    }
}
