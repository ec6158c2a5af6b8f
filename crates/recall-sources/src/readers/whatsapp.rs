//! WhatsApp chats exported as text, from Android and iOS.

use crate::document::{Kind, Span};
use crate::format::Head;
use crate::input::Input;
use crate::problem::Reason;
use crate::readers::channel::{Channel, Conversations};
use crate::readers::conversation::Saying;
use crate::readers::lines::Lines;
use crate::readers::whatsapp_line::{Days, Header, Order, is_mark};
use crate::reading::{Context, Halt, Outcome, Sink};

/// So many lines are looked at to find somebody who says something.
const LOOKED_AT: usize = 200;

pub(crate) fn is_whatsapp(head: &Head<'_>) -> bool {
    if !head.is_text || !(head.extension.is_empty() || head.has_extension(&["txt", "log"])) {
        return false;
    }
    let mut lines = head.text.lines().filter(|line| !line.trim().is_empty());
    let is_named_so = head.name.contains("whatsapp") || head.name == "_chat.txt";
    let first = lines.next().and_then(Header::parse);
    let Some(first) = first.filter(|first| first.certain || is_named_so) else { return false };
    let mut headers = lines.take(LOOKED_AT).filter_map(Header::parse);
    first.said().is_some() || headers.any(|header| header.said().is_some())
}

/// Reads one chat.
pub(crate) fn read(input: &Input, context: &Context<'_>, sink: &mut Sink<'_>) -> Outcome {
    let order = order(input, context)?;
    let mut conversations = Conversations::new(channel(context));
    let limit = context.options.max_document_bytes;
    let mut lines = Lines::new(input, limit).map_err(|error| context.failed(&error))?;
    let (mut text, mut open) = (String::new(), None::<Saying>);
    let (mut began, mut found) = (false, false);
    while let Some(line) = lines.next(&mut text).map_err(|error| context.failed(&error))? {
        if let Some(size) = line.cut {
            let reason = Reason::TooLarge { size, limit };
            sink.problem(context.problem(Some(line.number), reason))?;
        }
        let Some(header) = Header::parse(&text) else {
            match &mut open {
                Some(saying) => go_on(saying, &text, line.span),
                None => conversations.note(text.trim_matches(is_mark)),
            }
            continue;
        };
        if let Some(saying) = open.take() {
            conversations.say(saying, sink)?;
        }
        let is_first = !std::mem::replace(&mut began, true);
        match header.said() {
            // iOS writes notices as if the group said them.
            Some((author, said))
                if said.starts_with(is_mark)
                    && (is_first || author == conversations.channel.name) =>
            {
                conversations.note(said.trim_matches(is_mark));
            }
            Some((author, said)) => {
                found = true;
                open = Some(Saying {
                    author: author.to_owned(),
                    date: header.date(order),
                    text: said.trim_start_matches(is_mark).to_owned(),
                    span: Some(line.span),
                    ..Saying::default()
                });
            }
            None => conversations.note(header.rest),
        }
    }
    open.map_or(Ok(()), |saying| conversations.say(saying, sink))?;
    conversations.flush(sink)?;
    if found { Ok(()) } else { Err(context.malformed(0, "nobody says anything")) }
}

/// Adds a line to a message of several.
fn go_on(saying: &mut Saying, line: &str, span: Span) {
    saying.text.push('\n');
    saying.text.push_str(line.trim_start_matches(is_mark));
    if let Some(open) = &mut saying.span {
        (open.byte_end, open.line_end) = (span.byte_end, span.line_end);
    }
}

fn order(input: &Input, context: &Context<'_>) -> Result<Order, Halt> {
    let (mut days, mut text) = (Days::default(), String::new());
    let limit = context.options.max_document_bytes;
    let mut lines = Lines::new(input, limit).map_err(|error| context.failed(&error))?;
    while lines.next(&mut text).map_err(|error| context.failed(&error))?.is_some() {
        if let Some(header) = Header::parse(&text) {
            days.note(&header);
        }
    }
    Ok(days.order())
}

/// `WhatsApp Chat with Ops.txt`, `WhatsApp Chat - Ops.zip/_chat.txt`
fn channel(context: &Context<'_>) -> Channel {
    let mut parts = context.name.rsplit('/').filter(|part| *part != "_chat.txt");
    let file = parts.next().unwrap_or("chat");
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    let prefixes = ["WhatsApp Chat with ", "WhatsApp Chat - "];
    let name = prefixes.iter().find_map(|prefix| stem.strip_prefix(prefix)).unwrap_or(stem);
    let mut template = context.document("", Kind::Chat, String::new());
    template.source = format!("whatsapp:{name}");
    template.metadata.insert("channel".to_owned(), name.to_owned());
    Channel { name: name.to_owned(), prefix: format!("{}#", context.name), template }
}
