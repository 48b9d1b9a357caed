//! Groups that wait for each other by atomic operations, under `ASPEN_CHECK=1`.
//!
//! As many groups of a launch run at once as there are threads, and the others begin when one has ended. A group that waits for one which
//! cannot begin waits for ever. Nobody can know whether a loop will end, so a launch with more groups than threads is only told of, when none
//! of its groups has ended for a while.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::thread;
use std::time::Duration;

/// How long no group ends before that is told.
const PATIENCE: Duration = Duration::from_secs(3);

/// How far a launch has come. Whoever watches goes when it is dropped.
pub(crate) struct Patience(Arc<Progress>);

struct Progress {
    kernel: String,
    groups: u64,
    threads: usize,
    ended: AtomicU64,
    begun: AtomicBool,
}

impl Patience {
    pub(crate) fn new(kernel: &str, groups: u64, threads: usize) -> Patience {
        let (ended, begun) = (AtomicU64::new(0), AtomicBool::new(false));
        Patience(Arc::new(Progress { kernel: kernel.to_owned(), groups, threads, ended, begun }))
    }

    /// The first group begins.
    pub(crate) fn begin(&self) {
        if !self.0.begun.swap(true, Ordering::Relaxed) {
            let progress = Arc::downgrade(&self.0);
            // Without a thread nobody watches, as without ASPEN_CHECK.
            let _watches = thread::Builder::new().name("aspen-check".into()).spawn(move || watch(&progress));
        }
    }

    pub(crate) fn group_ended(&self) {
        self.0.ended.fetch_add(1, Ordering::Relaxed);
    }
}

fn watch(progress: &Weak<Progress>) {
    let mut before = 0;
    loop {
        thread::sleep(PATIENCE);
        let Some(progress) = progress.upgrade() else { return };
        let ended = progress.ended.load(Ordering::Relaxed);
        if ended == before && ended < progress.groups {
            eprintln!("{}", progress.told(ended));
            return;
        }
        before = ended;
    }
}

impl Progress {
    fn told(&self, ended: u64) -> String {
        let Progress { kernel, groups, threads, .. } = self;
        format!(
            "aspen: kernel '{kernel}': for {} s none of its {groups} work-groups has ended, {ended} have before; {threads} run at once: if they \
             wait for each other by atomic operations, launch {threads} at most, or set ASPEN_CPU_THREADS={groups} (found by ASPEN_CHECK=1)",
            PATIENCE.as_secs()
        )
    }
}
