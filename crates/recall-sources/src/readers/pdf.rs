//! PDF: the text of each page.

use std::thread;

use lopdf::{Document as Pdf, LoadOptions, Object};

use crate::document::Document;
use crate::format::Head;
use crate::input::Input;
use crate::problem::Reason;
use crate::readers::content;
use crate::readers::pdf_page;
use crate::reading::{Context, Outcome, Sink};

/// A file may be this many times larger than a document: it holds more than text.
const FILE_LIMIT: u64 = 8;
/// One stream may unpack to this many bytes.
pub(crate) const STREAM_BYTES: usize = 64 << 20;
/// Objects in objects are followed on a stack of this size.
const STACK_BYTES: usize = 64 << 20;

pub(crate) fn is_pdf(head: &Head<'_>) -> bool {
    head.bytes.starts_with(b"%PDF-")
}

/// Reads a file as one document, page after page. A file of scanned pages has no text.
pub(crate) fn read(input: &Input, context: &Context<'_>, sink: &mut Sink<'_>) -> Outcome {
    let limit = context.options.max_document_bytes;
    let bytes = content::bytes(input, limit.saturating_mul(FILE_LIMIT), context)?;
    let found = apart(|| extract(&bytes, limit as usize));
    let found = found.map_err(|reason| context.problem(None, reason))?;
    for what in found.cut {
        sink.problem(context.problem(None, Reason::Cut(what)))?;
    }
    if found.text.trim().is_empty() {
        let what = format!("no text on {} pages (scanned?)", found.pages);
        return Err(context.problem(None, Reason::Malformed(what)).into());
    }
    let kind = context.kind();
    let mut document = context.document(context.name, kind, found.text);
    document.title = found.title.unwrap_or_else(|| context.stem().to_owned());
    document.authors = found.author.into_iter().collect();
    document.date = found.date.as_deref().and_then(crate::date::parse);
    document.whole = context.whole;
    document.metadata.insert("pages".to_owned(), found.pages.to_string());
    sink.document(Document { source: "file".to_owned(), ..document })
}

/// Runs `work` on a stack of its own. If it panics, the file is malformed: the library has to make
/// sense of files that many programs write in their own ways.
fn apart(work: impl FnOnce() -> Result<Found, Reason> + Send) -> Result<Found, Reason> {
    let joined = thread::scope(|scope| {
        let worker = thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work);
        worker.map(|worker| worker.join())
    });
    match joined {
        Ok(Ok(found)) => found,
        Ok(Err(_)) => Err(Reason::Malformed("the PDF library gave up".to_owned())),
        Err(error) => Err(Reason::from_io(&error)),
    }
}

/// What a file says.
struct Found {
    text: String,
    title: Option<String>,
    author: Option<String>,
    date: Option<String>,
    pages: usize,
    cut: Vec<String>,
}

fn extract(bytes: &[u8], limit: usize) -> Result<Found, Reason> {
    let options =
        LoadOptions { max_decompressed_size: Some(STREAM_BYTES), ..LoadOptions::default() };
    let pdf = Pdf::load_mem_with_options(bytes, options)
        .map_err(|error| Reason::Malformed(error.to_string()))?;
    if pdf.is_encrypted() && pdf.encryption_state.is_none() {
        return Err(Reason::Refused("it needs a password".to_owned()));
    }
    let (mut text, mut cut, mut pages) = (String::new(), Vec::new(), 0);
    for page in pdf.page_iter() {
        pages += 1;
        match pdf_page::text(&pdf, page) {
            Ok(found) if text.len() + found.len() <= limit => join(&mut text, &found),
            Ok(_) => {
                cut.push(format!("text beyond {limit} bytes"));
                break;
            }
            Err(error) => cut.push(format!("page {pages}: {error}")),
        }
    }
    let (title, author) = (property(&pdf, b"Title"), property(&pdf, b"Author"));
    let date = property(&pdf, b"CreationDate").and_then(|date| iso(&date));
    Ok(Found { text, title, author, date, pages, cut })
}

fn join(text: &mut String, page: &str) {
    if !text.is_empty() && !page.trim().is_empty() {
        text.push_str("\n\n");
    }
    text.push_str(page.trim());
}

/// A field of the file's description.
fn property(pdf: &Pdf, name: &[u8]) -> Option<String> {
    let info = pdf.trailer.get(b"Info").ok()?;
    let (_, info) = pdf.dereference(info).ok()?;
    let (_, value) = pdf.dereference(info.as_dict().ok()?.get(name).ok()?).ok()?;
    let text = lopdf::decode_text_string(value).ok()?;
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    (!text.is_empty() && matches!(value, Object::String(..))).then_some(text)
}

/// `D:20240304085800+07'00'` as ISO 8601.
fn iso(date: &str) -> Option<String> {
    let digits = date.strip_prefix("D:").unwrap_or(date);
    let part = |from: usize, to: usize| {
        digits.get(from..to).filter(|part| part.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let day = format!("{}-{}-{}", part(0, 4)?, part(4, 6)?, part(6, 8)?);
    let Some(hour) = part(8, 10) else { return Some(day) };
    let (minute, second) = (part(10, 12).unwrap_or("00"), part(12, 14).unwrap_or("00"));
    let offset = digits.get(14..).unwrap_or_default().replace('\'', "");
    let offset = match offset.as_bytes() {
        [b'+' | b'-', digits @ ..] if digits.len() >= 4 => {
            format!("{}:{}", offset.get(..3)?, offset.get(3..5)?)
        }
        _ => "Z".to_owned(),
    };
    Some(format!("{day}T{hour}:{minute}:{second}{offset}"))
}
