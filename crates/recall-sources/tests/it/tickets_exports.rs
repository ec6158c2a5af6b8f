use crate::show::{read, shown};
use recall_sources::ReadOptions;

#[test]
fn github() {
    insta::assert_snapshot!(shown("issues.json", include_bytes!("../fixtures/tickets/gh.json")), @r###"
    example/pool#7 ticket "Pool exhausted" "**Version** 2.1\n\nSee #6\n\nsam: Set `REDIS_POOL=64`\n\nlater" 3..566@2-8 date=2024-05-07T08:00:00+00:00 updated=2024-05-08T08:00:00+00:00 by=nga by=sam #bug https://github.com/example/pool/issues/7 closed="2024-05-08T08:00:00Z" state="completed"
    #8 ticket "null body" "state: open" 569..736@9-9 date=2024-05-09T00:00:00+00:00 state="open"
    = github, 2 documents
    "###);
    insta::assert_snapshot!(shown("comments.json", include_bytes!("../fixtures/tickets/gh-comments.json")), @r###"
    example/pool#9 ticket "" "elsewhere" 234..454@3-3 date=2024-05-07T08:40:00+00:00 updated=2024-05-07T08:40:00+00:00 https://github.com/example/pool/issues/9
    example/pool#7 ticket "" "sam: first\n\nnga: second" date=2024-05-07T08:30:00+00:00 updated=2024-05-07T08:50:00+00:00 by=sam by=nga https://github.com/example/pool/issues/7
    = github, 2 documents
    "###);
}

#[test]
fn gitlab() {
    insta::assert_snapshot!(shown("issues.ndjson", include_bytes!("../fixtures/tickets/gitlab.ndjson")), @r###"
    #3 ticket "Pool" "grows\n\nSam: seen" 0..275@1-1 date=2024-05-07T08:00:00+00:00 by=Nga by=Sam #bug state="opened"
    ops/pool#4 ticket "Web" "state: closed" 276..436@2-2 #x https://gitlab.example.com/ops/pool/-/issues/4 state="closed"
    ! issues.ndjson:3: malformed: expected ident at column 2
    = gitlab, 2 documents
    "###);
}

#[test]
fn jira() {
    insta::assert_snapshot!(shown("jira.csv", include_bytes!("../fixtures/tickets/jira.csv")), @r###"
    RED-7 ticket "Pool exhausted" "## Steps\n1. stop\n   1. wait\n```\n# not a step\nredis-cli\n```\nShe said \"64\".\n\nsam: looking; still\n\nno date here\n\nsam: REDIS_POOL=64" date=2024-05-07T08:00:00+00:00 updated=2024-05-07T09:00:00+00:00 by=nga by=sam #redis #pool status="Done" type="Bug"
    RED-8 ticket "Rotate key" "status: To Do\ntype: Task" 457..531@11-11 date=2024-05-08T08:00:00+00:00 updated=2024-05-08T08:00:00+00:00 by=sam status="To Do" type="Task"
    = jira-csv, 2 documents
    "###);
    insta::assert_snapshot!(shown("jira.json", include_bytes!("../fixtures/tickets/jira.json")), @r###"
    RED-7 ticket "Pool exhausted" "## Steps\n- ask @sam\n  - inner\n\n```\nredis-cli\n```\n\na\tb\n\nSam (private): # Done\n`x`" 47..1453@2-13 date=2024-05-07T08:00:00+07:00 by=Nga Example by=Sam #redis https://example.atlassian.net/browse/RED-7 attachments="graph.png" status="Done" type="Bug"
    RED-8 ticket "bare" "" 1456..1524@14-14
    = jira, 2 documents
    "###);
}

#[test]
fn redmine() {
    insta::assert_snapshot!(shown("issues.csv", include_bytes!("../fixtures/tickets/redmine.csv")), @r###"
    #12 ticket "Pool exhausted" "grows; fast\n\nset REDIS_POOL=64" 97..210@2-2 date=2024-05-07T08:00:00+00:00 by=Nga assignee="Sam" priority="High" status="New" tracker="Bug" updated="05/07/2024 09:00 AM"
    = redmine-csv, 1 documents
    "###);
}

#[test]
fn zendesk() {
    insta::assert_snapshot!(shown("tickets.json", include_bytes!("../fixtures/tickets/zendesk.json")), @r###"
    #5 ticket "Cannot pay" "Error 504\n\nSam Example (private): Use REDIS_POOL=64\n[attachment: a.png]" 15..653@2-5 date=2024-05-07T08:00:00+00:00 updated=2024-05-07T09:00:00+00:00 by=1 by=Sam Example #pay https://example.zendesk.com/agent/tickets/5 assignee="Sam Example" channel="web" status="open"
    #6 ticket "" "status: deleted" 656..809@6-6 date=2024-05-08T00:00:00+00:00 status="deleted"
    = zendesk, 2 documents
    "###);
}

#[test]
fn stackexchange() {
    insta::assert_snapshot!(shown("Posts.xml", include_bytes!("../fixtures/tickets/Posts.xml")), @r###"
    2 ticket "Other" "other" date=2014-05-14T00:00:00+00:00 by=gone
    1 ticket "Pool & cache" "Why does the pool grow?\n\nuser 51: Set REDIS_POOL=64" date=2014-05-13T23:58:30+00:00 by=user 5 by=user 51 #redis #pool score="7"
    = stack-exchange, 2 documents
    "###);
}

#[test]
fn what_came_before_broken_json_stands() {
    let whole = include_str!("../fixtures/tickets/gh.json");
    let cut = &whole[..whole.find("null body").expect("it is there")];
    insta::assert_snapshot!(shown("issues.json", cut.as_bytes()), @r###"
    example/pool#7 ticket "Pool exhausted" "**Version** 2.1\n\nSee #6\n\nsam: Set `REDIS_POOL=64`\n\nlater" 3..566@2-8 date=2024-05-07T08:00:00+00:00 updated=2024-05-08T08:00:00+00:00 by=nga by=sam #bug https://github.com/example/pool/issues/7 closed="2024-05-08T08:00:00Z" state="completed"
    = FAILED issues.json:9: malformed: incomplete document at column 26
    "###);
}

#[test]
fn entities_of_a_document_do_not_grow() {
    let bomb = r#"<?xml version="1.0"?><!DOCTYPE posts [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><posts><row Id="1" Title="&b;" Body="x"/><row Id="2" Title="fine" Body="y"/></posts>"#;
    insta::assert_snapshot!(shown("Posts.xml", bomb.as_bytes()), @r###"
    2 ticket "fine" "y"
    ! Posts.xml: malformed: row 1: at 1..2: unrecognized entity `b`
    = stack-exchange, 1 documents
    "###);
}

#[test]
fn comments_are_the_messages() {
    let outcome =
        read("issues.json", include_bytes!("../fixtures/tickets/gh.json"), &ReadOptions::default());
    let document = &outcome.documents[0];
    let said: Vec<(&str, &str)> = document
        .messages
        .iter()
        .map(|message| (message.author.as_str(), &document.text[message.start..message.end]))
        .collect();
    assert_eq!(
        said,
        [("nga", "**Version** 2.1\n\nSee #6"), ("sam", "sam: Set `REDIS_POOL=64`"), ("", "later"),]
    );
}
