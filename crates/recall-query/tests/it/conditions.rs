//! Conditions, in the question and beside it.

use recall_query::{Conditions, Engine, Query};

use crate::notes::Notes;

/// The ids that answer `text` under these conditions, or why there is no answer.
#[track_caller]
fn check(text: &str, change: &dyn Fn(&mut Conditions), expected: &str) {
    let notes = Notes::new(&[
        ("old.md", "---\ndate: 2024-05-01\ntags: [rail]\nauthor: Lan Nguyen\n---\n# Old pump\n"),
        ("new.md", "---\ndate: 2026-05-01\nauthor: An Tran\nstatus: open\n---\n# New pump\n"),
        ("runbooks/pump.md", "# Restart the pump\n\n1. Close the valve.\n"),
    ]);
    let mut query = Query::new(notes.index(), text);
    query.now = "2026-11-29T12:00:00[UTC]".parse().expect("a time");
    change(&mut query.conditions);
    let got = match Engine::new().answer(&query) {
        Ok(answer) => {
            let mut ids: Vec<String> = answer.hits.into_iter().map(|hit| hit.id).collect();
            ids.sort();
            ids.join(" ")
        }
        Err(error) => format!("error: {error}"),
    };
    assert_eq!(got, expected, "{text}");
}

#[test]
fn conditions_hold_together_and_their_values_are_alternatives() {
    let any = |_: &mut Conditions| ();
    check("pump", &any, "new.md old.md runbooks/pump.md");
    // Without a date a document is from no time.
    check("pump since:2025", &any, "new.md");
    check("pump", &|c| c.since = Some("2025".into()), "new.md");
    check("pump kind:runbook", &any, "runbooks/pump.md");
    check("pump", &|c| c.kinds.extend(["note".into()]), "new.md old.md");
    check("pump author:lan", &|c| c.tags.push("rail".into()), "old.md");
    check("pump", &|c| c.authors.extend(["lan".into(), "an".into()]), "new.md old.md");
    check("pump", &|c| c.paths.push("runbooks/**".into()), "runbooks/pump.md");
    check("pump", &|c| c.fields.push(("status".into(), "open".into())), "new.md");
    check("pump -restart", &any, "new.md old.md");
}

#[test]
fn a_value_that_means_nothing_is_named() {
    check("pump", &|c| c.since = Some("soonish".into()), "error: `soonish` is not a date");
    check(
        "pump",
        &|c| c.kinds.push("novel".into()),
        "error: unknown kind `novel`; kinds are note, ticket, chat, mail, runbook, memory, transcript, log",
    );
    // In the question itself it is text.
    check("pump kind:novel", &|_| (), "");
}
