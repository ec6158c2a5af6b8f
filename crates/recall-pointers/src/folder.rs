//! One memory folder: its pages and the notes beside them.

use std::io;
use std::path::{Path, PathBuf};

use ignore::WalkBuilder;
use recall_sources::pointer_page::is_pointer_page;

use crate::entry::Entry;
use crate::folder_spec::{FolderSpec, holds_page, may_be_in_namespace};
use crate::page::Page;
use crate::project::Project;
use crate::section::HeadingWords;
use crate::shape::Shape;

/// A page and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageFile {
    /// The path, as it was reached.
    pub path: PathBuf,
    /// What it holds.
    pub page: Page,
}

/// Something in the folder that could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreadable {
    /// The file or folder.
    pub path: PathBuf,
    /// What the system said.
    pub reason: String,
}

/// An open memory folder.
#[derive(Debug)]
pub struct Folder {
    /// Its namespace.
    pub namespace: String,
    /// The folder, as it was given.
    pub path: PathBuf,
    /// The folder with every link on the way resolved.
    pub real_path: PathBuf,
    /// Its pages, `INDEX.md` first.
    pub pages: Vec<PageFile>,
    /// Its notes and entries, by path.
    pub entries: Vec<Entry>,
    /// What could not be read.
    pub unreadable: Vec<Unreadable>,
    /// The files around it.
    pub(crate) project: Project,
}

/// Why a memory folder cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The folder or a page of it cannot be read.
    #[error("cannot read {}", path.display())]
    Read {
        /// What was read.
        path: PathBuf,
        /// Why it failed.
        source: io::Error,
    },
    /// The folder holds neither page.
    #[error("{} holds no INDEX.md and no MEMORY.md", path.display())]
    NoIndex {
        /// The folder.
        path: PathBuf,
    },
    /// The namespace is empty or has other characters than letters, digits, `-`, `_`, `.`.
    #[error("`{namespace}` is not a namespace: use letters, digits, `-`, `_` and `.`")]
    BadNamespace {
        /// The namespace.
        namespace: String,
    },
    /// Two folders have the same namespace, so that their lines could not be told apart.
    #[error("{} and {} both have the namespace `{namespace}`", first.display(), second.display())]
    NamespaceTaken {
        /// The namespace.
        namespace: String,
        /// The folder that has it.
        first: PathBuf,
        /// The folder that wants it too.
        second: PathBuf,
    },
    /// One folder was given under two namespaces.
    #[error("{} is open as `{first}` and as `{second}`", path.display())]
    OpenTwice {
        /// The folder.
        path: PathBuf,
        /// Its first namespace.
        first: String,
        /// Its second namespace.
        second: String,
    },
}

impl OpenError {
    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Read { .. } => "check the path and its permissions",
            Self::NoIndex { .. } => {
                "name the folder that holds the page, or start one: an empty INDEX.md will do"
            }
            Self::BadNamespace { .. } => "rename it",
            Self::NamespaceTaken { .. } => "give each folder a namespace of its own",
            Self::OpenTwice { .. } => "name the folder once",
        }
    }
}

impl Folder {
    pub(crate) fn open(spec: &FolderSpec, words: &HeadingWords) -> Result<Self, OpenError> {
        check_namespace(&spec.namespace)?;
        let real_path = canonical(&spec.path)?;
        let pages = read_pages(&spec.path, words)?;
        let root = spec.root.clone().or_else(|| crate::project::root_of(&spec.path));
        let root = root.unwrap_or_else(|| spec.path.clone());
        let mut folder = Self {
            namespace: spec.namespace.clone(),
            path: spec.path.clone(),
            real_path,
            pages,
            entries: Vec::new(),
            unreadable: Vec::new(),
            project: Project::at(&root).map_err(|source| read_error(&root, source))?,
        };
        folder.read_entries();
        Ok(folder)
    }

    /// The page of this shape.
    pub fn page(&self, shape: Shape) -> Option<&PageFile> {
        self.pages.iter().find(|file| file.page.shape() == shape)
    }

    /// The root that quoted paths start from.
    pub fn root(&self) -> &Path {
        self.project.root()
    }

    fn read_entries(&mut self) {
        for found in notes_under(&self.path) {
            match found.and_then(|path| Entry::read(&path).map_err(|e| unreadable(&path, &e))) {
                Ok(entry) => self.entries.push(entry),
                Err(problem) => self.unreadable.push(problem),
            }
        }
        self.entries.sort_by(|a, b| a.path.cmp(&b.path));
        self.unreadable.sort_by(|a, b| a.path.cmp(&b.path));
    }
}

fn check_namespace(namespace: &str) -> Result<(), OpenError> {
    if !namespace.is_empty() && namespace.chars().all(may_be_in_namespace) {
        return Ok(());
    }
    Err(OpenError::BadNamespace { namespace: namespace.to_owned() })
}

fn canonical(path: &Path) -> Result<PathBuf, OpenError> {
    path.canonicalize().map_err(|source| read_error(path, source))
}

fn read_error(path: &Path, source: io::Error) -> OpenError {
    OpenError::Read { path: path.to_owned(), source }
}

fn read_pages(folder: &Path, words: &HeadingWords) -> Result<Vec<PageFile>, OpenError> {
    let mut pages = Vec::new();
    for shape in Shape::ALL {
        let path = folder.join(shape.file_name());
        match std::fs::read(&path) {
            Ok(bytes) => pages.push(PageFile { page: Page::parse(&bytes, shape, words), path }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(source) => return Err(OpenError::Read { path, source }),
        }
    }
    if pages.is_empty() {
        return Err(OpenError::NoIndex { path: folder.to_owned() });
    }
    Ok(pages)
}

/// The Markdown files under `folder`, without the pages themselves, READMEs, hidden files, and
/// folders inside it that are memory folders of their own.
fn notes_under(folder: &Path) -> impl Iterator<Item = Result<PathBuf, Unreadable>> {
    let top = folder.to_owned();
    WalkBuilder::new(folder)
        .standard_filters(false)
        .hidden(true)
        .filter_entry(move |entry| entry.path() == top || !holds_page(entry.path()))
        .build()
        .filter_map(|found| match found {
            Ok(entry) => is_note(&entry).then(|| Ok(entry.into_path())),
            Err(error) => Some(Err(walk_problem(&error))),
        })
}

fn is_note(entry: &ignore::DirEntry) -> bool {
    let name = entry.file_name().to_string_lossy();
    // A folder may be opened whatever it is called: what lies in it under such a name is a page.
    let is_opened = entry.depth() == 1 && Shape::ALL.iter().any(|shape| name == shape.file_name());
    let is_page = is_opened || is_pointer_page(entry.path());
    let is_readme = name.eq_ignore_ascii_case("readme.md");
    // A link to a file is a note too, also one that leads nowhere; a link to a folder is not.
    let is_file = entry.file_type().is_some_and(|kind| kind.is_file() || kind.is_symlink());
    name.ends_with(".md") && !is_page && !is_readme && is_file && !entry.path().is_dir()
}

fn unreadable(path: &Path, error: &io::Error) -> Unreadable {
    Unreadable { path: path.to_owned(), reason: error.to_string() }
}

fn walk_problem(error: &ignore::Error) -> Unreadable {
    let path = match error {
        ignore::Error::WithPath { path, .. } => path.clone(),
        ignore::Error::WithDepth { err, .. } => return walk_problem(err),
        _ => PathBuf::new(),
    };
    let reason = error.io_error().map_or_else(|| error.to_string(), ToString::to_string);
    Unreadable { path, reason }
}
