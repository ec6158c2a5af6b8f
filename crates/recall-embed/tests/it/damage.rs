//! Every way the library and the files of a model can be bad: a typed error each time, soon, in a
//! process that would otherwise have died.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use recall_embed::Home;
use tempfile::TempDir;

use crate::installed::{MINILM, embedder, model};
use crate::process::{Task, run};

/// A home with copies of the real library and model, to be damaged.
struct Copy(TempDir);

impl Copy {
    fn new() -> Copy {
        embedder(MINILM);
        let copy = Copy(tempfile::tempdir().unwrap());
        copy_folder(&Home::from_env().path().join("runtime"), &copy.0.path().join("runtime"));
        copy_folder(&model(MINILM).dir, &copy.model());
        copy
    }

    fn model(&self) -> PathBuf {
        self.0.path().join("models").join(MINILM)
    }

    /// The library.
    fn library(&self) -> PathBuf {
        let version = only(&self.0.path().join("runtime"));
        only(&version)
    }

    fn ask(&self, variables: &[(&str, &str)]) -> String {
        run(Task::Ask, self.0.path(), MINILM, variables)
    }
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().flatten() {
        let target = to.join(entry.file_name());
        match entry.path().is_dir() {
            true => copy_folder(&entry.path(), &target),
            false => drop(fs::copy(entry.path(), target).unwrap()),
        }
    }
}

fn only(folder: &Path) -> PathBuf {
    fs::read_dir(folder).unwrap().next().unwrap().unwrap().path()
}

fn cut(path: &Path) {
    let bytes = fs::read(path).unwrap();
    fs::write(path, &bytes[..bytes.len() / 2]).unwrap();
}

fn flip(path: &Path) {
    let mut bytes = fs::read(path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(path, bytes).unwrap();
}

fn check(damage: impl Fn(&Copy), expected: &str) {
    let copy = Copy::new();
    damage(&copy);
    let result = copy.ask(&[]);
    assert!(result.starts_with(expected), "{result}");
}

#[test]
fn an_undamaged_copy_works() {
    check(|_| {}, "Ok");
}

#[test]
fn damaged_files_are_named() {
    check(|copy| fs::remove_file(copy.library()).unwrap(), "NoRuntime");
    check(|copy| cut(&copy.library()), "Damaged");
    check(|copy| flip(&copy.library()), "Damaged");
    check(|copy| fs::write(copy.library(), "garbage").unwrap(), "Damaged");
    check(|copy| fs::remove_dir_all(copy.model()).unwrap(), "NotInstalled");
    check(|copy| fs::remove_file(copy.model().join("installed.json")).unwrap(), "NotInstalled");
    check(|copy| fs::write(copy.model().join("installed.json"), "{}").unwrap(), "Damaged");
    check(|copy| cut(&copy.model().join("model.onnx")), "Damaged");
    check(|copy| flip(&copy.model().join("model.onnx")), "Damaged");
    check(|copy| fs::remove_file(copy.model().join("model.onnx")).unwrap(), "Damaged");
    check(|copy| cut(&copy.model().join("tokenizer.json")), "Damaged");
    check(|copy| flip(&copy.model().join("tokenizer.json")), "Damaged");
}

/// The runtime keeps an id of the machine and unsent events in the cache folder.
#[test]
fn the_runtime_tells_nobody() {
    let cache = tempfile::tempdir().unwrap();
    let variables = ["XDG_CACHE_HOME", "HOME"].map(|name| (name, cache.path().to_str().unwrap()));
    assert_eq!(Copy::new().ask(&variables), "Ok");
    assert_eq!(fs::read_dir(cache.path()).unwrap().count(), 0);
}

#[test]
fn a_file_that_was_checked_is_checked_again_when_it_changes() {
    let copy = Copy::new();
    assert_eq!(copy.ask(&[]), "Ok");
    assert!(copy.0.path().join("verified.json").exists());
    flip(&copy.model().join("model.onnx"));
    assert!(copy.ask(&[]).starts_with("Damaged"));
}

/// A library of the user's own, through either variable.
fn check_own(library: &Path, expected: &str) {
    let copy = Copy::new();
    for variable in ["RECALL_ORT", "ORT_DYLIB_PATH"] {
        let result = copy.ask(&[(variable, library.to_str().unwrap())]);
        assert!(result.starts_with(expected), "{variable}={}: {result}", library.display());
    }
}

#[test]
fn a_library_of_ones_own_is_used_or_refused() {
    let copy = Copy::new();
    let folder = tempfile::tempdir().unwrap();
    let own = folder.path().join("own-library");
    check_own(&copy.library(), "Ok");
    check_own(&own, "NoRuntime");
    check_own(folder.path(), "NoRuntime");
    fs::write(&own, "garbage").unwrap();
    check_own(&own, "RuntimeLoad");
    fs::write(&own, "").unwrap();
    check_own(&own, "RuntimeLoad");
    fs::copy(copy.library(), &own).unwrap();
    cut(&own);
    check_own(&own, if cfg!(target_os = "linux") { "Damaged" } else { "RuntimeLoad" });
}

/// Compiles a library that calls itself ONNX Runtime and answers for its version with `version`.
fn imposter(folder: &Path, version: &str) -> PathBuf {
    let source = folder.join("imposter.rs");
    let library = folder.join("imposter");
    let code = format!(
        r#"#![allow(non_snake_case)]
        #[repr(C)]
        pub struct Base {{ api: extern "C" fn(u32) -> *const u8, version: extern "C" fn() -> *const u8 }}
        extern "C" fn api(_: u32) -> *const u8 {{ std::ptr::null() }}
        extern "C" fn version() -> *const u8 {{ {version} }}
        static BASE: Base = Base {{ api, version }};
        #[unsafe(no_mangle)]
        pub extern "C" fn OrtGetApiBase() -> *const Base {{ &BASE }}"#
    );
    fs::write(&source, code).unwrap();
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let mut command = Command::new(rustc);
    command.args(["--edition", "2024", "--crate-type", "cdylib", "-o"]).arg(&library).arg(&source);
    assert!(command.status().unwrap().success());
    library
}

#[test]
fn an_old_library_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let library = imposter(folder.path(), r#"c"1.19.2".as_ptr().cast()"#);
    check_own(&library, "RuntimeLoad");
    let result = Copy::new().ask(&[("RECALL_ORT", library.to_str().unwrap())]);
    assert!(result.contains("1.19.2"), "{result}");
}

#[test]
fn a_library_that_panics_in_ort_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    // The right version, and then no interface at all.
    let library = imposter(folder.path(), r#"c"1.32.0".as_ptr().cast()"#);
    check_own(&library, "RuntimeLoad");
}

#[test]
fn a_library_that_hangs_is_given_up() {
    let folder = tempfile::tempdir().unwrap();
    let hang = "loop { std::thread::sleep(std::time::Duration::from_secs(60)) }";
    let library = imposter(folder.path(), hang);
    let variables = [("RECALL_ORT", library.to_str().unwrap())];
    let result = run(Task::Ask, Copy::new().0.path(), MINILM, &variables);
    assert!(result.starts_with("Hang"), "{result}");
}
