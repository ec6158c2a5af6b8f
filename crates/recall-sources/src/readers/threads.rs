//! Threads whose messages are scattered over an export, put together in bounded memory.
//!
//! A first pass notes where each thread ends; in the second each thread is handed out at its end.

use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::readers::channel::{Channel, Conversations};
use crate::readers::conversation::{Conversation, Saying};
use crate::reading::{Outcome, Sink};

/// When the open threads hold more than this many bytes, what they hold is handed out as parts.
const MAX_OPEN_BYTES: usize = 64 << 20;

/// Where each thread of an export ends.
#[derive(Debug, Default)]
pub(crate) struct Ends {
    /// The number of the last reply, by the hash of the thread's key.
    last: HashMap<u64, u64>,
}

impl Ends {
    /// The message with this number is a reply in the thread `key` of `channel`.
    pub(crate) fn note(&mut self, channel: &str, key: &str, number: u64) {
        self.last.insert(hash(channel, key), number);
    }

    /// The message with this number begins the thread `key` of `channel`, if it is one: it may come
    /// after the replies.
    pub(crate) fn pass(&mut self, channel: &str, key: &str, number: u64) {
        if let Some(last) = self.last.get_mut(&hash(channel, key)) {
            *last = number;
        }
    }

    fn of(&self, channel: &str, key: &str) -> Option<u64> {
        self.last.get(&hash(channel, key)).copied()
    }
}

fn hash(channel: &str, key: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    (channel, key).hash(&mut hasher);
    hasher.finish()
}

/// The threads of one channel and the talk beside them, while it is being read.
pub(crate) struct Threads<'a> {
    ends: &'a Ends,
    /// What the channel is called in `ends`.
    key: String,
    /// By the thread's key.
    open: BTreeMap<String, Conversation>,
    open_bytes: usize,
    conversations: Conversations,
}

impl<'a> Threads<'a> {
    pub(crate) fn new(ends: &'a Ends, key: &str, channel: Channel) -> Self {
        let conversations = Conversations::new(channel);
        Self { ends, key: key.to_owned(), open: BTreeMap::new(), open_bytes: 0, conversations }
    }

    /// Adds a message, which is the first of the thread `thread` or a reply in it if such a thread
    /// was noted, else talk. Messages are numbered as they were for [`Ends::note`].
    pub(crate) fn say(
        &mut self,
        thread: &str,
        number: u64,
        saying: Saying,
        sink: &mut Sink<'_>,
    ) -> Outcome {
        let Some(end) = self.ends.of(&self.key, thread) else {
            return self.conversations.say(saying, sink);
        };
        let channel = &self.conversations.channel;
        let open = self.open.entry(thread.to_owned()).or_insert_with(|| channel.thread(thread));
        let before = open.bytes();
        open.say(saying, sink)?;
        self.open_bytes = (self.open_bytes + open.bytes()).saturating_sub(before);
        if number >= end {
            return self.close(thread, sink);
        }
        if self.open_bytes > MAX_OPEN_BYTES { self.flush_parts(sink) } else { Ok(()) }
    }

    /// Adds a line that is no message.
    pub(crate) fn note(&mut self, line: &str) {
        self.conversations.note(line);
    }

    /// Hands out all that is open.
    pub(crate) fn finish(mut self, sink: &mut Sink<'_>) -> Outcome {
        self.flush_parts(sink)?;
        self.conversations.flush(sink)
    }

    fn close(&mut self, thread: &str, sink: &mut Sink<'_>) -> Outcome {
        let Some(mut conversation) = self.open.remove(thread) else { return Ok(()) };
        self.open_bytes = self.open_bytes.saturating_sub(conversation.bytes());
        conversation.flush(sink)
    }

    fn flush_parts(&mut self, sink: &mut Sink<'_>) -> Outcome {
        self.open_bytes = 0;
        self.open.values_mut().try_for_each(|conversation| conversation.flush(sink))
    }
}
