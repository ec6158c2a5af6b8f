//! One generation of an index, opened to read: no lock, and never half of one and half of another.

use std::path::{Path, PathBuf};

use crate::catalogue::SourceCatalogue;
use crate::error::IndexError;
use crate::keyword::KeywordReader;
use crate::manifest::{COMPONENTS, KEYWORD, Manifest};
use crate::vectors::Vectors;
use crate::verified::Verified;

/// How often a reader tries again when a writer swept a file it was about to open.
const TRIES: usize = 20;

/// An opened generation.
pub struct Snapshot {
    folder: PathBuf,
    manifest: Manifest,
    keyword: KeywordReader,
    vectors: Result<Option<Vectors>, IndexError>,
}

impl Snapshot {
    /// Opens the current generation of the index in `folder`. A damaged vector side does not keep
    /// the keyword side from answering: see [`Self::vectors`].
    ///
    /// # Errors
    /// [`IndexError::Missing`], [`IndexError::OtherFormat`], or [`IndexError::Damaged`] on the
    /// keyword side.
    pub fn open(folder: &Path) -> Result<Self, IndexError> {
        let mut manifest = Manifest::read(folder)?;
        let mut tries = 0;
        loop {
            let opened = Self::open_generation(folder, manifest.clone());
            let good = opened.as_ref().is_ok_and(|snapshot| snapshot.vectors.is_ok());
            if good || tries == TRIES {
                return opened;
            }
            // A writer may have swept a file between the manifest and here; then there is a newer
            // generation, and that one is whole.
            let newer = Manifest::read(folder)?;
            if newer.generation == manifest.generation {
                return opened;
            }
            manifest = newer;
            tries += 1;
        }
    }

    fn open_generation(folder: &Path, manifest: Manifest) -> Result<Self, IndexError> {
        let verified = Verified::load(folder);
        for file in &manifest.keyword.files {
            verified.check(KEYWORD, file)?;
        }
        let keyword = KeywordReader::open(&folder.join(KEYWORD), &manifest.keyword)?;
        let vectors = Vectors::open(folder, &manifest, &verified);
        let names: std::collections::HashSet<String> = manifest
            .files()
            .map(|(component, file)| format!("{component}/{}", file.name))
            .collect();
        verified.save(&|name| names.contains(name));
        Ok(Self { folder: folder.to_owned(), manifest, keyword, vectors })
    }

    /// The index folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// What the generation is made of.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The keyword side.
    pub fn keyword(&self) -> &KeywordReader {
        &self.keyword
    }

    /// The vector side: `None` if the index has no vectors, or why it cannot be used.
    pub fn vectors(&self) -> Result<Option<&Vectors>, &IndexError> {
        self.vectors.as_ref().map(Option::as_ref)
    }

    /// Reads the catalogue: the files that were read, and what was skipped in them.
    ///
    /// # Errors
    /// [`IndexError::Damaged`], [`IndexError::Io`].
    pub fn catalogue(&self) -> Result<SourceCatalogue, IndexError> {
        SourceCatalogue::load(&self.folder, &self.manifest.catalogue)
    }

    /// Gives the path of the file that a document was read from, by the number of its root and the path
    /// of its source; `None` for a root that there is not. The file may be gone.
    pub fn file_of(&self, root: u32, source: &str) -> Option<PathBuf> {
        let root = self.manifest.roots.get(root as usize)?;
        let is_file = root.file_name().is_some_and(|name| name == source) && !root.is_dir();
        Some(if is_file { root.clone() } else { root.join(source) })
    }

    /// Gives the bytes on disk of each component of the index.
    pub fn sizes(&self) -> Vec<(&'static str, u64)> {
        let size = |component: &'static str| {
            let files = self.manifest.files().filter(|(folder, _)| *folder == component);
            (component, files.map(|(_, file)| file.bytes).sum())
        };
        COMPONENTS.map(size).to_vec()
    }
}
