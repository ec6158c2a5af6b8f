//! A few things shared by many threads, where some requests go first.

use std::sync::{Condvar, Mutex, PoisonError};

/// Items handed out one at a time. Who asks through [`Pool::first`] is served before everyone who
/// asks through [`Pool::later`].
pub(crate) struct Pool<T> {
    state: Mutex<State<T>>,
    changed: Condvar,
}

struct State<T> {
    free: Vec<T>,
    /// How many wait in `first`.
    hurried: usize,
}

impl<T> Pool<T> {
    pub(crate) fn new(items: Vec<T>) -> Pool<T> {
        Pool { state: Mutex::new(State { free: items, hurried: 0 }), changed: Condvar::new() }
    }

    /// Runs `work` with an item, before those who can wait.
    pub(crate) fn first<R>(&self, work: impl FnOnce(&mut T) -> R) -> R {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.hurried += 1;
        loop {
            if let Some(item) = state.free.pop() {
                state.hurried -= 1;
                drop(state);
                return self.lent(item, work);
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Runs `work` with an item, once nobody is in a hurry.
    pub(crate) fn later<R>(&self, work: impl FnOnce(&mut T) -> R) -> R {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if state.hurried == 0
                && let Some(item) = state.free.pop()
            {
                drop(state);
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
