//! Where the front matter of a Markdown text begins and ends. Pure.
//!
//! A text has front matter if its first line is `---`, a later line is `---` or `...`, and YAML
//! fields stand between them. Blanks after these marks, Windows line ends and a byte order mark
//! make no difference. Prose between two rules (`---`) is not front matter.
//!
//! ```
//! use recall_sources::front_matter::{Split, split};
//!
//! let text = "---\ntitle: Rotate the key\n---\n1. Stop the job.\n";
//! assert_eq!(
//!     split(text),
//!     Split::Matter { yaml: "title: Rotate the key\n", body: "1. Stop the job.\n" }
//! );
//! ```

use serde_saphyr::DuplicateKeyPolicy;

use crate::leaves::Leaves;

/// What the names of Markdown files end in; only they have front matter.
const EXTENSIONS: [&str; 7] = ["md", "markdown", "mdx", "mdown", "mkd", "qmd", "rmd"];
/// What a template language adds to the name of a file (`deploy.md.erb`).
const TEMPLATES: [&str; 3] = [".erb", ".j2", ".tmpl"];

/// Whether a file of this name, in lower case, is Markdown.
pub(crate) fn is_markdown_name(name: &str) -> bool {
    let inner = TEMPLATES.iter().find_map(|template| name.strip_suffix(template)).unwrap_or(name);
    inner.rsplit_once('.').is_some_and(|(_, extension)| EXTENSIONS.contains(&extension))
}

/// A text, divided into its front matter and the rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Split<'a> {
    /// There is no front matter: all of the text is its body.
    None,
    /// Front matter begins and never ends.
    Unclosed,
    /// There is front matter.
    Matter {
        /// The lines between the two marks, each with its line end.
        yaml: &'a str,
        /// What follows the line of the second mark.
        body: &'a str,
    },
}

/// Divides `text` into its front matter and the rest.
pub fn split(text: &str) -> Split<'_> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = text.split_inclusive('\n');
    let Some(first) = lines.next().filter(|line| line.trim_end() == "---") else {
        return Split::None;
    };
    let inner = &text[first.len()..];
    let mut end = 0;
    for line in lines {
        if matches!(line.trim_end(), "---" | "...") {
            let (yaml, body) = (&inner[..end], &inner[end + line.len()..]);
            return if has_fields(yaml) { Split::Matter { yaml, body } } else { Split::None };
        }
        end += line.len();
    }
    let next = inner.lines().next().unwrap_or_default();
    let is_open = field_name(next).is_some_and(|name| !name.contains(' '));
    if is_open { Split::Unclosed } else { Split::None }
}

/// Where the text begins after its front matter, in bytes; 0 if it has none, or none that can be
/// read as YAML: then its lines are text like any other.
pub fn body_start(text: &str) -> usize {
    match split(text) {
        Split::Matter { yaml, body } if fields(yaml).is_ok() => text.len() - body.len(),
        _ => 0,
    }
}

/// The fields of front matter, or why there are none.
pub(crate) fn fields(yaml: &str) -> Result<Leaves, String> {
    if yaml.trim().is_empty() {
        return Ok(Leaves::default());
    }
    // A repeated field is no reason to lose the others; both values are taken.
    let options = serde_saphyr::options! { duplicate_keys: DuplicateKeyPolicy::PassThrough };
    let leaves: Leaves = serde_saphyr::from_str_with_options(yaml, options).map_err(|error| {
        format!("front matter: {}", error.to_string().lines().next().unwrap_or_default())
    })?;
    if leaves.is_object { Ok(leaves) } else { Err("front matter that has no fields".to_owned()) }
}

/// Whether the lines between two rules are fields, told by the first that says anything. None at
/// all is front matter too, with nothing in it.
fn has_fields(yaml: &str) -> bool {
    let is_comment = |line: &str| line.is_empty() || line.starts_with('#');
    let first = yaml.lines().map(str::trim).find(|line| !is_comment(line));
    match first {
        Some(line) => line.starts_with('{') || field_name(line).is_some(),
        None => yaml.trim().is_empty(),
    }
}

/// The name of the field that `line` holds. A bare word needs no blank after its colon, so that
/// this slip is named where the YAML is read; a web address is no field.
fn field_name(line: &str) -> Option<&str> {
    let (name, value) = line.trim().split_once(':')?;
    let is_word = name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'));
    let is_list = name.starts_with("- ");
    let is_apart = value.is_empty() || value.starts_with(char::is_whitespace);
    let is_field = is_apart || is_word && !value.starts_with("//");
    (!name.is_empty() && !is_list && is_field).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The front matter and the body of `text`, or what it has instead.
    #[track_caller]
    fn check(text: &str, expected: Result<(&str, &str), Split<'_>>) {
        let found = match split(text) {
            Split::Matter { yaml, body } => Ok((yaml, body)),
            other => Err(other),
        };
        assert_eq!(found, expected, "{text:?}");
    }

    #[test]
    fn marks_with_blanks_dots_and_windows_line_ends() {
        check("---\na: b\n---\nbody", Ok(("a: b\n", "body")));
        check("---\r\na: b\r\n---\r\nbody", Ok(("a: b\r\n", "body")));
        check("--- \na: b\n---\t\nbody", Ok(("a: b\n", "body")));
        check("---\na: b\n...\nbody", Ok(("a: b\n", "body")));
        check("---\na: b\n...", Ok(("a: b\n", "")));
        check("\u{feff}---\na: b\n---\nbody", Ok(("a: b\n", "body")));
        check("---\n---\nbody", Ok(("", "body")));
        check("---\n# why\n\ndate created: 2026\n---\n", Ok(("# why\n\ndate created: 2026\n", "")));
        check("---\n{a: b}\n---\n", Ok(("{a: b}\n", "")));
        check("---\ntitle:x\n---\n", Ok(("title:x\n", "")));
    }

    #[test]
    fn rules_and_prose_are_no_front_matter() {
        check("body", Err(Split::None));
        check("", Err(Split::None));
        check("---", Err(Split::None));
        check(" ---\na: b\n---\n", Err(Split::None));
        check("----\na: b\n----\n", Err(Split::None));
        check("---\n\nA rule, then text.\n", Err(Split::None));
        check("---\nProse between rules.\n---\nMore.\n", Err(Split::None));
        check("---\n- name: one\n---\n", Err(Split::None));
        check("---\nhttps://example.com\n---\n", Err(Split::None));
        check("---\nhttps://example.com\n", Err(Split::None));
        check("---\ntitle: x\nnever closed", Err(Split::Unclosed));
        check("---\r\ntitle: x\r\n", Err(Split::Unclosed));
    }

    #[test]
    fn a_body_begins_after_what_can_be_read() {
        for (text, expected) in [
            ("---\ntitle: x\n---\nbody", 17),
            ("---\r\ntitle: x\r\n---\r\nbody", 20),
            ("---\ntitle: x\n---  \nbody", 19),
            ("---\ntitle: x\n...\nbody", 17),
            ("\u{feff}---\ntitle: x\n---\nbody", 20),
            ("---\ntitle: [x\n---\nbody", 0),
            ("---\nprose\n---\nbody", 0),
            ("---\nnever: closed", 0),
            ("body", 0),
        ] {
            assert_eq!(body_start(text), expected, "{text:?}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn nothing_is_lost_between_the_marks(text in "(\u{feff}|---|[.]{3}|a: b| |\r|\n|é){0,12}") {
            if let Split::Matter { yaml, body } = split(&text) {
                let (before, rest) = text.split_at(text.len() - body.len());
                prop_assert_eq!(rest, body);
                let mark = before.trim_end().strip_suffix("---");
                let mark = mark.or_else(|| before.trim_end().strip_suffix("..."));
                prop_assert!(mark.is_some_and(|inner| inner.ends_with(yaml)), "{:?}", text);
            }
            prop_assert!(text.is_char_boundary(body_start(&text)));
        }
    }
}
