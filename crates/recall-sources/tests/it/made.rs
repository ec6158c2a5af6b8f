//! Files of formats in which nobody writes by hand, made of their parts.

use std::io::{Cursor, Write as _};

/// A document of Word with these parts.
pub(crate) fn docx(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in [("[Content_Types].xml", b"<Types/>".as_slice())].iter().chain(parts) {
        zip.start_file(*name, zip::write::SimpleFileOptions::default()).expect("a part");
        zip.write_all(bytes).expect("its text");
    }
    zip.finish().expect("a zip").into_inner()
}

/// A PDF of one page with this content, its font in Latin-1.
pub(crate) fn pdf(content: &[u8]) -> Vec<u8> {
    let page = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R \
        /Resources << /Font << /F1 5 0 R >> >> >>";
    let length = format!("<< /Length {} >>\nstream\n", content.len());
    let objects: [&[&[u8]]; 6] = [
        &[b"<< /Type /Catalog /Pages 2 0 R >>"],
        &[b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>"],
        &[page.as_bytes()],
        &[length.as_bytes(), content, b"\nendstream"],
        &[b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"],
        &[b"<< /Title (Restart Redis) /Author (Nga) /CreationDate (D:20240507080000+07'00') >>"],
    ];
    let mut file = b"%PDF-1.4\n".to_vec();
    let mut places = String::new();
    for (number, object) in (1..).zip(objects) {
        places.push_str(&format!("{:010} 00000 n \n", file.len()));
        file.extend(format!("{number} 0 obj\n").bytes());
        file.extend(object.concat());
        file.extend(b"\nendobj\n");
    }
    let start = file.len();
    let table = format!("xref\n0 7\n0000000000 65535 f \n{places}trailer\n");
    let trailer = format!("<< /Size 7 /Root 1 0 R /Info 6 0 R >>\nstartxref\n{start}\n%%EOF\n");
    file.extend(table.bytes().chain(trailer.bytes()));
    file
}
