//! `recall check`: verifies every byte of an index, and rebuilds what is damaged.

use recall_index::DamagedFile;

use crate::failure::Failure;
use crate::flags::{CheckFlags, Flags, ReadingFlags};
use crate::index::{self, Work};
use crate::index_folder;
use crate::print::out;

/// Runs `recall check`: 0 if the index is sound, 1 if something is damaged.
pub(crate) fn run(flags: &Flags, options: &CheckFlags) -> Result<u8, Failure> {
    let folder = index_folder::to_read(flags.index.as_deref())?;
    let findings = recall_index::check(&folder)?;
    report(&findings, options.json)?;
    if findings.is_empty() || !options.repair {
        return Ok(u8::from(!findings.is_empty()));
    }
    let mut work = Work::new(Some(&folder), &[], &ReadingFlags::default())?;
    work.settings.rebuild = true;
    index::update(&work, flags.offline)?;
    let left = recall_index::check(&folder)?;
    report(&left, options.json)?;
    Ok(u8::from(!left.is_empty()))
}

fn report(findings: &[DamagedFile], json: bool) -> Result<(), Failure> {
    if json {
        let list: Vec<_> = findings
            .iter()
            .map(|f| serde_json::json!({"path": f.path, "detail": f.detail}))
            .collect();
        return out(&format!(
            "{}\n",
            serde_json::json!({"sound": findings.is_empty(), "findings": list})
        ));
    }
    if findings.is_empty() {
        return out("sound\n");
    }
    let lines = findings.iter().map(|f| format!("{}: {}\n", f.path.display(), f.detail));
    out(&lines.collect::<String>())
}
