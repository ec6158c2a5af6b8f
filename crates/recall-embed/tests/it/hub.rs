//! A model hub on the loopback: one thread, `std::net`.

#![cfg(feature = "hub")]

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use recall_embed::{Home, ModelCatalogue};

use crate::installed::{MINILM, embedder, model};
use crate::process::{Task, run};

/// A repository that fastembed knows and of which we have the files by other means.
const REPO: &str = "Qdrant/all-MiniLM-L6-v2-onnx";

/// What a hub is asked, and what it has.
struct Hub {
    endpoint: String,
    asked: Arc<Mutex<Vec<String>>>,
}

/// How many bytes of a body are sent before the line goes dead; `usize::MAX` for all.
type Limit = Arc<AtomicUsize>;

impl Hub {
    fn serve(folder: &Path, limit: &Limit) -> Hub {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let endpoint = format!("http://{}", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (folder, limit, log) = (folder.to_owned(), Arc::clone(limit), Arc::clone(&asked));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let _ = answer(stream, &folder, limit.load(Ordering::Relaxed), &log);
            }
        });
        Hub { endpoint, asked }
    }
}

/// Answers one request: the file under `resolve/main/`, whole or the range asked for.
fn answer(
    stream: TcpStream,
    folder: &Path,
    limit: usize,
    asked: &Mutex<Vec<String>>,
) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream.try_clone()?).lines();
    let request = lines.next().unwrap_or(Ok(String::new()))?;
    let mut range = None;
    for line in lines.by_ref() {
        let line = line?.to_lowercase();
        if line.is_empty() {
            break;
        }
        range = range.or(line.strip_prefix("range: bytes=").map(str::to_owned));
    }
    let path = request.split(' ').nth(1).unwrap_or_default().to_owned();
    asked.lock().unwrap().push(path.clone());
    let name = path.strip_prefix(&format!("/{REPO}/resolve/main/"));
    match name.and_then(|name| fs::read(folder.join(name)).ok()) {
        Some(bytes) => send(stream, &bytes, range.as_deref(), limit),
        None => (&stream)
            .write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"),
    }
}

fn send(
    mut stream: TcpStream,
    bytes: &[u8],
    range: Option<&str>,
    limit: usize,
) -> std::io::Result<()> {
    let (from, to) = range.and_then(|range| range.split_once('-')).unwrap_or(("0", ""));
    let from: usize = from.parse().unwrap_or(0);
    let end = to.parse().map_or(bytes.len(), |to: usize| bytes.len().min(to + 1));
    let part = &bytes[from.min(end)..end];
    let status = if range.is_some() { "206 Partial Content" } else { "200 OK" };
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Length: {}\r\nContent-Range: bytes {from}-{}/{}\r\n\
         ETag: \"{}\"\r\nX-Repo-Commit: 0123456789\r\nConnection: close\r\n\r\n",
        part.len(),
        end.saturating_sub(1),
        bytes.len(),
        bytes.len(),
    )?;
    stream.write_all(&part[..part.len().min(limit)])
}

/// A home with the real library and nothing else.
fn home() -> tempfile::TempDir {
    embedder(MINILM);
    let home = tempfile::tempdir().unwrap();
    let copy = |from: &Path, to: &Path| {
        fs::create_dir_all(to).unwrap();
        for file in fs::read_dir(from).unwrap().flatten() {
            fs::copy(file.path(), to.join(file.file_name())).unwrap();
        }
    };
    for version in fs::read_dir(Home::from_env().path().join("runtime")).unwrap().flatten() {
        copy(&version.path(), &home.path().join("runtime").join(version.file_name()));
    }
    home
}

#[test]
fn a_model_comes_from_the_hub_whole_or_not_at_all() {
    let limit = Limit::new(AtomicUsize::new(usize::MAX));
    let hub = Hub::serve(&model(MINILM).dir, &limit);
    let home = home();
    let variables = [("HF_ENDPOINT", hub.endpoint.as_str())];
    let dir = Home::at(home.path()).model_dir(ModelCatalogue::builtin().find(REPO).unwrap());

    assert!(run(Task::PullOffline, home.path(), REPO, &variables).starts_with("Offline"));
    assert!(hub.asked.lock().unwrap().is_empty(), "offline, and yet asked");

    limit.store(100_000, Ordering::Relaxed);
    assert!(run(Task::Pull, home.path(), REPO, &variables).starts_with("Hub"));
    assert!(!dir.exists(), "a cut download became a model");

    limit.store(usize::MAX, Ordering::Relaxed);
    assert_eq!(run(Task::Pull, home.path(), REPO, &variables), "Ok");
    assert_eq!(run(Task::Ask, home.path(), REPO, &variables), "Ok");
    let files = ["model.onnx", "tokenizer.json"].map(|name| fs::read(dir.join(name)).unwrap());
    let real = model(MINILM);
    assert!(files == [real.onnx(), real.tokenizer()].map(|path| fs::read(path).unwrap()));
}

#[test]
fn a_hub_that_is_not_there_is_an_error() {
    let home = home();
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let endpoint = format!("http://{closed}");
    let result = run(Task::Pull, home.path(), REPO, &[("HF_ENDPOINT", &endpoint)]);
    assert!(result.starts_with("Hub"), "{result}");
}
