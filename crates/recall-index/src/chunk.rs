//! A text cut into ranges that a model can read: at headings, paragraphs and messages, with
//! some overlap. Pure: the measure of a text in tokens is passed in.

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// How long chunks are. Part of the manifest: other settings mean another index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChunkSettings {
    /// Tokens a chunk holds at the most, without its context.
    pub tokens: usize,
    /// Tokens of the chunk before that a chunk repeats at the most.
    pub overlap: usize,
}

impl Default for ChunkSettings {
    fn default() -> Self {
        Self { tokens: 300, overlap: 50 }
    }
}

/// A range of a text and the headings above it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk {
    /// Bytes of the text.
    pub range: Range<usize>,
    /// The headings it stands under, outermost first, joined by ` > `; may be empty.
    pub headings: String,
}

/// Where the tokens of a text begin, in bytes, ascending.
pub type TokenOffsets<'a> = dyn Fn(&str) -> Vec<usize> + 'a;

/// Cuts `text` into chunks that cover all of it except white space. `messages` are the ranges of
/// the messages of a conversation, in order; a message is cut only if it is longer than a chunk.
pub fn chunk(
    text: &str,
    messages: &[Range<usize>],
    measure: &TokenOffsets<'_>,
    settings: ChunkSettings,
) -> Vec<Chunk> {
    // Tokens have several bytes, few have one, so a short text needs no measuring, but for its headings.
    let headings = || text.starts_with('#') || text.contains("\n#");
    if text.len() <= settings.tokens * 3 / 2 && (!messages.is_empty() || !headings()) {
        let range = trimmed(text, 0..text.len());
        let whole = Chunk { range, headings: String::new() };
        return if whole.range.is_empty() { Vec::new() } else { vec![whole] };
    }
    let tokens = Tokens(measure(text));
    let blocks = if messages.is_empty() { paragraphs(text) } else { turns(text, messages) };
    let mut packer = Packer::new(text, &tokens, settings, !messages.is_empty());
    for block in blocks {
        packer.add(block);
    }
    packer.finish()
}

/// Starts of the tokens of a text.
struct Tokens(Vec<usize>);

impl Tokens {
    fn count(&self, range: &Range<usize>) -> usize {
        self.index(range.end) - self.index(range.start)
    }

    /// Number of tokens that start before `byte`.
    fn index(&self, byte: usize) -> usize {
        self.0.partition_point(|start| *start < byte)
    }
}

/// A range that is kept together where it fits: a heading, a paragraph, a message.
struct Block {
    range: Range<usize>,
    heading: Option<Heading>,
}

struct Heading {
    level: usize,
    title: String,
}

/// Paragraphs (ended by a blank line) and Markdown headings, outside fenced code.
fn paragraphs(text: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut open = false;
    let mut fenced = false;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let range = at..at + line.len();
        at = range.end;
        let content = line.trim();
        if content.starts_with("```") || content.starts_with("~~~") {
            fenced = !fenced;
        }
        let heading = if fenced { None } else { heading(line) };
        if content.is_empty() && !fenced {
            open = false;
        } else if heading.is_some() || !open {
            open = heading.is_none();
            blocks.push(Block { range, heading });
        } else if let Some(last) = blocks.last_mut() {
            last.range.end = range.end;
        }
    }
    blocks
}

fn heading(line: &str) -> Option<Heading> {
    let level = line.bytes().take_while(|b| *b == b'#').count();
    let title = line.get(level..)?.strip_prefix(' ')?.trim().trim_end_matches('#').trim_end();
    let is_heading = (1..=6).contains(&level) && !title.is_empty();
    is_heading.then(|| Heading { level, title: title.to_owned() })
}

/// One block a message; text between messages belongs to the message before it.
fn turns(text: &str, messages: &[Range<usize>]) -> Vec<Block> {
    let mut starts: Vec<usize> = messages.iter().map(|m| m.start.min(text.len())).collect();
    if let Some(first) = starts.first_mut() {
        *first = 0;
    }
    starts.push(text.len());
    starts
        .windows(2)
        .filter(|pair| pair[0] < pair[1])
        .map(|pair| Block { range: pair[0]..pair[1], heading: None })
        .collect()
}

/// Fills chunks block by block.
struct Packer<'a> {
    text: &'a str,
    tokens: &'a Tokens,
    settings: ChunkSettings,
    conversation: bool,
    headings: Vec<Heading>,
    /// Blocks of the chunk in the making.
    current: Vec<Range<usize>>,
    current_headings: String,
    chunks: Vec<Chunk>,
}

impl<'a> Packer<'a> {
    fn new(text: &'a str, tokens: &'a Tokens, settings: ChunkSettings, conversation: bool) -> Self {
        Self {
            text,
            tokens,
            settings,
            conversation,
            headings: Vec::new(),
            current: Vec::new(),
            current_headings: String::new(),
            chunks: Vec::new(),
        }
    }

    fn add(&mut self, block: Block) {
        if let Some(heading) = block.heading {
            self.enter(heading);
        }
        for piece in self.pieces(block.range) {
            self.push(piece);
        }
    }

    /// A heading begins a new chunk, unless the one in the making is still short.
    fn enter(&mut self, heading: Heading) {
        if self.size() >= self.settings.tokens / 4 {
            self.flush();
        }
        self.headings.retain(|open| open.level < heading.level);
        self.headings.push(heading);
    }

    fn size(&self) -> usize {
        match (self.current.first(), self.current.last()) {
            (Some(first), Some(last)) => self.tokens.count(&(first.start..last.end)),
            _ => 0,
        }
    }

    fn push(&mut self, piece: Range<usize>) {
        let grown = self.current.first().map_or(piece.start, |first| first.start)..piece.end;
        if !self.current.is_empty() && self.tokens.count(&grown) > self.settings.tokens {
            let overlap = self.overlap(&piece);
            self.flush();
            self.current.extend(overlap);
        }
        if self.current.is_empty() || self.chunks.is_empty() && self.current.len() == 1 {
            self.current_headings = self.path();
        }
        self.current.push(piece);
    }

    /// What the next chunk repeats of the one in the making: whole messages of a conversation, else
    /// the end of the last block from the start of a line or sentence on.
    fn overlap(&self, next: &Range<usize>) -> Option<Range<usize>> {
        let room =
            self.settings.overlap.min(self.settings.tokens.saturating_sub(self.tokens.count(next)));
        let end = self.current.last()?.end;
        if self.conversation {
            let fits = |block: &&Range<usize>| self.tokens.count(&(block.start..end)) <= room;
            let first = self.current.iter().rev().take_while(fits).last()?;
            return Some(first.start..end);
        }
        let earliest = *self.tokens.0.get(self.tokens.index(end).saturating_sub(room))?;
        if room == 0 || earliest >= end {
            return None;
        }
        let start = boundaries(self.text, earliest..end).next().unwrap_or(earliest);
        (start > self.current.first()?.start && start < end).then_some(start..end)
    }

    fn path(&self) -> String {
        let titles: Vec<&str> = self.headings.iter().map(|h| h.title.as_str()).collect();
        titles.join(" > ")
    }

    fn flush(&mut self) {
        if let (Some(first), Some(last)) = (self.current.first(), self.current.last()) {
            let range = trimmed(self.text, first.start..last.end);
            if !range.is_empty() {
                let headings = std::mem::take(&mut self.current_headings);
                self.chunks.push(Chunk { range, headings });
            }
        }
        self.current.clear();
    }

    fn finish(mut self) -> Vec<Chunk> {
        self.flush();
        self.chunks
    }

    /// A block that fits is one piece; a longer one is cut at lines and sentences, and where there
    /// are none, between tokens.
    fn pieces(&self, block: Range<usize>) -> Vec<Range<usize>> {
        if self.tokens.count(&block) <= self.settings.tokens {
            return vec![block];
        }
        let mut cuts: Vec<usize> = boundaries(self.text, block.clone()).collect();
        cuts.push(block.end);
        let mut pieces = Vec::new();
        let mut start = block.start;
        for cut in cuts {
            self.hard_pieces(start..cut, &mut pieces);
            start = cut;
        }
        pieces
    }

    fn hard_pieces(&self, range: Range<usize>, out: &mut Vec<Range<usize>>) {
        let mut start = range.start;
        while self.tokens.count(&(start..range.end)) > self.settings.tokens {
            let next = self.tokens.index(start) + self.settings.tokens;
            let cut = self.text.floor_char_boundary(self.tokens.0[next]);
            if cut <= start {
                break;
            }
            out.push(start..cut);
            start = cut;
        }
        if start < range.end {
            out.push(start..range.end);
        }
    }
}

/// Places inside `range` where a line or a sentence begins.
fn boundaries(text: &str, range: Range<usize>) -> impl Iterator<Item = usize> {
    let base = text.floor_char_boundary(range.start);
    let text = &text[base..text.floor_char_boundary(range.end)];
    let mut before = ('\0', '\0');
    text.char_indices().filter_map(move |(at, c)| {
        let (two_back, one_back) = before;
        before = (one_back, c);
        let line = one_back == '\n';
        let sentence = one_back.is_whitespace() && matches!(two_back, '.' | '!' | '?' | ';' | '…');
        let full_width = matches!(one_back, '。' | '！' | '？' | '；');
        ((line || sentence || full_width) && at > 0).then_some(base + at)
    })
}

/// `range` without the white space at its ends.
fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let text = &text[range.clone()];
    let start = range.start + (text.len() - text.trim_start().len());
    start..(start + text.trim().len())
}

/// A stand-in for a model's tokens where no model is at hand: at most four bytes of a word, or one
/// character of a script whose characters are words. Errs on the side of more tokens.
pub fn estimated_tokens(text: &str) -> Vec<usize> {
    let mut out: Vec<usize> = Vec::new();
    let mut end = 0;
    for (at, c) in text.char_indices().filter(|(_, c)| !c.is_whitespace()) {
        let goes_on = c.is_ascii_alphanumeric() && end == at;
        if !goes_on || out.last().is_none_or(|start| at - start >= 4) {
            out.push(at);
        }
        end = at + c.len_utf8();
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn words(text: &str) -> Vec<usize> {
        let words = text.split_whitespace();
        words.map(|word| word.as_ptr().addr() - text.as_ptr().addr()).collect()
    }

    #[track_caller]
    fn check(text: &str, messages: &[Range<usize>], expected: &[(&str, &str)]) {
        let settings = ChunkSettings { tokens: 8, overlap: 2 };
        let chunks = chunk(text, messages, &words, settings);
        let got: Vec<(&str, &str)> =
            chunks.iter().map(|c| (c.headings.as_str(), &text[c.range.clone()])).collect();
        assert_eq!(got, expected);
    }

    #[test]
    fn cuts_at_headings_and_paragraphs() {
        check("", &[], &[]);
        check(" \n ", &[], &[]);
        check("one two", &[], &[("", "one two")]);
        check(
            "# A\n\none two three\n\n## B\n\nfour five six seven\n",
            &[],
            &[("A", "# A\n\none two three"), ("A > B", "## B\n\nfour five six seven")],
        );
        check("```\n# no heading\n```\n", &[], &[("", "```\n# no heading\n```")]);
    }

    #[test]
    fn long_paragraphs_are_cut_at_sentences_and_overlap() {
        check(
            "a b c d. e f g h. i j k l. m n.",
            &[],
            &[("", "a b c d. e f g h."), ("", "g h. i j k l. m n.")],
        );
        check("a b c d e f g h i j k", &[], &[("", "a b c d e f g h"), ("", "g h i j k")]);
    }

    #[test]
    fn messages_stay_whole() {
        let text = "an: a b c\nbo: d e f\nan: g h";
        check(text, &[0..9, 10..19, 20..27], &[("", "an: a b c\nbo: d e f"), ("", "an: g h")]);
    }

    proptest! {
        #[test]
        fn chunks_cover_the_text_and_stay_small(text in "[a-zA-Zà-ỹ重启 .\n#`]{0,400}", overlap in 0usize..4) {
            let settings = ChunkSettings { tokens: 6, overlap };
            let chunks = chunk(&text, &[], &estimated_tokens, settings);
            let mut covered = vec![false; text.len()];
            for c in &chunks {
                prop_assert!(!c.range.is_empty());
                prop_assert!(text.get(c.range.clone()).is_some());
                prop_assert!(estimated_tokens(&text[c.range.clone()]).len() <= 8);
                covered[c.range.clone()].fill(true);
            }
            for (at, ch) in text.char_indices() {
                prop_assert!(covered[at] || ch.is_whitespace(), "{ch:?} at {at} is in no chunk");
            }
            prop_assert!(chunks.windows(2).all(|pair| pair[0].range.end <= pair[1].range.end));
        }
    }
}
