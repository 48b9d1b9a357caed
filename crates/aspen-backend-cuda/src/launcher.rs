//! A thread that puts jobs into streams for those who submit many of them (docs/decisions/0058).
//!
//! A launch takes the driver as long as all else that a submission does, so where one follows another two threads get twice as many there. Jobs are
//! put there in the order in which they were given. To wake a thread takes longer than a launch: nothing is given to one that sleeps, and it
//! stays awake for a while after the last job. Whoever needs a job that was given and is not in its stream yet waits for the thread as long as it gets
//! on, and else puts it there, with those before.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

use crate::driver::lock;
use crate::lanes::LANES;
use crate::sys;

/// How long the thread stays awake when there is nothing to do.
const PATIENCE: Duration = Duration::from_micros(200);

/// How long whoever needs a job watches the thread put none into a stream: longer than a launch takes. Two that take turns wake each other, and take
/// twice as long.
const HELD_UP: Duration = Duration::from_micros(40);

/// So often whoever waits looks before others get the processor.
const SPINS: u32 = 64;

/// So many jobs may be on their way; then whoever gives more waits for half of them.
const MOST: u64 = 256;

/// What is put into a stream. It must not panic.
pub(crate) trait Ticket: Send + 'static {
    /// The stream's index.
    fn lane(&self) -> usize;
    /// Puts it there; `own`: the launcher's own thread does, which does nothing else.
    fn put(self, own: bool);
}

/// The thread, and what it was given.
pub(crate) struct Launcher<T> {
    tickets: Mutex<VecDeque<T>>,
    /// Held by whoever puts the next one there, so that they come in their order: the first of those given, which only that one looks at.
    turn: Mutex<VecDeque<T>>,
    /// How many were given, and how many of them are in their streams.
    given: AtomicU64,
    done: AtomicU64,
    /// How many of each stream are not there yet.
    missing: [AtomicUsize; LANES],
    awake: AtomicBool,
    /// Whether the thread is there, and was called.
    called: Mutex<Called>,
    changed: Condvar,
}

#[derive(Default)]
struct Called {
    exists: bool,
    wanted: bool,
}

impl<T> Default for Launcher<T> {
    fn default() -> Self {
        Launcher {
            tickets: Mutex::default(),
            turn: Mutex::default(),
            given: AtomicU64::new(0),
            done: AtomicU64::new(0),
            missing: Default::default(),
            awake: AtomicBool::new(false),
            called: Mutex::default(),
            changed: Condvar::new(),
        }
    }
}

impl<T: Ticket> Launcher<T> {
    /// Whether the thread takes jobs now. If it sleeps it is called, for the next ones.
    pub(crate) fn is_awake(self: &Arc<Self>) -> bool {
        self.awake.load(Ordering::SeqCst) || {
            self.call();
            false
        }
    }

    /// Makes the thread, which takes as long as ten launches: who launches should not have to.
    pub(crate) fn get_ready(self: &Arc<Self>) {
        let mut called = lock(&self.called);
        if !called.exists {
            let launcher = self.clone();
            // Without a thread everybody puts jobs into streams alone, as before.
            let name = format!("aspen-{}-put", sys::KIND.name());
            called.exists = thread::Builder::new().name(name).spawn(move || launcher.run()).is_ok();
        }
    }

    fn call(self: &Arc<Self>) {
        self.get_ready();
        let mut called = lock(&self.called);
        if called.exists && !called.wanted {
            called.wanted = true;
            self.changed.notify_one();
        }
    }

    /// Gives a job away. Of two for one stream the one that is given first comes first.
    pub(crate) fn give(self: &Arc<Self>, ticket: T) {
        self.missing[ticket.lane()].fetch_add(1, Ordering::Relaxed);
        let mut tickets = lock(&self.tickets);
        tickets.push_back(ticket);
        self.given.fetch_add(1, Ordering::SeqCst);
        drop(tickets);
        // It may have gone to sleep meanwhile, and then looks once more after it has said so.
        if self.is_awake() && self.count() > MOST {
            let mut spins = 0;
            while self.count() > MOST / 2 {
                pause(&mut spins);
            }
        }
    }

    /// Whether jobs of that stream were given that are not there yet.
    pub(crate) fn has(&self, lane: usize) -> bool {
        self.missing[lane].load(Ordering::Acquire) > 0
    }

    /// Returns when all that was given so far is in its stream.
    pub(crate) fn settle(&self) {
        let given = self.given.load(Ordering::SeqCst);
        self.help_until(|| self.done.load(Ordering::Acquire) >= given);
    }

    /// Returns when `done`, which must come with one of those given so far. Puts jobs into their streams if the thread does not.
    pub(crate) fn help_until(&self, done: impl Fn() -> bool) {
        let mut spins = 0;
        // How many have been there, and since when.
        let mut seen = (u64::MAX, Instant::now());
        let is_held_up = |seen: &mut (u64, Instant)| {
            let count = self.done.load(Ordering::Acquire);
            if seen.0 != count {
                *seen = (count, Instant::now());
            }
            seen.1.elapsed() >= HELD_UP
        };
        while !done() {
            let helps = !self.awake.load(Ordering::SeqCst) || is_held_up(&mut seen);
            if !(helps && self.put_next(false)) {
                pause(&mut spins);
            }
        }
    }

    /// Puts the next one into its stream; `false` if there is none, or if somebody else does.
    fn put_next(&self, own: bool) -> bool {
        let mut first = match self.turn.try_lock() {
            Ok(first) => first,
            Err(TryLockError::Poisoned(first)) => first.into_inner(),
            Err(TryLockError::WouldBlock) => return false,
        };
        if first.is_empty() {
            std::mem::swap(&mut *first, &mut lock(&self.tickets));
        }
        let Some(ticket) = first.pop_front() else { return false };
        let lane = ticket.lane();
        ticket.put(own);
        self.missing[lane].fetch_sub(1, Ordering::Release);
        self.done.fetch_add(1, Ordering::Release);
        true
    }

    /// How many are on their way.
    fn count(&self) -> u64 {
        let done = self.done.load(Ordering::Acquire);
        self.given.load(Ordering::SeqCst).saturating_sub(done)
    }

    fn is_idle(&self) -> bool {
        self.count() == 0
    }

    fn run(&self) {
        loop {
            self.awake.store(true, Ordering::SeqCst);
            let (mut last, mut spins) = (Instant::now(), 0);
            while last.elapsed() < PATIENCE {
                if !self.is_idle() && self.put_next(true) {
                    (last, spins) = (Instant::now(), 0);
                } else {
                    pause(&mut spins);
                }
            }
            let mut called = lock(&self.called);
            called.wanted = false;
            self.awake.store(false, Ordering::SeqCst);
            // Whoever gave one a moment ago may have found the thread awake.
            while !called.wanted && self.is_idle() {
                called = self.changed.wait(called).unwrap_or_else(PoisonError::into_inner);
            }
        }
    }
}

/// Another thread is about to do something.
fn pause(spins: &mut u32) {
    *spins += 1;
    if *spins < SPINS {
        std::hint::spin_loop();
    } else {
        *spins = 0;
        thread::yield_now();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Numbered {
        lane: usize,
        number: usize,
        put: Arc<Mutex<Vec<(usize, usize)>>>,
    }

    impl Ticket for Numbered {
        fn lane(&self) -> usize {
            self.lane
        }

        fn put(self, _: bool) {
            lock(&self.put).push((self.lane, self.number));
        }
    }

    type Put = Arc<Mutex<Vec<(usize, usize)>>>;

    fn awake<T: Ticket>(launcher: &Arc<Launcher<T>>) {
        while !launcher.is_awake() {
            thread::yield_now();
        }
    }

    #[test]
    fn the_thread_puts_all_into_their_streams_in_order() {
        let (launcher, put) = (Arc::new(Launcher::default()), Put::default());
        for number in 0..10_000 {
            if number % 1000 == 0 {
                // Asleep again, now and then.
                thread::sleep(2 * PATIENCE);
                awake(&launcher);
            }
            launcher.give(Numbered { lane: number % LANES, number, put: put.clone() });
        }
        while !launcher.is_idle() {
            thread::yield_now();
        }
        let put = lock(&put);
        assert_eq!(put.len(), 10_000);
        assert!(put.iter().map(|(_, number)| *number).is_sorted());
        assert!((0..LANES).all(|lane| !launcher.has(lane)));
    }

    #[test]
    fn who_needs_a_job_puts_it_there() {
        // No thread: nobody has called it.
        let (launcher, put) = (Arc::new(Launcher::default()), Put::default());
        lock(&launcher.called).exists = true;
        for number in 0..5 {
            launcher.give(Numbered { lane: 3, number, put: put.clone() });
        }
        assert!(launcher.has(3) && !launcher.has(2));
        launcher.help_until(|| lock(&put).len() == 2);
        assert_eq!(*lock(&put), [(3, 0), (3, 1)]);
        launcher.settle();
        assert_eq!(lock(&put).len(), 5);
        assert!(!launcher.has(3));
    }

    #[test]
    fn who_needs_a_job_does_not_wait_for_a_thread_that_was_put_aside() {
        let (launcher, put) = (Arc::new(Launcher::default()), Put::default());
        lock(&launcher.called).exists = true;
        launcher.awake.store(true, Ordering::SeqCst);
        for number in 0..5 {
            launcher.give(Numbered { lane: 1, number, put: put.clone() });
        }
        let begin = Instant::now();
        launcher.settle();
        assert!(begin.elapsed() >= HELD_UP, "the thread may have been about to do so");
        assert_eq!(lock(&put).len(), 5);
    }

    #[test]
    fn many_threads_give_and_wait() {
        let (launcher, put) = (Arc::new(Launcher::default()), Put::default());
        thread::scope(|scope| {
            for lane in 0..4 {
                let (launcher, put) = (launcher.clone(), put.clone());
                scope.spawn(move || {
                    for number in 0..2000 {
                        launcher.give(Numbered { lane, number, put: put.clone() });
                        if number % 97 == 0 {
                            launcher.settle();
                            assert!(!launcher.has(lane));
                        }
                    }
                });
            }
        });
        launcher.settle();
        let put = lock(&put);
        for lane in 0..4 {
            let numbers: Vec<usize> = put.iter().filter(|(own, _)| *own == lane).map(|(_, number)| *number).collect();
            assert!(numbers.len() == 2000 && numbers.is_sorted());
        }
    }
}
