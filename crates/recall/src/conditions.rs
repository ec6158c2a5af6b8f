//! Converts the filter flags into the conditions of a query.

use recall_query::{Conditions, Mode};

use crate::failure::Failure;
use crate::flags::{FilterFlags, ModeFlag};

/// Converts filter flags into conditions.
pub(crate) fn of(flags: &FilterFlags) -> Result<Conditions, Failure> {
    Ok(Conditions {
        since: flags.since.clone(),
        until: flags.until.clone(),
        sources: flags.source.clone(),
        authors: flags.author.clone(),
        kinds: flags.kind.clone(),
        tags: flags.tag.clone(),
        paths: flags.path.clone(),
        fields: flags.field.iter().map(|pair| field(pair)).collect::<Result<_, _>>()?,
    })
}

fn field(pair: &str) -> Result<(String, String), Failure> {
    let (name, value) = pair.split_once('=').ok_or_else(|| {
        Failure::usage_hint(
            format!("`{pair}` is not NAME=VALUE"),
            "for example: --field status=open",
        )
    })?;
    Ok((name.to_owned(), value.to_owned()))
}

/// Converts the mode flag into a query mode.
pub(crate) fn mode(flag: ModeFlag) -> Mode {
    match flag {
        ModeFlag::Hybrid => Mode::Hybrid,
        ModeFlag::Keyword => Mode::Keyword,
        ModeFlag::Vector => Mode::Vector,
    }
}
