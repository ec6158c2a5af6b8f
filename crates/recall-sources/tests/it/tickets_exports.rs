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
fn github_comments_lie_behind_the_issues_or_at_the_changes_of_a_pull_request() {
    let all = [
        include_str!("../fixtures/tickets/gh.json").trim_start_matches('\u{feff}'),
        include_str!("../fixtures/tickets/gh-comments.json"),
        r#"[{"id": 31, "pull_request_url": "https://api.github.com/repos/example/pool/pulls/11", "path": "src/pool.rs",
            "html_url": "https://github.com/example/pool/pull/11#discussion_r31", "user": {"login": "sam"}, "body": "rename it"}]"#,
    ];
    insta::assert_snapshot!(shown("issues.json", all.concat().as_bytes()), @r#"
    #8 ticket "null body" "state: open" 569..736@9-9 date=2024-05-09T00:00:00+00:00 state="open"
    example/pool#9 ticket "" "elsewhere" 972..1192@12-12 date=2024-05-07T08:40:00+00:00 updated=2024-05-07T08:40:00+00:00 https://github.com/example/pool/issues/9
    example/pool#7 ticket "Pool exhausted" "**Version** 2.1\n\nSee #6\n\nsam: Set `REDIS_POOL=64`\n\nlater\n\nsam: first\n\nnga: second" date=2024-05-07T08:00:00+00:00 updated=2024-05-08T08:00:00+00:00 by=nga by=sam #bug https://github.com/example/pool/issues/7 closed="2024-05-08T08:00:00Z" state="completed"
    example/pool#11 ticket "" "sam: src/pool.rs: rename it" 1427..1663@14-15 by=sam https://github.com/example/pool/pull/11
    = github, 4 documents
    "#);
    insta::assert_snapshot!(shown("review.json", all[2].as_bytes()), @r#"
    example/pool#11 ticket "" "sam: src/pool.rs: rename it" 1..237@1-2 by=sam https://github.com/example/pool/pull/11
    = github, 1 documents
    "#);
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
fn fields_of_a_site_links_and_logged_work_are_kept() {
    let table = "Issue key,Summary,Environment,Custom field (Root cause),Custom field (Team),Inward issue link (Blocks),Outward issue link (Blocks),Outward issue link (Blocks),Log Work,Log Work\n\
        RED-9,Own fields,prod,the pool never shrinks,infra,RED-1,RED-2,RED-3,looked; found it;07/May/24 8:00 AM;nga;3600,unlike others\n";
    insta::assert_snapshot!(shown("jira.csv", table.as_bytes()), @r#"
    RED-9 ticket "Own fields" "environment: prod\n\nRoot cause: the pool never shrinks\n\nnga: looked; found it\n\nunlike others" 177..304@2-2 date=2024-05-07T08:00:00+00:00 by=nga Team="infra" links="Blocks from RED-1, Blocks to RED-2, Blocks to RED-3"
    = jira-csv, 1 documents
    "#);
    let json = r#"[{"key": "RED-9", "fields": {"summary": "Own fields", "description": null,
        "customfield_1": "the pool never shrinks", "customfield_2": {"value": "infra"}, "customfield_3": [{"value": "a b"}, {"value": "c"}],
        "customfield_4": {"type": "doc", "content": [{"type": "expand", "attrs": {"title": "More"}, "content": [{"type": "paragraph", "content": [{"type": "text", "text": "in it"}]}]}]},
        "customfield_5": 3.5, "customfield_6": "{dashboard=x y}", "customfield_7": null,
        "issuelinks": [{"type": {"inward": "is blocked by", "outward": "blocks"}, "inwardIssue": {"key": "RED-1"}}, {"type": {"inward": "is blocked by", "outward": "blocks"}, "outwardIssue": {"key": "RED-2"}}],
        "subtasks": [{"key": "RED-10"}],
        "worklog": {"worklogs": [{"author": {"displayName": "Nga"}, "comment": "looked", "started": "2024-05-07T08:00:00.000+0700"}]}}}]"#;
    insta::assert_snapshot!(shown("jira.json", json.as_bytes()), @r#"
    RED-9 ticket "Own fields" "customfield_1: the pool never shrinks\n\ncustomfield_3: a b, c\n\ncustomfield_4: More\n\nin it\n\nNga: looked" 1..879@1-7 date=2024-05-07T08:00:00+07:00 by=Nga customfield_2="infra" links="is blocked by RED-1, blocks RED-2" subtasks="RED-10"
    = jira, 1 documents
    "#);
    let redmine = "#,Tracker,Status,Subject,Description,Due date,Root cause,Files\n7,Bug,In Progress,Own,grows,2024-05-08,the pool never shrinks,\n";
    insta::assert_snapshot!(shown("redmine.csv", redmine.as_bytes()), @r#"
    #7 ticket "Own" "grows\n\nroot cause: the pool never shrinks" 63..126@2-2 due date="2024-05-08" status="In Progress" tracker="Bug"
    = redmine-csv, 1 documents
    "#);
    let zendesk = r#"{"tickets": [{"id": 7, "subject": "Own", "description": "D", "requester_id": 1,
        "custom_fields": [{"id": 9, "value": "infra"}, {"id": 10, "value": "never shrinks"}, {"id": 11, "value": null}],
        "satisfaction_rating": {"score": "good", "comment": "was quick"}}]}"#;
    insta::assert_snapshot!(shown("zendesk.json", zendesk.as_bytes()), @r#"
    #7 ticket "Own" "D\n\nfield 10: never shrinks\n\nsatisfaction: was quick" 13..274@1-3 by=1 field 9="infra"
    = zendesk, 1 documents
    "#);
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
