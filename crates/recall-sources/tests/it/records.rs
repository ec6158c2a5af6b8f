use recall_sources::{BadFieldMap, FieldMap, Format, ReadOptions};

use crate::show::{lines, read, shown};

#[test]
fn beir_corpus() {
    let corpus = r#"{"_id": "a/1", "title": "", "text": "<tom> hi", "metadata": {"date": "2004-11-15", "time": "12:18", "nick": "tom"}}
{"_id": "a/2", "title": "Two", "text": "x\r\ny", "metadata": {}}
"#;
    insta::assert_snapshot!(shown("corpus.jsonl", corpus.as_bytes()), @r#"
    a/1 ticket "" "<tom> hi" 0..115@1-1 date=2004-11-15T12:18:00+00:00 by=tom date="2004-11-15" nick="tom" time="12:18"
    a/2 ticket "Two" "x\r\ny" 116..180@2-2
    = jsonl, 2 documents
    "#);
}

#[test]
fn usual_names_and_what_is_left() {
    let issue = r##"[{"number": 17, "summary": "Cache grows", "body": "It grows.", "author": {"login": "tom", "id": 3},
        "labels": [{"name": "bug"}, {"name": "memory"}], "createdAt": "2024-03-04T08:58:00Z", "state": "OPEN",
        "html_url": "https://example.com/17", "steps": "deploy\nwait", "estimate": 2.5, "done": false, "none": null,
        "comments": [{"author": {"login": "lan"}, "body": "Set MAX=20000", "createdAt": "2024-03-04T09:31:00Z"}]}]"##;
    insta::assert_snapshot!(shown("issues.json", issue.as_bytes()), @r#"
    17 ticket "Cache grows" "It grows.\n\nsteps: deploy\nwait\n\ncomments.author.login: lan\n\ncomments.body: Set MAX=20000" 1..441@1-4 date=2024-03-04T08:58:00+00:00 by=tom #bug #memory https://example.com/17 author.id="3" done="false" estimate="2.5" state="OPEN"
    = json, 1 documents
    "#);
}

#[test]
fn no_text_field_no_id_no_date() {
    insta::assert_snapshot!(shown("a.jsonl", b"{\"host\":\"db-1\",\"status\":\"down\",\"since\":\"0\"}\n\n{\"title\":\"only a title\"}\n{\"date\":\"soon\",\"text\":\"x\"}\n{}\n"), @r#"
    a.jsonl#1 ticket "" "host: db-1\nsince: 0\nstatus: down" 0..43@1-1 host="db-1" since="0" status="down"
    a.jsonl#3 ticket "only a title" "" 45..69@3-3
    a.jsonl#4 ticket "" "x" 70..96@4-4 date="soon"
    ! a.jsonl:5: empty
    = jsonl, 3 documents
    "#);
}

#[test]
fn kinds_and_whole_records() {
    insta::assert_snapshot!(shown("a.jsonl", br#"{"id":1,"kind":"note","text":"x"}
{"id":2,"type":"Runbook","text":"x"}
{"id":3,"type":"Bug","text":"x"}
{"id":4,"type":"feedback","text":"x"}
{"id":5,"whole":true,"text":"x"}
"#), @r#"
    1 note "" "x" 0..33@1-1 type="note"
    2 runbook whole "" "x" 34..70@2-2 type="Runbook"
    3 ticket "" "x" 71..103@3-3 type="Bug"
    4 memory "" "x" 104..141@4-4 type="feedback"
    5 ticket whole "" "x" 142..174@5-5
    = jsonl, 5 documents
    "#);
}

#[test]
fn repeated_ids_are_numbered() {
    insta::assert_snapshot!(shown("a.csv", b"id,text\nA,1\nA,2\nA~2,3\nA,4\n"), @r#"
    A ticket "" "1" 8..11@2-2
    A~2 ticket "" "2" 12..15@3-3
    A~2~2 ticket "" "3" 16..21@4-4
    A~3 ticket "" "4" 22..25@5-5
    ! a.csv: repeated id: A and 3 in all, now numbered ~2 and on
    = csv, 4 documents
    "#);
}

#[test]
fn bad_lines_are_named_and_the_rest_goes_on() {
    insta::assert_snapshot!(shown("a.jsonl", b"{\"text\":\"one\"}\n{\"text\":\"cut\n[1]\n\"word\"\n{\"text\":\"two\"}\r\n{\"text\": \"last"), @r#"
    a.jsonl#1 ticket "" "one" 0..14@1-1
    a.jsonl#5 ticket "" "two" 39..53@5-5
    ! a.jsonl:2: malformed: EOF while parsing a string at column 12
    ! a.jsonl:3: malformed: not an object
    ! a.jsonl:4: malformed: not an object
    ! a.jsonl:6: malformed: EOF while parsing a string at column 14
    = jsonl, 2 documents
    "#);
    let many = read("a.jsonl", "nonsense\n".repeat(1000).as_bytes(), &ReadOptions::default());
    assert_eq!(many.problems.len(), 101);
    insta::assert_snapshot!(many.problems[100], @"a.jsonl: 900 more like these");
}

#[test]
fn arrays_wherever_they_are() {
    let two = r#"[{"id":1,"text":"a"},{"id":2,"text":"b"}]"#;
    for (name, text) in [
        ("a.json", two.to_owned()),
        ("a.jsonl", two.to_owned()),
        ("a.json", format!("{{\"total\":2,\"issues\":{two},\"next\":null}}")),
        ("a.json", format!("{{\"data\":{{\"repository\":{{\"issues\":{{\"nodes\":{two}}}}}}}}}")),
        ("a.json", format!("{{\"users\":[{{\"id\":7}}],\"Results\":{two}}}")),
        ("a.json", "{\"id\":1,\"text\":\"a\"}\n{\"id\":2,\"text\":\"b\"}\n".to_owned()),
        ("a.json", r#"[{"id":1,"text":"a"}][{"id":2,"text":"b"}]"#.to_owned()),
        ("a.json", "[{\"id\":1,\"text\":\"a\"}]\n\n[]\n[{\"id\":2,\"text\":\"b\"}]\n".to_owned()),
        (
            "a.json",
            r#"{"items":[{"id":1,"text":"a"}],"next":{"page":2}}{"items":[{"id":2,"text":"b"}]}"#
                .to_owned(),
        ),
        ("a.jsonl", "{\n\"id\":1,\"text\":\"a\"}\n{\n\"id\":2,\"text\":\"b\"}".to_owned()),
    ] {
        let outcome = read(name, text.as_bytes(), &ReadOptions::default());
        let found: Vec<_> =
            outcome.documents.iter().map(|d| (d.id.as_str(), d.text.as_str())).collect();
        assert_eq!(found, [("1", "a"), ("2", "b")], "{text}\n{}", lines(&outcome));
        for document in &outcome.documents {
            let span = document.span.expect("a place");
            let place = &text[span.byte_start as usize..span.byte_end as usize];
            let place = place.replace('\n', "");
            assert!(place.starts_with("{\"id\":") && place.ends_with("\"}"), "{place}");
        }
    }
}

#[test]
fn what_follows_the_values_is_named() {
    insta::assert_snapshot!(shown("a.json", br#"["one"]["two"] and more"#), @r#"
    a.json#1 ticket "" "one" 1..6@1-1
    a.json#2 ticket "" "two" 8..13@1-1
    = FAILED a.json:1: malformed: malformed json at column 16
    "#);
    insta::assert_snapshot!(shown("a.json", b"[\"one\"]\n]"), @r#"
    a.json#1 ticket "" "one" 1..6@1-1
    = FAILED a.json:2: malformed: unexpected closing bracket at column 1
    "#);
    insta::assert_snapshot!(shown("a.json", br#"{"rows":[{"id":1,"text":"a"}]} {"error":"rate limit"} {"rows":[]}"#), @r#"
    1 ticket "" "a" 9..28@1-1
    = FAILED a.json:1: malformed: there is no `rows`
    "#);
    insta::assert_snapshot!(shown("a.json", br#"{"id":"A","text":"a"} {"text":"b"} [{"text":"c"}]"#), @r#"
    A ticket "" "a" 0..21@1-1
    a.json#2 ticket "" "b" 22..34@1-1
    a.json#3 ticket "" "c" 36..48@1-1
    = json, 3 documents
    "#);
}

#[test]
fn lone_objects() {
    insta::assert_snapshot!(shown("a.json", br#"{"id": "T-1", "title": "One", "body": "text"}"#), @r#"
    T-1 ticket "One" "text" 0..45@1-1
    = json, 1 documents
    "#);
    insta::assert_snapshot!(shown("package.json", br#"{"name": "x", "description": "y", "dependencies": {"z": "1"}}"#), @r#"
    package.json note "package" "{\"name\": \"x\", \"description\": \"y\", \"dependencies\": {\"z\": \"1\"}}" 0..61@1-1
    = json, 1 documents
    "#);
    insta::assert_snapshot!(shown("tsconfig.json", b"{\n  // strict\n  \"strict\": true\n}\n"), @r#"
    tsconfig.json note "tsconfig" "{\n  // strict\n  \"strict\": true\n}\n" 0..33@1-4
    ! tsconfig.json:2: read as plain text: comments not enabled at column 3
    = text, 1 documents
    "#);
    insta::assert_snapshot!(shown("words.json", br#"["one", "two", 3]"#), @r#"
    words.json#1 ticket "" "one" 1..6@1-1
    words.json#2 ticket "" "two" 8..13@1-1
    ! words.json:1: malformed: element 3 is not an object
    = json, 2 documents
    "#);
    insta::assert_snapshot!(shown("a.json", b"[]"), @"= FAILED a.json: empty");
}

#[test]
fn cut_and_deep_json() {
    insta::assert_snapshot!(shown("cut.json", br#"[{"text":"whole"},{"text":"cut he"#), @r#"
    cut.json#1 ticket "" "whole" 1..17@1-1
    = FAILED cut.json:1: malformed: incomplete document at column 34
    "#);
    let deep = "[".repeat(20_000);
    insta::assert_snapshot!(shown("deep.json", deep.as_bytes()), @"= FAILED deep.json:1: malformed: nested deeper than 128 levels at column 129");
    let deep = format!("{{\"id\":1,\"text\":\"x\",\"a\":{}", "{\"a\":".repeat(20_000));
    assert!(
        shown("deep.jsonl", deep.as_bytes())
            .contains("! deep.jsonl:1: malformed: recursion limit exceeded")
    );
    assert!(shown("deep.json", deep.as_bytes()).contains("nested deeper than 128 levels"));
}

#[test]
fn tables() {
    let table = "\u{feff}Key,Summary,Labels,Labels,Description,Created,Reporter\r\n\
        OPS-17,\"Cache, grows\",billing,memory,\"Steps:\n# deploy\n\"\"quoted\"\"\",04/Mar/24 8:58 AM,tom\r\n\r\n\
        OPS-18,Short,,,,,,extra\r\n";
    insta::assert_snapshot!(shown("issues.csv", table.as_bytes()), @r##"
    OPS-17 ticket "Cache, grows" "Steps:\n# deploy\n\"quoted\"" 59..146@2-4 date=2024-03-04T08:58:00+00:00 by=tom #billing #memory
    OPS-18 ticket "Short" "column 8: extra" 150..173@6-6 column 8="extra"
    = csv, 2 documents
    "##);
    for (name, text) in [
        ("a.csv", "id;text\n1;a,b\n"),
        ("a.csv", "id\ttext\n1\ta,b\n"),
        ("a.tsv", "id\ttext\n1\ta,b\n"),
    ] {
        let outcome = read(name, text.as_bytes(), &ReadOptions::default());
        assert_eq!(outcome.documents[0].text, "a,b", "{text:?}");
    }
    insta::assert_snapshot!(shown("a.csv", b"id,text\n"), @"= FAILED a.csv: empty");
    insta::assert_snapshot!(shown("latin1.csv", b"id,text\n1,caf\xe9\n"), @r#"
    1 ticket "" "café" 0..15@2-2
    = csv, 1 documents
    "#);
}

#[test]
fn a_record_that_is_too_large_is_named() {
    let options = ReadOptions { max_document_bytes: 100_000, ..ReadOptions::default() };
    let long = "x".repeat(500_000);
    let text = format!(
        "{{\"id\":1,\"text\":\"a\"}}\n{{\"text\":\"{long}\"}}\n{{\"id\":3,\"text\":\"c\"}}\n"
    );
    let outcome = read("a.jsonl", text.as_bytes(), &options);
    assert_eq!(outcome.documents.iter().map(|d| d.id.as_str()).collect::<Vec<_>>(), ["1", "3"]);
    insta::assert_snapshot!(outcome.problems[0], @"a.jsonl:2: larger than the limit (500012 bytes, limit 100000)");

    let open_quote = format!("id,text\n1,a\n2,\"{long}");
    let outcome = read("a.csv", open_quote.as_bytes(), &options);
    assert_eq!(outcome.documents.len(), 1);
    assert!(
        outcome.end.is_err_and(|problem| problem.to_string().contains("larger than the limit"))
    );

    let element = format!("[{{\"id\":1,\"text\":\"a\"}},{{\"text\":\"{}\"}}]", long.repeat(4));
    let outcome = read("a.json", element.as_bytes(), &options);
    assert_eq!(outcome.documents.len(), 1);
    assert!(
        outcome.end.is_err_and(|problem| problem.to_string().contains("larger than the limit"))
    );
}

#[test]
fn mapped_fields() {
    let map: FieldMap =
        "title=Betreff,text=inhalt.kurz,text=inhalt.lang,id=Nr".parse().expect("a good map");
    let options = ReadOptions { map, ..ReadOptions::default() };
    let record = br#"{"Nr":5,"Betreff":"T","inhalt":{"lang":"L","kurz":"K"},"title":"not this","author":"Eva"}"#;
    let outcome = read("a.jsonl", record, &options);
    insta::assert_snapshot!(lines(&outcome), @r#"
    5 ticket "T" "K" 0..89@1-1 by=Eva inhalt.lang="L" title="not this"
    = jsonl, 1 documents
    "#);
    assert_eq!("title".parse::<FieldMap>(), Err(BadFieldMap::Shape("title".into())));
    assert_eq!("colour=x".parse::<FieldMap>(), Err(BadFieldMap::Field("colour".into())));
}

#[test]
fn a_format_can_be_forced() {
    let options = ReadOptions { format: Some(Format::Jsonl), ..ReadOptions::default() };
    let outcome = read("export.txt", b"{\"id\":1,\"text\":\"x\"}\n", &options);
    assert_eq!(outcome.documents[0].id, "1");
    for format in Format::all() {
        assert_eq!(format.name().parse(), Ok(format));
        let json = serde_json::to_string(&format).expect("a name");
        assert_eq!(json, format!("\"{format}\""), "the same name everywhere");
    }
    assert!("nonsense".parse::<Format>().is_err());
}
