//! The words on one page of a PDF, put into lines by where they stand.

use std::collections::BTreeMap;

use lopdf::content::Content;
use lopdf::{Dictionary, Document as Pdf, Encoding, Error, Object, ObjectId, Stream};

use crate::readers::pdf::STREAM_BYTES;

/// Forms in forms are followed so deep.
const MAX_FORMS: usize = 4;
/// A page with more operations than this is cut.
const MAX_OPERATIONS: usize = 2_000_000;
/// What a letter is taken to be wide, in parts of its height, where the file does not say.
const USUAL_WIDTH: f32 = 0.5;

/// The text of the page `id`.
pub(crate) fn text(pdf: &Pdf, id: ObjectId) -> Result<String, Error> {
    let fonts = pdf.get_page_fonts(id)?;
    let bytes = pdf.get_page_content_with_limit(id, STREAM_BYTES)?;
    let (resources, others) = pdf.get_page_resources(id)?;
    let others = others.into_iter().filter_map(|id| pdf.get_dictionary(id).ok());
    let resources: Vec<&Dictionary> = resources.into_iter().chain(others).collect();
    let mut page = Page { pdf, text: String::new(), left: MAX_OPERATIONS };
    page.run(&bytes, &Fonts::new(pdf, fonts), &resources, MAX_FORMS)?;
    Ok(page.text)
}

/// A font: how its bytes are letters, and how wide these are.
struct Font<'a> {
    encoding: Option<Encoding<'a>>,
    first: i64,
    widths: Vec<f32>,
    bytes_per_letter: usize,
}

struct Fonts<'a>(BTreeMap<Vec<u8>, Font<'a>>);

impl<'a> Fonts<'a> {
    fn new(pdf: &'a Pdf, fonts: BTreeMap<Vec<u8>, &'a Dictionary>) -> Self {
        Self(fonts.into_iter().map(|(name, font)| (name, Font::new(pdf, font))).collect())
    }
}

impl<'a> Font<'a> {
    fn new(pdf: &'a Pdf, font: &'a Dictionary) -> Self {
        let encoding = font.get_font_encoding_with_limit(pdf, STREAM_BYTES).ok();
        let is_composite =
            font.get(b"Subtype").and_then(Object::as_name).is_ok_and(|it| it == b"Type0");
        let number = |object: &Object| object.as_float().unwrap_or_default();
        let widths = font.get(b"Widths").and_then(|widths| pdf.dereference(widths));
        let widths = widths.and_then(|(_, widths)| widths.as_array());
        let widths = widths.map(|widths| widths.iter().map(number).collect()).unwrap_or_default();
        let first = font.get(b"FirstChar").and_then(Object::as_i64).unwrap_or_default();
        Self { encoding, first, widths, bytes_per_letter: if is_composite { 2 } else { 1 } }
    }

    /// How wide `bytes` are, in parts of the letters' height.
    fn width(&self, bytes: &[u8]) -> f32 {
        if self.bytes_per_letter > 1 || self.widths.is_empty() {
            return (bytes.len() / self.bytes_per_letter) as f32 * USUAL_WIDTH;
        }
        let width = |byte: &u8| {
            let place = usize::try_from(i64::from(*byte) - self.first).ok();
            let width = place.and_then(|place| self.widths.get(place)).copied();
            width.map_or(USUAL_WIDTH, |width| width / 1000.0)
        };
        bytes.iter().map(width).sum()
    }
}

/// A page, as its text is put together.
struct Page<'a> {
    pdf: &'a Pdf,
    text: String,
    /// Operations that may still come.
    left: usize,
}

/// Where the next letters stand.
#[derive(Clone, Copy)]
struct Place {
    /// Beginning of the line.
    line: (f32, f32),
    /// How far along it the next letter is.
    along: f32,
    size: f32,
    scale: f32,
    leading: f32,
    /// Where the last letters ended.
    last: Option<(f32, f32)>,
}

impl Page<'_> {
    fn run(
        &mut self,
        bytes: &[u8],
        fonts: &Fonts<'_>,
        resources: &[&Dictionary],
        forms: usize,
    ) -> Result<(), Error> {
        let content = Content::decode(bytes)?;
        let mut font = None;
        let mut place =
            Place { line: (0.0, 0.0), along: 0.0, size: 1.0, scale: 1.0, leading: 0.0, last: None };
        for operation in &content.operations {
            if self.left == 0 {
                return Ok(());
            }
            self.left -= 1;
            let operands = operation.operands.as_slice();
            let number =
                |at: usize| operands.get(at).and_then(|it| it.as_float().ok()).unwrap_or(0.0);
            match operation.operator.as_str() {
                "BT" => place.begin(1.0, 0.0, 0.0),
                "Tf" => {
                    let name = operands.first().and_then(|name| name.as_name().ok());
                    font = name.and_then(|name| fonts.0.get(name));
                    place.size = number(1).abs();
                }
                "TL" => place.leading = number(0),
                "Td" => place.next_line(number(0), number(1)),
                "TD" => {
                    place.leading = -number(1);
                    place.next_line(number(0), number(1));
                }
                "T*" => place.next_line(0.0, -place.leading),
                "Tm" => {
                    let height = number(3).hypot(number(2));
                    place.begin(height, number(4), number(5));
                }
                "Tj" | "TJ" => self.show(operands, font, &mut place),
                "'" | "\"" => {
                    place.next_line(0.0, -place.leading);
                    self.show(operands, font, &mut place);
                }
                "Do" if forms > 0 => {
                    if let Some(name) = operands.first().and_then(|name| name.as_name().ok()) {
                        self.form(name, resources, forms - 1)?;
                    }
                }
                _ => {}
            }
        }
        self.end_line();
        Ok(())
    }

    /// Runs the form called `name`, if it is one.
    fn form(&mut self, name: &[u8], resources: &[&Dictionary], forms: usize) -> Result<(), Error> {
        let Some(form) = resources.iter().find_map(|known| form_in(self.pdf, known, name)) else {
            return Ok(());
        };
        if !form.dict.get(b"Subtype").and_then(Object::as_name).is_ok_and(|it| it == b"Form") {
            return Ok(());
        }
        let bytes = form.decompressed_content_with_limit(STREAM_BYTES)?;
        let own = form.dict.get(b"Resources").and_then(|own| self.pdf.dereference(own));
        let own = own.and_then(|(_, own)| own.as_dict()).ok();
        let resources: Vec<&Dictionary> =
            own.into_iter().chain(resources.iter().copied()).collect();
        let fonts = Fonts::new(self.pdf, self.fonts(&resources));
        self.end_line();
        self.run(&bytes, &fonts, &resources, forms)
    }

    /// The fonts that `resources` name, nearest first.
    fn fonts<'a>(&self, resources: &[&'a Dictionary]) -> BTreeMap<Vec<u8>, &'a Dictionary>
    where
        Self: 'a,
    {
        let mut found = BTreeMap::new();
        for resources in resources {
            let fonts = resources.get(b"Font").and_then(|fonts| self.pdf.dereference(fonts));
            let Ok(fonts) = fonts.and_then(|(_, fonts)| fonts.as_dict()) else { continue };
            for (name, font) in fonts {
                if let Ok(font) = self.pdf.dereference(font).and_then(|(_, font)| font.as_dict()) {
                    found.entry(name.clone()).or_insert(font);
                }
            }
        }
        found
    }

    fn show(&mut self, operands: &[Object], font: Option<&Font<'_>>, place: &mut Place) {
        let Some(font) = font else { return };
        for operand in operands {
            match operand {
                Object::String(bytes, _) => self.letters(bytes, font, place),
                Object::Array(parts) => {
                    for part in parts {
                        match part {
                            Object::String(bytes, _) => self.letters(bytes, font, place),
                            other => {
                                place.along -=
                                    other.as_float().unwrap_or(0.0) / 1000.0 * place.height()
                            }
                        }
                    }
                }
                _ => {}
            }
        }
    }

    fn letters(&mut self, bytes: &[u8], font: &Font<'_>, place: &mut Place) {
        let Some(encoding) = &font.encoding else { return };
        let mut letters = String::new();
        // What the font does not say is left out.
        if encoding.write_to_string(bytes, &mut letters).is_err() || letters.is_empty() {
            return;
        }
        self.separate(place);
        for letter in
            letters.chars().filter(|c| !c.is_control() && *c != char::REPLACEMENT_CHARACTER)
        {
            match ligature(letter) {
                Some(letters) => self.text.push_str(letters),
                None => self.text.push(letter),
            }
        }
        place.along += font.width(bytes) * place.height();
        place.last = Some((place.line.0 + place.along, place.line.1));
    }

    /// Writes the space or line end between the last letters and the next ones.
    fn separate(&mut self, place: &Place) {
        let Some((x, y)) = place.last else { return self.end_line() };
        let (height, dropped) = (place.height(), (y - place.line.1).abs());
        let gap = place.line.0 + place.along - x;
        if dropped > height * 1.8 {
            self.end_line();
            self.text.push_str(if self.text.is_empty() { "" } else { "\n" });
        } else if dropped > height * 0.5 {
            self.end_line();
        } else if (gap > height * 0.15 || gap < -height) && !self.text.ends_with([' ', '\n']) {
            self.text.push(' ');
        }
    }

    fn end_line(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.text.push('\n');
        }
    }
}

/// The letters that are printed as one: people search for the letters.
fn ligature(letter: char) -> Option<&'static str> {
    Some(match letter {
        'ﬀ' => "ff",
        'ﬁ' => "fi",
        'ﬂ' => "fl",
        'ﬃ' => "ffi",
        'ﬄ' => "ffl",
        _ => return None,
    })
}

/// What `resources` call `name`.
fn form_in<'a>(pdf: &'a Pdf, resources: &'a Dictionary, name: &[u8]) -> Option<&'a Stream> {
    let (_, objects) = pdf.dereference(resources.get(b"XObject").ok()?).ok()?;
    let (_, form) = pdf.dereference(objects.as_dict().ok()?.get(name).ok()?).ok()?;
    form.as_stream().ok()
}

impl Place {
    fn height(&self) -> f32 {
        (self.size * self.scale).max(0.001)
    }

    fn begin(&mut self, scale: f32, x: f32, y: f32) {
        (self.scale, self.line, self.along) = (scale, (x, y), 0.0);
    }

    fn next_line(&mut self, x: f32, y: f32) {
        self.line = (self.line.0 + x * self.scale, self.line.1 + y * self.scale);
        self.along = 0.0;
    }
}
