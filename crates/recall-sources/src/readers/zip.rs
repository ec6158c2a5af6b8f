//! A zip of files that are each read for what they are: notes, or an export that is one big file.

use crate::archive::Archive;
use crate::format::{Format, Head};
use crate::input::Input;
use crate::problem::Reason;
use crate::reading::{Context, Halt, Outcome, Sink};
use crate::source::{read_part, recognise_content};

/// Other formats are zips, too (office documents, programs); only those called so are opened.
pub(crate) fn is_zip(head: &Head<'_>) -> bool {
    head.has_extension(&["zip"]) && head.bytes.starts_with(b"PK")
}

/// Reads each file in the archive for what it is.
pub(crate) fn read(input: &Input, context: &Context<'_>, sink: &mut Sink<'_>) -> Outcome {
    let is_wanted = |name: &str| !is_hidden(name);
    each_file(input, context, sink, is_wanted, |file, format, context, sink| match format {
        Ok(Format::Zip) => {
            let reason = Reason::Refused("an archive in an archive".to_owned());
            Err(context.problem(None, reason).into())
        }
        Ok(format) => read_part(file, format, context, sink),
        Err(reason) => Err(context.problem(None, reason).into()),
    })
}

/// Calls `read` for each wanted file in the zip or folder, with its format if it has one. A file
/// that cannot be read is named, and the rest goes on.
pub(crate) fn each_file(
    input: &Input,
    context: &Context<'_>,
    sink: &mut Sink<'_>,
    is_wanted: impl Fn(&str) -> bool,
    read: impl Fn(&Input, Result<Format, Reason>, &Context<'_>, &mut Sink<'_>) -> Outcome,
) -> Outcome {
    let limit = context.options.max_bytes;
    let archive = Archive::open(input, limit).map_err(|error| context.failed(&error))?;
    report_refused(&archive, context, sink)?;
    sink.forget_places();
    for inner in archive.names().iter().filter(|name| is_wanted(name)) {
        let name = format!("{}/{inner}", context.name);
        let whole = context.options.whole.matches(inner, false);
        let context = Context { name: &name, whole, ..context.clone() };
        let outcome = match archive.file(inner) {
            Err(error) => Err(context.failed(&error)),
            Ok(file) if file.head().is_empty() => Err(context.problem(None, Reason::Empty).into()),
            Ok(file) => read(&file, recognise_content(&file, inner, limit), &context, sink),
        };
        match outcome {
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

/// Files that a system or an editor keeps for itself. Maildirs hide their folders: `.Sent/cur/…`.
fn is_hidden(name: &str) -> bool {
    let parts: Vec<&str> = name.split('/').collect();
    let holds_mail = |at: usize| matches!(parts.get(at + 1), Some(&("cur" | "new")));
    let is_kept_away = |(at, part): (usize, &&str)| {
        *part == "__MACOSX" || part.starts_with('.') && !holds_mail(at)
    };
    parts.iter().enumerate().any(is_kept_away)
}
