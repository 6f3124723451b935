//! Messages on standard error.

use std::io::Write;
use std::sync::Mutex;

static REPORTED: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Writes a message. A line is written at once, so that those of several threads do not mix; where it cannot be written, the program goes on.
fn write(text: &str) {
    let line = format!("ipda: {text}\n");
    let _ = std::io::stderr().write_all(line.as_bytes());
}

/// Reports it unless that was done before.
pub(crate) fn report_once(text: &str) {
    let mut reported = lock(&REPORTED);
    if !reported.iter().any(|known| known == text) {
        reported.push(text.to_owned());
        drop(reported);
        write(text);
    }
}

/// A lock, also where a thread failed that held it: what it guards are numbers, each right by itself.
#[cfg(not(tsan))]
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// The same for the thread sanitizer: to wait is std's code, in which it does not see what orders threads.
#[cfg(tsan)]
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    loop {
        match mutex.try_lock() {
            Ok(guard) => return guard,
            Err(std::sync::TryLockError::Poisoned(poisoned)) => return poisoned.into_inner(),
            Err(std::sync::TryLockError::WouldBlock) => std::thread::yield_now(),
        }
    }
}
