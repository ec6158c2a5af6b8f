//! What can be wrong between two statements of a page.

use crate::finding::Problem;
use crate::folder::Folder;
use crate::section::LineKind;
use crate::statement::Statement;
use crate::subject::Subject;
use crate::target::{Target, follow};

/// A statement with what it is about and where its first link leads.
struct Read<'a> {
    statement: &'a Statement,
    subject: Subject,
    target: Option<Target>,
}

/// For each statement, the first one before it that points at the same thing, or else speaks on
/// the same subject.
pub(super) fn problems(folder: &Folder, statements: &[Statement]) -> Vec<(usize, Problem)> {
    let read: Vec<_> = statements.iter().map(|statement| Read::of(folder, statement)).collect();
    let numbered = read.iter().enumerate();
    numbered
        .filter_map(|(at, this)| {
            let earlier = &read[..at];
            let problem = same_target(earlier, this).or_else(|| same_subject(earlier, this))?;
            Some((this.statement.line, problem))
        })
        .collect()
}

impl<'a> Read<'a> {
    fn of(folder: &Folder, statement: &'a Statement) -> Self {
        let target = statement.links.first().map(|link| follow(folder, &link.target));
        Self { statement, subject: Subject::of(statement), target }
    }

    fn states(&self) -> bool {
        self.statement.kind.is_statement() && !self.statement.opens_with_link()
    }
}

/// Two decisions may rest on one note; anything else that points at the same thing is said twice.
fn same_target(earlier: &[Read<'_>], this: &Read<'_>) -> Option<Problem> {
    let target = this.statement.links.first()?.target.clone();
    let one_note = |other: &Read<'_>| {
        let decisions = [other, this].iter().all(|read| read.statement.kind == LineKind::Decision);
        decisions && !other.subject.same_as(&this.subject)
    };
    let first = earlier.iter().find(|other| other.target == this.target && !one_note(other))?;
    Some(Problem::SameTarget { target, first: first.statement.line })
}

fn same_subject(earlier: &[Read<'_>], this: &Read<'_>) -> Option<Problem> {
    let same = |other: &&Read<'_>| other.states() && other.subject.same_as(&this.subject);
    let first = earlier.iter().find(same).filter(|_| this.states())?;
    Some(Problem::SameSubject {
        subject: this.subject.phrase(),
        first: first.statement.line,
        opposed: first.subject.denies != this.subject.denies,
    })
}
