//! The headings and list items of a Markdown page, by line.

use std::ops::Range;
use std::sync::LazyLock;

use pulldown_cmark::{CowStr, Event, Options, Parser, Tag, TagEnd};
use recall_sources::front_matter::{Split, split};
use regex::bytes::Regex;

use crate::section::{HeadingWords, LineKind, Section};
use crate::shape::Shape;
use crate::statement::{Link, Statement, arrow_targets};

static MARKER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(?:\xEF\xBB\xBF)?[ \t>]*(?:[-*+]|\d+[.)])[ \t]+(?:\[[ xX]\][ \t]+)?")
        .expect("the pattern is constant")
});

/// The indentation, list marker and check box that a line starts with.
pub(crate) fn marker_of(line: &[u8]) -> &[u8] {
    MARKER.find(line).map_or(&[], |found| &line[found.range()])
}

/// What a page holds.
pub(crate) struct Outline {
    pub sections: Vec<Section>,
    pub statements: Vec<Statement>,
}

/// A span in back-ticks and the line, from 1, that it stands on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Quote {
    pub line: usize,
    pub text: String,
}

/// Reads the headings and list items of `text`; code blocks and comments hold neither.
pub(crate) fn outline(text: &str, shape: Shape, words: &HeadingWords) -> Outline {
    let mut builder = Builder::new(text, shape, words);
    for (event, range) in events(builder.text) {
        builder.take(event, range);
    }
    builder.finish()
}

/// Every span in back-ticks of `text` outside code blocks.
pub(crate) fn quotes(text: &str) -> Vec<Quote> {
    let text = without_bom(text);
    let lines = LineStarts::of(text);
    events(text)
        .filter_map(|(event, range)| match event {
            Event::Code(code) => {
                Some(Quote { line: lines.line_of(range.start), text: code.to_string() })
            }
            _ => None,
        })
        .collect()
}

/// What stands in `text` after its front matter.
fn events(text: &str) -> impl Iterator<Item = (Event<'_>, Range<usize>)> {
    let start = match split(text) {
        Split::Matter { body, .. } => text.len() - body.len(),
        Split::None | Split::Unclosed => 0,
    };
    let body = Parser::new_ext(&text[start..], Options::ENABLE_WIKILINKS).into_offset_iter();
    body.map(move |(event, range)| (event, range.start + start..range.end + start))
}

fn without_bom(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

struct LineStarts(Vec<usize>);

impl LineStarts {
    fn of(text: &str) -> Self {
        Self(std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect())
    }

    fn line_of(&self, offset: usize) -> usize {
        self.0.partition_point(|start| *start <= offset)
    }
}

struct Builder<'a> {
    text: &'a str,
    shape: Shape,
    words: &'a HeadingWords,
    lines: LineStarts,
    sections: Vec<Section>,
    in_heading: bool,
    /// Items being read, outermost first.
    open: Vec<Item>,
    statements: Vec<Statement>,
}

/// A list item being read.
struct Item {
    start: usize,
    /// Where its own words end: at a list inside it, or at its end.
    words_end: Option<usize>,
    plain: String,
    bold: String,
    in_bold: bool,
    links: Vec<Link>,
    in_link: bool,
    quotes: Vec<String>,
}

impl<'a> Builder<'a> {
    fn new(text: &'a str, shape: Shape, words: &'a HeadingWords) -> Self {
        let text = without_bom(text);
        Self {
            text,
            shape,
            words,
            lines: LineStarts::of(text),
            sections: Vec::new(),
            in_heading: false,
            open: Vec::new(),
            statements: Vec::new(),
        }
    }

    fn take(&mut self, event: Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(Tag::Heading { level, .. }) if self.open.is_empty() => {
                self.start_section(level as u8, range.start);
            }
            Event::End(TagEnd::Heading(_)) => self.in_heading = false,
            Event::Start(Tag::List(_)) => self.end_words(range.start),
            Event::Start(Tag::Item) => self.open.push(Item::starting(range.start)),
            Event::End(TagEnd::Item) => self.end_item(range),
            Event::Code(code) => self.take_code(&code),
            Event::Text(words) => self.take_words(&words),
            Event::SoftBreak | Event::HardBreak => self.take_words(&CowStr::Borrowed(" ")),
            other => self.take_markup(other, range.start),
        }
    }

    fn take_markup(&mut self, event: Event<'_>, at: usize) {
        let Some(item) = self.open.last_mut() else { return };
        match event {
            Event::Start(Tag::Strong) => item.in_bold = item.plain.trim().is_empty(),
            Event::End(TagEnd::Strong) => item.in_bold = false,
            Event::Start(Tag::Link { dest_url, .. }) => item.start_link(&dest_url),
            Event::End(TagEnd::Link) => item.in_link = false,
            Event::Start(Tag::CodeBlock(_)) => {
                item.words_end.get_or_insert(at);
            }
            _ => {}
        }
    }

    fn start_section(&mut self, level: u8, start: usize) {
        self.in_heading = true;
        let line = self.lines.line_of(start);
        self.sections.push(Section { kind: None, title: String::new(), line, level, last_line: 0 });
    }

    fn end_words(&mut self, at: usize) {
        if let Some(item) = self.open.last_mut() {
            item.words_end.get_or_insert(at);
        }
    }

    fn take_words(&mut self, words: &CowStr<'_>) {
        if self.in_heading {
            self.name_section(words);
        } else if let Some(item) = self.open.last_mut() {
            item.take_words(words);
        }
    }

    fn take_code(&mut self, code: &CowStr<'_>) {
        self.take_words(code);
        if let Some(item) = self.open.last_mut() {
            item.quotes.push(code.to_string());
        }
    }

    /// Adds words to the newest heading, and reads its kind again.
    fn name_section(&mut self, words: &str) {
        let Some((section, above)) = self.sections.split_last_mut() else { return };
        section.title.push_str(words);
        section.kind =
            self.words.kind_of(&section.title).or_else(|| inherited(above, section.level));
    }

    fn end_item(&mut self, range: Range<usize>) {
        let Some(item) = self.open.pop() else { return };
        let statement = self.statement(item, range);
        self.statements.push(statement);
    }

    fn statement(&self, item: Item, range: Range<usize>) -> Statement {
        let source = self.text[item.start..range.end].trim_end();
        let own = item.words_end.map_or(source, |end| self.text[item.start..end].trim_end());
        let text = String::from_utf8_lossy(&own.as_bytes()[marker_of(own.as_bytes()).len()..]);
        let mut links = item.links;
        let known: Vec<_> = links.iter().map(|link| link.target.clone()).collect();
        links.extend(arrow_targets(&text).into_iter().filter(|link| !known.contains(&link.target)));
        Statement {
            line: self.lines.line_of(item.start),
            last_line: self.lines.line_of(item.start + source.len().saturating_sub(1)),
            kind: self.kind(text.starts_with('[') && !links.is_empty()),
            heading: self.sections.last().map(|section| section.title.clone()).unwrap_or_default(),
            text: text.into_owned(),
            plain: item.plain.trim().to_owned(),
            bold: item.bold.trim().to_owned(),
            links,
            quotes: item.quotes,
        }
    }

    fn kind(&self, opens_with_link: bool) -> LineKind {
        if self.shape == Shape::Memory && opens_with_link {
            return LineKind::Entry;
        }
        self.sections.last().and_then(|section| section.kind).unwrap_or(LineKind::Other)
    }

    fn finish(mut self) -> Outline {
        let mut next = self.text.lines().count() + 1;
        for section in self.sections.iter_mut().rev() {
            section.last_line = next - 1;
            next = section.line;
        }
        // Items end inside out: a nested one is read before the one that holds it.
        self.statements.sort_by_key(|statement| statement.line);
        Outline { sections: self.sections, statements: self.statements }
    }
}

/// The kind of the nearest heading above that this one stands under.
fn inherited(above: &[Section], level: u8) -> Option<LineKind> {
    let mut level = level;
    for section in above.iter().rev() {
        if section.level < level {
            level = section.level;
            if section.kind.is_some() {
                return section.kind;
            }
        }
    }
    None
}

impl Item {
    fn starting(start: usize) -> Self {
        Self {
            start,
            words_end: None,
            plain: String::new(),
            bold: String::new(),
            in_bold: false,
            links: Vec::new(),
            in_link: false,
            quotes: Vec::new(),
        }
    }

    fn start_link(&mut self, target: &str) {
        self.in_link = true;
        self.links.push(Link { text: String::new(), target: target.to_owned() });
    }

    fn take_words(&mut self, words: &str) {
        self.plain.push_str(words);
        if self.in_bold {
            self.bold.push_str(words);
        }
        if let Some(link) = self.links.last_mut().filter(|_| self.in_link) {
            link.text.push_str(words);
        }
    }
}
