//! The memory folders that one session sees, and nothing of any other.

use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::folder::{Folder, OpenError, PageFile};
use crate::folder_spec::FolderSpec;
use crate::section::HeadingWords;
use crate::shape::Shape;
use crate::statement::Statement;

/// The open memory folders: a shared one, a project's own.
#[derive(Debug)]
pub struct Memory {
    folders: Vec<Folder>,
}

/// A page as JSON carries it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PageListing {
    /// The namespace of its folder.
    pub namespace: String,
    /// The path of the page.
    pub path: PathBuf,
    /// Its shape.
    pub shape: Shape,
    /// Its text, whole.
    pub text: String,
    /// The statements in it.
    pub statements: Vec<Statement>,
}

impl Memory {
    /// Opens the folders in the order given.
    ///
    /// # Errors
    ///
    /// [`OpenError`] when a folder has no page or cannot be read, and when two folders cannot be
    /// told apart. A note that cannot be read is not an error: `check` names it.
    pub fn open(specs: &[FolderSpec], words: &HeadingWords) -> Result<Self, OpenError> {
        let mut folders: Vec<Folder> = Vec::new();
        for spec in specs {
            let folder = Folder::open(spec, words)?;
            for known in &folders {
                check_apart(known, &folder)?;
            }
            folders.push(folder);
        }
        Ok(Self { folders })
    }

    /// The folders, in the order given.
    pub fn folders(&self) -> &[Folder] {
        &self.folders
    }

    /// The index as a session loads it: one page byte for byte; several in order, each under a
    /// comment with its namespace and path.
    pub fn print(&self) -> Vec<u8> {
        let pages: Vec<_> = self.pages().collect();
        if let [(_, only)] = pages[..] {
            return only.page.write();
        }
        let mut printed = Vec::new();
        for (folder, file) in pages {
            if !printed.is_empty() && !printed.ends_with(b"\n") {
                printed.push(b'\n');
            }
            printed.extend_from_slice(heading(folder, file).as_bytes());
            printed.extend_from_slice(&file.page.write());
        }
        printed
    }

    /// The index page by page, with its statements read.
    pub fn listing(&self) -> Vec<PageListing> {
        self.pages()
            .map(|(folder, file)| PageListing {
                namespace: folder.namespace.clone(),
                path: file.path.clone(),
                shape: file.page.shape(),
                text: String::from_utf8_lossy(&file.page.write()).into_owned(),
                statements: file.page.statements().to_vec(),
            })
            .collect()
    }

    /// Every page with its folder, in the order in which they are printed.
    pub fn pages(&self) -> impl Iterator<Item = (&Folder, &PageFile)> {
        self.folders.iter().flat_map(|folder| folder.pages.iter().map(move |file| (folder, file)))
    }

    /// Every statement with its page and folder, in order.
    pub fn statements(&self) -> impl Iterator<Item = (&Folder, &PageFile, &Statement)> {
        self.pages().flat_map(|(folder, file)| {
            file.page.statements().iter().map(move |statement| (folder, file, statement))
        })
    }

    /// The namespace that the file at `real`, a path without links in it, belongs to.
    pub(crate) fn owner(&self, real: &Path) -> Option<&Folder> {
        let holding = self.folders.iter().filter(|folder| real.starts_with(&folder.real_path));
        holding.max_by_key(|folder| folder.real_path.components().count())
    }
}

fn check_apart(known: &Folder, new: &Folder) -> Result<(), OpenError> {
    if known.namespace == new.namespace {
        return Err(OpenError::NamespaceTaken {
            namespace: new.namespace.clone(),
            first: known.path.clone(),
            second: new.path.clone(),
        });
    }
    if known.real_path == new.real_path {
        return Err(OpenError::OpenTwice {
            path: new.path.clone(),
            first: known.namespace.clone(),
            second: new.namespace.clone(),
        });
    }
    Ok(())
}

fn heading(folder: &Folder, file: &PageFile) -> String {
    format!("<!-- {}: {} -->\n", folder.namespace, file.path.display())
}
