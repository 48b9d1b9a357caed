//! The threads that run commands.
//!
//! One queue of tickets under one lock: commands are coarse (a kernel is one ticket, of which its threads take chunks), so the
//! lock is not where time goes. Threads sleep when there is nothing to do, and are woken only if one of them sleeps.
//!
//! Tickets are served in order. A thread that has been with a kernel for some time, while other tickets wait, puts it back behind them at the
//! end of a chunk: so queues share the threads, and a short kernel does not wait for a long one.

use std::cell::Cell;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;

use crate::at_exit;
use crate::command::{Command, lock};
use crate::error::{Code, Error, Result};
use crate::running::Running;

/// Stack of a worker in bytes: range kernels run on it, and users put arrays there.
const STACK: usize = 8 << 20;

/// Something for a thread to do.
pub(crate) enum Ticket {
    /// Claim and run a command.
    Run(Arc<Command>),
    /// Join a kernel in progress.
    Join(Arc<Command>, Arc<Running>),
}

/// The threads of a runtime. They are never joined: a process may exit while commands run, as it may with any SYCL implementation.
pub struct Pool {
    threads: usize,
    shared: Mutex<Shared>,
    work: Condvar,
    /// Whether threads run, to be asked without the lock.
    started: AtomicBool,
    /// What each thread calls before anything else.
    begin: Box<dyn Fn() + Send + Sync>,
    /// How many tickets there are.
    tickets: AtomicUsize,
    /// How many of its threads are in host tasks.
    tasks: AtomicUsize,
}

thread_local! {
    /// Whether this is a thread of a pool that serves tickets, and waits for nothing itself.
    static SERVES: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread serves tickets, so that whatever it does may go on elsewhere.
pub(crate) fn serves() -> bool {
    SERVES.get()
}

/// While `wait` runs, this thread has something to wait for.
pub(crate) fn waiting(wait: impl FnOnce()) {
    let before = SERVES.replace(false);
    wait();
    SERVES.set(before);
}

#[derive(Default)]
struct Shared {
    tickets: VecDeque<Ticket>,
    /// How many threads were started.
    threads: usize,
    sleepers: usize,
}

/// What the threads of a pool are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Busy {
    No,
    /// Some are in host tasks, which may wait for anything, and nothing else goes on.
    InTasks,
    Yes,
}

impl Pool {
    /// A pool of so many threads (at least one); they start with the first command.
    pub fn new(threads: usize) -> Arc<Pool> {
        Pool::placed(threads, Box::new(|| ()))
    }

    /// The same, of which each thread calls `begin` before anything else.
    pub(crate) fn placed(threads: usize, begin: Box<dyn Fn() + Send + Sync>) -> Arc<Pool> {
        Arc::new(Pool {
            threads: threads.max(1),
            shared: Mutex::default(),
            work: Condvar::new(),
            started: AtomicBool::new(false),
            begin,
            tickets: AtomicUsize::new(0),
            tasks: AtomicUsize::new(0),
        })
    }

    /// How many threads run commands.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Starts the threads if they do not run yet.
    ///
    /// # Errors
    /// [`Code::Runtime`] if the system gives not even one thread.
    pub(crate) fn start(self: &Arc<Self>) -> Result<()> {
        if self.started.load(Ordering::Acquire) {
            return Ok(());
        }
        // Who comes second waits for the first one's threads.
        let mut shared = lock(&self.shared);
        if self.started.load(Ordering::Acquire) {
            return Ok(());
        }
        at_exit::waits_for_pool(self);
        for index in 0..self.threads {
            let pool = self.clone();
            let spawned = thread::Builder::new().name(format!("aspen-{index}")).stack_size(STACK).spawn(move || pool.serve());
            match spawned {
                Ok(_) => shared.threads += 1,
                // Fewer threads than wanted are slower, not wrong.
                Err(_) if shared.threads > 0 => break,
                Err(error) => return Err(Error::new(Code::Runtime, format!("no thread to run commands on: {error}"))),
            }
        }
        self.started.store(true, Ordering::Release);
        Ok(())
    }

    /// Calls a host task.
    pub(crate) fn host_task<R>(&self, task: impl FnOnce() -> R) -> R {
        if !serves() {
            return task();
        }
        self.tasks.fetch_add(1, Ordering::Relaxed);
        let result = task();
        self.tasks.fetch_sub(1, Ordering::Relaxed);
        result
    }

    /// Whether threads of it do something, but for the one that asks.
    pub(crate) fn is_busy(&self) -> Busy {
        let shared = lock(&self.shared);
        let (at_work, in_tasks) = (shared.threads - shared.sleepers, self.tasks.load(Ordering::Relaxed));
        // Who ends the process in a host task is no other's hindrance.
        let own = usize::from(serves());
        if !shared.tickets.is_empty() || at_work > in_tasks.max(own) {
            return Busy::Yes;
        }
        if at_work > own { Busy::InTasks } else { Busy::No }
    }

    /// Whether something waits for a thread.
    pub(crate) fn is_wanted(&self) -> bool {
        self.tickets.load(Ordering::Relaxed) > 0
    }

    /// Whether a ticket would soon find a thread.
    pub(crate) fn has_room(&self) -> bool {
        self.threads >= 4 && self.tickets.load(Ordering::Relaxed) < self.threads / 2
    }

    fn serve(&self) {
        (self.begin)();
        SERVES.set(true);
        let mut shared = lock(&self.shared);
        loop {
            match shared.tickets.pop_front() {
                Some(ticket) => {
                    self.tickets.store(shared.tickets.len(), Ordering::Relaxed);
                    drop(shared);
                    match ticket {
                        Ticket::Run(command) => command.run(),
                        Ticket::Join(command, running) => command.join(&running),
                    }
                    shared = lock(&self.shared);
                }
                None => {
                    shared.sleepers += 1;
                    shared = self.work.wait(shared).unwrap_or_else(PoisonError::into_inner);
                    shared.sleepers -= 1;
                }
            }
        }
    }

    pub(crate) fn push(&self, ticket: Ticket) {
        self.add(|tickets| tickets.push_back(ticket));
    }

    /// Ahead of all others: to finish what is begun is worth more than to begin something else.
    pub(crate) fn push_first(&self, ticket: Ticket) {
        self.add(|tickets| tickets.push_front(ticket));
    }

    fn add(&self, add: impl FnOnce(&mut VecDeque<Ticket>)) {
        let mut shared = lock(&self.shared);
        add(&mut shared.tickets);
        self.tickets.store(shared.tickets.len(), Ordering::Relaxed);
        let wake = shared.sleepers > 0;
        drop(shared);
        if wake {
            self.work.notify_one();
        }
    }
}

impl std::fmt::Debug for Pool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pool").field("threads", &self.threads).finish_non_exhaustive()
    }
}
