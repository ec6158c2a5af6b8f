//! `recall explain`: shows where a document ranks for a question, and why.

use recall_index::{EntryId, Snapshot};
use recall_query::{Engine, Hit, Mode, Query, Ranking, Request, Searcher, TextBudget};

use crate::answer_json::{HitJson, line};
use crate::failure::Failure;
use crate::flags::{ExplainFlags, Flags};
use crate::print::out;
use crate::{conditions, get, hint, index_folder, query};

/// Runs `recall explain`: 0 if the document is an answer, 1 if it is not.
pub(crate) fn run(flags: &Flags, options: &ExplainFlags) -> Result<u8, Failure> {
    let engine = Engine::new();
    let folder = index_folder::to_read(flags.index.as_deref())?;
    let entry = get::resolve(&*engine.snapshot(&folder)?, &options.name)?;
    let conditions = conditions::of(&options.filter)?;
    let query = Query { conditions, ..Query::new(&folder, options.text.as_str()) };
    let request = query.request()?;
    let mode = if request.needs_model() { request.mode } else { Mode::Keyword };
    let searcher = engine.searcher(&folder, mode)?;
    let snapshot = searcher.snapshot();
    let ranking = searcher.rank(&request)?;
    if let Some(why) = searcher.degraded() {
        eprintln!("note: {}", hint::degraded(why));
    }
    let document = snapshot.keyword().document_key(entry)?;
    let place = ranking.documents.iter().position(|d| d.document == document);
    let Some(place) = place else {
        return absent(snapshot, &request, entry, options.json);
    };
    let hit = hit(&searcher, &ranking, place)?;
    let relevant = hit.relevance >= searcher.threshold();
    print(&hit, relevant, searcher.threshold(), options.json)?;
    Ok(u8::from(!relevant))
}

fn hit(searcher: &Searcher, ranking: &Ranking, place: usize) -> Result<Hit, Failure> {
    let budget = TextBudget { whole: 0, full: false };
    let mut made = searcher.hits(ranking, &[&ranking.documents[place]], budget)?;
    let mut hit = made.remove(0);
    hit.rank = place + 1;
    Ok(hit)
}

fn print(hit: &Hit, relevant: bool, threshold: f32, json: bool) -> Result<(), Failure> {
    if json {
        return out(&line(&HitJson::of(hit)));
    }
    let verdict = if relevant { "an answer" } else { "not an answer" };
    out(&format!(
        "{} is at rank {}: relevance {:.2}, {verdict} (threshold {threshold:.2})\n{}",
        hit.id,
        hit.rank,
        hit.relevance,
        query::explanation(hit)
    ))
}

/// Reports a document that is indexed but is not a candidate: it is filtered out, or ranks too low
/// in both retrievers.
fn absent(
    snapshot: &Snapshot,
    request: &Request,
    entry: EntryId,
    json: bool,
) -> Result<u8, Failure> {
    let allowed = snapshot.keyword().allowed(&request.filter, &[], &[])?;
    let why = if allowed.is_some_and(|a| !a.contains(entry)) {
        "a filter excludes it"
    } else if !request.question.must.is_empty() || !request.question.not.is_empty() {
        "it lacks a required word, or contains an excluded one"
    } else {
        "it has no word of the question, and its vectors are farther away than every candidate's"
    };
    let text = if json {
        serde_json::json!({"rank": null, "why": why}).to_string()
    } else {
        format!("it is indexed, but is not a candidate for this question: {why}")
    };
    out(&format!("{text}\n"))?;
    Ok(1)
}
