//! Calls code that may panic.

use std::any::Any;
use std::backtrace::{Backtrace, BacktraceStatus};
use std::cell::{Cell, RefCell};
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

thread_local! {
    static GUARDED: Cell<bool> = const { Cell::new(false) };
    static SAID: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Calls `code`; an error is what it panicked with, and where.
///
/// The text is the caller's to show: nothing is printed. With `RUST_BACKTRACE` set it has a backtrace.
pub(crate) fn guarded<R>(code: impl FnOnce() -> R) -> Result<R, String> {
    // What is caught does not tell where it was thrown; only a hook is told, and there is one for all threads.
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !GUARDED.get() {
                return before(info);
            }
            let backtrace = Backtrace::capture();
            let text = match backtrace.status() {
                BacktraceStatus::Captured => format!("{info}\n{backtrace}"),
                _ => info.to_string(),
            };
            SAID.set(Some(text));
        }));
    });
    GUARDED.set(true);
    let result = panic::catch_unwind(AssertUnwindSafe(code));
    GUARDED.set(false);
    result.map_err(|payload| SAID.take().unwrap_or_else(|| message(&*payload)))
}

fn message(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("panicked").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_tells_what_and_where() {
        let failed = guarded(|| panic!("no card {}", 54)).unwrap_err();
        assert!(failed.contains("src/guard.rs:"), "{failed}");
        assert!(failed.contains("no card 54"), "{failed}");
        assert_eq!(guarded(|| 7), Ok(7));
    }
}
