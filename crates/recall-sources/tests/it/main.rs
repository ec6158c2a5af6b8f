//! Everything a caller of the crate can see, tested from outside.

mod archives;
mod dates;
mod encodings;
mod front_matter;
mod properties;
mod records;
mod redaction;
mod scanning;
mod show;
mod texts;
