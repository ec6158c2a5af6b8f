//! What a mail message says: its body as text, its attachments' text, its headers' text.

use encoding_rs::Encoding as Charset;
use mail_parser::decoders::base64::base64_decode;
use mail_parser::decoders::quoted_printable::quoted_printable_decode;
use mail_parser::{
    Encoding, HeaderName, HeaderValue, Message, MessagePart, MessagePartId, MimeHeaders, PartType,
};

use crate::encoding::code_page;
use crate::readers::html;

/// Of the text of an attachment at most this many bytes are kept.
const MAX_ATTACHMENT_BYTES: usize = 256 << 10;
/// Messages in messages in messages: so deep they are read.
const MAX_DEPTH: usize = 4;

/// The text of a message, as it is put together.
pub(crate) struct Body {
    pub(crate) text: String,
    /// What was left out.
    pub(crate) cut: Vec<String>,
    limit: usize,
}

impl Body {
    /// Nothing yet; the text will have at most `limit` bytes.
    pub(crate) fn new(limit: usize) -> Self {
        Self { text: String::new(), cut: Vec::new(), limit }
    }

    /// The body of `message`, then its attachments by name, with the text of those that are text.
    pub(crate) fn add(&mut self, message: &Message<'_>) {
        self.add_nested(message, 0);
        if self.text.len() > self.limit {
            self.cut.push(format!("text beyond {} bytes", self.limit));
            truncate(&mut self.text, self.limit);
        }
    }

    /// Everything after the headers as it is, and why.
    pub(crate) fn raw(&mut self, raw: &[u8], why: &str) {
        self.cut.push(why.to_owned());
        let raw = &raw[..raw.len().min(self.limit)];
        let text = String::from_utf8_lossy(raw);
        let body = text.split_once("\n\n").or_else(|| text.split_once("\n\r\n"));
        self.text = body.map_or(String::new(), |(_, body)| body.trim().to_owned());
    }

    fn add_nested(&mut self, message: &Message<'_>, depth: usize) {
        let shown = shown_parts(message);
        for part in shown.iter().filter_map(|id| message.part(*id)) {
            self.paragraph(part_text(message, part).trim());
        }
        for id in message.attachments.iter().filter(|id| !shown.contains(id)) {
            if let Some(part) = message.part(*id) {
                self.attachment(message, part, depth);
            }
        }
    }

    fn attachment(&mut self, message: &Message<'_>, part: &MessagePart<'_>, depth: usize) {
        if let PartType::Message(inner) = &part.body {
            let subject = header_text(inner, HeaderName::Subject).unwrap_or_default();
            self.paragraph(format!("[attached message: {subject}]").trim());
            match depth < MAX_DEPTH {
                true => self.add_nested(inner, depth + 1),
                false => self.cut.push("messages nested too deeply".to_owned()),
            }
            return;
        }
        let name = part.attachment_name();
        if let Some(name) = name {
            self.paragraph(&format!("[attachment: {name}]"));
        }
        let mut text = part_text(message, part);
        if text.len() > MAX_ATTACHMENT_BYTES {
            let name = name.unwrap_or("without a name");
            self.cut.push(format!("attachment {name} beyond {MAX_ATTACHMENT_BYTES} bytes"));
            truncate(&mut text, MAX_ATTACHMENT_BYTES);
        }
        self.paragraph(text.trim());
    }

    fn paragraph(&mut self, text: &str) {
        if text.is_empty() || self.text.len() > self.limit {
            return;
        }
        if !self.text.is_empty() {
            self.text.push_str("\n\n");
        }
        self.text.push_str(text);
    }
}

fn truncate(text: &mut String, limit: usize) {
    text.truncate(text.floor_char_boundary(limit));
}

/// The names of everything attached.
pub(crate) fn attachment_names(message: &Message<'_>) -> Vec<String> {
    message.attachments().filter_map(|part| part.attachment_name()).map(str::to_owned).collect()
}

/// The parts that are the body: as text, or as HTML where the text says nothing.
fn shown_parts<'a>(message: &'a Message<'_>) -> &'a [MessagePartId] {
    let says_something = |id: &MessagePartId| match message.part(*id).map(|part| &part.body) {
        Some(PartType::Text(text) | PartType::Html(text)) => !text.trim().is_empty(),
        _ => false,
    };
    match message.text_body.iter().any(says_something) {
        true => &message.text_body,
        false => &message.html_body,
    }
}

/// The text of a part; empty if it is none.
fn part_text(message: &Message<'_>, part: &MessagePart<'_>) -> String {
    let text = match &part.body {
        PartType::Text(text) | PartType::Html(text) => text,
        _ => return String::new(),
    };
    let text = match text.contains(char::REPLACEMENT_CHARACTER) {
        true => decoded_anew(message, part).unwrap_or_else(|| text.to_string()),
        false => text.to_string(),
    };
    let text = match part.body {
        PartType::Html(_) => html::readable(&text).text,
        _ => text.replace("\r\n", "\n"),
    };
    text.replace('\0', "")
}

/// The text of a part whose charset the library did not know: by the name it gives, if that is
/// one after all, else by its bytes.
fn decoded_anew(message: &Message<'_>, part: &MessagePart<'_>) -> Option<String> {
    let body = part.offset_body as usize..part.offset_end as usize;
    let raw = message.raw_message.get(body)?;
    let bytes = match part.encoding {
        Encoding::None => raw.to_vec(),
        Encoding::Base64 => base64_decode(raw)?,
        Encoding::QuotedPrintable => quoted_printable_decode(raw)?,
    };
    let label = part.content_type().and_then(|kind| kind.attribute("charset"));
    let named = label.and_then(|label| Charset::for_label(label.as_bytes()));
    Some(decode(&bytes, named))
}

/// Decodes `bytes` with the `named` charset, if it fits, else with the one they look like.
fn decode(bytes: &[u8], named: Option<&'static Charset>) -> String {
    let named = named.map(|charset| charset.decode_without_bom_handling(bytes));
    if let Some((text, false)) = named {
        return text.into_owned();
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => code_page(bytes, true).decode_without_bom_handling(bytes).0.into_owned(),
    }
}

/// A header as one line of text, also if it holds raw bytes in a charset that it does not name.
pub(crate) fn header_text(message: &Message<'_>, name: HeaderName<'_>) -> Option<String> {
    let header = message.headers().iter().rev().find(|header| header.name == name)?;
    let text = match &header.value {
        HeaderValue::Text(text) => text.to_string(),
        HeaderValue::TextList(list) => list.join(", "),
        HeaderValue::Address(address) => address.first()?.address()?.to_owned(),
        _ => return None,
    };
    let raw = || message.raw_message.get(header.offset_start as usize..header.offset_end as usize);
    let text = match text.contains(char::REPLACEMENT_CHARACTER) {
        true => raw().map_or(text, |raw| decode(raw, None)),
        false => text,
    };
    Some(text.split_whitespace().collect::<Vec<_>>().join(" "))
}
