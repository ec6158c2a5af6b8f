//! The HNSW graph over the codes of one large segment. The only file that names usearch.
//!
//! usearch checks next to nothing of what it loads, and concurrent adds lose nodes. So it is given
//! bytes only after their checksum was found right, one thread adds, every graph must find a sample
//! of its own vectors before it is used, and a graph is a cache: without it the segment is scanned.

use std::fs::File;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::slice;

use memmap2::Mmap;
use usearch::{Index, IndexOptions, MetricKind, ScalarKind, VectorType};

use crate::error::{IndexError, io_error};
use crate::quantized::distance;

/// Neighbours of a node (M).
const CONNECTIVITY: usize = 16;
/// Candidates while building (ef construction).
const EXPANSION_ADD: usize = 128;
/// Candidates while searching (ef), at least; a search for more results widens it.
const EXPANSION_SEARCH: usize = 256;
/// Vectors that must find themselves before a graph is used.
const SELF_CHECKS: usize = 500;
/// What every graph file begins with; other bytes mean another layout and so no graph.
const HEADER: usize = 64;

/// A graph over rows `0..rows`, searched by code.
pub(crate) struct Graph {
    // Declared before the map it looks into, so dropped before it.
    index: Index,
    _map: Mmap,
    path: PathBuf,
}

fn failed(path: &Path, detail: impl ToString) -> IndexError {
    IndexError::Vector { path: path.to_owned(), detail: detail.to_string() }
}

fn empty(path: &Path, dims: usize) -> Result<Index, IndexError> {
    let options = IndexOptions {
        dimensions: dims,
        metric: MetricKind::Cos,
        quantization: ScalarKind::I8,
        connectivity: CONNECTIVITY,
        expansion_add: EXPANSION_ADD,
        expansion_search: EXPANSION_SEARCH,
        multi: false,
    };
    let mut index = Index::new(&options).map_err(|e| failed(path, e))?;
    // usearch's own loop takes half as long again without `numkong`.
    let metric = move |a: *const i8, b: *const i8| {
        // SAFETY: usearch was told that every vector has `dims` components.
        unsafe { distance(slice::from_raw_parts(a, dims), slice::from_raw_parts(b, dims)) }
    };
    i8::change_metric(&mut index, Box::new(metric)).map_err(|e| failed(path, e))?;
    Ok(index)
}

fn header(dims: usize, rows: usize) -> [u8; HEADER] {
    let text = format!("recall graph 1 usearch {} {dims} {rows}\n", usearch::version());
    let mut out = [0; HEADER];
    out[..text.len().min(HEADER)].copy_from_slice(&text.as_bytes()[..text.len().min(HEADER)]);
    out
}

/// Builds the graph over `rows` codes, given by `code(row)`, and returns the bytes of its file, or
/// `None` if the graph cannot be trusted to find its own vectors. `added` is told of each row.
pub(crate) fn build<'a>(
    path: &Path,
    dims: usize,
    rows: usize,
    code: &dyn Fn(usize) -> &'a [i8],
    added: &dyn Fn(usize),
) -> Result<Option<Vec<u8>>, IndexError> {
    let index = empty(path, dims)?;
    index.reserve_capacity_and_threads(rows + 1, 1).map_err(|e| failed(path, e))?;
    for row in 0..rows {
        index.add(row as u64, code(row)).map_err(|e| failed(path, e))?;
        added(1);
    }
    if !finds_itself(path, &index, rows, code)? {
        return Ok(None);
    }
    let mut bytes = header(dims, rows).to_vec();
    bytes.resize(HEADER + index.serialized_length(), 0);
    index.save_to_buffer(&mut bytes[HEADER..]).map_err(|e| failed(path, e))?;
    Ok(Some(bytes))
}

fn finds_itself<'a>(
    path: &Path,
    index: &Index,
    rows: usize,
    code: &dyn Fn(usize) -> &'a [i8],
) -> Result<bool, IndexError> {
    for row in (0..rows).step_by((rows / SELF_CHECKS).max(1)) {
        let found = index.search(code(row), 1).map_err(|e| failed(path, e))?;
        // A twin with the very same code is as good.
        let itself = found.keys.first().is_some_and(|key| code(*key as usize) == code(row));
        if !itself {
            return Ok(false);
        }
    }
    Ok(true)
}

impl Graph {
    /// Opens a graph file whose checksum was found right; `None` if another version wrote it.
    pub(crate) fn open(path: &Path, dims: usize, rows: usize) -> Result<Option<Self>, IndexError> {
        let file = File::open(path).map_err(io_error("open", path))?;
        // SAFETY: files of an index are never changed once they are named by a manifest.
        let map = unsafe { Mmap::map(&file) }.map_err(io_error("map", path))?;
        if map.get(..HEADER) != Some(&header(dims, rows)[..]) {
            return Ok(None);
        }
        let index = empty(path, dims)?;
        // SAFETY: the map lives as long as the index, in one value, and is dropped after it.
        unsafe { index.view_from_buffer(&map[HEADER..]) }.map_err(|e| failed(path, e))?;
        let as_written = index.dimensions() == dims
            && index.size() == rows
            && index.scalar_kind() == ScalarKind::I8;
        if !as_written {
            return Err(failed(path, "holds another index than the manifest says"));
        }
        index.change_expansion_search(EXPANSION_SEARCH);
        Ok(Some(Self { index, _map: map, path: path.to_owned() }))
    }

    /// The rows nearest to `code` among those that `passes` lets through, at most `limit`.
    pub(crate) fn search(
        &self,
        code: &[i8],
        limit: usize,
        passes: Option<&dyn Fn(u64) -> bool>,
    ) -> Result<Vec<u64>, IndexError> {
        let limit = limit.min(self.index.size());
        let found = match passes {
            None => self.index.search(code, limit),
            // The closure is a look-up in a bitmap: a panic in it would abort the process.
            Some(passes) => self.index.filtered_search(code, limit, passes),
        };
        Ok(found.map_err(|e| failed(&self.path, e))?.keys)
    }
}

/// Rows of a segment from which on a graph is worth its space.
pub(crate) const ROWS: Range<usize> = 16_384..usize::MAX;
/// Rows of a segment up to which it is merged with others without being asked: one thread adds some
/// thousand rows a second to a graph, and several graphs of this size are searched side by side.
pub(crate) const ROWS_MERGED_MAX: usize = 131_072;
