//! One immutable segment of vectors: text hash → code, sorted by hash, opened by mmap.

use std::fs::File;
use std::path::Path;

use memmap2::Mmap;
use rayon::prelude::*;
use roaring::RoaringBitmap;

use crate::error::{IndexError, io_error};
use crate::graph::{self, Graph};
use crate::manifest::{Manifest, SegmentRecord, VECTORS, write_file};
use crate::quantized::{QuantizedVector, cosine, dot};
use crate::verified::Verified;

const MAGIC: &[u8; 8] = b"recallv1";
const HEADER: usize = 64;
/// Where a filter leaves at most one row in this many, the rows are scanned instead of the graph.
const SCAN_SHARE: usize = 8;
/// Rows that are scanned rather than searched through a graph, whatever the share.
const SCAN_ROWS: usize = 8_192;

/// A text's hash and its vector.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Hash of the text.
    pub hash: u64,
    /// Its vector.
    pub code: QuantizedVector,
}

/// An opened segment.
pub struct Segment {
    map: Mmap,
    rows: usize,
    dims: usize,
    deleted: RoaringBitmap,
    graph: Option<Graph>,
}

impl Segment {
    /// Opens the segment that `record` describes, after checking its files.
    pub fn open(
        folder: &Path,
        record: &SegmentRecord,
        dims: usize,
        verified: &Verified,
    ) -> Result<Self, IndexError> {
        let folder = folder.join(VECTORS);
        let path = folder.join(&record.vectors.name);
        verified.check(VECTORS, &record.vectors)?;
        let file = File::open(&path).map_err(io_error("open", &path))?;
        // SAFETY: files of an index are never changed once they are named by a manifest.
        let map = unsafe { Mmap::map(&file) }.map_err(io_error("map", &path))?;
        let rows = record.rows as usize;
        if map.len() != file_length(rows, dims) || map[..HEADER] != header(rows, dims) {
            let detail = format!("does not hold {rows} vectors of {dims} dimensions");
            return Err(IndexError::Damaged { path, detail });
        }
        let deleted = match &record.deleted {
            Some(file) => {
                verified.check(VECTORS, file)?;
                read_bitmap(&folder.join(&file.name))?
            }
            None => RoaringBitmap::new(),
        };
        let graph = match &record.graph {
            Some(file) => {
                verified.check(VECTORS, file)?;
                Graph::open(&folder.join(&file.name), dims, rows)?
            }
            None => None,
        };
        Ok(Self { map, rows, dims, deleted, graph })
    }

    /// Rows, deleted ones included.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The hash of a row.
    pub fn hash(&self, row: usize) -> u64 {
        let at = HEADER + row * 8;
        u64::from_le_bytes(self.map[at..at + 8].try_into().expect("eight bytes"))
    }

    fn inverse_length(&self, row: usize) -> f32 {
        let at = HEADER + self.rows * 8 + row * 4;
        f32::from_le_bytes(self.map[at..at + 4].try_into().expect("four bytes"))
    }

    /// The code of a row.
    pub fn code(&self, row: usize) -> &[i8] {
        let at = HEADER + self.rows * 12 + row * self.dims;
        bytemuck::cast_slice(&self.map[at..at + self.dims])
    }

    /// The row as a value.
    pub fn row(&self, row: usize) -> Row {
        let code = QuantizedVector {
            bytes: self.code(row).to_vec(),
            inverse_length: self.inverse_length(row),
        };
        Row { hash: self.hash(row), code }
    }

    /// The row of a text, deleted or not.
    pub fn find(&self, hash: u64) -> Option<usize> {
        let (mut low, mut high) = (0, self.rows);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.hash(middle) < hash {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        (low < self.rows && self.hash(low) == hash).then_some(low)
    }

    /// Whether a row's text is gone.
    pub fn is_deleted(&self, row: usize) -> bool {
        self.deleted.contains(row as u32)
    }

    /// Rows whose text is gone.
    pub fn deleted(&self) -> &RoaringBitmap {
        &self.deleted
    }

    /// Whether there is a graph.
    pub fn has_graph(&self) -> bool {
        self.graph.is_some()
    }

    /// Cosine of a unit vector with a row.
    pub fn cosine(&self, unit: &[f32], row: usize) -> f32 {
        cosine(unit, self.code(row), self.inverse_length(row))
    }

    /// The nearest live rows, at most `limit`, best first with exact cosines; with `allowed`
    /// (ascending hashes) only those.
    pub fn search(
        &self,
        unit: &[f32],
        code: &QuantizedVector,
        allowed: Option<&[u64]>,
        limit: usize,
    ) -> Result<Vec<(u64, f32)>, IndexError> {
        let rows: Option<RoaringBitmap> =
            allowed.map(|hashes| self.rows_of(hashes) - &self.deleted);
        let count = rows.as_ref().map_or(self.rows, |rows| rows.len() as usize);
        let scan = count <= SCAN_ROWS || (rows.is_some() && count * SCAN_SHARE <= self.rows);
        let nearest = match &self.graph {
            Some(graph) if !scan => self.search_graph(graph, code, rows.as_ref(), limit)?,
            _ => self.scan(code, rows.as_ref(), limit),
        };
        let mut found: Vec<(u64, f32)> =
            nearest.into_iter().map(|row| (self.hash(row), self.cosine(unit, row))).collect();
        sort(&mut found);
        found.truncate(limit);
        Ok(found)
    }

    /// The nearest rows by a full scan: what [`Self::search`] is measured against.
    pub fn search_exact(&self, unit: &[f32], limit: usize) -> Vec<(u64, f32)> {
        let live = (0..self.rows).filter(|row| !self.is_deleted(*row));
        let mut found: Vec<(u64, f32)> =
            live.map(|row| (self.hash(row), self.cosine(unit, row))).collect();
        sort(&mut found);
        found.truncate(limit);
        found
    }

    /// The rows of these texts (ascending hashes), deleted or not.
    pub fn rows_of(&self, hashes: &[u64]) -> RoaringBitmap {
        let mut rows = RoaringBitmap::new();
        if hashes.len().saturating_mul(16) < self.rows {
            rows.extend(hashes.iter().filter_map(|hash| self.find(*hash)).map(|row| row as u32));
        } else {
            let mut wanted = hashes.iter().copied().peekable();
            for row in 0..self.rows {
                let hash = self.hash(row);
                while wanted.next_if(|next| *next < hash).is_some() {}
                if wanted.peek() == Some(&hash) {
                    rows.insert(row as u32);
                }
            }
        }
        rows
    }

    fn search_graph(
        &self,
        graph: &Graph,
        code: &QuantizedVector,
        rows: Option<&RoaringBitmap>,
        limit: usize,
    ) -> Result<Vec<usize>, IndexError> {
        let allowed = |row: u64| rows.is_none_or(|rows| rows.contains(row as u32));
        let live = |row: u64| !self.deleted.contains(row as u32);
        let passes = |row: u64| allowed(row) && live(row);
        let all = rows.is_none() && self.deleted.is_empty();
        let filter: Option<&dyn Fn(u64) -> bool> = if all { None } else { Some(&passes) };
        let found = graph.search(&code.bytes, limit, filter)?;
        Ok(found
            .into_iter()
            .filter(|row| (*row as usize) < self.rows && passes(*row))
            .map(|row| row as usize)
            .collect())
    }

    /// A few more than `limit` rows by the product of codes, since that is rounded.
    fn scan(
        &self,
        code: &QuantizedVector,
        rows: Option<&RoaringBitmap>,
        limit: usize,
    ) -> Vec<usize> {
        let score = |row: usize| dot(&code.bytes, self.code(row)) as f32 * self.inverse_length(row);
        let mut found: Vec<(f32, usize)> = match rows {
            Some(rows) => rows.iter().map(|row| (score(row as usize), row as usize)).collect(),
            None => (0..self.rows)
                .filter(|row| !self.is_deleted(*row))
                .map(|row| (score(row), row))
                .collect(),
        };
        let keep = (limit + limit / 4 + 16).min(found.len());
        let order = |a: &(f32, usize), b: &(f32, usize)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
        if keep < found.len() {
            found.select_nth_unstable_by(keep, order);
            found.truncate(keep);
        }
        found.into_iter().map(|(_, row)| row).collect()
    }
}

/// Best first, ties by hash.
pub(crate) fn sort(found: &mut [(u64, f32)]) {
    found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
}

fn header(rows: usize, dims: usize) -> [u8; HEADER] {
    let mut out = [0; HEADER];
    out[..8].copy_from_slice(MAGIC);
    out[8..16].copy_from_slice(&(rows as u64).to_le_bytes());
    out[16..24].copy_from_slice(&(dims as u64).to_le_bytes());
    out
}

fn file_length(rows: usize, dims: usize) -> usize {
    HEADER + rows * (8 + 4 + dims)
}

fn read_bitmap(path: &Path) -> Result<RoaringBitmap, IndexError> {
    let bytes = std::fs::read(path).map_err(io_error("read", path))?;
    RoaringBitmap::deserialize_from(bytes.as_slice())
        .map_err(|e| IndexError::Damaged { path: path.to_owned(), detail: e.to_string() })
}

/// Writes rows as new segments, with a graph each if it is large, and returns their records. Of rows
/// with one hash in a segment the first is kept. Side by side, since one thread builds a graph;
/// `added` is told of each row of a graph.
pub(crate) fn write(
    folder: &Path,
    manifest: &mut Manifest,
    dims: usize,
    segments: Vec<Vec<Row>>,
    added: &(dyn Fn(usize) + Sync),
) -> Result<Vec<SegmentRecord>, IndexError> {
    let named: Vec<(Vec<Row>, [String; 2])> = segments
        .into_iter()
        .map(|rows| (rows, ["vec", "hnsw"].map(|extension| manifest.new_name(extension))))
        .collect();
    let folder = folder.join(VECTORS);
    named
        .into_par_iter()
        .map(|(rows, names)| write_one(&folder, names, dims, rows, added))
        .collect()
}

fn write_one(
    folder: &Path,
    [name, graph_name]: [String; 2],
    dims: usize,
    mut rows: Vec<Row>,
    added: &(dyn Fn(usize) + Sync),
) -> Result<SegmentRecord, IndexError> {
    rows.sort_by_key(|row| row.hash);
    rows.dedup_by_key(|row| row.hash);
    let hashes: Vec<u8> = rows.iter().flat_map(|row| row.hash.to_le_bytes()).collect();
    let lengths: Vec<u8> =
        rows.iter().flat_map(|row| row.code.inverse_length.to_le_bytes()).collect();
    let mut codes = Vec::with_capacity(rows.len() * dims);
    for row in &rows {
        debug_assert_eq!(row.code.bytes.len(), dims, "codes of one index have one length");
        codes.extend_from_slice(bytemuck::cast_slice(&row.code.bytes));
    }
    let head = header(rows.len(), dims);
    let vectors = write_file(folder, name, &[&head, &hashes, &lengths, &codes])?;
    let built = if graph::ROWS.contains(&rows.len()) {
        let path = folder.join(&graph_name);
        graph::build(&path, dims, rows.len(), &|row| &rows[row].code.bytes, added)?
    } else {
        None
    };
    let graph = match built {
        Some(bytes) => Some(write_file(folder, graph_name, &[&bytes])?),
        None => None,
    };
    let rows = rows.len() as u64;
    Ok(SegmentRecord { vectors, graph, deleted: None, rows, deleted_rows: 0 })
}

/// Writes which rows of a segment are deleted, into its record.
pub(crate) fn write_deleted(
    folder: &Path,
    manifest: &mut Manifest,
    segment: usize,
    deleted: &RoaringBitmap,
) -> Result<(), IndexError> {
    let record = if deleted.is_empty() {
        None
    } else {
        let mut bytes = Vec::with_capacity(deleted.serialized_size());
        deleted.serialize_into(&mut bytes).expect("a vector takes all bytes");
        let name = manifest.new_name("del");
        Some(write_file(&folder.join(VECTORS), name, &[&bytes])?)
    };
    manifest.segments[segment].deleted = record;
    manifest.segments[segment].deleted_rows = deleted.len();
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::ChunkSettings;
    use proptest::prelude::*;

    /// Numbers with a fixed seed: xorshift64, as values in [-1, 1).
    struct Seeded(u64);

    impl Seeded {
        fn next(&mut self) -> f32 {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            (self.0 >> 40) as f32 / (1 << 23) as f32 - 1.0
        }

        fn vector(&mut self, dims: usize) -> Vec<f32> {
            (0..dims).map(|_| self.next()).collect()
        }

        /// A vector of unit length around one of the `centres`, as texts on one subject are.
        fn near(&mut self, centres: &[Vec<f32>]) -> Vec<f32> {
            let centre =
                &centres[(self.next().abs() * centres.len() as f32) as usize % centres.len()];
            let vector: Vec<f32> = centre.iter().map(|x| x + 0.8 * self.next()).collect();
            let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
            vector.into_iter().map(|x| x / length).collect()
        }
    }

    fn open(rows: Vec<Row>, dims: usize) -> (tempfile::TempDir, Segment, Manifest) {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join(VECTORS)).unwrap();
        let mut manifest = Manifest::empty(ChunkSettings::default(), true);
        let mut records = write(folder.path(), &mut manifest, dims, vec![rows], &|_| {}).unwrap();
        let record = records.remove(0);
        manifest.segments.push(record.clone());
        let segment =
            Segment::open(folder.path(), &record, dims, &Verified::load(folder.path())).unwrap();
        (folder, segment, manifest)
    }

    /// HNSW against a full scan: M 16, ef construction 128, ef 256, i8, seed 1, 17,000 vectors of 96
    /// dimensions around 400 centres. Budget: 98 of 100 among the first ten, every vector itself.
    #[test]
    fn the_graph_finds_what_a_scan_finds() {
        const DIMS: usize = 96;
        let mut seeded = Seeded(1);
        let centres: Vec<Vec<f32>> = (0..400).map(|_| seeded.vector(DIMS)).collect();
        let rows: Vec<Row> = (0..17_000)
            .map(|hash| Row { hash, code: QuantizedVector::new(&seeded.near(&centres)).unwrap() })
            .collect();
        let (_folder, segment, _) = open(rows, DIMS);
        assert!(segment.has_graph());
        let (mut found, mut itself) = (0, 0);
        const QUERIES: usize = 200;
        for number in 0..QUERIES {
            let unit = seeded.near(&centres);
            let code = QuantizedVector::new(&unit).unwrap();
            let exact = segment.search_exact(&unit, 10);
            let near = segment.search(&unit, &code, None, 10).unwrap();
            found += exact.iter().filter(|hit| near.contains(hit)).count();
            let own = segment.row(number * 80).code;
            let own_unit: Vec<f32> =
                own.bytes.iter().map(|b| f32::from(*b) * own.inverse_length).collect();
            let first = segment.search(&own_unit, &own, None, 1).unwrap();
            itself += usize::from(first[0].0 == segment.hash(number * 80));
        }
        assert!(found >= QUERIES * 10 * 98 / 100, "recall@10 {} of {}", found, QUERIES * 10);
        assert_eq!(itself, QUERIES, "vectors that find themselves");
        // A filter that keeps three rows can return all three.
        let unit = seeded.near(&centres);
        let code = QuantizedVector::new(&unit).unwrap();
        let kept = segment.search(&unit, &code, Some(&[3, 5_000, 16_999]), 10).unwrap();
        assert_eq!(kept.len(), 3);
        // A wide filter goes through the graph and lets nothing else pass.
        let even: Vec<u64> = (0..17_000).filter(|hash| hash % 2 == 0).collect();
        let some = segment.search(&unit, &code, Some(&even), 10).unwrap();
        assert!(some.len() == 10 && some.iter().all(|(hash, _)| hash % 2 == 0), "{some:?}");
    }

    #[test]
    fn deleted_rows_are_never_found() {
        let mut seeded = Seeded(2);
        let rows: Vec<Row> = (0..50)
            .map(|hash| Row { hash, code: QuantizedVector::new(&seeded.vector(8)).unwrap() })
            .collect();
        let (folder, segment, mut manifest) = open(rows, 8);
        let unit = seeded.near(&[vec![1.0; 8]]);
        let code = QuantizedVector::new(&unit).unwrap();
        let first = segment.search(&unit, &code, None, 50).unwrap()[0].0;
        let deleted: RoaringBitmap = [first as u32].into_iter().collect();
        write_deleted(folder.path(), &mut manifest, 0, &deleted).unwrap();
        let verified = Verified::load(folder.path());
        let segment = Segment::open(folder.path(), &manifest.segments[0], 8, &verified).unwrap();
        let left = segment.search(&unit, &code, None, 50).unwrap();
        assert_eq!(left.len(), 49);
        assert!(left.iter().all(|(hash, _)| *hash != first));
    }

    proptest! {
        #[test]
        fn a_scan_ranks_as_exact_cosines_do(seed in 1u64..1000, limit in 1usize..20) {
            let mut seeded = Seeded(seed);
            let rows: Vec<Row> = (0..40)
                .map(|hash| Row { hash, code: QuantizedVector::new(&seeded.vector(16)).unwrap() })
                .collect();
            let (_folder, segment, _) = open(rows, 16);
            let unit = seeded.near(&[vec![0.0; 16]]);
            let code = QuantizedVector::new(&unit).unwrap();
            let found = segment.search(&unit, &code, None, limit).unwrap();
            prop_assert_eq!(found, segment.search_exact(&unit, limit));
        }
    }
}
