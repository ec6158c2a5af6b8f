//! Where the files of a model come from.

use std::path::{Path, PathBuf};

use serde::Deserialize;

/// Where the files of a model come from.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum Origin {
    /// Files inside packages of the Python package index.
    Package {
        /// How they become `model.onnx` and `tokenizer.json`.
        form: Form,
        /// The files, in the order the form expects.
        files: Vec<PackageFile>,
    },
    /// A repository on a model hub, one that the embedding library knows.
    Hub {
        /// `owner/name`.
        repo: String,
    },
    /// A local folder with `model.onnx` and `tokenizer.json`.
    Folder {
        /// The folder.
        path: PathBuf,
    },
}

/// How the files of packages become a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// One 4-bit pack with the magic `E5S1`.
    E5s1,
    /// A BERT in safetensors (32-bit floats) and its tokenizer.
    BertSafetensors,
    /// An ONNX model and its tokenizer, as they are.
    Onnx,
}

/// One file inside one package.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PackageFile {
    /// Name of the package.
    pub package: String,
    /// Its version.
    pub version: String,
    /// The platform tag of the wheel that holds the file; `any` for a wheel that serves all.
    pub platform: String,
    /// The file's path in the wheel.
    pub path: String,
    /// Length of the wheel in bytes.
    pub download: u64,
    /// The file's length in bytes.
    pub bytes: u64,
    /// The file's sha256, hexadecimal.
    pub sha256: String,
}

impl PackageFile {
    /// Name of the file without its folders.
    pub(crate) fn name(&self) -> &str {
        Path::new(&self.path).file_name().and_then(|name| name.to_str()).unwrap_or(&self.path)
    }

    /// `name==version`, as pip wants it.
    pub(crate) fn requirement(&self) -> String {
        format!("{}=={}", self.package, self.version)
    }
}
