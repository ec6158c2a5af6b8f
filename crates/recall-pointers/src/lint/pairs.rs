//! What can be wrong between two statements of a page.

use crate::finding::Problem;
use crate::folder::Folder;
use crate::section::Kind;
use crate::statement::Statement;
use crate::subject::Subject;
use crate::target::follow;

/// For each statement, the first one before it that points at the same thing, or else speaks on
/// the same subject.
pub(super) fn problems(folder: &Folder, statements: &[Statement]) -> Vec<(usize, Problem)> {
    let mut problems = Vec::new();
    for (at, statement) in statements.iter().enumerate() {
        let earlier = &statements[..at];
        let found =
            same_target(folder, earlier, statement).or_else(|| same_subject(earlier, statement));
        problems.extend(found.map(|problem| (statement.line, problem)));
    }
    problems
}

/// Two decisions may rest on one note; anything else that points at the same thing is said twice.
fn same_target(folder: &Folder, earlier: &[Statement], statement: &Statement) -> Option<Problem> {
    let link = statement.links.first()?;
    let target = follow(folder, &link.target);
    let mut others = earlier.iter().filter(|other| {
        let same_note = other.kind == Kind::Decision && statement.kind == Kind::Decision;
        !same_note || Subject::of(other).same_as(&Subject::of(statement))
    });
    let first = others
        .find(|other| other.links.first().is_some_and(|l| follow(folder, &l.target) == target))?;
    Some(Problem::SameTarget { target: link.target.clone(), first: first.line })
}

fn same_subject(earlier: &[Statement], statement: &Statement) -> Option<Problem> {
    if !statement.kind.is_statement() || statement.opens_with_link() {
        return None;
    }
    let subject = Subject::of(statement);
    let mut others = earlier.iter().filter(|o| o.kind.is_statement() && !o.opens_with_link());
    let first = others.find(|other| Subject::of(other).same_as(&subject))?;
    Some(Problem::SameSubject {
        subject: subject.phrase(),
        first: first.line,
        opposed: Subject::of(first).denies != subject.denies,
    })
}
