//! A few things shared by many threads, where some requests go first.

use std::sync::{Condvar, Mutex, PoisonError};

/// How many go first, one after the other, before one who can wait is let through: where there is
/// always somebody in a hurry, the others would wait for ever.
const TURNS: usize = 8;

/// Items handed out one at a time. Who asks through [`Pool::first`] is served before those who ask
/// through [`Pool::later`], but for one of these every few turns.
pub(crate) struct Pool<T> {
    state: Mutex<State<T>>,
    changed: Condvar,
}

struct State<T> {
    free: Vec<T>,
    /// How many wait in `first`.
    hurried: usize,
    /// How many wait in `later`.
    patient: usize,
    /// How many went first since one of those was let through.
    passed: usize,
}

impl<T> State<T> {
    /// Whether it is the turn of one who can wait.
    fn is_turn_of_patient(&self) -> bool {
        self.patient > 0 && (self.hurried == 0 || self.passed >= TURNS)
    }
}

impl<T> Pool<T> {
    pub(crate) fn new(items: Vec<T>) -> Pool<T> {
        let state = State { free: items, hurried: 0, patient: 0, passed: 0 };
        Pool { state: Mutex::new(state), changed: Condvar::new() }
    }

    /// Runs `work` with an item, before those who can wait.
    pub(crate) fn first<R>(&self, work: impl FnOnce(&mut T) -> R) -> R {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.hurried += 1;
        loop {
            if !state.is_turn_of_patient()
                && let Some(item) = state.free.pop()
            {
                state.hurried -= 1;
                state.passed += usize::from(state.patient > 0);
                drop(state);
                return self.lent(item, work);
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Runs `work` with an item, once nobody is in a hurry or enough of them went before.
    pub(crate) fn later<R>(&self, work: impl FnOnce(&mut T) -> R) -> R {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.patient += 1;
        loop {
            if state.is_turn_of_patient()
                && let Some(item) = state.free.pop()
            {
                state.patient -= 1;
                state.passed = 0;
                drop(state);
                // Those in a hurry who stood back may find another item.
                self.changed.notify_all();
                return self.lent(item, work);
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn lent<R>(&self, item: T, work: impl FnOnce(&mut T) -> R) -> R {
        let mut loan = Loan { pool: self, item: Some(item) };
        // Only the loan's end takes the item out.
        work(loan.item.as_mut().expect("an item is in its loan until the end"))
    }
}

/// Brings its item back, after a panic too.
struct Loan<'a, T> {
    pool: &'a Pool<T>,
    item: Option<T>,
}

impl<T> Drop for Loan<'_, T> {
    fn drop(&mut self) {
        let mut state = self.pool.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.free.extend(self.item.take());
        drop(state);
        self.pool.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread;
    use std::time::{Duration, Instant};

    use super::*;

    #[test]
    fn where_somebody_is_always_in_a_hurry_the_others_are_served_too() {
        let pool = Pool::new(vec![()]);
        let is_served = AtomicBool::new(false);
        let since = Instant::now();
        let hurry = || {
            while !is_served.load(Ordering::Relaxed) && since.elapsed() < Duration::from_secs(20) {
                pool.first(|()| thread::sleep(Duration::from_millis(1)));
            }
        };
        thread::scope(|scope| {
            (0..4).for_each(|_| drop(scope.spawn(hurry)));
            for _ in 0..3 {
                pool.later(|()| ());
            }
            assert!(since.elapsed() < Duration::from_secs(20), "it only came to be when they left");
            is_served.store(true, Ordering::Relaxed);
        });
    }
}
