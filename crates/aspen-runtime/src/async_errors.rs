//! Errors of commands after their submission. They wait until the program asks their queue for them; what it has not asked for when the queue and
//! its commands are gone, or at its end, is told on the standard error: nothing fails in silence. Source: SYCL 2020 §4.13.1.

use std::collections::VecDeque;
use std::mem::take;
use std::sync::{Arc, Mutex, Once, Weak};

use crate::command::lock;
use crate::error::Error;

/// Those of a queue's commands, oldest first.
#[derive(Debug)]
pub(crate) struct AsyncErrors(Mutex<VecDeque<Error>>);

/// Queues that have had some.
static WITH_ERRORS: Mutex<Vec<Weak<AsyncErrors>>> = Mutex::new(Vec::new());

impl AsyncErrors {
    pub(crate) fn new() -> Arc<AsyncErrors> {
        // What is registered before a static queue is made is called after that queue is gone, which has told its own.
        static AT_EXIT: Once = Once::new();
        AT_EXIT.call_once(|| {
            // SAFETY: a function that lives as long as this library, which is never unloaded while a program uses it.
            unsafe { libc::atexit(tell_all) };
        });
        Arc::new(AsyncErrors(Mutex::default()))
    }

    pub(crate) fn push(self: &Arc<Self>, error: Error) {
        lock(&self.0).push_back(error);
        let mut all = lock(&WITH_ERRORS);
        all.retain(|queue| queue.strong_count() > 0 && !queue.ptr_eq(&Arc::downgrade(self)));
        all.push(Arc::downgrade(self));
    }

    pub(crate) fn take(&self) -> Option<Error> {
        lock(&self.0).pop_front()
    }

    fn tell(&self) {
        for error in take(&mut *lock(&self.0)) {
            eprintln!("aspen: an asynchronous error that the program has not asked for (as queue::wait_and_throw does): {error}");
        }
    }
}

impl Drop for AsyncErrors {
    fn drop(&mut self) {
        self.tell();
    }
}

extern "C" fn tell_all() {
    let all = take(&mut *lock(&WITH_ERRORS));
    for queue in all.iter().filter_map(Weak::upgrade) {
        queue.tell();
    }
}
