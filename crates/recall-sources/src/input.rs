//! The bytes of one file, wherever it lies: on disk, packed with gzip, or in an archive.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read, Seek};
use std::ops::{Range, RangeInclusive};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use encoding_rs::{Encoding, UTF_8};
use flate2::read::MultiGzDecoder;
use tempfile::TempPath;

use crate::document::Span;
use crate::encoding;
use crate::problem::Reason;

/// How many bytes are looked at to tell the format and the encoding.
pub const HEAD_BYTES: u64 = 256 << 10;

/// Content that unpacks to more than this many times its packed size is refused…
const MAX_RATIO: u64 = 500;
/// …once it is larger than this many bytes.
const RATIO_FREE_BYTES: u64 = 64 << 20;

/// One file to read. It may be opened any number of times, always from its beginning.
#[derive(Debug)]
pub struct Input {
    place: Place,
    head: Vec<u8>,
    /// Bytes of the file as it lies there (packed).
    size: u64,
    /// Unpacked bytes allowed.
    limit: u64,
    encoding: Option<&'static Encoding>,
    replaced: Rc<Cell<u64>>,
}

#[derive(Debug)]
enum Place {
    File(PathBuf),
    Gzip(PathBuf),
    Memory(Rc<[u8]>),
    /// A large file from an archive, unpacked beside us for as long as this lives.
    Unpacked(TempPath),
    /// A folder that is one export.
    Folder(PathBuf),
}

/// A reader that can also seek, as archives and PDF need.
pub trait ReadSeek: Read + Seek {}
impl<T: Read + Seek> ReadSeek for T {}

impl Input {
    /// The file or folder at `path`; a file whose first bytes are gzip's is unpacked on the fly.
    ///
    /// # Errors
    /// As the system has it.
    pub fn open(path: &Path, limit: u64) -> io::Result<Self> {
        let metadata = path.metadata()?;
        if metadata.is_dir() {
            return Self::new(Place::Folder(path.to_owned()), 0, limit);
        }
        let mut magic = [0; 2];
        let read = File::open(path)?.read(&mut magic)?;
        let place = match magic[..read] {
            [0x1f, 0x8b] => Place::Gzip(path.to_owned()),
            _ => Place::File(path.to_owned()),
        };
        Self::new(place, metadata.len(), limit)
    }

    /// A file that is in memory.
    ///
    /// # Errors
    /// None in practice: reading memory does not fail.
    pub fn from_bytes(bytes: impl Into<Rc<[u8]>>) -> io::Result<Self> {
        let bytes = bytes.into();
        let size = bytes.len() as u64;
        Self::new(Place::Memory(bytes), size, u64::MAX)
    }

    /// A file that was unpacked to `path`, which is removed with this value.
    pub(crate) fn from_unpacked(path: TempPath) -> io::Result<Self> {
        let size = path.metadata()?.len();
        Self::new(Place::Unpacked(path), size, u64::MAX)
    }

    fn new(place: Place, size: u64, limit: u64) -> io::Result<Self> {
        let replaced = Rc::default();
        let mut input = Self { place, head: Vec::new(), size, limit, encoding: None, replaced };
        if input.folder().is_none() {
            let mut head = Vec::new();
            input.bytes()?.take(HEAD_BYTES).read_to_end(&mut head)?;
            input.encoding = encoding::detect(&head, (head.len() as u64) < HEAD_BYTES);
            input.head = head;
        }
        Ok(input)
    }

    /// The first [`HEAD_BYTES`] bytes, unpacked but not decoded.
    pub fn head(&self) -> &[u8] {
        &self.head
    }

    /// The head as text; empty if it is not text. Stray bytes are replaced.
    pub fn head_text(&self) -> String {
        match self.encoding {
            Some(encoding) => encoding.decode(&self.head).0.into_owned(),
            None => String::new(),
        }
    }

    /// It is text in an encoding we know.
    pub fn is_text(&self) -> bool {
        self.encoding.is_some()
    }

    /// Bytes of the file as it lies there (packed, if it is).
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The folder, if it is one.
    pub fn folder(&self) -> Option<&Path> {
        match &self.place {
            Place::Folder(path) => Some(path),
            _ => None,
        }
    }

    /// How many bytes that are not UTF-8 were replaced by `?` in the fullest reading so far.
    pub fn replaced(&self) -> u64 {
        self.replaced.get()
    }

    /// The bytes from the beginning, unpacked but not decoded.
    ///
    /// # Errors
    /// As the system has it; later, while reading, also content that unpacks beyond the limit.
    pub fn bytes(&self) -> io::Result<Box<dyn BufRead + '_>> {
        Ok(match &self.place {
            Place::File(path) => Box::new(BufReader::with_capacity(64 << 10, File::open(path)?)),
            Place::Unpacked(path) => {
                Box::new(BufReader::with_capacity(64 << 10, File::open(path)?))
            }
            Place::Memory(bytes) => Box::new(Cursor::new(&bytes[..])),
            Place::Gzip(path) => {
                let unpacked = MultiGzDecoder::new(BufReader::new(File::open(path)?));
                let limited = Limited::new(unpacked, self.size, self.limit);
                Box::new(BufReader::with_capacity(64 << 10, limited))
            }
            Place::Folder(_) => return Err(io::ErrorKind::IsADirectory.into()),
        })
    }

    /// The bytes as they lie there, with random access: for archives, PDF and the like.
    ///
    /// # Errors
    /// As the system has it.
    pub fn seekable(&self) -> io::Result<Box<dyn ReadSeek + '_>> {
        Ok(match &self.place {
            Place::File(path) | Place::Gzip(path) => Box::new(BufReader::new(File::open(path)?)),
            Place::Unpacked(path) => Box::new(BufReader::new(File::open(path)?)),
            Place::Memory(bytes) => Box::new(Cursor::new(&bytes[..])),
            Place::Folder(_) => return Err(io::ErrorKind::IsADirectory.into()),
        })
    }

    /// The content as UTF-8 from the beginning, without a byte order mark.
    ///
    /// What comes is always valid UTF-8: in a file of UTF-8 each stray byte becomes one `?`, so
    /// that positions stay; other encodings are decoded.
    ///
    /// # Errors
    /// As [`Self::bytes`].
    pub fn text(&self) -> io::Result<Text<'_>> {
        let mut raw = self.bytes()?;
        let is_utf8 = self.encoding.is_none_or(|encoding| encoding == UTF_8);
        let mark = if is_utf8 && self.head.starts_with(b"\xef\xbb\xbf") { 3_u64 } else { 0 };
        io::copy(&mut raw.by_ref().take(mark), &mut io::sink())?;
        let reader: Box<dyn BufRead + '_> = if is_utf8 {
            Box::new(Utf8::new(raw, self.replaced.clone()))
        } else {
            let decoder =
                encoding_rs_io::DecodeReaderBytesBuilder::new().encoding(self.encoding).build(raw);
            Box::new(BufReader::with_capacity(64 << 10, decoder))
        };
        let exact = is_utf8 && !matches!(self.place, Place::Gzip(_));
        let places = Places { mark, exact, size: self.size };
        Ok(Text { reader, places })
    }
}

/// The content of an [`Input`] as UTF-8.
pub struct Text<'a> {
    reader: Box<dyn BufRead + 'a>,
    places: Places,
}

impl Text<'_> {
    /// Turns positions in this text into positions in the file.
    pub fn places(&self) -> Places {
        self.places
    }
}

/// Turns positions in a [`Text`] into positions in its file.
#[derive(Debug, Clone, Copy)]
pub struct Places {
    /// Bytes of the byte order mark, which is no part of the text.
    mark: u64,
    /// The file's bytes are the text's.
    exact: bool,
    size: u64,
}

impl Places {
    /// The range of the file that holds the bytes `bytes` of the text, on the lines `lines` (from 1).
    /// Where the file's bytes are not the text's (packed, or not UTF-8), that is all of its bytes.
    pub fn span(self, bytes: Range<u64>, lines: RangeInclusive<u64>) -> Span {
        let (byte_start, byte_end) = match self.exact {
            true => (self.mark + bytes.start, self.mark + bytes.end),
            false => (0, self.size),
        };
        Span { byte_start, byte_end, line_start: *lines.start(), line_end: *lines.end() }
    }
}

impl Read for Text<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.reader.read(buffer)
    }
}

impl BufRead for Text<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.reader.fill_buf()
    }

    fn consume(&mut self, count: usize) {
        self.reader.consume(count);
    }
}

/// Passes UTF-8 on and puts `?` for every byte that is not.
struct Utf8<R> {
    inner: R,
    /// Checked bytes, then the beginning of a character that is not complete yet.
    buffer: Vec<u8>,
    position: usize,
    checked: usize,
    replaced: u64,
    most_replaced: Rc<Cell<u64>>,
}

impl<R: BufRead> Utf8<R> {
    fn new(inner: R, most_replaced: Rc<Cell<u64>>) -> Self {
        Self { inner, buffer: Vec::new(), position: 0, checked: 0, replaced: 0, most_replaced }
    }

    fn refill(&mut self) -> io::Result<()> {
        self.buffer.drain(..self.checked);
        (self.position, self.checked) = (0, 0);
        loop {
            let fresh = self.inner.fill_buf()?;
            let count = fresh.len();
            self.buffer.extend_from_slice(fresh);
            self.inner.consume(count);
            self.check(count == 0);
            if count == 0 || self.checked > 0 {
                return Ok(());
            }
        }
    }

    /// Checks what is in the buffer; at the `end` also a character that was cut.
    fn check(&mut self, end: bool) {
        while let Err(error) = std::str::from_utf8(&self.buffer[self.checked..]) {
            self.checked += error.valid_up_to();
            let bad = match error.error_len() {
                Some(count) => count,
                None if end => self.buffer.len() - self.checked,
                None => return,
            };
            self.buffer[self.checked..self.checked + bad].fill(b'?');
            self.checked += bad;
            self.replaced += bad as u64;
            self.most_replaced.set(self.most_replaced.get().max(self.replaced));
        }
        self.checked = self.buffer.len();
    }
}

impl<R: BufRead> Read for Utf8<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut available = self.fill_buf()?;
        let count = available.read(buffer)?;
        self.consume(count);
        Ok(count)
    }
}

impl<R: BufRead> BufRead for Utf8<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.position == self.checked {
            self.refill()?;
        }
        Ok(&self.buffer[self.position..self.checked])
    }

    fn consume(&mut self, count: usize) {
        self.position = (self.position + count).min(self.checked);
    }
}

/// Stops unpacking that goes on and on.
pub(crate) struct Limited<R> {
    inner: R,
    packed: u64,
    limit: u64,
    unpacked: u64,
}

impl<R: Read> Limited<R> {
    /// `inner` unpacks `packed` bytes and may yield `limit`.
    pub(crate) fn new(inner: R, packed: u64, limit: u64) -> Self {
        Self { inner, packed, limit, unpacked: 0 }
    }

    fn check(&self) -> io::Result<()> {
        if self.unpacked > self.limit {
            return Err(Reason::TooLarge { size: self.unpacked, limit: self.limit }.into_io());
        }
        let explodes = self.unpacked > self.packed.saturating_mul(MAX_RATIO).max(RATIO_FREE_BYTES);
        if explodes {
            let what = format!("unpacks to more than {MAX_RATIO} times its size");
            return Err(Reason::Refused(what).into_io());
        }
        Ok(())
    }
}

impl<R: Read> Read for Limited<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.unpacked += count as u64;
        self.check()?;
        Ok(count)
    }
}
