//! Threads that wait for commands.
//!
//! Drivers of CPUs make work of a thread that waits: it computes, and where there is nothing to compute it looks again and again. So one thread
//! waits inside the driver, which makes as many that compute as there are processors, and the others sleep until the driver calls or it is
//! their turn. Two are too many: in Intel's driver (2026.2, its queues out of order) both may wait for ever (docs/decisions/0088).

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, SyncSender};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::handles::{Event, OnStatus, Tried, command_outcome};
use crate::sys::cl_int;

/// Why a thread that sleeps goes on.
enum Told {
    /// The driver says that its command is over, with this status.
    Over(cl_int),
    /// Nobody is inside the driver any more.
    Turn,
}

#[derive(Default)]
struct Waiting {
    is_inside: bool,
    asleep: VecDeque<(u64, SyncSender<Told>)>,
}

/// The threads that wait for commands of OpenCL's drivers, of whichever context, since several may be one driver's.
struct Waiters(Mutex<Waiting>);

static WAITERS: Waiters = Waiters::new();

/// Waits until the command is over: in the driver, or, while another thread does that, asleep.
pub(crate) fn wait(event: &Event) -> Tried<()> {
    WAITERS.wait(|| event.wait_in_driver(), |call| event.when_over(call))
}

/// The place inside the driver; whoever leaves it gives it on.
struct Place<'w>(&'w Waiters);

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let mut waiting = self.0.lock();
        // One that has heard that its command is over does not want it.
        waiting.is_inside = loop {
            match waiting.asleep.pop_front() {
                Some((_, next)) if next.try_send(Told::Turn).is_ok() => break true,
                Some(_) => {}
                None => break false,
            }
        };
    }
}

impl Waiters {
    const fn new() -> Waiters {
        Waiters(Mutex::new(Waiting { is_inside: false, asleep: VecDeque::new() }))
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// `inside` waits in the driver; `when_over` has the driver make a call with the command's status, and says whether it will.
    fn wait(&self, inside: impl FnOnce() -> Tried<()>, when_over: impl FnOnce(OnStatus) -> bool) -> Tried<()> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        // Room for one: who is told one thing need not hear the other.
        let (tell, told) = mpsc::sync_channel(1);
        {
            let mut waiting = self.lock();
            if !waiting.is_inside {
                waiting.is_inside = true;
                drop(waiting);
                let _place = Place(self);
                return inside();
            }
            waiting.asleep.push_back((id, tell.clone()));
        }
        let call = move |status| {
            let _told = tell.try_send(Told::Over(status));
        };
        // Where the driver refuses to call, or forgets it, the turn comes.
        let _asked = when_over(Box::new(call));
        match told.recv() {
            Ok(Told::Over(status)) => {
                self.lock().asleep.retain(|(other, _)| *other != id);
                // The turn may have come meanwhile.
                drop(told.try_recv().is_ok_and(|told| matches!(told, Told::Turn)).then(|| Place(self)));
                command_outcome(status)
            }
            Ok(Told::Turn) => {
                let _place = Place(self);
                inside()
            }
            Err(mpsc::RecvError) => inside(), // the list holds a sender until one of both was said
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::AtomicUsize;
    use std::sync::mpsc::Sender;
    use std::thread;

    use super::*;

    /// Waits on a thread of its own; with what makes it go on inside the driver, and with what the driver calls.
    fn waits(
        waiters: &Arc<Waiters>,
        inside: &Arc<AtomicUsize>,
        refuses: bool,
    ) -> (Sender<()>, mpsc::Receiver<OnStatus>, thread::JoinHandle<Tried<()>>) {
        let (go_on, goes_on) = mpsc::channel();
        let (asks, asked) = mpsc::channel();
        let (waiters, inside) = (waiters.clone(), inside.clone());
        let thread = thread::spawn(move || {
            let in_driver = || {
                assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0, "two are inside");
                goes_on.recv().expect("told to go on");
                inside.fetch_sub(1, Ordering::SeqCst);
                Ok(())
            };
            waiters.wait(in_driver, |call| {
                if !refuses {
                    asks.send(call).expect("asked");
                }
                !refuses
            })
        });
        (go_on, asked, thread)
    }

    fn until(is_so: impl Fn() -> bool) {
        while !is_so() {
            thread::yield_now();
        }
    }

    #[test]
    fn one_waits_inside_and_the_others_take_turns_or_are_called() {
        let (waiters, inside) = (Arc::new(Waiters::new()), Arc::new(AtomicUsize::new(0)));
        let first = waits(&waiters, &inside, false);
        until(|| inside.load(Ordering::SeqCst) == 1);
        let called = waits(&waiters, &inside, false);
        let failed = waits(&waiters, &inside, false);
        for (of, status) in [(called, 0), (failed, -5)] {
            of.1.recv().expect("a call")(status);
            assert_eq!(of.2.join().expect("no panic").is_ok(), status == 0);
        }
        until(|| waiters.lock().asleep.is_empty());
        let refused = waits(&waiters, &inside, true);
        until(|| waiters.lock().asleep.len() == 1);
        let last = waits(&waiters, &inside, false);
        until(|| waiters.lock().asleep.len() == 2);
        for of in [first, refused, last] {
            of.0.send(()).expect("inside, or next");
            assert!(of.2.join().expect("no panic").is_ok());
        }
        assert!(!waiters.lock().is_inside);
    }

    #[test]
    fn a_turn_that_comes_with_the_call_is_given_on() {
        for _ in 0..200 {
            let (waiters, inside) = (Arc::new(Waiters::new()), Arc::new(AtomicUsize::new(0)));
            let first = waits(&waiters, &inside, false);
            until(|| inside.load(Ordering::SeqCst) == 1);
            let (go_on, asked, second) = waits(&waiters, &inside, false);
            go_on.send(()).expect("room");
            let call = asked.recv().expect("a call");
            let third = waits(&waiters, &inside, true);
            third.0.send(()).expect("room");
            until(|| waiters.lock().asleep.len() == 2);
            let calls = thread::spawn(move || call(0));
            first.0.send(()).expect("inside");
            for thread in [first.2, second, third.2] {
                assert!(thread.join().expect("no panic").is_ok());
            }
            calls.join().expect("no panic");
            assert!(!waiters.lock().is_inside);
        }
    }
}
