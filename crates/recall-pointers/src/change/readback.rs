//! Reading a page back after an edit, before anything is written.

use crate::budget::{Standing, standing};
use crate::change::Rules;
use crate::edit::Change;
use crate::folder::PageFile;
use crate::page::Page;
use crate::refusal::Refusal;
use crate::statement::Statement;

/// Reads the page back: the line must be one statement that says what was meant, in words that a
/// reader sees, and the page must not have gone over its cap.
pub(super) fn check(
    file: &PageFile,
    after: &[u8],
    change: &Change,
    rules: &Rules,
) -> Result<(), Refusal> {
    let page = Page::parse(after, file.page.shape(), &rules.words);
    if !says(&page, change) {
        return Err(Refusal::NotAStatement { text: change.new.clone().unwrap_or_default() });
    }
    let cut = |page: &Page| matches!(standing(page, rules.limits.cap), Standing::Cut { .. });
    if cut(&page) && !cut(&file.page) {
        return Err(Refusal::OverBudget { path: file.path.clone() });
    }
    Ok(())
}

fn says(page: &Page, change: &Change) -> bool {
    let says = |found: &Statement| {
        let one_line = (found.line, found.last_line) == (change.line, change.line);
        one_line && Some(&found.text) == change.new.as_ref() && !found.plain.is_empty()
    };
    page.statements().iter().any(says)
}
