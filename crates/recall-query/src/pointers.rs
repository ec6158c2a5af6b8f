//! Lines of the pointer index that name the documents of an answer.

use std::path::PathBuf;

use recall_index::Snapshot;
use recall_pointers::{FolderSpec, HeadingWords, Memory, PointerLine, lines_naming};

use crate::answer::Hit;

/// The lines of the pointer index beside the indexed roots that name a document of a hit.
pub(crate) fn naming(snapshot: &Snapshot, hits: &[Hit]) -> Vec<PointerLine> {
    // Paths in it start from the indexed root, in a git repository or not.
    let spec =
        |root: &PathBuf| Some(FolderSpec { root: Some(root.clone()), ..FolderSpec::upward(root)? });
    let mut specs: Vec<_> = snapshot.manifest().roots.iter().filter_map(spec).collect();
    specs.sort_by(|a, b| a.path.cmp(&b.path));
    specs.dedup_by(|a, b| a.path == b.path);
    let Ok(memory) = Memory::open(&specs, &HeadingWords::default()) else { return Vec::new() };
    let names: Vec<String> = hits
        .iter()
        .flat_map(|hit| [hit.id.clone(), hit.file.to_string_lossy().into_owned()])
        .collect();
    // A document is known by its id and by its file; a line that names it counts once.
    let mut lines = lines_naming(&memory, &names);
    lines.sort_by(|a, b| (&a.place.path, a.place.line).cmp(&(&b.place.path, b.place.line)));
    lines.dedup_by(|a, b| a.place.path == b.place.path && a.place.line == b.place.line);
    lines
}
