//! Exports of many files: a zip, or a folder that holds what the zip would.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use zip::ZipArchive;
use zip::read::ZipFile;
use zip::result::ZipError;

use crate::input::{Input, Limited, ReadSeek};
use crate::problem::Reason;

/// Files up to this many bytes are unpacked in memory, larger ones beside us on disk.
const IN_MEMORY_BYTES: u64 = 16 << 20;
/// More files than this in one archive are refused.
const MAX_FILES: usize = 1_000_000;

/// A set of named files, read one at a time in any order.
pub struct Archive<'a> {
    names: Vec<String>,
    /// Names that were refused, with the reason.
    refused: Vec<(String, Reason)>,
    store: Store<'a>,
    limit: u64,
}

enum Store<'a> {
    Folder(PathBuf),
    Zip { zip: Box<RefCell<ZipArchive<Box<dyn ReadSeek + 'a>>>>, places: BTreeMap<String, usize> },
}

impl<'a> Archive<'a> {
    /// The files of `input`, a folder or a zip; together they may unpack to `limit` bytes.
    ///
    /// # Errors
    /// The folder cannot be read, the zip is not one, or it holds too much.
    pub fn open(input: &'a Input, limit: u64) -> io::Result<Self> {
        match input.folder() {
            Some(folder) => Self::of_folder(folder, limit),
            None => Self::of_zip(input.seekable()?, limit),
        }
    }

    fn of_folder(folder: &Path, limit: u64) -> io::Result<Self> {
        let mut names = Vec::new();
        collect(folder, "", &mut names)?;
        names.sort_unstable();
        Ok(Self { names, refused: Vec::new(), store: Store::Folder(folder.to_owned()), limit })
    }

    fn of_zip(reader: Box<dyn ReadSeek + 'a>, limit: u64) -> io::Result<Self> {
        let mut zip = ZipArchive::new(reader).map_err(from_zip)?;
        if zip.len() > MAX_FILES {
            return Err(Reason::Refused(format!("an archive of {} files", zip.len())).into_io());
        }
        let (mut places, mut refused, mut total) = (BTreeMap::new(), Vec::new(), 0_u64);
        for index in 0..zip.len() {
            let file = zip.by_index_raw(index).map_err(from_zip)?;
            if file.is_dir() {
                continue;
            }
            total = total.saturating_add(file.size());
            match safe_name(&file) {
                Ok(name) => drop(places.insert(name, index)),
                Err(why) => refused.push((stored_name(&file), Reason::Refused(why.to_owned()))),
            }
        }
        if total > limit {
            return Err(Reason::TooLarge { size: total, limit }.into_io());
        }
        let names = places.keys().cloned().collect();
        let store = Store::Zip { zip: Box::new(RefCell::new(zip)), places };
        Ok(Self { names, refused, store, limit })
    }

    /// The names of the files, `/` between parts, sorted.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Names that will not be read, with the reason: paths that lead outside, links, encryption.
    pub fn refused(&self) -> &[(String, Reason)] {
        &self.refused
    }

    /// The file called `name`, one of [`Self::names`].
    ///
    /// # Errors
    /// It cannot be read or unpacked, or is larger than the limit.
    pub fn file(&self, name: &str) -> io::Result<Input> {
        match &self.store {
            Store::Folder(folder) => Input::open(&folder.join(name), self.limit),
            Store::Zip { zip, places } => {
                let place = places.get(name).ok_or(io::ErrorKind::NotFound)?;
                let mut zip = zip.borrow_mut();
                let file = zip.by_index(*place).map_err(from_zip)?;
                let (packed, size) = (file.compressed_size(), file.size());
                unpack(Limited::new(file, packed, self.limit), size)
            }
        }
    }
}

/// Adds the files under `folder` to `names`, each with `prefix`. Links are not followed.
fn collect(folder: &Path, prefix: &str, names: &mut Vec<String>) -> io::Result<()> {
    for entry in folder.read_dir()? {
        let entry = entry?;
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        let kind = entry.file_type()?;
        if kind.is_dir() {
            collect(&entry.path(), &format!("{name}/"), names)?;
        } else if kind.is_file() {
            names.push(name);
        }
    }
    Ok(())
}

/// The name of a file in a zip, or why it is not read. Windows programs separate by `\`.
fn safe_name<R: Read>(file: &ZipFile<'_, R>) -> Result<String, &'static str> {
    let name = stored_name(file).replace('\\', "/");
    let parts: Vec<&str> = name.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
    if file.enclosed_name().is_none() || parts.contains(&"..") {
        Err("a path that leads out of the archive")
    } else if file.is_symlink() {
        Err("a link in an archive")
    } else if file.encrypted() {
        Err("an encrypted file")
    } else {
        Ok(parts.join("/"))
    }
}

/// The name as it stands there. Some programs write UTF-8 and do not say so; else it is as the
/// archive says, or in the code page of DOS.
fn stored_name<R: Read>(file: &ZipFile<'_, R>) -> String {
    let raw = file.name_raw();
    let name = std::str::from_utf8(raw).map(str::to_owned);
    name.or_else(|_| file.name().map(|name| name.into_owned()))
        .unwrap_or_else(|_| String::from_utf8_lossy(raw).into_owned())
}

/// `size` is what the archive claims; the truth may differ.
fn unpack(mut file: impl Read, size: u64) -> io::Result<Input> {
    if size <= IN_MEMORY_BYTES {
        let mut bytes = Vec::new();
        file.by_ref().take(IN_MEMORY_BYTES + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > IN_MEMORY_BYTES {
            return Err(Reason::Refused("a file larger than its archive says".into()).into_io());
        }
        return Input::from_bytes(bytes);
    }
    let mut place = tempfile::NamedTempFile::new()?;
    io::copy(&mut file, &mut place)?;
    place.flush()?;
    Input::from_unpacked(place.into_temp_path())
}

fn from_zip(error: ZipError) -> io::Error {
    match error {
        ZipError::Io(error) => error,
        other => io::Error::new(io::ErrorKind::InvalidData, other),
    }
}
