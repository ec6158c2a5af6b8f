//! A channel, group or direct chat: talk without threads, cut where nobody speaks for a while.

use crate::document::Document;
use crate::readers::conversation::{Conversation, Saying, add_line};
use crate::reading::{Outcome, Sink};

/// After so many seconds without a message another conversation begins…
const SILENCE_SECONDS: u64 = 60 * 60;
/// …and after so many messages.
const MAX_MESSAGES: usize = 80;

/// A place where people talk: what the documents from it have in common.
#[derive(Debug, Clone)]
pub(crate) struct Channel {
    /// As people call it, for titles.
    pub(crate) name: String,
    /// The id of a document is this and then the id, else the line, of its first message.
    pub(crate) prefix: String,
    /// The document without what its messages say.
    pub(crate) template: Document,
}

impl Channel {
    /// A thread whose first message is `first`.
    pub(crate) fn thread(&self, id: &str) -> Conversation {
        let id = format!("{}{id}", self.prefix);
        Conversation::new(Document { id, ..self.template.clone() })
    }

    /// A conversation that begins with `first`.
    fn conversation(&self, first: &Saying) -> Conversation {
        let mut conversation = match first.span {
            Some(span) if first.id.is_empty() => self.thread(&span.line_start.to_string()),
            _ => self.thread(&first.id),
        };
        let day = first.date.map(|date| crate::date::Date { day_only: true, ..date });
        let title = match day {
            Some(day) => format!("{}, {day}", self.name),
            None => self.name.clone(),
        };
        conversation.set_title(&title);
        conversation
    }
}

/// The conversations of one channel, while it is being read.
#[derive(Debug)]
pub(crate) struct Conversations {
    pub(crate) channel: Channel,
    open: Option<Conversation>,
    /// Lines that are no messages and come before the next conversation.
    lead: String,
    /// When the last message was written, in seconds since 1970.
    last: Option<i64>,
}

impl Conversations {
    pub(crate) fn new(channel: Channel) -> Self {
        Self { channel, open: None, lead: String::new(), last: None }
    }

    /// Adds a message; hands out the conversation before it if there was silence between them.
    pub(crate) fn say(&mut self, saying: Saying, sink: &mut Sink<'_>) -> Outcome {
        if self.ends_before(&saying) {
            self.flush(sink)?;
        }
        self.last = saying.date.map(|date| date.seconds).or(self.last);
        let (channel, lead) = (&self.channel, &mut self.lead);
        let open = self.open.get_or_insert_with(|| {
            let mut conversation = channel.conversation(&saying);
            conversation.note(&std::mem::take(lead));
            conversation
        });
        open.say(saying, sink)
    }

    /// Adds a line that is no message.
    pub(crate) fn note(&mut self, line: &str) {
        match &mut self.open {
            Some(open) => open.note(line),
            None => add_line(&mut self.lead, line),
        }
    }

    /// Hands out the conversation that is open.
    pub(crate) fn flush(&mut self, sink: &mut Sink<'_>) -> Outcome {
        self.open.take().map_or(Ok(()), |mut open| open.flush(sink))
    }

    fn ends_before(&self, saying: &Saying) -> bool {
        let was_silent = match (self.last, saying.date) {
            (Some(last), Some(date)) => last.abs_diff(date.seconds) > SILENCE_SECONDS,
            _ => false,
        };
        was_silent || self.open.as_ref().is_some_and(|open| open.len() >= MAX_MESSAGES)
    }
}
