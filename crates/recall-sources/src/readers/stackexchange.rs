//! StackExchange's `Posts.xml`: a question with its answers is a ticket.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use crate::date;
use crate::format::Head;
use crate::input::Input;
use crate::problem::Reason;
use crate::readers::html;
use crate::readers::metered::Metered;
use crate::readers::ticket::{self, Comment, Each, PARENT, Ticket};
use crate::reading::{Context, Outcome, Sink};

pub(crate) fn is_posts(head: &Head<'_>) -> bool {
    head.is_text && head.text.contains("<posts") && head.text.contains("<row Id=")
}

/// Reads questions with their answers, however far apart these stand, as long as memory allows;
/// then an answer is a document of its own, with its question in `parent`.
pub(crate) fn read(input: &Input, context: &Context<'_>, sink: &mut Sink<'_>) -> Outcome {
    ticket::read(context, sink, |sink, each| rows(input, context, sink, each))
}

fn rows(input: &Input, context: &Context<'_>, sink: &mut Sink<'_>, each: Each<'_>) -> Outcome {
    let text = input.text().map_err(|error| context.failed(&error))?;
    let (metered, meter) = Metered::new(text, context.options.max_document_bytes);
    let mut reader = Reader::from_reader(std::io::BufReader::new(metered));
    let (mut buffer, mut number) = (Vec::new(), 0);
    loop {
        buffer.clear();
        meter.reset();
        match reader.read_event_into(&mut buffer) {
            Ok(Event::Empty(row) | Event::Start(row)) if row.name().as_ref() == "row" => {
                number += 1;
                match post(&row) {
                    Ok(ticket) => each(Ticket { number, ..ticket }, sink)?,
                    Err(error) => {
                        let reason = Reason::Malformed(format!("row {number}: {error}"));
                        sink.problem(context.problem(None, reason))?;
                    }
                }
            }
            Ok(Event::Eof) => return Ok(()),
            Ok(_) => {}
            Err(quick_xml::Error::Io(error)) => return Err(context.failed(&error)),
            Err(error) => {
                let place = format!("{error} at byte {}", reader.error_position());
                return Err(context.malformed(0, place));
            }
        }
    }
}

fn post(row: &BytesStart<'_>) -> Result<Ticket, quick_xml::Error> {
    let mut ticket = Ticket { source: "stackexchange".to_owned(), ..Ticket::default() };
    let (mut said, mut parent) = (Comment::default(), String::new());
    for attribute in row.attributes() {
        let attribute = attribute?;
        // Only the five entities of XML are known: none can grow.
        let value = attribute.normalized_value(quick_xml::XmlVersion::Implicit1_0)?.into_owned();
        match attribute.key.as_ref() {
            "Id" => said.id = value,
            "ParentId" => parent = value,
            "Title" => ticket.title = value,
            "Body" => said.text = html::readable(&value).text,
            "Tags" => ticket.tags = tags(&value),
            "OwnerDisplayName" => said.author = value,
            "OwnerUserId" if said.author.is_empty() => said.author = format!("user {value}"),
            "CreationDate" => said.date = date::parse(&value),
            "LastActivityDate" => ticket.updated = date::parse(&value),
            "Score" => ticket.note("score", value),
            "AcceptedAnswerId" => ticket.note("accepted", value),
            _ => {}
        }
    }
    if parent.is_empty() {
        ticket.id.clone_from(&said.id);
        ticket.body = said;
    } else {
        // The score is the answer's, not the question's.
        ticket.metadata.clear();
        ticket.note(PARENT, parent.clone());
        ticket.id = parent;
        ticket.comments.push(said);
    }
    Ok(ticket)
}

/// `<java><memory>` or `|java|memory|`.
fn tags(text: &str) -> Vec<String> {
    let tags = text.split(['<', '>', '|']).filter(|tag| !tag.is_empty());
    tags.map(str::to_owned).collect()
}
