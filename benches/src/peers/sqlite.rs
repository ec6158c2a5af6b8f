//! SQLite with FTS5 and sqlite-vec, as their documentation sets them up.

use std::path::Path;
use std::sync::Once;

use rusqlite::ffi::{sqlite3, sqlite3_api_routines, sqlite3_auto_extension};
use rusqlite::{Connection, params};

use crate::outcome::Outcome;

/// What SQLite calls on every new connection.
type EntryPoint = unsafe extern "C" fn(
    *mut sqlite3,
    *mut *mut std::ffi::c_char,
    *const sqlite3_api_routines,
) -> std::ffi::c_int;

/// A database of texts and vectors.
pub(crate) struct Sqlite(Connection);

impl Sqlite {
    /// A new database in a file, with `texts` indexed in one transaction.
    pub(crate) fn build(
        path: &Path,
        texts: impl Iterator<Item = Outcome<String>>,
    ) -> Outcome<Self> {
        register_vectors();
        let mut connection = Connection::open(path)?;
        connection.execute_batch("CREATE VIRTUAL TABLE texts USING fts5(text)")?;
        let transaction = connection.transaction()?;
        {
            let mut insert = transaction.prepare("INSERT INTO texts (text) VALUES (?1)")?;
            for text in texts {
                insert.execute([text?])?;
            }
        }
        transaction.commit()?;
        Ok(Self(connection))
    }

    /// Adds `vectors`, by their place.
    pub(crate) fn add_vectors(&mut self, dims: usize, vectors: &[Vec<f32>]) -> Outcome<()> {
        let create = format!(
            "CREATE VIRTUAL TABLE vectors USING vec0(embedding float[{dims}] distance_metric=cosine)"
        );
        self.0.execute_batch(&create)?;
        let transaction = self.0.transaction()?;
        {
            let mut insert =
                transaction.prepare("INSERT INTO vectors (rowid, embedding) VALUES (?1, ?2)")?;
            for (place, vector) in vectors.iter().enumerate() {
                insert.execute(params![place as i64, bytes(vector)])?;
            }
        }
        Ok(transaction.commit()?)
    }

    /// The rows of the best `limit` texts that hold any word of the question.
    pub(crate) fn search(&self, question: &str, limit: usize) -> Outcome<Vec<i64>> {
        let words = question.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        let any: Vec<String> = words.map(|word| format!("\"{word}\"")).collect();
        if any.is_empty() {
            return Ok(Vec::new());
        }
        let sql = "SELECT rowid FROM texts WHERE texts MATCH ?1 ORDER BY rank LIMIT ?2";
        let mut select = self.0.prepare_cached(sql)?;
        let rows = select.query_map(params![any.join(" OR "), limit as i64], |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The places of the `limit` nearest vectors.
    pub(crate) fn nearest(&self, vector: &[f32], limit: usize) -> Outcome<Vec<i64>> {
        let sql = "SELECT rowid FROM vectors WHERE embedding MATCH ?1 AND k = ?2 ORDER BY distance";
        let mut select = self.0.prepare_cached(sql)?;
        let rows = select.query_map(params![bytes(vector), limit as i64], |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

fn bytes(vector: &[f32]) -> Vec<u8> {
    vector.iter().flat_map(|x| x.to_le_bytes()).collect()
}

/// Makes `vec0` known to every connection opened from now on.
fn register_vectors() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: the crate declares the function without its arguments; in C it is an entry point.
        unsafe {
            let entry: EntryPoint = std::mem::transmute(sqlite_vec::sqlite3_vec_init as *const ());
            sqlite3_auto_extension(Some(entry));
        }
    });
}
