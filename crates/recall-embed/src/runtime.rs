//! The ONNX Runtime library: found, checked, then loaded, once in a process.
//!
//! Checked first because loading is where it hurts: a library cut short kills the process with
//! SIGBUS, and without an explicit path `ort` panics when there is none.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError, mpsc};
use std::time::Duration;
use std::{env, fs, thread};

use ort::environment::Environment;
use ort::logging::LogLevel;

use crate::catalogue::ModelCatalogue;
use crate::checksum::Checksum;
use crate::elf;
use crate::error::{Damage, EmbedError};
use crate::file_state::{FileState, State};
use crate::home::Home;

/// Loading takes 30 ms; `ort` has hung for ever on some machines.
const PATIENCE: Duration = Duration::from_secs(10);

/// Environment variables that name a library of the user's own, the stronger first.
const OWN: [&str; 2] = ["RECALL_ORT", "ORT_DYLIB_PATH"];

/// The runtime this process loaded: the `ort` crate allows one.
static LOADED: Mutex<Loaded> = Mutex::new(Loaded::No);

enum Loaded {
    No,
    Yes(PathBuf, Environment),
    Hung(PathBuf),
}

/// Where the library is, and what it must be if we fetched it.
#[derive(Debug)]
pub(crate) struct Library {
    pub(crate) path: PathBuf,
    checksum: Option<Checksum>,
}

impl Library {
    /// The user's own library if one is named, else the catalogue's in `home`.
    pub(crate) fn locate(home: &Home, catalogue: &ModelCatalogue) -> Result<Library, EmbedError> {
        let own = OWN.iter().filter_map(env::var_os).find(|path| !path.is_empty());
        if let Some(path) = own {
            let path = PathBuf::from(path);
            return Ok(Library { path: fs::canonicalize(&path).unwrap_or(path), checksum: None });
        }
        let file = &catalogue.runtime()?.file;
        let path = home.runtime_dir(&file.version).join(file.name());
        let path = std::path::absolute(&path).unwrap_or(path);
        Ok(Library { path, checksum: Some(file.into()) })
    }

    /// Whether the user named it.
    pub(crate) fn is_own(&self) -> bool {
        self.checksum.is_none()
    }

    /// Whether it is safe to load.
    pub(crate) fn check(&self, home: &Home) -> Result<(), EmbedError> {
        if !self.path.is_file() {
            return Err(EmbedError::NoRuntime { path: self.path.clone() });
        }
        match &self.checksum {
            Some(checksum) => checksum.check_once(home, &self.path),
            None => whole(&self.path),
        }
    }
}

/// How the library is, all of it read.
pub(crate) fn state(home: &Home, catalogue: &ModelCatalogue) -> Result<FileState, EmbedError> {
    let library = Library::locate(home, catalogue)?;
    Ok(match &library.checksum {
        Some(checksum) => FileState::of(library.path, checksum),
        None if library.path.is_file() => {
            let state = match whole(&library.path) {
                Err(EmbedError::Damaged { why, .. }) => State::Damaged(why),
                _ => State::Own,
            };
            FileState { path: library.path, state }
        }
        None => FileState { path: library.path, state: State::Missing },
    })
}

/// The loaded runtime. The first call loads it; every later one gets the same.
pub(crate) fn environment(home: &Home) -> Result<Environment, EmbedError> {
    let library = Library::locate(home, &ModelCatalogue::of(home)?)?;
    let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
    match &*loaded {
        Loaded::Yes(path, environment) if *path == library.path => return Ok(environment.clone()),
        Loaded::Yes(in_use, _) => {
            let in_use = in_use.clone();
            return Err(EmbedError::OtherRuntime { path: library.path, in_use });
        }
        Loaded::Hung(path) => {
            return Err(EmbedError::Hang { path: path.clone(), after: PATIENCE });
        }
        Loaded::No => {}
    }
    library.check(home)?;
    let result = watched(&library.path);
    match &result {
        Ok(environment) => *loaded = Loaded::Yes(library.path, environment.clone()),
        Err(EmbedError::Hang { .. }) => *loaded = Loaded::Hung(library.path),
        Err(_) => {}
    }
    result
}

/// Loads on a thread of its own and waits so long: one that hangs is left behind.
fn watched(path: &Path) -> Result<Environment, EmbedError> {
    let (send, receive) = mpsc::channel();
    let library = path.to_owned();
    thread::spawn(move || send.send(load(&library)));
    match receive.recv_timeout(PATIENCE) {
        Ok(result) => result,
        Err(mpsc::RecvTimeoutError::Timeout) => {
            Err(EmbedError::Hang { path: path.to_owned(), after: PATIENCE })
        }
        Err(mpsc::RecvTimeoutError::Disconnected) => Err(EmbedError::RuntimeLoad {
            path: path.to_owned(),
            cause: "loading it panicked".to_owned(),
        }),
    }
}

fn load(path: &Path) -> Result<Environment, EmbedError> {
    forbid_telemetry();
    let refused = |cause: String| EmbedError::RuntimeLoad { path: path.to_owned(), cause };
    let builder = ort::init_from(path).map_err(|e| refused(e.to_string()))?;
    let built = builder.with_name("recall").with_telemetry(false).build();
    let environment = built.map_err(|e| refused(e.to_string()))?;
    // What fails comes back as an error; the runtime need not print it too.
    environment.set_log_level(LogLevel::Fatal);
    Ok(environment)
}

/// Since 1.29 the runtime sends the names and hashes of models to its maker, from Linux and macOS too,
/// and begins as its environment is built: too early for `with_telemetry` alone. What is searched here
/// is nobody else's business.
fn forbid_telemetry() {
    for name in ["ORT_DISABLE_TELEMETRY", "ORT_TELEMETRY_DISABLED"] {
        if env::var_os(name).is_none() {
            // SAFETY: this races only with foreign code that reads the environment on another thread.
            // Of ours there is none yet (the runtime is loaded after this), and Rust's own readers
            // take the same lock.
            unsafe { env::set_var(name, "1") }
        }
    }
}

/// Whether a library we know no hash of ends where its own headers say.
fn whole(path: &Path) -> Result<(), EmbedError> {
    let bytes = fs::metadata(path).map_err(EmbedError::io(path))?.len();
    match elf::end(path).map_err(EmbedError::io(path))? {
        Some(expected) if expected > bytes => Err(EmbedError::Damaged {
            path: path.to_owned(),
            why: Damage::Cut { expected, got: bytes },
        }),
        _ => Ok(()),
    }
}
