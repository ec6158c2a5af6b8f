//! How much of an index its reader will really see.

use std::fmt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::memory::Memory;
use crate::page::Page;

/// What a reader of the index takes in before it cuts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Cap {
    /// Lines.
    pub lines: usize,
    /// Bytes.
    pub bytes: usize,
    /// The share of either, in percent, from which to warn.
    pub warn_percent: usize,
}

impl Default for Cap {
    /// 200 lines, 25 KB (25,000 bytes), a warning from 80 percent.
    fn default() -> Self {
        Self { lines: 200, bytes: 25_000, warn_percent: 80 }
    }
}

/// How a page stands against the cap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum Standing {
    /// There is room.
    Fits,
    /// It fits, but not for long.
    Near,
    /// The reader cuts it: from this line on, counted from 1, it is not seen whole.
    Cut {
        /// The first line that is not seen, or not to its end.
        line: usize,
    },
}

/// The size of one page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PageBudget {
    /// The namespace of its folder.
    pub namespace: String,
    /// The path of the page.
    pub path: PathBuf,
    /// Its lines.
    pub lines: usize,
    /// Its bytes.
    pub bytes: usize,
    /// What a model will roughly count, see [`estimated_tokens`].
    pub estimated_tokens: usize,
    /// The cap it is measured against.
    pub cap: Cap,
    /// How it stands against that.
    pub standing: Standing,
}

/// The budget of every page: each is loaded, and cut, by itself.
pub fn budget(memory: &Memory, cap: Cap) -> Vec<PageBudget> {
    memory
        .pages()
        .map(|(folder, file)| {
            let bytes = file.page.write();
            PageBudget {
                namespace: folder.namespace.clone(),
                path: file.path.clone(),
                lines: file.page.lines().len(),
                bytes: bytes.len(),
                estimated_tokens: estimated_tokens(&String::from_utf8_lossy(&bytes)),
                cap,
                standing: standing(&file.page, cap),
            }
        })
        .collect()
}

/// How a page stands against the cap.
pub fn standing(page: &Page, cap: Cap) -> Standing {
    let mut bytes = 0;
    for (at, line) in page.lines().iter().enumerate() {
        bytes += line.len();
        if at >= cap.lines || bytes > cap.bytes {
            return Standing::Cut { line: at + 1 };
        }
    }
    let near = |used: usize, of: usize| used * 100 >= of * cap.warn_percent;
    if near(page.lines().len(), cap.lines) || near(bytes, cap.bytes) {
        return Standing::Near;
    }
    Standing::Fits
}

/// A guess at the tokens of `text`, without any model's tokenizer: a quarter for each English
/// letter or blank, a half for each digit or ASCII sign, three quarters for each other letter of
/// an alphabet, one for anything else. Rather too many than too few: on the files of
/// `datasets/memory` and `datasets/runbooks` between 0 and 28 percent over a tokenizer of 200,000
/// tokens; one of 100,000 needs up to 40 percent more than guessed for Vietnamese.
pub fn estimated_tokens(text: &str) -> usize {
    let quarters: usize = text.chars().map(quarter_tokens).sum();
    quarters.div_ceil(4)
}

fn quarter_tokens(c: char) -> usize {
    match c {
        'a'..='z' | 'A'..='Z' | ' ' | '\t' | '\r' | '\n' => 1,
        '\0'..='\u{7f}' => 2,
        '\u{80}'..='\u{6ff}' | '\u{1e00}'..='\u{1fff}' => 3,
        _ => 4,
    }
}

impl fmt::Display for PageBudget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { lines, bytes, estimated_tokens: tokens, cap, .. } = self;
        write!(f, "{}: ", self.path.display())?;
        write!(
            f,
            "{lines} of {} lines, {bytes} of {} bytes, ~{tokens} tokens",
            cap.lines, cap.bytes
        )?;
        match self.standing {
            Standing::Fits => Ok(()),
            Standing::Near => {
                write!(f, "\n  warning: close to the cap; move detail into notes now")
            }
            Standing::Cut { line } => {
                write!(f, "\n  warning: cut: line {line} and what follows is not seen whole")
            }
        }
    }
}
