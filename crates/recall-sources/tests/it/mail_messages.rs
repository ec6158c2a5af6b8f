use recall_sources::{ReadOptions, Reason};

use crate::show::{lines, read, shown};

#[test]
fn mbox() {
    let mbox = include_bytes!("../fixtures/mail/list.mbox");
    insta::assert_snapshot!(shown("list.mbox", mbox), @r###"
    a1@example.org mail "Kết nối Redis down" "From: Nga Example <nga@example.org>\nTo: Đội trực <oncall@example.org>, sam@example.org\n\nSet REDIS_POOL=64 and wait a minute.\nFrom the runbook: step 3\n>From deeper\n\n[attachment: pool.log]\n\npool exhausted: 64 of 64\n\n[attachment: graph.pdf]" 0..1095@1-42 date=2024-05-07T15:00:00+07:00 by=Nga Example #Inbox #Trực attachments="pool.log, graph.pdf" from="nga@example.org" thread="a1@example.org"
    a2@example.org mail "Re: Redis" "From: Säm <sam@example.org>\nTo: nga@example.org\n\nFür mich ist es gut.\n\nFrom now on it is calm, said she at 08:05.\nFrom Monday on it is yours." 1095..1508@43-58 date=2024-05-07T08:05:00+00:00 by=Säm from="sam@example.org" thread="a0@example.org"
    list.mbox#3 mail "no date, folded" "From: anna@example.org\n\ncafé fermé à midi" 1508..1681@59-66 by=anna@example.org from="anna@example.org"
    list.mbox#4 mail "only HTML" "From: bob@example.org\n\n## Steps\n\n- stop\n- start" 1681..1967@67-74 by=bob@example.org date="Mon, 99 Foo 2024 25:61:00 +0000" from="bob@example.org"
    list.mbox#5 mail "empty" "From: carl@example.org" 1967..2053@75-78 by=carl@example.org from="carl@example.org"
    = mbox, 5 documents
    "###);
}

#[test]
fn mail_in_a_file_of_its_own() {
    let raw = b"From: Nga <nga@example.org>\r\nTo: x@example.org\r\nSubject: Gr\xfc\xdfe\r\nMessage-ID: <b1@example.org>\r\nDate: Thu, 01 Jan 1970 00:00:00 +0000\r\n\r\nna\xefve\r\n>From here\r\n";
    insta::assert_snapshot!(shown("a.eml", raw), @r###"
    b1@example.org mail "Grüße" "From: Nga <nga@example.org>\nTo: x@example.org\n\nnaïve\n>From here" by=Nga date="Thu, 01 Jan 1970 00:00:00 +0000" from="nga@example.org" thread="b1@example.org"
    = mail, 1 documents
    "###);
    insta::assert_snapshot!(shown("Inbox/cur/1715068800.M1P2.host:2,S", raw), @r###"
    b1@example.org mail "Grüße" "From: Nga <nga@example.org>\nTo: x@example.org\n\nnaïve\n>From here" by=Nga date="Thu, 01 Jan 1970 00:00:00 +0000" from="nga@example.org" thread="b1@example.org"
    = mail, 1 documents
    "###);
    insta::assert_snapshot!(shown("notes.txt", b"From: me\nSubject: a note\nDate: today\n\nhello\n"), @r###"
    notes.txt note "notes" "From: me\nSubject: a note\nDate: today\n\nhello\n" 0..44@1-5
    = text, 1 documents
    "###);
}

#[test]
fn dates_of_long_ago_and_dates_that_are_none() {
    let check = |written: &str| {
        shown("a.eml", format!("From: a@example.org\nSubject: s\nDate: {written}\n\nx").as_bytes())
    };
    insta::assert_snapshot!(check("4 Mar 94 08:55 EST"), @r#"
    a.eml mail "s" "From: a@example.org\n\nx" date=1994-03-04T08:55:00-05:00 by=a@example.org from="a@example.org"
    = mail, 1 documents
    "#);
    insta::assert_snapshot!(check("Mon, 4 Mar 2024 08:55:12 -0330 (NST)"), @r#"
    a.eml mail "s" "From: a@example.org\n\nx" date=2024-03-04T08:55:12-03:30 by=a@example.org from="a@example.org"
    = mail, 1 documents
    "#);
    insta::assert_snapshot!(check("2024-03-04 08:55:12"), @r#"
    a.eml mail "s" "From: a@example.org\n\nx" date=2024-03-04T08:55:12+00:00 by=a@example.org from="a@example.org"
    = mail, 1 documents
    "#);
    insta::assert_snapshot!(check("some day"), @r#"
    a.eml mail "s" "From: a@example.org\n\nx" by=a@example.org date="some day" from="a@example.org"
    = mail, 1 documents
    "#);
}

#[test]
fn attached_messages_and_large_attachments() {
    let inner = "From: a@example.org\nSubject: inner\n\ninner text";
    let big = "word ".repeat(60_000);
    let raw = format!(
        "From: b@example.org\nSubject: outer\nMessage-ID: <c@example.org>\nContent-Type: multipart/mixed; boundary=x\n\n--x\n\nouter text\n--x\nContent-Type: message/rfc822\n\n{inner}\n--x\nContent-Type: text/csv; name=big.csv\n\n{big}\n--x--\n"
    );
    let outcome = read("a.eml", raw.as_bytes(), &ReadOptions::default());
    let text = &outcome.documents[0].text;
    assert!(text.starts_with("From: b@example.org\n\nouter text\n\n[attached message: inner]\n\ninner text\n\n[attachment: big.csv]\n\nword word"), "{text:.200}");
    assert!(text.len() < 280_000);
    let what = "attachment big.csv beyond 262144 bytes".to_owned();
    assert_eq!(outcome.problems[0].reason, Reason::Cut(what));
}

#[test]
fn endless_nesting_is_cut() {
    let raw = "Subject: s\nContent-Type: message/rfc822\n\n".repeat(100_000);
    let outcome = read("a.eml", raw.as_bytes(), &ReadOptions::default());
    assert_eq!(outcome.documents[0].title, "s");
    assert_eq!(outcome.problems[0].reason, Reason::Cut("parts nested too deeply".to_owned()));
}

#[test]
fn messages_beyond_the_limit_are_cut_and_the_rest_goes_on() {
    let options = ReadOptions { max_document_bytes: 1000, ..ReadOptions::default() };
    let head = |n: u32| {
        format!("From x Tue May  7 08:00:00 2024\nFrom: x@example.org\nMessage-ID: <{n}>\n\n")
    };
    let mbox = format!("{}{}\n{}short\n", head(1), "long line\n".repeat(1000), head(2));
    let outcome = read("a.mbox", mbox.as_bytes(), &options);
    assert_eq!(outcome.documents.len(), 2);
    assert_eq!(outcome.documents[0].text.len(), 1020);
    insta::assert_snapshot!(lines(&outcome).lines().skip(1).collect::<Vec<_>>().join("\n"), @r###"
    2 mail "" "From: x@example.org\n\nshort" 10070..10145@1006-1010 by=x@example.org from="x@example.org" thread="2"
    ! a.mbox:1: cut: a message of 10038 bytes beyond 4000
    ! a.mbox:1: cut: text beyond 1000 bytes
    = mbox, 2 documents
    "###);
}
