//! Handles Ctrl-C: the first one stops the work at the next safe point, the second ends the
//! process.

use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

static STOP: AtomicBool = AtomicBool::new(false);
static HANDLER: Once = Once::new();

/// Returns the flag that the first Ctrl-C sets, and installs the handler once.
pub(crate) fn flag() -> &'static AtomicBool {
    HANDLER.call_once(|| {
        // Without a handler Ctrl-C ends the process at once, which the store survives too.
        let _ = ctrlc::set_handler(|| {
            if STOP.swap(true, Ordering::Relaxed) {
                std::process::exit(130);
            }
            eprintln!("finishing this batch; press Ctrl-C again to stop at once");
        });
    });
    &STOP
}
