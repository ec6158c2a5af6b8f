//! Everything a caller of the crate can see, tested from outside.

mod archives;
mod chat_damage;
mod chat_logs;
mod chat_show;
mod chat_slack;
mod chat_teams;
mod dates;
mod documents_damaged;
mod documents_text;
mod encodings;
mod front_matter;
mod made;
mod mail_messages;
mod properties;
mod records;
mod redaction;
mod scanning;
mod show;
mod texts;
mod tickets_exports;
mod transcripts;
