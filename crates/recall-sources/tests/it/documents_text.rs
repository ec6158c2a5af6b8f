use recall_sources::{Kind, ReadOptions};

use crate::made::{docx, pdf};
use crate::show::{read, shown};

#[test]
fn html() {
    insta::assert_snapshot!(shown("page.html", include_bytes!("../fixtures/documents/page.html")), @r###"
    page.html note "Restart Redis" "# Restart\n\nFirst & foremost, keep calm.\n\n- stop\n- start a picture\n\n```\n# not a heading\n  redis-cli\n```\n\nhost\trole\na\tmain\n\nend\nof page"
    = html, 1 documents
    "###);
    insta::assert_snapshot!(shown("a.html", b"<nav>never closed <p>kept"), @r###"
    a.html note "a" "never closed\n\nkept"
    = html, 1 documents
    "###);
    insta::assert_snapshot!(shown("a.html", b"<script>only code</script>"), @"= FAILED a.html: empty");
}

#[test]
fn deep_html_is_no_danger() {
    let outcome = read(
        "a.html",
        format!("{}deep", "<div>".repeat(200_000)).as_bytes(),
        &ReadOptions::default(),
    );
    assert_eq!(outcome.documents[0].text, "deep");
}

#[test]
fn subtitles() {
    insta::assert_snapshot!(shown("meeting.vtt", include_bytes!("../fixtures/documents/meeting.vtt")), @r###"
    meeting.vtt note "meeting" "[00:00:01] Nga Example: The pool is full. Set REDIS_POOL.\n[01:00:00] Sam: Done & gone." by=Nga Example by=Sam
    = subtitles, 1 documents
    "###);
    insta::assert_snapshot!(shown("talk.srt", include_bytes!("../fixtures/documents/talk.srt")), @r###"
    talk.srt note "talk" "[00:00:01] hello there general\n[00:01:00] much later"
    = subtitles, 1 documents
    "###);
    insta::assert_snapshot!(shown("no.vtt", b"WEBVTT\n\nnothing to hear\n"), @r###"
    no.vtt note "no" "WEBVTT\n\nnothing to hear\n" 0..24@1-3
    ! no.vtt: read as plain text: there is no cue
    = text, 1 documents
    "###);
}

#[test]
fn org() {
    insta::assert_snapshot!(shown("runbook.org", include_bytes!("../fixtures/documents/runbook.org")), @r###"
    runbook.org note "Redis" "#+TITLE: Redis\n#+FILETAGS: :ops:redis:\n#+DATE: <2024-05-07 Tue>\n # a comment\n# Restart\n## TODO Stop :urgent:\n```sh\n# keep\n* not a heading\n```\n*bold* text\n" #ops #redis
    = org, 1 documents
    "###);
}

#[test]
fn logs() {
    insta::assert_snapshot!(shown("app.log", include_bytes!("../fixtures/documents/app.log")), @r###"
    app.log log "app.log 2024-05-07T08:00:00+00:00" "2024-05-07 08:00:00,123 INFO start\n2024-05-07T08:00:01Z ERROR pool exhausted\n  at Pool.take(Pool.java:7)\n  at Main.run\n2024-05-07 08:00:10 WARN retry (repeated 5 times)\n2024-05-07 08:00:20 INFO REDIS_POOL=64" 0..312@1-10 date=2024-05-07T08:00:00+00:00 updated=2024-05-07T08:00:20+00:00
    = log, 1 documents
    "###);
    insta::assert_snapshot!(shown("access.log", b"10.0.0.1 - - [07/May/2024:08:00:00 +0700] \"GET / HTTP/1.1\" 200 5\n10.0.0.1 - - [07/May/2024:08:00:01 +0700] \"GET / HTTP/1.1\" 200 5\n"), @r###"
    access.log log "access.log 2024-05-07T08:00:00+07:00" "10.0.0.1 - - [07/May/2024:08:00:00 +0700] \"GET / HTTP/1.1\" 200 5 (repeated 2 times)" 0..129@1-2 date=2024-05-07T08:00:00+07:00 updated=2024-05-07T08:00:01+07:00
    = log, 1 documents
    "###);
    insta::assert_snapshot!(shown("syslog", b"May  7 08:00:00 db-1 sshd[7]: ok\nMay  7 08:00:02 db-1 sshd[7]: ok\n"), @r###"
    syslog log "syslog line 1" "May  7 08:00:00 db-1 sshd[7]: ok (repeated 2 times)" 0..65@1-2
    = log, 1 documents
    "###);
    insta::assert_snapshot!(shown("captain.log", b"Dear diary,\ntoday was calm.\n"), @r###"
    captain.log note "captain" "Dear diary,\ntoday was calm.\n" 0..28@1-2
    = text, 1 documents
    "###);
}

#[test]
fn logs_are_cut_at_silence_and_size() {
    let minute = |hour: u32, minute: u32| {
        format!(
            "2024-05-07T{hour:02}:{minute:02}:00Z worker {minute} of the pool is busy with {}\n",
            "x".repeat(80)
        )
    };
    let log: String =
        [8, 12].into_iter().flat_map(|hour| (0..60).map(move |m| minute(hour, m))).collect();
    let outcome = read("a.log", log.as_bytes(), &ReadOptions::default());
    let found: Vec<_> = outcome
        .documents
        .iter()
        .map(|d| (d.id.as_str(), d.kind, d.span.map(|s| (s.line_start, s.line_end))))
        .collect();
    assert_eq!(
        found,
        [("a.log", Kind::Log, Some((1, 60))), ("a.log#L61", Kind::Log, Some((61, 120)))]
    );

    let long: String =
        (0..5000).map(|n| format!("2024-05-07T08:00:00Z line number {n} of many\n")).collect();
    let outcome = read("a.log", long.as_bytes(), &ReadOptions::default());
    assert_eq!(outcome.documents.len(), 4);
    assert!(outcome.documents.iter().all(|document| document.text.len() <= 64 << 10));
}

#[test]
fn the_head_of_a_page_tells_who_and_when() {
    let page = r#"<html><head><meta charset="utf-8"><meta name="author" content="Nga &amp; Sam"><meta content='2024-05-07T08:00:00+07:00' property="article:published_time"/>
        <META NAME="Last-Modified" CONTENT="soon"><meta property="article:modified_time" content="2024-05-08"></head><body><p>text</p><meta name="author" content="late"></body></html>"#;
    insta::assert_snapshot!(shown("a.html", page.as_bytes()), @r#"
    a.html note "a" "text" date=2024-05-07T08:00:00+07:00 updated=2024-05-08 by=Nga & Sam
    = html, 1 documents
    "#);
}

#[test]
fn who_speaks_in_a_recorded_meeting() {
    let zoom = "WEBVTT\n\n1\n00:00:01.000 --> 00:00:02.000\nLinh Example: hello\n\n2\n00:00:02.000 --> 00:00:03.000\nLinh Example: and <00:00:02.500>note: this\n\n3\n00:00:03.000 --> 00:00:04.000\n{\\an8}Tom: bye\n\n4\n00:00:04.000 --> 00:00:05.000\nfor now\n";
    insta::assert_snapshot!(shown("zoom.vtt", zoom.as_bytes()), @r#"
    zoom.vtt note "zoom" "[00:00:01] Linh Example: hello and note: this\n[00:00:03] Tom: bye for now" by=Linh Example by=Tom
    = subtitles, 1 documents
    "#);
    let film = "1\n00:00:01,000 --> 00:00:02,000\nNote: this is no speaker\n\n2\n00:00:09,000 --> 00:00:10,000\nnor this\n";
    insta::assert_snapshot!(shown("film.srt", film.as_bytes()), @r#"
    film.srt note "film" "[00:00:01] Note: this is no speaker\n[00:00:09] nor this"
    = subtitles, 1 documents
    "#);
}

#[test]
fn logs_in_colour_and_in_json() {
    insta::assert_snapshot!(shown("a.log", b"\x1b[32m2024-05-07 08:00:00\x1b[0m INFO hi\n\x1b[32m2024-05-07 08:00:01\x1b[0m INFO hi\n"), @r#"
    a.log log "a.log 2024-05-07T08:00:00+00:00" "\u{1b}[32m2024-05-07 08:00:00\u{1b}[0m INFO hi (repeated 2 times)" 0..73@1-2 date=2024-05-07T08:00:00+00:00 updated=2024-05-07T08:00:01+00:00
    = log, 1 documents
    "#);
    insta::assert_snapshot!(shown("a.log", br#"{"ts":"2024-05-07T08:00:00Z","msg":"hi"}
{"ts":"2024-05-07T08:00:01Z","msg":"hi"}
"#), @r#"
    a.log log "a.log 2024-05-07T08:00:00+00:00" "{\"ts\":\"2024-05-07T08:00:00Z\",\"msg\":\"hi\"} (repeated 2 times)" 0..81@1-2 date=2024-05-07T08:00:00+00:00 updated=2024-05-07T08:00:01+00:00
    = log, 1 documents
    "#);
}

#[test]
fn word() {
    let body = r#"<?xml version="1.0"?><w:document xmlns:w="w"><w:body>
        <w:p><w:pPr><w:pStyle w:val="berschrift1"/></w:pPr><w:r><w:t>Restart</w:t></w:r></w:p>
        <w:p><w:r><w:t xml:space="preserve">Keep </w:t></w:r><w:r><w:t>calm &amp; wait &#8211; always</w:t></w:r><w:del><w:r><w:delText>gone</w:delText></w:r></w:del></w:p>
        <w:p><w:pPr><w:numPr/></w:pPr><w:r><w:t>stop</w:t></w:r></w:p>
        <w:p><w:pPr><w:numPr/></w:pPr><w:r><w:t>start</w:t><w:tab/><w:t>REDIS_POOL=64</w:t></w:r></w:p>
        <w:tbl><w:tr><w:tc><w:p><w:r><w:t>host</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc></w:tr></w:tbl>
        </w:body></w:document>"#;
    let styles = r#"<w:styles xmlns:w="w"><w:style w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style></w:styles>"#;
    let core = "<p><dc:title>Redis &amp; pool</dc:title><dc:creator>Nga</dc:creator><dcterms:created>2024-05-07T08:00:00Z</dcterms:created></p>";
    let comments = "<w:comments xmlns:w=\"w\"><w:comment><w:p><w:r><w:t>is it so?</w:t></w:r></w:p></w:comment></w:comments>";
    let file = docx(&[
        ("word/document.xml", body.as_bytes()),
        ("word/styles.xml", styles.as_bytes()),
        ("docProps/core.xml", core.as_bytes()),
        ("word/comments.xml", comments.as_bytes()),
    ]);
    insta::assert_snapshot!(shown("a.docx", &file), @r###"
    a.docx note "Redis & pool" "# Restart\n\nKeep calm & wait – always\n\n- stop\n- start\tREDIS_POOL=64\nhost\ta\n\nis it so?" date=2024-05-07T08:00:00+00:00 by=Nga
    = docx, 1 documents
    "###);
    let broken =
        docx(&[("word/document.xml", b"<w:document><w:p><w:t>kept</w:t></w:p></w:nothing>")]);
    insta::assert_snapshot!(shown("a.docx", &broken), @r###"
    a.docx note "a" "kept"
    ! a.docx: malformed: word/document.xml: ill-formed document: expected `</w:document>`, but `</w:nothing>` was found
    = docx, 1 documents
    "###);
    let bomb =
        docx(&[("word/document.xml", b"<!DOCTYPE d [<!ENTITY a \"aaaa\">]><d><t>&a;b</t></d>")]);
    insta::assert_snapshot!(shown("a.docx", &bomb), @r###"
    a.docx note "a" "b"
    = docx, 1 documents
    "###);
}

#[test]
fn pdf_pages() {
    let page = b"BT /F1 12 Tf 72 720 Td (Restart) Tj 0 -40 Td [(the) -300 (po) 20 (ol)] TJ 0 -14 Td (REDIS_POOL=64) Tj 200 0 Td (right) Tj ET";
    insta::assert_snapshot!(shown("a.pdf", &pdf(page)), @r###"
    a.pdf note "Restart Redis" "Restart\n\nthe pool\nREDIS_POOL=64 right" date=2024-05-07T08:00:00+07:00 by=Nga pages="1"
    = pdf, 1 documents
    "###);
    insta::assert_snapshot!(shown("scan.pdf", &pdf(b"0 0 m 10 10 l S")), @"= FAILED scan.pdf: malformed: no text on 1 pages (scanned?)");
    insta::assert_snapshot!(shown("cut.pdf", &pdf(page)[..200]), @"= FAILED cut.pdf: malformed: no text on 1 pages (scanned?)");
    insta::assert_snapshot!(shown("no.pdf", b"%PDF-1.4\nnothing"), @"= FAILED no.pdf: malformed: failed parsing cross reference table");
}
