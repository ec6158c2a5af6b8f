//! A structured value (JSON, YAML) laid flat: each scalar with the path to it, in file order.

use std::fmt;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

/// One scalar of a structured value. `null` is no scalar.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Leaf {
    /// Names of the objects' fields with `.` between; elements of a list share its path.
    pub(crate) path: String,
    /// The value as text.
    pub(crate) value: String,
    /// It is a string, not a number or a truth value.
    pub(crate) is_string: bool,
    /// It stands in an object in a list, like a comment of a ticket.
    pub(crate) in_list: bool,
}

/// All scalars of a value.
#[derive(Debug, Default)]
pub(crate) struct Leaves {
    pub(crate) leaves: Vec<Leaf>,
    /// The value as such is an object.
    pub(crate) is_object: bool,
}

impl<'de> Deserialize<'de> for Leaves {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut leaves = Vec::new();
        let at = At {
            path: &mut String::new(),
            list: false,
            object_in_list: false,
            leaves: &mut leaves,
        };
        let is_object = at.deserialize(deserializer)?;
        Ok(Self { leaves, is_object })
    }
}

/// A place in the value. Gives whether an object stands there.
struct At<'a> {
    path: &'a mut String,
    list: bool,
    object_in_list: bool,
    leaves: &'a mut Vec<Leaf>,
}

impl At<'_> {
    fn push<E>(self, value: String, is_string: bool) -> Result<bool, E> {
        let (path, in_list) = (self.path.clone(), self.object_in_list);
        self.leaves.push(Leaf { path, value, is_string, in_list });
        Ok(false)
    }
}

impl<'de> DeserializeSeed<'de> for At<'_> {
    type Value = bool;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<bool, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for At<'_> {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<bool, E> {
        self.push(value.to_string(), false)
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<bool, E> {
        self.push(value.to_string(), false)
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<bool, E> {
        self.push(value.to_string(), false)
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<bool, E> {
        self.push(value.to_string(), false)
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<bool, E> {
        self.push(value.to_owned(), true)
    }

    fn visit_string<E: Error>(self, value: String) -> Result<bool, E> {
        self.push(value, true)
    }

    fn visit_unit<E: Error>(self) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_none<E: Error>(self) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<bool, D::Error> {
        self.deserialize(deserializer)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<bool, A::Error> {
        let At { path, object_in_list, leaves, .. } = self;
        while list.next_element_seed(At { path, list: true, object_in_list, leaves })?.is_some() {}
        Ok(false)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<bool, A::Error> {
        let At { path, list, object_in_list, leaves } = self;
        let (length, object_in_list) = (path.len(), object_in_list || list);
        while map.next_key_seed(Below(path))?.is_some() {
            map.next_value_seed(At { path, list: false, object_in_list, leaves })?;
            path.truncate(length);
        }
        Ok(true)
    }
}

/// The path to an object, for the name of a field to be put behind it.
struct Below<'a>(&'a mut String);

impl<'de> DeserializeSeed<'de> for Below<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Below<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a field")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<(), E> {
        if !self.0.is_empty() {
            self.0.push('.');
        }
        self.0.push_str(name);
        Ok(())
    }
}
