//! What a run over some roots will do: the disk scanned, hashed and compared with what is known. Takes
//! no lock and writes nothing, so a dry run is this and no more.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use recall_sources::{Problem, ScanOptions, Source, scan};

use super::{IndexOptions, IndexProgress, OnProgress, partial_scan};
use crate::catalogue::{SourceCatalogue, SourceId, SourceRecord};
use crate::error::{IndexError, io_error};
use crate::manifest::Manifest;
use crate::plan::{Found, Plan, plan};

/// Things found, each with the number of its root.
type ByRoot<T> = Vec<(u32, T)>;

/// How often the state is read again when a writer swept a file that was about to be read.
const TRIES: usize = 20;

/// What a run over `roots` (all known ones if empty) would do to the index in `folder`, without taking
/// its lock or writing anything: it may be asked while another process writes. Where there is no
/// index, everything is new. `options.scan.only` limits it as it limits a run.
///
/// # Errors
/// [`IndexError::OtherFormat`], [`IndexError::Damaged`] and those of the disk.
pub fn dry_run(
    folder: &Path,
    roots: &[PathBuf],
    options: &IndexOptions,
    progress: &OnProgress<'_>,
) -> Result<Plan, IndexError> {
    let (known, catalogue) = state(folder)?;
    let roots = RunRoots::new(&known, &located(roots)?);
    Ok(survey(&roots, catalogue.sources(), options, progress))
}

/// The roots and the catalogue of the current generation; none of either where there is no index.
fn state(folder: &Path) -> Result<(Vec<PathBuf>, SourceCatalogue), IndexError> {
    let mut tries = 0;
    loop {
        let manifest = match Manifest::read(folder) {
            Err(IndexError::Missing(_)) => return Ok(Default::default()),
            manifest => manifest?,
        };
        match SourceCatalogue::load(folder, &manifest.catalogue) {
            Ok(catalogue) => return Ok((manifest.roots, catalogue)),
            Err(error) if tries == TRIES || is_current(folder, &manifest) => return Err(error),
            Err(_) => tries += 1,
        }
    }
}

fn is_current(folder: &Path, manifest: &Manifest) -> bool {
    Manifest::read(folder).is_ok_and(|now| now.generation == manifest.generation)
}

/// Absolute paths of `roots`, through links as far as they are there.
pub(super) fn located(roots: &[PathBuf]) -> Result<Vec<PathBuf>, IndexError> {
    let located = |root: &PathBuf| {
        let root = std::path::absolute(root).map_err(io_error("find", root))?;
        Ok(root.canonicalize().unwrap_or(root))
    };
    roots.iter().map(located).collect()
}

/// The roots of an index as a run leaves them.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct RunRoots {
    /// Every root, by number. One that was given up for another has no path.
    pub(super) roots: Vec<PathBuf>,
    /// The numbers of those that the run looks at, ascending.
    pub(super) visited: Vec<u32>,
}

impl RunRoots {
    /// The roots after a run over `asked` (all `known` ones if empty). A root inside a known one stands
    /// for that one; a known root inside a new one is given up for it.
    pub(super) fn new(known: &[PathBuf], asked: &[PathBuf]) -> Self {
        let mut roots = known.to_vec();
        let mut visited: Vec<u32> = asked.iter().map(|root| number_of(&mut roots, root)).collect();
        if asked.is_empty() {
            visited = (0..roots.len() as u32).collect();
        }
        visited.sort_unstable();
        visited.dedup();
        // Known roots inside a new one: their files are found through it from now on.
        for number in 0..roots.len() {
            let above = |other: &u32| is_above(&roots[*other as usize], &roots[number]);
            if !visited.contains(&(number as u32)) && visited.iter().any(above) {
                roots[number] = PathBuf::new();
            }
        }
        Self { roots, visited }
    }

    /// The roots to look at that have a path.
    fn to_scan(&self) -> Vec<partial_scan::Root<'_>> {
        let roots = self.visited.iter().map(|n| (*n, self.roots[*n as usize].as_path()));
        roots.filter(|(_, root)| !root.as_os_str().is_empty()).collect()
    }

    fn is_given_up(&self, root: u32) -> bool {
        self.roots.get(root as usize).is_some_and(|path| path.as_os_str().is_empty())
    }
}

/// The number of `root`, or of a root that it lies in; a new one if there is none.
fn number_of(roots: &mut Vec<PathBuf>, root: &Path) -> u32 {
    let above = roots.iter().position(|known| is_above(known, root));
    let number = above.unwrap_or_else(|| {
        roots.push(root.to_owned());
        roots.len() - 1
    });
    number as u32
}

/// Whether `path` is `root` or lies in it; a root that was given up contains nothing.
fn is_above(root: &Path, path: &Path) -> bool {
    !root.as_os_str().is_empty() && path.starts_with(root)
}

/// Scans and hashes what lies under the visited roots and compares it with what is `known`.
pub(super) fn survey(
    roots: &RunRoots,
    known: &BTreeMap<SourceId, SourceRecord>,
    options: &IndexOptions,
    progress: &OnProgress<'_>,
) -> Plan {
    let mut to_scan = roots.to_scan();
    let mut limited = options.scan.clone();
    limited.only = partial_scan::widened(known, &to_scan, &limited.only);
    to_scan.retain(|(_, root)| partial_scan::is_in(root, &limited.only));
    let (sources, mut problems) = scanned(&to_scan, &limited, progress);
    let partial = (!limited.only.is_empty())
        .then(|| partial_scan::known(known, &to_scan, &limited.only, &sources));
    let found = hashed(sources, &mut problems);
    let numbers: Vec<u32> = to_scan.iter().map(|(number, _)| *number).collect();
    let mut plan = plan(partial.as_ref().unwrap_or(known), &numbers, found, problems);
    // What a given-up root held is found through the root that covers it.
    plan.remove.extend(known.keys().filter(|(root, _)| roots.is_given_up(*root)).cloned());
    plan
}

/// The sources under each root, and what could not be looked at, by root.
fn scanned(
    roots: &[partial_scan::Root<'_>],
    options: &ScanOptions,
    progress: &OnProgress<'_>,
) -> (ByRoot<Source>, ByRoot<Problem>) {
    let (mut sources, mut problems) = (Vec::new(), Vec::new());
    for (number, root) in roots {
        for source in scan(root, options) {
            match source {
                Ok(source) => sources.push((*number, source)),
                Err(problem) => problems.push((*number, problem)),
            }
            progress(IndexProgress::Scan { sources: sources.len() as u64 });
        }
    }
    (sources, problems)
}

/// The sources with the hashes of their contents; those that cannot be read become problems.
fn hashed(sources: ByRoot<Source>, problems: &mut ByRoot<Problem>) -> Vec<Found> {
    let hash = |(root, source): (u32, Source)| match source.hash() {
        Ok(hash) => Ok(Found { root, source, hash: *hash.as_bytes() }),
        Err(problem) => Err((root, problem)),
    };
    let hashed: Vec<Result<Found, (u32, Problem)>> = sources.into_par_iter().map(hash).collect();
    let keep = |result: Result<Found, _>| result.map_err(|problem| problems.push(problem)).ok();
    hashed.into_iter().filter_map(keep).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(known: &[&str], asked: &[&str], roots: &[&str], visited: &[u32]) {
        let paths = |names: &[&str]| names.iter().map(PathBuf::from).collect::<Vec<_>>();
        let expected = RunRoots { roots: paths(roots), visited: visited.to_vec() };
        assert_eq!(RunRoots::new(&paths(known), &paths(asked)), expected);
    }

    #[test]
    fn roots_after_a_run() {
        check(&[], &["/a"], &["/a"], &[0]);
        check(&["/a", "/b"], &[], &["/a", "/b"], &[0, 1]);
        check(&["/a", "/b"], &["/b/c"], &["/a", "/b"], &[1]);
        check(&["/a/x", "/b"], &["/a"], &["", "/b", "/a"], &[2]);
        check(&["", "/a"], &["/a", "/a"], &["", "/a"], &[1]);
    }
}
