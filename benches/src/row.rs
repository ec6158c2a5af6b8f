//! One row of the table: what is measured, against which target.

use crate::figures::Measured;
use crate::outcome::Outcome;
use crate::stage::Stage;

/// One row of the table.
pub(crate) struct Row {
    /// As it is asked for.
    pub name: &'static str,
    pub what: &'static str,
    pub target: &'static str,
    /// The time it takes on two cores, for `--list`.
    pub cost: &'static str,
    /// Only when asked for.
    pub extra: bool,
    pub measure: fn(&Stage) -> Outcome<Measured>,
}
