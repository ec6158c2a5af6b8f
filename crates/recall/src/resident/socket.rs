//! Where the resident process is met: a socket and a lock in a folder of this user's own.

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

/// Name of the lock in the runtime folder.
const LOCK: &str = "resident.lock";
/// A full backlog holds a caller up; one that is held up goes elsewhere.
const CONNECT_PATIENCE: Duration = Duration::from_secs(2);
/// Between two attempts to become the resident process.
const LOCK_TICK: Duration = Duration::from_millis(10);
/// More than this is kept of no log.
const LOG_BYTES: u64 = 1 << 20;

/// The runtime folder, made if need be: `recall` in `XDG_RUNTIME_DIR`, else `recall-UID` in the
/// system's folder for temporary files.
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

/// The socket in the runtime folder.
pub(super) fn path(folder: &Path) -> PathBuf {
    folder.join("resident.sock")
}

/// Where the resident process writes what went wrong, opened to be added to.
pub(super) fn log(folder: &Path) -> std::io::Result<File> {
    let path = folder.join("resident.log");
    let file = OpenOptions::new().create(true).append(true).mode(0o600).open(path)?;
    if file.metadata()?.len() > LOG_BYTES {
        file.set_len(0)?;
    }
    Ok(file)
}

/// A connection to the resident process, if one of this user listens.
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

/// Whether the other end is a process of this user.
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

/// Waits until `listener` has a caller, or for `patience`.
pub(super) fn has_caller(listener: &UnixListener, patience: Duration) -> bool {
    let mut watched = [PollFd::new(listener.as_fd(), PollFlags::POLLIN)];
    let patience = PollTimeout::try_from(patience).unwrap_or(PollTimeout::MAX);
    poll(&mut watched, patience).is_ok_and(|ready| ready > 0)
}

/// Whether a process has the place of the resident one.
pub(super) fn is_seated(folder: &Path) -> bool {
    let lock = OpenOptions::new().write(true).open(folder.join(LOCK));
    lock.is_ok_and(|lock| matches!(lock.try_lock(), Err(TryLockError::WouldBlock)))
}

/// The place of the one resident process, held for as long as the value lives. The lock is the
/// kernel's, so a killed process leaves none behind.
pub(super) struct Seat {
    folder: PathBuf,
    _lock: File,
}

impl Seat {
    /// Takes the place; `None` if another process has it and listens, or does not leave it in time.
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
                // One that ends takes its socket away first.
                Err(TryLockError::WouldBlock)
                    if since.elapsed() > patience || connect(folder).is_some() =>
                {
                    return Ok(None);
                }
                Err(TryLockError::WouldBlock) => thread::sleep(LOCK_TICK),
                Err(TryLockError::Error(error)) => return Err(Failure::io("lock", &path)(error)),
            }
        }
        // For people who look; nothing reads it.
        let _ = lock.set_len(0).and_then(|()| writeln!(lock, "process {}", std::process::id()));
        Ok(Some(Self { folder: folder.to_owned(), _lock: lock }))
    }

    /// Listens, in place of whoever was killed here.
    pub(super) fn listen(&self) -> Result<UnixListener, Failure> {
        let path = self.socket();
        let _ = fs::remove_file(&path);
        let listener = UnixListener::bind(&path).map_err(Failure::io("listen on", &path))?;
        fs::set_permissions(&path, Permissions::from_mode(0o600))
            .and_then(|()| listener.set_nonblocking(true))
            .map_err(Failure::io("listen on", &path))?;
        Ok(listener)
    }

    /// Where it listens.
    pub(super) fn socket(&self) -> PathBuf {
        path(&self.folder)
    }

    /// Takes the socket away: nobody finds the way here any more.
    pub(super) fn close(&self) {
        let _ = fs::remove_file(self.socket());
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.close();
    }
}
