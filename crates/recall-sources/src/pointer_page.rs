//! Which files are pages of the pointer index: loaded whole, never searched. Pure.

use std::path::Path;

/// The page that is an index, in a folder called [`FOLDER`].
pub const INDEX: &str = "INDEX.md";

/// The page of a memory folder, whatever the folder is called.
pub const MEMORY: &str = "MEMORY.md";

/// The folder in which [`INDEX`] is a page of the pointer index. Elsewhere it is a document: many
/// a table of contents has this name.
pub const FOLDER: &str = "memory";

/// Whether the file at `path` is a page of the pointer index by its name: `MEMORY.md` anywhere,
/// `INDEX.md` in a folder called `memory`.
///
/// ```
/// use std::path::Path;
///
/// use recall_sources::pointer_page::is_pointer_page;
///
/// assert!(is_pointer_page(Path::new("project/memory/INDEX.md")));
/// assert!(!is_pointer_page(Path::new("project/docs/INDEX.md")));
/// ```
pub fn is_pointer_page(path: &Path) -> bool {
    let is = |part: Option<&std::ffi::OsStr>, name| part.is_some_and(|part| part == name);
    let is_in_memory = || is(path.parent().and_then(Path::file_name), FOLDER);
    is(path.file_name(), MEMORY) || is(path.file_name(), INDEX) && is_in_memory()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_only_in_memory_and_a_memory_anywhere() {
        for (path, expected) in [
            ("MEMORY.md", true),
            ("a/b/MEMORY.md", true),
            ("memory/INDEX.md", true),
            ("/home/an/memory/INDEX.md", true),
            ("INDEX.md", false),
            ("docs/INDEX.md", false),
            ("memory/notes/INDEX.md", false),
            ("my-memory/INDEX.md", false),
            ("memory/index.md", false),
            ("memory/INDEX.md.bak", false),
            ("memory", false),
            ("", false),
        ] {
            assert_eq!(is_pointer_page(Path::new(path)), expected, "{path}");
        }
    }
}
