//! HTML: what a reader of the page sees, with headings as `# `.

use html5gum::emitters::callback::{CallbackEmitter, CallbackEvent};
use html5gum::{Span, Tokenizer};

use crate::date::{self, Date};
use crate::document::Document;
use crate::format::Head;
use crate::input::Input;
use crate::problem::Reason;
use crate::readers::content;
use crate::reading::{Context, Outcome, Sink};

pub(crate) fn is_html(head: &Head<'_>) -> bool {
    let begins_so = || {
        let start = head.text.trim_start().get(..15).unwrap_or_default().to_ascii_lowercase();
        start.starts_with("<!doctype html") || start.starts_with("<html")
    };
    head.is_text && (head.has_extension(&["html", "htm", "xhtml"]) || begins_so())
}

/// Reads a page as one document.
pub(crate) fn read(input: &Input, context: &Context<'_>, sink: &mut Sink<'_>) -> Outcome {
    let html = content::text(input, context)?;
    let page = readable(&html);
    if page.text.is_empty() {
        return Err(context.problem(None, Reason::Empty).into());
    }
    let kind = context.kind();
    let title = page.title.unwrap_or_else(|| context.stem().to_owned());
    sink.document(Document {
        title,
        whole: context.whole,
        authors: page.author.into_iter().collect(),
        date: page.date,
        updated: page.updated,
        ..context.document(context.name, kind, page.text)
    })
}

/// What a page says.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Page {
    /// Its title, else its first heading.
    pub(crate) title: Option<String>,
    pub(crate) text: String,
    /// Who wrote it, when, and when it changed last, as far as its head says.
    pub(crate) author: Option<String>,
    pub(crate) date: Option<Date>,
    pub(crate) updated: Option<Date>,
}

impl Page {
    /// Notes what a `<meta>` says; of several the first counts.
    fn note(&mut self, name: &str, content: &str) {
        let when = || date::parse(content);
        match name.to_ascii_lowercase().as_str() {
            "author" | "article:author" | "dc.creator" | "dcterms.creator" => {
                let author = Some(content.trim().to_owned()).filter(|author| !author.is_empty());
                self.author = self.author.take().or(author);
            }
            "date" | "article:published_time" | "dc.date" | "dcterms.created" => {
                self.date = self.date.or_else(when);
            }
            "article:modified_time" | "dcterms.modified" | "last-modified" => {
                self.updated = self.updated.or_else(when);
            }
            _ => {}
        }
    }
}

/// The readable text of `html`: headings as `# `, items as `- `, preformatted text in fences;
/// no scripts, styles or menus. Takes any text; nothing is nested in memory.
pub(crate) fn readable(html: &str) -> Page {
    let mut writer = Writer::default();
    let mut emitter = CallbackEmitter::new(|event: CallbackEvent<'_>, _: Span<()>| {
        writer.event(&event);
        None::<std::convert::Infallible>
    });
    emitter.naively_switch_states(true);
    // Text in memory can always be read.
    let Ok(()) = Tokenizer::new_with_emitter(html, emitter).finish();
    writer.finish()
}

/// What the element that just opened does to the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Effect {
    None,
    /// Begins and ends on a line of its own.
    Line,
    /// Has blank lines around it.
    Paragraph,
    Heading(usize),
    Item,
    Cell,
    Break,
    Preformatted,
    Title,
    /// What is in it is not for readers.
    Dropped,
}

fn effect(name: &[u8]) -> Effect {
    match name {
        b"h1" | b"h2" | b"h3" | b"h4" | b"h5" | b"h6" => {
            Effect::Heading(usize::from(name[1] - b'0'))
        }
        b"p" | b"ul" | b"ol" | b"dl" | b"table" | b"blockquote" | b"section" | b"article"
        | b"figure" | b"hr" | b"details" | b"main" | b"header" | b"footer" | b"aside" => {
            Effect::Paragraph
        }
        b"div" | b"tr" | b"dt" | b"dd" | b"body" | b"html" | b"form" | b"fieldset" | b"legend"
        | b"figcaption" | b"address" | b"summary" | b"caption" | b"option" | b"head" => {
            Effect::Line
        }
        b"li" => Effect::Item,
        b"td" | b"th" => Effect::Cell,
        b"br" => Effect::Break,
        b"pre" => Effect::Preformatted,
        b"title" => Effect::Title,
        b"script" | b"style" | b"template" | b"nav" => Effect::Dropped,
        _ => Effect::None,
    }
}

/// Writes text as it comes, with white space as a browser would show it.
#[derive(Default)]
struct Writer {
    text: String,
    title: String,
    first_heading: Option<String>,
    /// Line ends to write before the next word.
    breaks: usize,
    space: bool,
    preformatted: bool,
    in_title: bool,
    /// Where the heading that is open began.
    heading: Option<usize>,
    /// The element that is dropped, and where it began.
    dropped: Option<(Vec<u8>, usize)>,
    in_image: bool,
    in_alt: bool,
    /// The attributes of the `<meta>` that is open.
    meta: Option<Vec<(Vec<u8>, String)>>,
    page: Page,
}

impl Writer {
    fn event(&mut self, event: &CallbackEvent<'_>) {
        match event {
            CallbackEvent::OpenStartTag { name } => self.open(name),
            CallbackEvent::EndTag { name } => self.close(name),
            CallbackEvent::String { value } => self.string(&String::from_utf8_lossy(value)),
            CallbackEvent::AttributeName { name } => {
                self.in_alt = self.in_image && *name == b"alt";
                if let Some(meta) = &mut self.meta {
                    meta.push((name.to_vec(), String::new()));
                }
            }
            CallbackEvent::AttributeValue { value } => self.value(&String::from_utf8_lossy(value)),
            CallbackEvent::CloseStartTag { .. } => self.close_meta(),
            _ => {}
        }
    }

    /// The value of the attribute that was named last.
    fn value(&mut self, value: &str) {
        if self.in_alt {
            self.words(value);
        }
        if let Some((_, last)) = self.meta.as_mut().and_then(|meta| meta.last_mut()) {
            last.push_str(value);
        }
    }

    fn close_meta(&mut self) {
        let Some(meta) = self.meta.take() else { return };
        let value = |wanted: &[&[u8]]| {
            let found = meta.iter().find(|(name, _)| wanted.contains(&name.as_slice()));
            found.map_or("", |(_, value)| value.as_str())
        };
        self.page.note(value(&[b"name", b"property", b"http-equiv"]), value(&[b"content"]));
    }

    fn open(&mut self, name: &[u8]) {
        self.in_image = name == b"img";
        self.meta = (name == b"meta" && self.dropped.is_none()).then(Vec::new);
        match effect(name) {
            Effect::None => {}
            Effect::Line => self.break_line(1),
            Effect::Paragraph => self.break_line(2),
            Effect::Break => self.breaks += usize::from(self.breaks < 2),
            Effect::Heading(level) => {
                self.break_line(2);
                self.write(&"#".repeat(level));
                self.space = true;
                self.heading = Some(self.text.len());
            }
            Effect::Item => {
                self.break_line(1);
                self.write("-");
                self.space = true;
            }
            Effect::Cell if self.breaks == 0 && !self.text.is_empty() => self.write("\t"),
            Effect::Cell => {}
            Effect::Preformatted => {
                self.break_line(2);
                self.write("```\n");
                self.preformatted = true;
            }
            Effect::Title => self.in_title = self.title.is_empty(),
            Effect::Dropped if self.dropped.is_none() => {
                self.dropped = Some((name.to_vec(), self.text.len()));
            }
            Effect::Dropped => {}
        }
    }

    fn close(&mut self, name: &[u8]) {
        self.in_title = false;
        match effect(name) {
            Effect::Line | Effect::Item => self.break_line(1),
            Effect::Paragraph => self.break_line(2),
            Effect::Heading(_) => self.close_heading(),
            Effect::Preformatted if self.preformatted => {
                let newline = if self.text.ends_with('\n') { "" } else { "\n" };
                self.text.push_str(newline);
                self.text.push_str("```");
                self.preformatted = false;
                self.break_line(2);
            }
            Effect::Dropped => self.close_dropped(name),
            _ => {}
        }
    }

    fn close_heading(&mut self) {
        if let Some(start) = self.heading.take() {
            let heading = self.text.get(start..).unwrap_or_default().trim();
            if self.first_heading.is_none() && !heading.is_empty() {
                self.first_heading = Some(heading.to_owned());
            }
        }
        self.break_line(2);
    }

    /// An element that is never closed drops nothing.
    fn close_dropped(&mut self, name: &[u8]) {
        if self.dropped.as_ref().is_some_and(|(open, _)| open == name) {
            let (_, start) = self.dropped.take().unwrap_or_default();
            self.text.truncate(start);
            self.heading = self.heading.filter(|heading| *heading <= start);
            self.preformatted = false;
        }
    }

    fn string(&mut self, text: &str) {
        if self.in_title {
            self.title.push_str(text);
        } else if self.preformatted {
            // The line end right after the tag is not shown.
            let is_first = self.text.ends_with("```\n");
            let shown = text.strip_prefix('\n').filter(|_| is_first).unwrap_or(text);
            self.text.push_str(shown);
        } else {
            self.words(text);
        }
    }

    /// Writes text in which all white space is the same.
    fn words(&mut self, text: &str) {
        self.space |= text.starts_with(is_space);
        for word in text.split(is_space).filter(|word| !word.is_empty()) {
            self.write(word);
            self.space = true;
        }
        self.space &= text.ends_with(is_space);
    }

    /// Writes what is not white space after the white space that is due.
    fn write(&mut self, text: &str) {
        let breaks = std::mem::take(&mut self.breaks);
        let space = std::mem::take(&mut self.space);
        if self.text.is_empty() || self.preformatted {
        } else if breaks > 0 {
            self.text.extend(std::iter::repeat_n('\n', breaks));
        } else if space {
            self.text.push(' ');
        }
        self.text.push_str(text);
    }

    fn break_line(&mut self, count: usize) {
        if self.preformatted {
            return;
        }
        self.breaks = self.breaks.max(count);
        self.space = false;
    }

    fn finish(self) -> Page {
        let title = self.title.split_whitespace().collect::<Vec<_>>().join(" ");
        let title = Some(title).filter(|title| !title.is_empty()).or(self.first_heading);
        let mut text = self.text;
        text.truncate(text.trim_end().len());
        Page { title, text, ..self.page }
    }
}

/// White space that a browser folds; a no-break space is none.
fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r' | '\u{c}')
}
