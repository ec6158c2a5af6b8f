//! Messages exchanged over the socket: one JSON value per line, the caller first.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use recall_embed::Home;
use recall_query::{Answer, Query};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::status::{Job, Status};

/// Version of the envelope, which every build must be able to read from any other.
const PROTOCOL: u32 = 1;
/// Maximum size of a call in bytes: many times the longest question.
pub(super) const CALL_BYTES: u64 = 1 << 20;
/// Maximum size of a reply in bytes: documents in full can be long.
pub(super) const REPLY_BYTES: u64 = 1 << 29;

/// A call, together with what must match before it can be understood or answered.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Envelope<C> {
    protocol: u32,
    build: String,
    surroundings: String,
    /// The call; from another build it may be anything.
    pub call: C,
}

/// A caller's request. Another build understands `status` and `stop` too.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Call {
    /// Answer a question from this generation of the index or a later one.
    Query {
        /// The question.
        query: Box<Query>,
        /// Identity of the manifest that the caller saw.
        generation: String,
    },
    /// Make the vectors that an index lacks.
    Embed(Job),
    /// Stop writing an index, so that the caller can write it.
    Release {
        /// The index.
        folder: PathBuf,
    },
    /// Report the status of the process.
    Status,
    /// Stop the process.
    Stop,
}

/// The reply to a call.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Reply {
    /// Still working; another reply follows.
    Working,
    /// The answer to a question.
    Answer(Box<Answer>),
    /// The work is done, or the job was accepted.
    Done,
    /// There was nothing to do.
    Nothing,
    /// The status of the process.
    Status(Status),
    /// Not done: the caller should do it itself.
    Declined,
    /// The resident process is another build; it exits, unless only its status was asked for.
    OtherBuild,
}

impl<C> Envelope<C> {
    /// Wraps `call` from this process; `None` if the system does not say which program is running.
    pub(super) fn new(call: C) -> Option<Self> {
        Some(Self { protocol: PROTOCOL, build: build()?, surroundings: surroundings(), call })
    }

    /// Whether both come from the same program.
    pub(super) fn is_same_build<D>(&self, other: &Envelope<D>) -> bool {
        self.protocol == other.protocol && self.build == other.build
    }

    /// Whether both use the same models and the same runtime.
    pub(super) fn has_same_surroundings<D>(&self, other: &Envelope<D>) -> bool {
        self.surroundings == other.surroundings
    }
}

/// Returns an identity that differs for every other build, and for a file that replaced this one on
/// disk.
fn build() -> Option<String> {
    // The link names the running program, even if its file has been replaced since.
    let running = Path::new("/proc/self/exe");
    let metadata =
        std::fs::metadata(running).or_else(|_| std::fs::metadata(std::env::current_exe()?)).ok()?;
    let (device, inode, bytes) = (metadata.dev(), metadata.ino(), metadata.len());
    let changed = (metadata.mtime(), metadata.mtime_nsec());
    Some(format!("{} {device} {inode} {bytes} {changed:?}", env!("CARGO_PKG_VERSION")))
}

/// Returns the part of the environment that decides which model and runtime answer.
fn surroundings() -> String {
    let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let home = absolute(Home::from_env().path());
    let named = |name| std::env::var_os(name).map(|path| absolute(Path::new(&path)));
    format!("{home:?} {:?} {:?}", named("RECALL_ORT"), named("ORT_DYLIB_PATH"))
}

/// Serializes a value as one line.
pub(super) fn line(value: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(value)?;
    line.push(b'\n');
    Ok(line)
}

/// Writes a value as one line.
pub(super) fn write(mut stream: &UnixStream, value: &impl Serialize) -> io::Result<()> {
    stream.write_all(&line(value)?)
}

/// Reads lines from one end of a connection.
pub(super) struct Lines<'a> {
    stream: BufReader<io::Take<&'a UnixStream>>,
}

impl<'a> Lines<'a> {
    /// Creates a reader of at most `limit` bytes over all lines.
    pub(super) fn new(stream: &'a UnixStream, limit: u64) -> Self {
        Self { stream: BufReader::new(stream.take(limit)) }
    }

    /// Reads the next value.
    ///
    /// # Errors
    /// The other side is silent or gone, sent too much, or sent something that is not such a value.
    pub(super) fn next<T: DeserializeOwned>(&mut self) -> io::Result<T> {
        let mut line = Vec::new();
        self.stream.read_until(b'\n', &mut line)?;
        if line.last() != Some(&b'\n') {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(serde_json::from_slice(&line)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Reads a call from these bytes, as the server does.
    fn read(bytes: &[u8], limit: u64) -> io::Result<Envelope<serde_json::Value>> {
        let (here, there) = UnixStream::pair()?;
        (&here).write_all(bytes)?;
        drop(here);
        Lines::new(&there, limit).next()
    }

    #[test]
    fn what_was_written_is_read() {
        let sent = Envelope::new(Call::Release { folder: "/a b/\u{2028}".into() }).unwrap();
        let read = read(&line(&sent).unwrap(), CALL_BYTES).unwrap();
        assert!(read.is_same_build(&sent) && read.has_same_surroundings(&sent));
        let call: Call = serde_json::from_value(read.call).unwrap();
        assert!(matches!(call, Call::Release { folder } if folder == Path::new("/a b/\u{2028}")));
    }

    #[test]
    fn a_call_is_one_whole_line_within_its_limit() {
        let sent = line(&Envelope::new(Call::Status).unwrap()).unwrap();
        assert!(read(&sent, sent.len() as u64).is_ok());
        assert!(read(&sent, sent.len() as u64 - 1).is_err());
        for cut in 0..sent.len() {
            assert!(read(&sent[..cut], CALL_BYTES).is_err(), "cut at {cut}");
        }
    }

    proptest! {
        #[test]
        fn no_bytes_are_too_strange_to_be_refused(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            if let Ok(envelope) = read(&bytes, CALL_BYTES) {
                let _ = serde_json::from_value::<Call>(envelope.call);
            }
        }
    }
}
