//! Org-mode: headings as `#`, code in fences.

use crate::date;
use crate::document::Document;
use crate::format::Head;
use crate::input::Input;
use crate::problem::Reason;
use crate::readers::content;
use crate::reading::{Context, Outcome, Sink};

pub(crate) fn is_org(head: &Head<'_>) -> bool {
    head.is_text && head.has_extension(&["org", "org_archive"])
}

/// Reads a file as one document, with the fields that stand in its `#+NAME:` lines.
pub(crate) fn read(input: &Input, context: &Context<'_>, sink: &mut Sink<'_>) -> Outcome {
    let org = content::text(input, context)?;
    if org.trim().is_empty() {
        return Err(context.problem(None, Reason::Empty).into());
    }
    let text = markdown(&org);
    let field = |name: &str| keyword(&org, name).map(str::to_owned);
    let first_heading = || text.lines().find_map(heading).map(str::to_owned);
    let title = field("title").or_else(first_heading).unwrap_or_else(|| context.stem().to_owned());
    let kind = context.kind();
    let tags = field("filetags").unwrap_or_default();
    let tags = tags.split([':', ' ']).filter(|tag| !tag.is_empty()).map(str::to_owned).collect();
    let date = field("date").and_then(|date| date::parse(date.trim_matches(['<', '>', '[', ']'])));
    let authors = field("author").into_iter().collect();
    let whole = context.whole;
    let document = context.document(context.name, kind, text);
    sink.document(Document { title, tags, date, authors, whole, ..document })
}

/// The words of a heading.
fn heading(line: &str) -> Option<&str> {
    line.trim_start_matches('#').strip_prefix(' ').filter(|_| line.starts_with('#'))
}

/// What stands after `#+name:`.
fn keyword<'a>(org: &'a str, name: &str) -> Option<&'a str> {
    let mut fields = org.lines().filter_map(|line| line.strip_prefix("#+")?.split_once(':'));
    let (_, value) = fields.find(|(key, _)| key.eq_ignore_ascii_case(name))?;
    Some(value.trim()).filter(|value| !value.is_empty())
}

/// The text with headings and code blocks as Markdown has them; all other lines stay.
fn markdown(org: &str) -> String {
    let mut text = String::with_capacity(org.len());
    let mut in_block = false;
    for line in org.split_inclusive('\n') {
        let mark = line.trim().to_ascii_lowercase();
        if let Some(language) = begin(&mark) {
            in_block = true;
            text.push_str(&format!("```{language}\n"));
        } else if in_block && (mark.starts_with("#+end_src") || mark.starts_with("#+end_example")) {
            in_block = false;
            text.push_str("```\n");
        } else {
            let stars = line.bytes().take_while(|&byte| byte == b'*').count();
            let is_heading = !in_block && stars > 0 && line[stars..].starts_with(' ');
            let level = if is_heading { stars } else { 0 };
            if !in_block && line.starts_with("# ") {
                // A comment, which Markdown would take for a heading.
                text.push(' ');
            }
            text.push_str(&"#".repeat(level.min(6)));
            text.push_str(&line[level..]);
        }
    }
    text
}

/// The language of a block of code that begins with the line `mark`.
fn begin(mark: &str) -> Option<&str> {
    let rest = mark.strip_prefix("#+begin_src").or_else(|| mark.strip_prefix("#+begin_example"))?;
    Some(rest.split_whitespace().next().unwrap_or_default())
}
