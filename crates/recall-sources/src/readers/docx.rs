//! Word documents: paragraphs, headings as `# `, lists and tables.

use std::collections::HashMap;
use std::io::{BufRead, BufReader};

use quick_xml::Reader;
use quick_xml::events::{BytesRef, BytesStart, Event};

use crate::archive::Archive;
use crate::date;
use crate::document::Document;
use crate::input::Input;
use crate::problem::Reason;
use crate::reading::{Context, Halt, Outcome, Sink};

const BODY: &str = "word/document.xml";

pub(crate) fn is_docx(names: &[String]) -> bool {
    names.iter().any(|name| name == BODY) && names.iter().any(|name| name == "[Content_Types].xml")
}

/// Reads the text, its notes and comments.
pub(crate) fn read(input: &Input, context: &Context<'_>, sink: &mut Sink<'_>) -> Outcome {
    let archive =
        Archive::open(input, context.options.max_bytes).map_err(|e| context.failed(&e))?;
    let mut styles = Styles::default();
    each_event(&archive, "word/styles.xml", context, |event| styles.event(event))?;
    let limit = context.options.max_document_bytes as usize;
    let mut text = String::new();
    for part in [BODY, "word/footnotes.xml", "word/endnotes.xml", "word/comments.xml"] {
        let mut body =
            Body { levels: &styles.levels, limit, ..Body::new(std::mem::take(&mut text)) };
        let read = each_event(&archive, part, context, |event| body.event(event));
        body.end_paragraph();
        text = body.text;
        match read {
            // A document without its text is none; its notes may be missing or broken.
            Err(halt) if part == BODY && text.trim().is_empty() => return Err(halt),
            Err(Halt::Failed(problem)) => sink.problem(problem)?,
            outcome => outcome?,
        }
    }
    if text.len() > limit {
        text.truncate(text.floor_char_boundary(limit));
        let what = format!("text beyond {limit} bytes");
        sink.problem(context.problem(None, Reason::Cut(what)))?;
    }
    let text = text.trim().to_owned();
    if text.is_empty() {
        return Err(context.problem(None, Reason::Empty).into());
    }
    let mut properties = Properties::default();
    // Without properties the file's name is the title.
    let _ = each_event(&archive, "docProps/core.xml", context, |event| properties.event(event));
    sink.document(properties.document(text, context))
}

/// Hands the events of the file `name`, if there is one, to `each`. Elements are not nested in
/// memory, and no entity but those of XML itself is known.
fn each_event(
    archive: &Archive<'_>,
    name: &str,
    context: &Context<'_>,
    mut each: impl FnMut(&Event<'_>),
) -> Outcome {
    if !archive.names().iter().any(|known| known == name) {
        return Ok(());
    }
    let input = archive.file(name).map_err(|error| context.failed(&error))?;
    let mut text = input.text().map_err(|error| context.failed(&error))?;
    let mut reader = Reader::from_reader(BufReader::new(&mut text as &mut dyn BufRead));
    let mut buffer = Vec::new();
    loop {
        buffer.clear();
        match reader.read_event_into(&mut buffer) {
            Ok(Event::Eof) => return Ok(()),
            Ok(event) => each(&event),
            Err(quick_xml::Error::Io(error)) => return Err(context.failed(&error)),
            Err(error) => return Err(context.malformed(0, format!("{name}: {error}"))),
        }
    }
}

/// The value of the attribute `name`, whatever its prefix.
fn attribute(element: &BytesStart<'_>, name: &str) -> Option<String> {
    let mut attributes = element.attributes().flatten();
    let found = attributes.find(|attribute| attribute.key.local_name().as_ref() == name)?;
    found.normalized_value(quick_xml::XmlVersion::Implicit1_0).ok().map(|value| value.into_owned())
}

/// Which styles are headings, of which level.
#[derive(Default)]
struct Styles {
    levels: HashMap<String, usize>,
    current: String,
}

impl Styles {
    fn event(&mut self, event: &Event<'_>) {
        let (Event::Start(element) | Event::Empty(element)) = event else { return };
        let level = match element.local_name().as_ref() {
            "style" => {
                self.current = attribute(element, "styleId").unwrap_or_default();
                None
            }
            // The names of built-in styles are English in every language.
            "name" => attribute(element, "val").and_then(|name| heading(&name)),
            "outlineLvl" => attribute(element, "val").and_then(|level| outline(&level)),
            _ => None,
        };
        if let Some(level) = level {
            self.levels.insert(self.current.clone(), level);
        }
    }
}

/// `heading 2` → 2.
fn heading(name: &str) -> Option<usize> {
    let name = name.to_lowercase();
    if name == "title" {
        return Some(1);
    }
    name.strip_prefix("heading")?.trim().parse().ok().filter(|level| (1..=9).contains(level))
}

/// Levels count from 0; 9 is body text.
fn outline(level: &str) -> Option<usize> {
    level.parse::<usize>().ok().filter(|level| *level < 9).map(|level| level + 1)
}

/// The text of a part, as it is put together.
struct Body<'a> {
    text: String,
    levels: &'a HashMap<String, usize>,
    limit: usize,
    /// The paragraph that is open: its mark and its words.
    mark: String,
    words: String,
    in_text: bool,
    /// How many tables are open: a row is a line.
    tables: usize,
}

/// No style is a heading.
static NO_LEVELS: std::sync::LazyLock<HashMap<String, usize>> =
    std::sync::LazyLock::new(HashMap::new);

impl Body<'_> {
    fn new(text: String) -> Self {
        let (mark, words) = (String::new(), String::new());
        Self { text, levels: &NO_LEVELS, limit: 0, mark, words, in_text: false, tables: 0 }
    }

    fn event(&mut self, event: &Event<'_>) {
        match event {
            Event::Start(element) => {
                self.open(element);
                self.in_text |= element.local_name().as_ref() == "t";
                self.tables += usize::from(element.local_name().as_ref() == "tbl");
            }
            Event::Empty(element) => self.open(element),
            Event::Text(text) if self.in_text => self.words.push_str(&text.xml10_content()),
            Event::CData(text) if self.in_text => self.words.push_str(&text.xml10_content()),
            Event::GeneralRef(entity) if self.in_text => self.words.extend(character(entity)),
            Event::End(element) => self.close(element.local_name().as_ref()),
            _ => {}
        }
    }

    fn open(&mut self, element: &BytesStart<'_>) {
        match element.local_name().as_ref() {
            "pStyle" => {
                let style = attribute(element, "val").unwrap_or_default();
                if let Some(level) = self.levels.get(&style).copied().or_else(|| heading(&style)) {
                    self.mark = "#".repeat(level.min(6));
                }
            }
            "numPr" if self.mark.is_empty() => self.mark = "-".to_owned(),
            "tab" => self.words.push('\t'),
            "br" | "cr" => self.words.push('\n'),
            "noBreakHyphen" => self.words.push('-'),
            _ => {}
        }
    }

    fn close(&mut self, name: &str) {
        match name {
            "t" => self.in_text = false,
            "p" if self.tables > 0 => self.words.push(' '),
            "p" => self.end_paragraph(),
            "tc" => {
                self.words.truncate(self.words.trim_end().len());
                self.words.push('\t');
            }
            "tr" => self.end_paragraph(),
            "tbl" => {
                self.tables = self.tables.saturating_sub(1);
                self.push("\n");
            }
            _ => {}
        }
    }

    fn end_paragraph(&mut self) {
        let (mark, words) = (std::mem::take(&mut self.mark), std::mem::take(&mut self.words));
        let words = words.trim();
        if words.is_empty() {
            return;
        }
        let end = if mark == "-" || self.tables > 0 { "\n" } else { "\n\n" };
        let space = if mark.is_empty() { "" } else { " " };
        let before =
            if mark.starts_with('#') && self.text.ends_with(|c| c != '\n') { "\n" } else { "" };
        self.push(&format!("{before}{mark}{space}{words}{end}"));
    }

    /// What comes after the limit is not kept.
    fn push(&mut self, text: &str) {
        if self.text.len() <= self.limit {
            self.text.push_str(text);
        }
    }
}

/// The character that an entity of XML stands for; a document's own entities stand for nothing.
fn character(entity: &BytesRef<'_>) -> Option<char> {
    if let Ok(Some(character)) = entity.resolve_char_ref() {
        return Some(character);
    }
    match &*entity.xml10_content() {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => None,
    }
}

/// Title, author and dates.
#[derive(Default)]
struct Properties {
    values: HashMap<String, String>,
    current: String,
}

impl Properties {
    fn event(&mut self, event: &Event<'_>) {
        match event {
            Event::Start(element) => self.current = element.local_name().as_ref().to_owned(),
            Event::Text(text) => {
                let value = self.values.entry(self.current.clone()).or_default();
                value.push_str(&text.xml10_content());
            }
            Event::GeneralRef(entity) => {
                self.values.entry(self.current.clone()).or_default().extend(character(entity));
            }
            Event::End(_) => self.current.clear(),
            _ => {}
        }
    }

    fn document(&self, text: String, context: &Context<'_>) -> Document {
        let value = |name: &str| {
            let value = self.values.get(name).map(|value| value.trim());
            value.filter(|value| !value.is_empty()).map(str::to_owned)
        };
        let first_heading = text.lines().find_map(|line| line.strip_prefix("# "));
        let first_heading = first_heading.map(str::to_owned);
        let title = value("title").or(first_heading).unwrap_or_else(|| context.stem().to_owned());
        let kind = context.kind();
        let mut document = context.document(context.name, kind, text);
        document.title = title;
        document.whole = context.whole;
        document.authors = value("creator").into_iter().collect();
        document.date = value("created").and_then(|date| date::parse(&date));
        document.updated = value("modified").and_then(|date| date::parse(&date));
        let words = value("keywords").unwrap_or_default();
        document.tags = words.split([',', ';']).map(|tag| tag.trim().to_owned()).collect();
        document.tags.retain(|tag| !tag.is_empty());
        document
    }
}
