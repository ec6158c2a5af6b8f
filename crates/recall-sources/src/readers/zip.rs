//! A zip of files that are each read for what they are: notes, or an export that is one big file.

use crate::archive::Archive;
use crate::format::{Format, Head};
use crate::input::Input;
use crate::problem::Reason;
use crate::reading::{Context, Halt, Outcome, Sink};
use crate::unit::{read_part, recognise_content};

/// Other formats are zips, too (office documents, programs); only those called so are opened.
pub(crate) fn is_zip(head: &Head<'_>) -> bool {
    head.has_extension(&["zip"]) && head.bytes.starts_with(b"PK")
}

/// Reads each file in the archive. A file that cannot be read is named, and the rest goes on.
pub(crate) fn read(input: &Input, context: &Context<'_>, sink: &mut Sink<'_>) -> Outcome {
    let limit = context.options.max_bytes;
    let archive = Archive::open(input, limit).map_err(|error| context.failed(&error))?;
    report_refused(&archive, context, sink)?;
    sink.forget_places();
    for inner in archive.names().iter().filter(|name| !is_hidden(name)) {
        let name = format!("{}/{inner}", context.name);
        let whole = context.options.whole.matches(inner, false);
        let context = Context { name: &name, whole, ..context.clone() };
        match read_file(&archive, inner, &context, sink) {
            Err(Halt::Failed(problem)) => sink.problem(problem)?,
            outcome => outcome?,
        }
    }
    Ok(())
}

/// Names the files that will not be read.
pub(crate) fn report_refused(
    archive: &Archive<'_>,
    context: &Context<'_>,
    sink: &mut Sink<'_>,
) -> Outcome {
    for (name, reason) in archive.refused() {
        let name = format!("{}/{name}", context.name);
        sink.problem(Context { name: &name, ..context.clone() }.problem(None, reason.clone()))?;
    }
    Ok(())
}

fn read_file(
    archive: &Archive<'_>,
    inner: &str,
    context: &Context<'_>,
    sink: &mut Sink<'_>,
) -> Outcome {
    let file = archive.file(inner).map_err(|error| context.failed(&error))?;
    if file.head().is_empty() {
        return Err(context.problem(None, Reason::Empty).into());
    }
    let format = recognise_content(&file, inner, context.options.max_bytes)
        .map_err(|reason| context.problem(None, reason))?;
    if format == Format::Zip {
        let reason = Reason::Refused("an archive in an archive".to_owned());
        return Err(context.problem(None, reason).into());
    }
    read_part(&file, format, context, sink)
}

/// Files that a system or an editor keeps for itself.
fn is_hidden(name: &str) -> bool {
    name.split('/').any(|part| part.starts_with('.') || part == "__MACOSX")
}
