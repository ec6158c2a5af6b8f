//! Our analysis of text as tantivy's tokenizer.

use std::sync::Arc;

use tantivy::tokenizer::{Token, TokenStream, Tokenizer};

use crate::analysis::{Analyzer, KnownWords};

/// Our analysis as tantivy's tokenizer; every thread has a clone.
#[derive(Clone, Default)]
pub(super) struct Words {
    analyzer: Arc<Analyzer>,
    known: KnownWords,
}

impl Tokenizer for Words {
    type TokenStream<'a> = WordStream;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> WordStream {
        let terms = self.analyzer.words_with(text, &mut self.known).into_iter();
        WordStream { terms, token: Token::default() }
    }
}

/// The terms of one text, as tantivy walks over them.
pub(super) struct WordStream {
    terms: std::vec::IntoIter<crate::analysis::Term>,
    token: Token,
}

impl TokenStream for WordStream {
    fn advance(&mut self) -> bool {
        let Some(term) = self.terms.next() else { return false };
        self.token = Token {
            offset_from: term.span.start,
            offset_to: term.span.end,
            position: term.position,
            text: term.text,
            position_length: 1,
        };
        true
    }

    fn token(&self) -> &Token {
        &self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.token
    }
}
