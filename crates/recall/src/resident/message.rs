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

/// Version of the envelope, which every build must understand of every other.
const PROTOCOL: u32 = 1;
/// Bytes that a call may have: many times the longest question.
pub(super) const CALL_BYTES: u64 = 1 << 20;
/// Bytes that a reply may have: documents in full can be long.
pub(super) const REPLY_BYTES: u64 = 1 << 29;

/// A call with what must agree before it can be understood or answered.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Envelope<C> {
    protocol: u32,
    build: String,
    surroundings: String,
    /// The call; of another build it may be anything.
    pub call: C,
}

/// A request. Other builds understand `status` and `stop` too.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Call {
    /// An answer, from this generation of the index or a later one.
    Query {
        /// The question.
        query: Box<Query>,
        /// Identity of the manifest that the caller saw.
        generation: String,
    },
    /// Make the vectors that an index lacks.
    Embed(Job),
    /// Let go of an index that is being written, so that the caller can write it.
    Release {
        /// The index.
        folder: PathBuf,
    },
    /// Say how it is.
    Status,
    /// End.
    Stop,
}

/// A reply.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Reply {
    /// Still at it; another reply follows.
    Working,
    /// The answer to a question.
    Answer(Box<Answer>),
    /// Done, or taken on.
    Done,
    /// There was nothing to do.
    Nothing,
    /// How it is.
    Status(Status),
    /// The caller had better do it itself.
    Declined,
    /// The resident process is another build; it ends, unless only its status was asked for.
    OtherBuild,
}

impl<C> Envelope<C> {
    /// `call` from this process; `None` where the system does not say what program runs.
    pub(super) fn new(call: C) -> Option<Self> {
        Some(Self { protocol: PROTOCOL, build: build()?, surroundings: surroundings(), call })
    }

    /// Whether both are the same program.
    pub(super) fn is_same_build<D>(&self, other: &Envelope<D>) -> bool {
        self.protocol == other.protocol && self.build == other.build
    }

    /// Whether both use the same models and the same runtime.
    pub(super) fn has_same_surroundings<D>(&self, other: &Envelope<D>) -> bool {
        self.surroundings == other.surroundings
    }
}

/// Tells this program from every other build, and from one that replaced it on disk.
fn build() -> Option<String> {
    // The link names the program that runs, even if its file was replaced since.
    let running = Path::new("/proc/self/exe");
    let metadata =
        std::fs::metadata(running).or_else(|_| std::fs::metadata(std::env::current_exe()?)).ok()?;
    let (device, inode, bytes) = (metadata.dev(), metadata.ino(), metadata.len());
    let changed = (metadata.mtime(), metadata.mtime_nsec());
    Some(format!("{} {device} {inode} {bytes} {changed:?}", env!("CARGO_PKG_VERSION")))
}

/// The parts of the environment that decide which model and runtime answer.
fn surroundings() -> String {
    let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let home = absolute(Home::from_env().path());
    let named = |name| std::env::var_os(name).map(|path| absolute(Path::new(&path)));
    format!("{home:?} {:?} {:?}", named("RECALL_ORT"), named("ORT_DYLIB_PATH"))
}

/// A value as a line.
pub(super) fn line(value: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(value)?;
    line.push(b'\n');
    Ok(line)
}

/// Writes a value as a line.
pub(super) fn write(mut stream: &UnixStream, value: &impl Serialize) -> io::Result<()> {
    stream.write_all(&line(value)?)
}

/// Reads lines from one end of a connection.
pub(super) struct Lines<'a> {
    stream: BufReader<io::Take<&'a UnixStream>>,
}

impl<'a> Lines<'a> {
    /// Lines that have `limit` bytes at the most together.
    pub(super) fn new(stream: &'a UnixStream, limit: u64) -> Self {
        Self { stream: BufReader::new(stream.take(limit)) }
    }

    /// The next value.
    ///
    /// # Errors
    /// The other side is silent or gone, said too much, or what it said is no such value.
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
