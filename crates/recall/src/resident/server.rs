//! Server of the resident process: accepts callers, serves each on its own threads, and exits when
//! nobody has called for a while or another build calls.

use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use recall_index::Manifest;
use recall_query::{Engine, Query};

use super::job::Jobs;
use super::message::{self, CALL_BYTES, Call, Envelope, Lines, Reply};
use super::socket::{self, Seat};
use super::status::Status;
use crate::failure::Failure;
use crate::stop;

/// Maximum number of callers served at once; any more are turned away and do their own work.
const CALLERS: usize = 64;
/// Interval between checks whether to exit.
const TICK: Duration = Duration::from_secs(1);
/// Interval between signs of life while a caller waits.
const BEAT: Duration = Duration::from_secs(1);
/// A caller that neither sends nor reads for this long is dropped.
const SILENCE: Duration = Duration::from_secs(10);
/// Time that callers being served have to finish when the process exits.
const FAREWELL: Duration = Duration::from_secs(5);

/// State shared by all threads.
struct Server {
    seat: Seat,
    envelope: Envelope<()>,
    engine: Arc<Engine>,
    jobs: Arc<Jobs>,
    since: jiff::Timestamp,
    answered: AtomicU64,
    callers: AtomicUsize,
    last_call: Mutex<Instant>,
    is_leaving: AtomicBool,
}

/// Detaches from the terminal, so that neither Ctrl-C nor closing it ends this process.
pub(crate) fn detach() {
    let _ = nix::unistd::setsid();
}

/// Runs the resident process until it is told to stop, or nobody has called for `idle`. Returns
/// `false` if another resident process is already running.
pub(crate) fn serve(idle: Option<Duration>, patience: Duration) -> Result<bool, Failure> {
    let folder = socket::folder()?;
    let Some(seat) = Seat::take(&folder, patience)? else { return Ok(false) };
    let listener = seat.listen()?;
    let envelope = Envelope::new(())
        .ok_or_else(|| Failure::usage("the system does not say which program this is"))?;
    std::panic::set_hook(Box::new(|info| eprintln!("{info}")));
    eprintln!("process {} listens on {}", std::process::id(), seat.socket().display());
    let server = Arc::new(Server {
        seat,
        envelope,
        engine: Arc::new(Engine::new()),
        jobs: Arc::default(),
        since: jiff::Timestamp::now(),
        answered: AtomicU64::new(0),
        callers: AtomicUsize::new(0),
        last_call: Mutex::new(Instant::now()),
        is_leaving: AtomicBool::new(false),
    });
    server.let_in(&listener, idle);
    server.say_farewell();
    Ok(true)
}

/// A caller being served; counted for as long as any thread works for it.
struct Caller {
    server: Arc<Server>,
}

impl Caller {
    fn new(server: &Arc<Server>) -> Self {
        server.callers.fetch_add(1, Ordering::Relaxed);
        Self { server: server.clone() }
    }
}

impl Drop for Caller {
    fn drop(&mut self) {
        *self.server.last_call.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
        self.server.callers.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Server {
    fn let_in(self: &Arc<Self>, listener: &UnixListener, idle: Option<Duration>) {
        let is_told = || stop::flag().load(Ordering::Relaxed) || self.is_leaving();
        while !is_told() && !idle.is_some_and(|idle| self.is_idle_for(idle)) {
            if !socket::has_caller(listener, TICK) {
                continue;
            }
            match listener.accept() {
                Ok((stream, _)) => self.admit(stream),
                // Too many open files, for instance: room is made when callers finish.
                Err(_) => thread::sleep(Duration::from_millis(20)),
            }
        }
    }

    fn is_leaving(&self) -> bool {
        self.is_leaving.load(Ordering::Relaxed)
    }

    fn is_idle_for(&self, time: Duration) -> bool {
        self.callers.load(Ordering::Relaxed) == 0
            && self.jobs.is_empty()
            && self.last_call.lock().unwrap_or_else(PoisonError::into_inner).elapsed() > time
    }

    fn say_farewell(&self) {
        self.seat.close();
        self.jobs.release(None);
        let since = Instant::now();
        while self.callers.load(Ordering::Relaxed) > 0 && since.elapsed() < FAREWELL {
            thread::sleep(Duration::from_millis(5));
        }
    }

    fn admit(self: &Arc<Self>, stream: UnixStream) {
        // On some systems a stream inherits non-blocking mode from the listener.
        let ready = stream.set_nonblocking(false).is_ok()
            && stream.set_read_timeout(Some(SILENCE)).is_ok()
            && stream.set_write_timeout(Some(SILENCE)).is_ok();
        if !ready || !socket::is_own(&stream) || self.callers.load(Ordering::Relaxed) >= CALLERS {
            return;
        }
        let caller = Caller::new(self);
        // Without a thread the connection closes, and the caller does its own work.
        let _ = thread::Builder::new().spawn(move || serve_caller(caller, &stream));
    }

    /// Starts to exit: removes the socket first, so that callers told so do not connect here again.
    fn leave(&self) {
        self.is_leaving.store(true, Ordering::Relaxed);
        // An empty connection wakes the thread that accepts callers.
        let _ = UnixStream::connect(self.seat.socket());
        self.seat.close();
    }

    fn status(&self) -> Status {
        Status {
            process: std::process::id(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            since: self.since.to_string(),
            socket: self.seat.socket(),
            answered: self.answered.load(Ordering::Relaxed),
            // The caller asking for the status is not counted.
            callers: self.callers.load(Ordering::Relaxed).saturating_sub(1),
            indexes: self.engine.open_indexes(),
            models: self.engine.models().loaded_ids(),
            jobs: self.jobs.status(),
        }
    }

    /// Answers a question, or declines if the caller sees a different index in this folder than
    /// this process does, or a newer one.
    fn answer(&self, query: &Query, generation: &str) -> Reply {
        if Manifest::identity(&query.folder).ok().as_deref() != Some(generation) {
            return Reply::Declined;
        }
        match self.engine.answer(query) {
            Ok(answer) => {
                self.answered.fetch_add(1, Ordering::Relaxed);
                Reply::Answer(Box::new(answer))
            }
            // The caller will meet the same error and report it.
            Err(_) => Reply::Declined,
        }
    }
}

fn serve_caller(caller: Caller, stream: &UnixStream) {
    // Anything that is not a call gets no reply.
    let Ok(envelope) = Lines::new(stream, CALL_BYTES).next() else { return };
    let reply = reply(caller, envelope, stream);
    let _ = message::write(stream, &reply).or_else(|_| message::write(stream, &Reply::Declined));
}

fn reply(caller: Caller, envelope: Envelope<serde_json::Value>, stream: &UnixStream) -> Reply {
    let server = caller.server.clone();
    if !server.envelope.is_same_build(&envelope) {
        if envelope.call != "status" {
            server.leave();
        }
        return Reply::OtherBuild;
    }
    let is_alike = server.envelope.has_same_surroundings(&envelope);
    let Ok(call) = serde_json::from_value(envelope.call) else { return Reply::Declined };
    match call {
        Call::Status => Reply::Status(server.status()),
        Call::Stop => {
            server.leave();
            Reply::Done
        }
        Call::Release { folder } => patiently(caller, stream, move |server| {
            if server.jobs.release(Some(&folder)) { Reply::Done } else { Reply::Nothing }
        }),
        Call::Query { .. } | Call::Embed(_) if !is_alike || server.is_leaving() => Reply::Declined,
        Call::Embed(job) => {
            if server.jobs.add(job, &server.engine) {
                Reply::Done
            } else {
                Reply::Declined
            }
        }
        Call::Query { query, generation } => {
            let (fast, folder) = (query.fast, query.folder.clone());
            let reply = patiently(caller, stream, move |server| server.answer(&query, &generation));
            if fast {
                load_behind(&server, folder);
            }
            reply
        }
    }
}

/// Does work on another thread, sending the caller a sign of life every second. A panic in it ends
/// that thread only.
fn patiently(
    caller: Caller,
    stream: &UnixStream,
    work: impl FnOnce(&Server) -> Reply + Send + 'static,
) -> Reply {
    let (send, receive) = mpsc::channel();
    let spawned = thread::Builder::new().spawn(move || {
        // The caller may be gone, and the reply unwanted.
        let _ = send.send(work(&caller.server));
    });
    if spawned.is_err() {
        return Reply::Declined;
    }
    loop {
        match receive.recv_timeout(BEAT) {
            Ok(reply) => return reply,
            Err(RecvTimeoutError::Disconnected) => return Reply::Declined,
            // The caller is gone: the work goes on and its result is dropped.
            Err(RecvTimeoutError::Timeout) if message::write(stream, &Reply::Working).is_err() => {
                return Reply::Declined;
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}

/// Loads, in the background, the model that a `--fast` query did without.
fn load_behind(server: &Arc<Server>, folder: std::path::PathBuf) {
    let caller = Caller::new(server);
    let _ = thread::Builder::new().spawn(move || {
        if let Err(failure) = caller.server.engine.load(&folder) {
            eprintln!("{}: {failure}", folder.display());
        }
    });
}
