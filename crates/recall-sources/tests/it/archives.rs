use std::io::{Cursor, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use recall_sources::ReadOptions;
use recall_sources::archive::Archive;
use recall_sources::input::Input;
use zip::write::SimpleFileOptions;

use crate::show::{lines, read, shown};

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::best());
    packed.write_all(bytes).expect("memory takes it");
    packed.finish().expect("memory takes it")
}

fn zip(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        zip.start_file(*name, SimpleFileOptions::default()).expect("a file begins");
        zip.write_all(bytes).expect("memory takes it");
    }
    zip.finish().expect("memory takes it").into_inner()
}

#[test]
fn gzip_is_read_as_the_file_inside() {
    let packed = gzip(b"{\"id\":1,\"text\":\"one\"}\n{\"id\":2,\"text\":\"two\"}\n");
    let size = packed.len();
    let outcome = read("corpus.jsonl.gz", &packed, &ReadOptions::default());
    let places: Vec<_> = outcome.documents.iter().map(|d| d.span.expect("a place")).collect();
    assert_eq!(places.iter().map(|s| s.line_start).collect::<Vec<_>>(), [1, 2]);
    assert!(places.iter().all(|s| (s.byte_start, s.byte_end) == (0, size as u64)));

    let cut = &gzip(&b"some words in a log\n".repeat(5000))[..100];
    let cut = shown("a.log.gz", cut);
    assert!(cut.contains("= FAILED a.log.gz: malformed"), "{cut}");
}

#[test]
fn what_unpacks_without_end_is_refused() {
    let bomb = gzip(&vec![b'x'; 80 << 20]);
    let outcome = read("a.txt.gz", &bomb, &ReadOptions::default());
    let problem = outcome.end.expect_err("refused");
    insta::assert_snapshot!(problem, @"a.txt.gz: refused: unpacks to more than 500 times its size");

    let options = ReadOptions { max_bytes: 1 << 20, ..ReadOptions::default() };
    let large = gzip(&b"some words of a log\n".repeat(100_000));
    let problem = read("a.txt.gz", &large, &options).end.expect_err("too large");
    assert!(problem.to_string().contains("larger than the limit"), "{problem}");
    let large = zip(&[("a.txt", &b"some words of a log\n".repeat(100_000))]);
    let problem = read("a.zip", &large, &options).end.expect_err("too large");
    assert!(problem.to_string().contains("larger than the limit"), "{problem}");
}

#[test]
fn a_zip_is_read_file_by_file() {
    let inner = zip(&[("x.md", b"x")]);
    let packed = zip(&[
        ("notes/b.md", b"# B\n"),
        ("notes/a.csv", b"id,text\nT-1,one\n"),
        ("runbooks/c.md", b"1. x"),
        ("pixel.png", b"\x89PNG\x00\x00"),
        ("empty.md", b""),
        ("__MACOSX/a.md", b"not this"),
        (".hidden/a.md", b"not this"),
        ("inner.zip", &inner),
        ("../escape.md", b"not this"),
        ("more.jsonl", b"{\"id\":\"T-1\",\"text\":\"two\"}\nnonsense\n"),
    ]);
    insta::assert_snapshot!(shown("export.zip", &packed), @r##"
    T-1 ticket "" "two"
    T-1~2 ticket "" "one"
    export.zip/notes/b.md note "B" "# B\n"
    export.zip/runbooks/c.md runbook whole "c" "1. x"
    ! export.zip/../escape.md: refused: a path that leads out of the archive
    ! export.zip/empty.md: empty
    ! export.zip/inner.zip: refused: an archive in an archive
    ! export.zip/more.jsonl:2: malformed: expected ident at column 2
    ! export.zip/pixel.png: binary, not text
    ! export.zip: repeated id: T-1 and 1 in all, now numbered ~2 and on
    = zip, 4 documents
    "##);
}

#[test]
fn names_as_other_systems_write_them() {
    let mut packed = zip(&[
        ("notes\\deep\\a.md", b"backslashes"),
        ("./notes/./b.md", b"dots"),
        ("..\\up.md", b"not this"),
        ("caf#.md", b"the code page of DOS"),
        ("ti%%u.md", b"UTF-8 that nobody announced"),
        ("Mail/.Sent/cur/1:2,S", b"From: a@b.c\nSubject: sent\nDate: today\n\nhidden"),
    ]);
    for (ascii, bytes) in
        [(b"caf#".as_slice(), b"caf\x82".as_slice()), (b"ti%%u", "tiêu".as_bytes())]
    {
        while let Some(at) = packed.windows(ascii.len()).position(|window| window == ascii) {
            packed[at..at + bytes.len()].copy_from_slice(bytes);
        }
    }
    insta::assert_snapshot!(shown("a.zip", &packed), @r#"
    a.zip/Mail/.Sent/cur/1:2,S mail "sent" "From: a@b.c\n\nhidden" by=a@b.c date="today" from="a@b.c"
    a.zip/café.md note "café" "the code page of DOS"
    a.zip/notes/b.md note "b" "dots"
    a.zip/notes/deep/a.md note "a" "backslashes"
    a.zip/tiêu.md note "tiêu" "UTF-8 that nobody announced"
    ! a.zip/..\up.md: refused: a path that leads out of the archive
    = zip, 5 documents
    "#);
}

#[test]
fn a_broken_zip_is_named() {
    let packed = zip(&[("a.md", &b"some words ".repeat(100))]);
    let cut = shown("a.zip", &packed[..packed.len() / 2]);
    assert!(cut.starts_with("= FAILED a.zip: malformed: "), "{cut}");
}

#[test]
fn large_files_in_a_zip_are_unpacked_to_disk() {
    let text = "a line of a large file\n".repeat(1_000_000);
    let packed = zip(&[("large.txt", text.as_bytes())]);
    let input = Input::from_bytes(packed).expect("bytes");
    let archive = Archive::open(&input, 1 << 30).expect("a zip");
    let file = archive.file("large.txt").expect("it is there");
    let mut read = String::new();
    std::io::Read::read_to_string(&mut file.text().expect("text"), &mut read).expect("read");
    assert!(read == text);
    assert!(archive.file("none.txt").is_err());
}

#[test]
fn a_folder_is_an_archive_too() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join("b")).expect("made");
    std::fs::write(folder.path().join("b/c.txt"), "inside").expect("written");
    std::fs::write(folder.path().join("a.txt"), "beside").expect("written");
    let input = Input::open(folder.path(), 1 << 20).expect("opened");
    let archive = Archive::open(&input, 1 << 20).expect("a folder");
    assert_eq!(archive.names(), ["a.txt", "b/c.txt"]);
    assert_eq!(archive.file("b/c.txt").expect("there").head(), b"inside");
}

#[test]
fn an_archive_that_lies_about_sizes() {
    let packed = zip(&[("a.txt", b"abcdefgh")]);
    let mut lying = packed.clone();
    // The size in the central directory, before the name's length.
    let central = lying.windows(4).rposition(|w| w == b"PK\x01\x02").expect("a directory");
    lying[central + 24] = 2;
    let outcome = read("a.zip", &lying, &ReadOptions::default());
    assert!(outcome.documents.iter().all(|d| d.text.len() <= 8), "{}", lines(&outcome));
}
