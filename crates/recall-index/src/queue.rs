//! How many bytes wait between two threads: who would add more than the limit waits first.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Nobody waits longer: where the other side has died, adding says so and waiting does not.
const PATIENCE: Duration = Duration::from_secs(10);

/// A limit of bytes that wait at once.
#[derive(Debug)]
pub(crate) struct Queue {
    limit: usize,
    waiting: Mutex<usize>,
    taken: Condvar,
}

/// Bytes that wait; dropped when they are taken out.
#[derive(Debug)]
pub(crate) struct Reservation {
    queue: Arc<Queue>,
    bytes: usize,
}

impl Queue {
    /// A queue of at most `limit` bytes.
    pub(crate) fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self { limit, waiting: Mutex::new(0), taken: Condvar::new() })
    }

    /// Room for `bytes`, as soon as there is room; what is larger than the whole queue gets one
    /// when it is empty.
    pub(crate) fn reserve(self: &Arc<Self>, bytes: usize) -> Reservation {
        let end = Instant::now() + PATIENCE;
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        while *waiting > 0 && *waiting + bytes > self.limit {
            let left = end.saturating_duration_since(Instant::now());
            let woken = self.taken.wait_timeout(waiting, left);
            let (guard, timeout) = woken.unwrap_or_else(PoisonError::into_inner);
            waiting = guard;
            if timeout.timed_out() {
                break;
            }
        }
        *waiting += bytes;
        Reservation { queue: Arc::clone(self), bytes }
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        let mut waiting = self.queue.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        *waiting -= self.bytes;
        self.queue.taken.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc;
    use std::thread;

    /// Long enough to see that somebody waits.
    const A_MOMENT: Duration = Duration::from_millis(100);

    #[test]
    fn no_more_than_the_limit_waits() {
        let queue = Queue::new(100);
        let (now, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for bytes in 1..60 {
                        let reservation = queue.reserve(bytes);
                        let held = now.fetch_add(bytes, Ordering::SeqCst) + bytes;
                        most.fetch_max(held, Ordering::SeqCst);
                        std::thread::yield_now();
                        now.fetch_sub(bytes, Ordering::SeqCst);
                        drop(reservation);
                    }
                });
            }
        });
        assert!((50..=100).contains(&most.into_inner()), "the limit is reached and kept");
    }

    /// Whether `bytes` get in at once while `held` are there; if not, whether they do when these go.
    #[track_caller]
    fn check(held: usize, bytes: usize, at_once: bool) {
        let queue = Queue::new(10);
        let first = (held > 0).then(|| queue.reserve(held));
        let (sender, receiver) = mpsc::channel();
        let queue = Arc::clone(&queue);
        thread::spawn(move || sender.send(queue.reserve(bytes)));
        let got = receiver.recv_timeout(if at_once { PATIENCE / 2 } else { A_MOMENT });
        assert_eq!(got.is_ok(), at_once, "{bytes} beside {held}");
        drop(first);
        let second = got.or_else(|_| receiver.recv_timeout(PATIENCE / 2));
        assert!(second.is_ok(), "{bytes} after {held} went");
    }

    #[test]
    fn what_is_larger_than_the_queue_passes_alone() {
        check(0, 1000, true);
        check(1, 1000, false);
        check(1000, 1, false);
        check(5, 5, true);
        check(5, 6, false);
    }
}
