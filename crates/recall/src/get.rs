//! `recall get`: prints a whole document as it is on disk.

use recall_index::{EntryId, Snapshot};
use recall_query::whole_text;

use crate::failure::Failure;
use crate::flags::{Flags, GetFlags};
use crate::index_folder;
use crate::print::out_bytes;

/// Runs `recall get`.
pub(crate) fn run(flags: &Flags, options: &GetFlags) -> Result<u8, Failure> {
    let snapshot = Snapshot::open(&index_folder::to_read(flags.index.as_deref())?)?;
    let entry = resolve(&snapshot, &options.name)?;
    out_bytes(&content(&snapshot, entry)?)?;
    Ok(0)
}

/// Finds the one document called `name`: by id, then by path, then by any other name it has.
pub(crate) fn resolve(snapshot: &Snapshot, name: &str) -> Result<EntryId, Failure> {
    let keyword = snapshot.keyword();
    let (path, id) = name.rsplit_once('#').unwrap_or((name, ""));
    let qualified = || -> Result<Vec<EntryId>, recall_index::IndexError> {
        let found = keyword.with_id(id)?;
        let names = keyword.ids_and_paths(&found)?;
        let here = found.into_iter().zip(names).filter(|(_, (_, own))| own == path);
        Ok(here.map(|(entry, _)| entry).collect())
    };
    let relative = name.strip_prefix("./").unwrap_or(name);
    let mut found = keyword.with_id(name)?;
    for attempt in
        [&|| keyword.at_path(relative), &qualified as &dyn Fn() -> _, &|| keyword.named(relative)]
    {
        if found.is_empty() {
            found = attempt()?;
        }
    }
    match found.as_slice() {
        [one] => Ok(*one),
        [] => Err(Failure::usage_hint(
            format!("no document is called {name}"),
            format!("look for it with: recall query '{name}'"),
        )),
        many => Err(ambiguous(snapshot, name, many)?),
    }
}

fn ambiguous(snapshot: &Snapshot, name: &str, found: &[EntryId]) -> Result<Failure, Failure> {
    const SHOWN: usize = 20;
    let names = snapshot.keyword().ids_and_paths(&found[..found.len().min(SHOWN)])?;
    let line = |(id, path)| if id == path { path } else { format!("{path}#{id}") };
    let mut lines: Vec<String> = names.into_iter().map(line).collect();
    lines.sort();
    let more = if found.len() > SHOWN { ", …" } else { "" };
    Ok(Failure::usage_hint(
        format!("{name} could be any of {} documents", found.len()),
        format!("name one of: {}{more}", lines.join(", ")),
    ))
}

/// Returns the bytes on disk if the document is a file of its own, else its text as it was indexed.
fn content(snapshot: &Snapshot, entry: EntryId) -> Result<Vec<u8>, Failure> {
    let stored = snapshot.keyword().fetch(entry)?;
    let file = snapshot.file_of(stored.root, &stored.source_path);
    let is_file =
        stored.document.id == stored.document.path && stored.document.path == stored.source_path;
    if let (Some(file), true) = (file, is_file) {
        match std::fs::read(&file) {
            Ok(bytes) => return Ok(bytes),
            Err(error) => eprintln!(
                "note: {} cannot be read ({error}); printing its text as it was indexed",
                file.display()
            ),
        }
    }
    let mut text = whole_text(snapshot, entry, &stored)?;
    if !text.ends_with('\n') {
        text.push('\n');
    }
    Ok(text.into_bytes())
}
