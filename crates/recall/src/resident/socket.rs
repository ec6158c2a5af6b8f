//! Manages the runtime folder of the resident process: its socket, lock and log, private to this
//! user.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions, TryLockError};
use std::io::Write;
use std::os::fd::AsFd;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::unistd::{Uid, getuid};

use crate::failure::Failure;

/// Name of the lock file in the runtime folder.
const LOCK: &str = "resident.lock";
/// Maximum time to connect: a full backlog blocks a caller, which then does its own work.
const CONNECT_PATIENCE: Duration = Duration::from_secs(2);
/// Interval between attempts to become the resident process.
const LOCK_TICK: Duration = Duration::from_millis(10);
/// Size in bytes above which the log is emptied.
const LOG_BYTES: u64 = 1 << 20;

/// Returns the runtime folder, creating it if necessary: `recall` in `XDG_RUNTIME_DIR`, else
/// `recall-UID` in the system's folder for temporary files.
///
/// # Errors
/// It is not a folder that only this user can enter.
pub(super) fn folder() -> Result<PathBuf, Failure> {
    let runtime = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
    let runtime = runtime.filter(|folder| folder.is_absolute() && folder.is_dir());
    let folder = match runtime {
        Some(runtime) => runtime.join("recall"),
        None => std::env::temp_dir().join(format!("recall-{}", getuid())),
    };
    match DirBuilder::new().mode(0o700).create(&folder) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => {
            return Err(Failure::io("create", &folder)(error));
        }
        _ => {}
    }
    let metadata = fs::symlink_metadata(&folder).map_err(Failure::io("open", &folder))?;
    let is_private = metadata.is_dir()
        && metadata.uid() == getuid().as_raw()
        && metadata.mode().trailing_zeros() >= 6;
    if !is_private {
        return Err(Failure::usage_hint(
            format!("{} is not a folder that only you can enter", folder.display()),
            "remove it, or: chmod 700",
        ));
    }
    Ok(folder)
}

/// Path of the socket in the runtime folder.
pub(super) fn path(folder: &Path) -> PathBuf {
    folder.join("resident.sock")
}

/// Opens the log of the resident process for appending.
pub(super) fn log(folder: &Path) -> std::io::Result<File> {
    let path = folder.join("resident.log");
    let file = OpenOptions::new().create(true).append(true).mode(0o600).open(path)?;
    if file.metadata()?.len() > LOG_BYTES {
        file.set_len(0)?;
    }
    Ok(file)
}

/// Connects to the resident process, if one of this user is listening.
pub(super) fn connect(folder: &Path) -> Option<UnixStream> {
    let path = path(folder);
    if !path.exists() {
        return None;
    }
    let (send, receive) = mpsc::channel();
    thread::Builder::new().spawn(move || send.send(UnixStream::connect(path))).ok()?;
    let stream = receive.recv_timeout(CONNECT_PATIENCE).ok()?.ok()?;
    is_own(&stream).then_some(stream)
}

/// Whether the process at the other end belongs to this user.
pub(super) fn is_own(stream: &UnixStream) -> bool {
    peer(stream).is_ok_and(|uid| uid == getuid())
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn peer(stream: &UnixStream) -> nix::Result<Uid> {
    use nix::sys::socket::{getsockopt, sockopt::PeerCredentials};
    getsockopt(stream, PeerCredentials).map(|peer| Uid::from_raw(peer.uid()))
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn peer(stream: &UnixStream) -> nix::Result<Uid> {
    nix::unistd::getpeereid(stream).map(|(uid, _)| uid)
}

/// Waits up to `patience` for a caller of `listener`. Returns whether there is one.
pub(super) fn has_caller(listener: &UnixListener, patience: Duration) -> bool {
    let mut watched = [PollFd::new(listener.as_fd(), PollFlags::POLLIN)];
    let patience = PollTimeout::try_from(patience).unwrap_or(PollTimeout::MAX);
    poll(&mut watched, patience).is_ok_and(|ready| ready > 0)
}

/// Whether a process holds the lock of the resident process.
pub(super) fn is_seated(folder: &Path) -> bool {
    let lock = OpenOptions::new().write(true).open(folder.join(LOCK));
    lock.is_ok_and(|lock| matches!(lock.try_lock(), Err(TryLockError::WouldBlock)))
}

/// The role of the one resident process, held for as long as the value lives. The kernel owns the
/// lock, so a killed process leaves none behind.
pub(super) struct Seat {
    folder: PathBuf,
    _lock: File,
}

impl Seat {
    /// Takes the role; `None` if another process holds it and listens, or does not give it up in
    /// time.
    pub(super) fn take(folder: &Path, patience: Duration) -> Result<Option<Self>, Failure> {
        let path = folder.join(LOCK);
        let mut lock = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(&path)
            .map_err(Failure::io("open", &path))?;
        let since = Instant::now();
        loop {
            match lock.try_lock() {
                Ok(()) => break,
                // A process that is exiting removes its socket first.
                Err(TryLockError::WouldBlock)
                    if since.elapsed() > patience || connect(folder).is_some() =>
                {
                    return Ok(None);
                }
                Err(TryLockError::WouldBlock) => thread::sleep(LOCK_TICK),
                Err(TryLockError::Error(error)) => return Err(Failure::io("lock", &path)(error)),
            }
        }
        // For people who look at the file; no program reads it.
        let _ = lock.set_len(0).and_then(|()| writeln!(lock, "process {}", std::process::id()));
        Ok(Some(Self { folder: folder.to_owned(), _lock: lock }))
    }

    /// Opens the socket and listens, replacing a socket that a killed process left behind.
    pub(super) fn listen(&self) -> Result<UnixListener, Failure> {
        let path = self.socket();
        let _ = fs::remove_file(&path);
        let listener = UnixListener::bind(&path).map_err(Failure::io("listen on", &path))?;
        fs::set_permissions(&path, Permissions::from_mode(0o600))
            .and_then(|()| listener.set_nonblocking(true))
            .map_err(Failure::io("listen on", &path))?;
        Ok(listener)
    }

    /// Path of the socket.
    pub(super) fn socket(&self) -> PathBuf {
        path(&self.folder)
    }

    /// Removes the socket, so that no further callers connect.
    pub(super) fn close(&self) {
        let _ = fs::remove_file(self.socket());
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.close();
    }
}
