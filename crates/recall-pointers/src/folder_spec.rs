//! Which folder to open, and how one is found and named.

use std::path::{Path, PathBuf};

use recall_sources::pointer_page::{self, is_pointer_page};

use crate::project::normal;
use crate::shape::Shape;

/// A memory folder to open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FolderSpec {
    /// The name that tells its lines from those of other folders: letters, digits, `-`, `_`, `.`.
    pub namespace: String,
    /// The folder that holds `INDEX.md` or `MEMORY.md`.
    pub path: PathBuf,
    /// The root that quoted paths start from and that links may not leave. `None`: the root of
    /// the git repository that the folder is in (for a submodule, of the one around it), or the
    /// folder itself.
    pub root: Option<PathBuf>,
}

impl FolderSpec {
    /// The folder at `path`, called after the project that it lies in: the folder's own name, or for
    /// a folder `memory` the name of the folder above it.
    pub fn at(path: PathBuf) -> Self {
        Self { namespace: namespace(&path), path, root: None }
    }

    /// The memory folder of the project that `from` is in: the nearest folder upward that holds a
    /// page of the pointer index, itself or in its `memory`. Which files are such pages is
    /// told by [`is_pointer_page`]: an `INDEX.md` outside a folder `memory` is a document.
    ///
    /// ```
    /// use recall_pointers::FolderSpec;
    ///
    /// # let project = tempfile::tempdir()?;
    /// # let project = project.path().to_owned();
    /// std::fs::create_dir_all(project.join("memory"))?;
    /// std::fs::create_dir_all(project.join("src"))?;
    /// std::fs::write(project.join("memory/INDEX.md"), "## Decisions\n")?;
    /// let found = FolderSpec::upward(&project.join("src")).expect("it is there");
    /// assert_eq!(found.path, project.join("memory"));
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn upward(from: &Path) -> Option<Self> {
        Self::upward_where(from, &is_pointer_page)
    }

    /// As [`FolderSpec::upward`], for a project that says itself which files called `INDEX.md` or
    /// `MEMORY.md` are pages. `is_page` gets their absolute paths.
    pub fn upward_where(from: &Path, is_page: &dyn Fn(&Path) -> bool) -> Option<Self> {
        let from = normal(&std::path::absolute(from).ok()?);
        let folders =
            from.ancestors().flat_map(|above| [above.join(pointer_page::FOLDER), above.to_owned()]);
        folders.into_iter().find(|folder| holds_page_where(folder, is_page)).map(Self::at)
    }
}

/// Whether `folder` is a memory folder by itself, without anybody saying so.
pub(crate) fn holds_page(folder: &Path) -> bool {
    holds_page_where(folder, &is_pointer_page)
}

fn holds_page_where(folder: &Path, is_page: &dyn Fn(&Path) -> bool) -> bool {
    let mut pages = Shape::ALL.iter().map(|shape| folder.join(shape.file_name()));
    pages.any(|page| is_page(&page) && page.is_file())
}

/// What to call the folder at `path`.
fn namespace(path: &Path) -> String {
    let absolute = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let name = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
    let own = name(&absolute).unwrap_or_default();
    let above = || absolute.parent().and_then(name);
    let chosen = if own == pointer_page::FOLDER { above().unwrap_or(own) } else { own };
    let kept: String = chosen.chars().filter(|c| may_be_in_namespace(*c)).collect();
    if kept.is_empty() { "project".to_owned() } else { kept }
}

/// Whether a namespace may have this character.
pub(crate) fn may_be_in_namespace(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '-' | '_' | '.')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In a folder with these files, the memory folder found from `from`, and its namespace.
    #[track_caller]
    fn check(files: &[&str], from: &str, expected: Option<(&str, &str)>) {
        let top = tempfile::tempdir().unwrap();
        let root = top.path().join("shop");
        std::fs::create_dir_all(root.join(from)).unwrap();
        for file in files {
            std::fs::create_dir_all(root.join(file).parent().unwrap()).unwrap();
            std::fs::write(root.join(file), "").unwrap();
        }
        let found = FolderSpec::upward(&root.join(from)).filter(|f| f.path.starts_with(&root));
        let expected = expected.map(|(path, name)| (normal(&root.join(path)), name.to_owned()));
        assert_eq!(found.map(|f| (f.path, f.namespace)), expected, "{files:?} {from}");
    }

    #[test]
    fn the_nearest_folder_with_a_page() {
        check(&["memory/INDEX.md"], "src/deep", Some(("memory", "shop")));
        check(&["memory/INDEX.md"], "memory/notes", Some(("memory", "shop")));
        check(&["memory/INDEX.md", "app/memory/INDEX.md"], "app", Some(("app/memory", "app")));
        check(&["MEMORY.md"], "src", Some((".", "shop")));
        check(&["team/MEMORY.md"], "team", Some(("team", "team")));
        check(&["memory/MEMORY.md", "MEMORY.md"], "", Some(("memory", "shop")));
    }

    #[test]
    fn a_table_of_contents_is_no_page() {
        check(&["INDEX.md"], "", None);
        check(&["docs/INDEX.md"], "docs", None);
        check(&["memory/INDEX.md", "docs/INDEX.md"], "docs", Some(("memory", "shop")));
        check(&["memory/INDEX.md/x", "memory/a.md"], "", None);
    }

    #[test]
    fn a_project_may_name_its_pages() {
        let top = tempfile::tempdir().unwrap();
        let page = top.path().join("INDEX.md");
        std::fs::write(&page, "").unwrap();
        let found = FolderSpec::upward_where(top.path(), &|path| path == page);
        assert_eq!(found.map(|found| found.path), Some(top.path().to_owned()));
    }
}
