//! `recall status`: shows what is indexed, and what was skipped and why.

use recall_index::{Snapshot, SourceId, SourceRecord};
use recall_sources::Problem;

use crate::failure::Failure;
use crate::flags::{Flags, StatusFlags};
use crate::print::{out, size};
use crate::{index_folder, resident, serve};

/// Runs `recall status`.
pub(crate) fn run(flags: &Flags, options: &StatusFlags) -> Result<u8, Failure> {
    let snapshot = Snapshot::open(&index_folder::to_read(flags.index.as_deref())?)?;
    let catalogue = snapshot.catalogue()?;
    let text = if options.json {
        format!("{}\n", json(&snapshot, catalogue.sources().iter())?)
    } else {
        text(&snapshot, catalogue.sources().iter())?
    };
    out(&text)?;
    Ok(0)
}

fn problems<'a>(
    sources: impl Iterator<Item = (&'a SourceId, &'a SourceRecord)>,
) -> Vec<(&'a SourceId, &'a Problem)> {
    sources.flat_map(|(id, record)| record.problems.iter().map(move |p| (id, p))).collect()
}

fn json<'a>(
    snapshot: &Snapshot,
    sources: impl Iterator<Item = (&'a SourceId, &'a SourceRecord)> + Clone,
) -> Result<serde_json::Value, Failure> {
    let manifest = snapshot.manifest();
    let files: Vec<_> = sources
        .clone()
        .map(|((root, path), record)| {
            serde_json::json!({
                "root": manifest.roots.get(*root as usize), "path": path, "format": record.format,
                "bytes": record.bytes, "documents": record.documents,
                "messages": record.messages, "problems": record.problems,
            })
        })
        .collect();
    let sizes: std::collections::BTreeMap<_, _> = snapshot.sizes().into_iter().collect();
    Ok(serde_json::json!({
        "index": snapshot.folder(), "generation": manifest.generation, "written": manifest.written,
        "recall": manifest.recall, "roots": manifest.roots, "model": manifest.model,
        "chunk_settings": manifest.chunks, "documents": manifest.counts.documents,
        "chunks": manifest.counts.chunks, "vectors": manifest.counts.vectors,
        "chunks_with_a_twin": twins(snapshot)?,
        "text_bytes": manifest.counts.text_bytes, "index_bytes": sizes,
        "vector_segments": manifest.segments.len(), "sources": snapshot.keyword().entries_by_source()?,
        "vector_problem": snapshot.vectors().err().map(ToString::to_string),
        "background": resident::job_of(snapshot.folder()),
        "settings": manifest.settings, "files": files,
    }))
}

/// Counts the chunks that share another chunk's vector because they have the same text.
fn twins(snapshot: &Snapshot) -> Result<u64, Failure> {
    let all = snapshot.keyword().chunk_count()?;
    Ok(all.saturating_sub(snapshot.manifest().counts.chunks))
}

fn text<'a>(
    snapshot: &Snapshot,
    sources: impl Iterator<Item = (&'a SourceId, &'a SourceRecord)> + Clone,
) -> Result<String, Failure> {
    let manifest = snapshot.manifest();
    let counts = manifest.counts;
    let files = sources.clone().filter(|(_, record)| record.documents > 0).count();
    let mut out = format!(
        "{}\ngeneration {}, written {}\n",
        snapshot.folder().display(),
        manifest.generation,
        manifest.written
    );
    for root in manifest.roots.iter().filter(|root| !root.as_os_str().is_empty()) {
        out.push_str(&format!("root {}\n", root.display()));
    }
    out.push_str(&format!(
        "{} documents in {files} files of {}\n",
        counts.documents,
        size(counts.text_bytes)
    ));
    for (source, entries) in snapshot.keyword().entries_by_source()? {
        out.push_str(&format!("  {source}: {entries}\n"));
    }
    let model = manifest.model.as_ref().map_or("no model yet", |m| m.id.as_str());
    let twins = match twins(snapshot)? {
        0 => String::new(),
        count => format!("; {count} more chunks repeat the text of one of these"),
    };
    out.push_str(&format!(
        "{} of {} chunks have vectors ({model}){twins}\n",
        counts.vectors, counts.chunks
    ));
    if let Some(job) = resident::job_of(snapshot.folder()) {
        out.push_str(&format!("in the background: {}\n", serve::progress(&job)));
    }
    if let Err(error) = snapshot.vectors() {
        out.push_str(&format!("the vectors cannot be used: {error}\n"));
    }
    let sizes: Vec<String> = snapshot
        .sizes()
        .into_iter()
        .map(|(part, bytes)| format!("{part} {}", size(bytes)))
        .collect();
    out.push_str(&format!("on disk: {}\n", sizes.join(", ")));
    let problems = problems(sources);
    if !problems.is_empty() {
        out.push_str(&format!("{} skipped or read with a warning:\n", problems.len()));
        for (_, problem) in problems {
            out.push_str(&format!("  {problem}\n"));
        }
    }
    Ok(out)
}
