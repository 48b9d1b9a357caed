//! A program may end without waiting for its commands. A driver then takes itself down at exit while its threads and ours are still in it, and
//! aborts ("Pure virtual function called!"); so the process waits for what drivers were given first. And what kernels of the embedded CPU find
//! (an `assert` that fails) or write would be lost; so it waits for the threads that run them, too.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::command::{Command, PENDING, lock};
use crate::pool::{Busy, Pool, serves};

/// Commands for drivers that may not be complete.
static GIVEN: Mutex<Vec<Arc<Command>>> = Mutex::new(Vec::new());

/// The process that gave them. A child of it has none of its threads, so nothing ends there.
static GIVER: OnceLock<u32> = OnceLock::new();

/// How many of them there may be before the completed ones are dropped.
static PRUNE_AT: AtomicUsize = AtomicUsize::new(64);

/// A kernel that has not ended by then has no end.
const PATIENCE: Duration = Duration::from_secs(10);

/// What has not become ready by then, while nothing else was under way, is held back by something that will not end: a host accessor of the
/// thread that ends the process.
const PATIENCE_OF_HELD: Duration = Duration::from_millis(500);

/// The process does not end before this command of a driver's device is complete.
pub(crate) fn waits_for(command: &Arc<Command>) {
    GIVER.get_or_init(std::process::id);
    let mut given = lock(&GIVEN);
    if given.len() >= PRUNE_AT.load(Ordering::Relaxed) {
        given.retain(|command| !command.is_complete());
        PRUNE_AT.store((given.len() * 2).max(64), Ordering::Relaxed);
    }
    given.push(command.clone());
}

/// Pools whose threads run.
static POOLS: Mutex<Vec<Arc<Pool>>> = Mutex::new(Vec::new());

/// The process does not end before these threads have nothing to do. Called as they start.
pub(crate) fn waits_for_pool(pool: &Arc<Pool>) {
    GIVER.get_or_init(std::process::id);
    let mut pools = lock(&POOLS);
    if pools.is_empty() {
        // SAFETY: a function that lives as long as this library, which is never unloaded while a program uses it.
        unsafe { libc::atexit(wait_for_pools) };
    }
    pools.push(pool.clone());
}

extern "C" fn wait_for_pools() {
    if GIVER.get().is_some_and(|giver| *giver != std::process::id()) {
        return;
    }
    let pools = lock(&POOLS).clone();
    let begin = Instant::now();
    let mut progress = begin;
    while begin.elapsed() < PATIENCE && progress.elapsed() < PATIENCE_OF_HELD {
        let busy: Vec<Busy> = pools.iter().map(|pool| pool.is_busy()).collect();
        if busy.iter().all(|busy| *busy == Busy::No) {
            return;
        }
        if busy.contains(&Busy::Yes) {
            progress = Instant::now();
        }
        sleep(Duration::from_micros(200));
    }
}

/// So many commands a driver is given until it has made most of its static objects: its compiler's are made by its own threads.
const FIRST: usize = 32;

/// A driver has just been given a command. What was registered last is called first, and drivers make static objects with their first
/// commands of a kind: so this registers again with each of the first ones, and ever more seldom then.
pub(crate) fn driver_has_more() {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed) + 1;
    if count <= FIRST || count.is_power_of_two() {
        // SAFETY: a function that lives as long as this library, which is never unloaded while a program uses it.
        unsafe { libc::atexit(wait) };
    }
}

extern "C" fn wait() {
    // If a host task ends the process, what waits for it waits for ever, and what other commands want of this thread they do not get: only
    // what the driver has ends by itself.
    let in_task = serves();
    if GIVER.get().is_some_and(|giver| *giver != std::process::id()) {
        return;
    }
    // Called once for each time that it was registered: patience that has ended is not had again.
    static GAVE_UP: AtomicBool = AtomicBool::new(false);
    if GAVE_UP.load(Ordering::Relaxed) {
        return;
    }
    let begin = Instant::now();
    let mut progress = begin;
    while begin.elapsed() < PATIENCE && progress.elapsed() < PATIENCE_OF_HELD {
        let mut given = lock(&GIVEN);
        given.retain(|command| !command.is_complete());
        if given.is_empty() {
            return;
        }
        let goes_on = |command: &Arc<Command>| match in_task {
            true => lock(&command.inner).in_flight.is_some(),
            false => command.state.load(Ordering::Acquire) != PENDING,
        };
        if given.iter().any(goes_on) {
            progress = Instant::now();
        }
        drop(given);
        sleep(Duration::from_micros(200));
    }
    GAVE_UP.store(true, Ordering::Relaxed);
}
