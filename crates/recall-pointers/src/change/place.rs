//! Where a new line goes.

use crate::folder::{Folder, PageFile};
use crate::markdown::marker_of;
use crate::page::Page;
use crate::refusal::Refusal;
use crate::section::LineKind;
use crate::shape::Shape;

/// The page that takes lines of `kind`: entries go to `MEMORY.md`, all else to the page that has
/// a section for it.
pub(super) fn page_for(folder: &Folder, kind: LineKind) -> Result<&PageFile, Refusal> {
    let found = match kind {
        LineKind::Entry => folder.page(Shape::Memory),
        _ => folder.pages.iter().find(|file| section_end(&file.page, kind).is_some()),
    };
    found.ok_or(Refusal::NoSection { kind })
}

/// The line after which a new line of `kind` goes.
pub(super) fn section_end(page: &Page, kind: LineKind) -> Option<usize> {
    let last = page.statements().iter().rfind(|statement| statement.kind == kind);
    if let Some(last) = last {
        return Some(last.last_line);
    }
    if kind == LineKind::Entry {
        return Some(last_written(page, 0, page.lines().len()));
    }
    let wanted = (kind != LineKind::Other).then_some(kind);
    let section = page.sections().iter().find(|section| section.kind == wanted)?;
    Some(last_written(page, section.line, section.last_line))
}

/// The last line with words on it; under a bare heading, the blank line below that, if another
/// follows to keep the next heading apart.
fn last_written(page: &Page, first: usize, last: usize) -> usize {
    let blank = |line: &usize| page.lines()[line - 1].trim_ascii().is_empty();
    let written = (first + 1..=last).rev().find(|line| !blank(line));
    written.unwrap_or(if last > first + 1 && first > 0 { first + 1 } else { first })
}

/// The list marker of the lines beside the new one, so that they stay one list.
pub(super) fn marker_for(page: &Page, kind: LineKind) -> &'static str {
    let last = page.statements().iter().rfind(|statement| statement.kind == kind);
    let marker = last.map(|last| marker_of(&page.lines()[last.line - 1]));
    match marker.map(<[u8]>::trim_ascii_start).and_then(<[u8]>::first) {
        Some(b'*') => "* ",
        Some(b'+') => "+ ",
        _ => "- ",
    }
}
