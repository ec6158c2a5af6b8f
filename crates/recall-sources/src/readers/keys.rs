//! The names of the fields at the top of a JSON text of which only the beginning is known.

use struson::reader::{JsonReader, JsonStreamReader, ReaderError, ValueType};

/// Where the looking stops.
const MAX_KEYS: usize = 200;

/// The fields of an object, or of the first object in an array.
#[derive(Debug, Default)]
pub(crate) struct Keys<'a> {
    /// It is an array; the names are of its first element.
    pub(crate) is_array: bool,
    names: Vec<String>,
    text: &'a str,
}

impl<'a> Keys<'a> {
    /// The fields in `text`, as far as it goes.
    pub(crate) fn of(text: &'a str) -> Self {
        Self::at(text, &[])
    }

    /// The fields of what stands in the field `name`, if the text goes so far.
    pub(crate) fn inside(&self, name: &str) -> Self {
        Self::at(self.text, &[name])
    }

    fn at(text: &'a str, path: &[&str]) -> Self {
        let mut keys = Self { text, ..Self::default() };
        // The text is cut somewhere: what was found until then is what we want.
        let _ = keys.read(path);
        keys
    }

    /// It has all of these fields.
    pub(crate) fn has_all(&self, names: &[&str]) -> bool {
        names.iter().all(|name| self.has(name))
    }

    /// It has this field.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.names.iter().any(|known| known == name)
    }

    fn read(&mut self, path: &[&str]) -> Result<(), ReaderError> {
        let mut reader = JsonStreamReader::new(self.text.as_bytes());
        for name in path {
            reader.begin_object()?;
            while reader.next_name()? != *name {
                reader.skip_value()?;
            }
        }
        if reader.peek()? == ValueType::Array {
            self.is_array = true;
            reader.begin_array()?;
        }
        reader.begin_object()?;
        while reader.has_next()? && self.names.len() < MAX_KEYS {
            self.names.push(reader.next_name_owned()?);
            reader.skip_value()?;
        }
        Ok(())
    }
}
