//! What an engine answers, and what it says of how it did.

use std::sync::Arc;

use recall_embed::EmbedError;
use recall_query::{Answer, Degraded, Engine, Mode, Query, QueryError, Stale};

use crate::notes::Notes;

const LEDGER: (&str, &str) =
    ("ledger.md", "# Ledger\n\nReports were slow until LEDGER_CACHE_MAX=20000 was set.\n");
const DEPLOY: (&str, &str) = ("deploy.md", "# Deploy\n\nDeploys of the gateway run on Tuesdays.\n");
const RUNBOOK: (&str, &str) =
    ("runbooks/gateway.md", "# Gateway is down\n\n1. Page the gateway team.\n2. Fail over.\n");

fn answer(notes: &Notes, change: impl FnOnce(&mut Query)) -> Answer {
    let mut query = Query::new(notes.index(), "gateway");
    change(&mut query);
    Engine::new().answer(&query).expect("an answer")
}

fn titles(answer: &Answer) -> Vec<&str> {
    answer.hits.iter().map(|hit| hit.title.as_str()).collect()
}

#[test]
fn hits_are_cut_to_the_relevant_ones_and_to_the_limit() {
    let notes = Notes::new(&[LEDGER, DEPLOY, RUNBOOK]);
    let all = answer(&notes, |_| ());
    assert_eq!(titles(&all), ["Gateway is down", "Deploy"]);
    assert!(all.hits.iter().all(|hit| hit.relevance >= all.threshold));
    let first = answer(&notes, |query| query.limit = 1);
    assert_eq!(titles(&first), ["Gateway is down"], "the first hit does not depend on the limit");
    let bread = "how do I bake sourdough bread";
    let none = answer(&notes, |query| query.text = bread.into());
    assert!(none.nothing_relevant && none.hits.is_empty());
    let weak = answer(&notes, |query| {
        query.text = "the reports of the deploy team at noon in Lisbon".into();
        query.show_weak = true;
    });
    assert!(weak.hits.iter().any(|hit| hit.relevance < weak.threshold), "{:?}", titles(&weak));
}

#[test]
fn a_runbook_is_whole_or_named() {
    let notes = Notes::new(&[RUNBOOK]);
    let whole = answer(&notes, |_| ());
    assert_eq!(whole.hits[0].text.as_deref(), Some(RUNBOOK.1));
    let small = answer(&notes, |query| query.budget = 10);
    let hit = &small.hits[0];
    let omitted = hit.omitted.as_ref().map(|omitted| omitted.bytes);
    assert_eq!((hit.text.as_deref(), omitted), (None, Some(RUNBOOK.1.len())));
}

#[test]
fn an_answer_says_why_it_is_from_words_alone() {
    let notes = Notes::new(&[DEPLOY]);
    let hybrid = answer(&notes, |_| ());
    assert_eq!(hybrid.mode, Mode::Keyword);
    assert!(matches!(hybrid.degraded, Some(Degraded::NoVectors)));
    let asked_for = answer(&notes, |query| query.mode = Mode::Keyword);
    assert!(asked_for.degraded.is_none(), "that is what was asked for");
    let query = Query { mode: Mode::Vector, ..Query::new(notes.index(), "gateway") };
    let error = Engine::new().answer(&query).expect_err("vectors alone cannot answer");
    assert!(matches!(error, QueryError::NoVectors(Degraded::NoVectors)), "{error}");
    let query = Query { model: Some("other".into()), ..Query::new(notes.index(), "gateway") };
    let error = Engine::new().answer(&query).expect_err("another model is asked for");
    assert_eq!(error.to_string(), "the index was made with no model, not with other");
}

#[test]
fn an_engine_answers_from_the_generation_that_is_current() {
    let notes = Notes::new(&[DEPLOY]);
    let engine = Engine::new();
    let query = Query::new(notes.index(), "gateway");
    let before = engine.answer(&query).expect("an answer");
    let again = engine.answer(&query).expect("an answer");
    assert_eq!(before.coverage.generation, again.coverage.generation);
    notes.write(RUNBOOK.0, RUNBOOK.1);
    notes.build();
    let after = engine.answer(&query).expect("an answer");
    assert!(after.coverage.generation > before.coverage.generation);
    assert_eq!((titles(&before).len(), titles(&after).len()), (1, 2));
    assert_eq!(engine.open_indexes().len(), 1);
}

#[test]
fn what_changed_since_it_was_indexed_is_flagged() {
    let notes = Notes::new(&[DEPLOY, RUNBOOK]);
    notes.write(DEPLOY.0, "# Deploy\n\nDeploys of the gateway run on Mondays.\n");
    let verified = answer(&notes, |query| query.verify = true);
    let stale = |title: &str| {
        let hit = verified.hits.iter().find(|hit| hit.title == title).expect("a hit");
        hit.stale.clone()
    };
    assert_eq!((stale("Deploy"), stale("Gateway is down")), (Some(Stale::Changed), None));
}

#[test]
fn a_query_and_its_answer_survive_the_way_to_another_process() {
    let notes = Notes::new(&[LEDGER, DEPLOY, RUNBOOK]);
    let mut query = Query::new(notes.index(), "gateway \"run on\"");
    query.conditions.kinds.push("note".into());
    let sent = serde_json::to_string(&query).expect("plain data");
    let read: Query = serde_json::from_str(&sent).expect("what was sent");
    assert_eq!(read, query);
    let mut answer = Engine::new().answer(&read).expect("an answer");
    assert_eq!(titles(&answer), ["Deploy"]);
    let sent = serde_json::to_string(&answer).expect("plain data");
    let read: Answer = serde_json::from_str(&sent).expect("what was sent");
    assert_eq!(serde_json::to_string(&read).expect("plain data"), sent);
    assert_eq!(read.hits[0].marks, answer.hits[0].marks);
    // Why a model failed is found out by each process itself.
    let error = EmbedError::NotInstalled { id: "m".into() };
    answer.degraded = Some(Degraded::Model(Arc::new(error)));
    assert!(serde_json::to_string(&answer).is_err());
}
