//! Who finds out that jobs are over when nobody waits for them: a thread, and whoever submits more.
//!
//! The driver's own way to call back (`cuLaunchHostFunc`) holds the stream for longer than small kernels take.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use aspen_runtime::backend::{DeviceEvent, Listener, Outcome};
use smallvec::SmallVec;

use crate::driver::lock;
use crate::lanes::LANES;
use crate::sys;

/// How often the thread looks, and for how long after the last job it goes on doing so: to wake it takes as long as a launch. A question takes
/// the driver a microsecond, and whoever submits meanwhile waits for it.
const LOOK: Duration = Duration::from_micros(50);
const PATIENCE: Duration = Duration::from_millis(5);

/// After so many jobs of a stream whoever submits looks itself.
const MANY: usize = 32;

/// After somebody began to wait for a job of a stream the thread leaves it alone for so long.
const ALONE: Duration = Duration::from_micros(200);

/// So often the thread leaves a stream alone to which jobs came since it was there, if so many or more came to the device: who submits is about
/// to look. Two threads that complete jobs of one stream take memory and locks from each other, which costs more than a launch. By time this
/// cannot be told: whoever was once slowed down would stay so.
const POLITE: usize = 16;
const FAST: usize = 4;

/// So many jobs of a stream may be in flight; then whoever submits more waits.
const MOST: usize = 1000;

/// A job in flight.
pub(crate) trait Pending: DeviceEvent {
    /// How it ended; `None` while it has not, or where there is nobody left to tell.
    fn outcome(&self) -> Option<Outcome>;
    /// Whether it is in its stream; those before it are so, too.
    fn is_put(&self) -> bool;
    /// Learns that it is over, since one behind it in its stream is.
    fn note_over(&self);
    /// Returns when it is over.
    fn finish(&self);
    /// What it is, for messages; empty for what has no name.
    fn name(&self) -> String;
}

/// The jobs of a device's streams, in their order.
#[derive(Default)]
pub(crate) struct Watch {
    shared: Mutex<Shared>,
    changed: Condvar,
}

#[derive(Default)]
struct Shared {
    lanes: [Lane; LANES],
    count: usize,
    /// How many were added in all, and how many of them when the thread was here.
    added: usize,
    seen: usize,
    thread: bool,
    asleep: bool,
}

#[derive(Default)]
struct Lane {
    /// In the order of the stream, with their numbers there.
    jobs: VecDeque<Watched>,
    /// How many were added; how many of them when the thread was here, and how often it has left them alone.
    added: usize,
    seen: usize,
    left: usize,
    /// When somebody began to wait.
    waited: Option<Instant>,
}

struct Watched {
    number: u64,
    job: Arc<dyn Pending>,
    listener: Arc<dyn Listener>,
}

impl Lane {
    /// Whether the thread is to look. Called once each time; `fast`: whether many jobs came to the device since.
    fn is_wanted(&mut self, fast: bool) -> bool {
        let before = std::mem::replace(&mut self.seen, self.added);
        self.left = if fast && self.added > before && self.left < POLITE { self.left + 1 } else { 0 };
        !self.jobs.is_empty() && self.left == 0 && self.waited.is_none_or(|waited| waited.elapsed() >= ALONE)
    }
}

impl Watch {
    /// Tells the listener when the job, that number of its stream, is over. `false` if the system has no thread for that; then nobody does. Threads may come
    /// here in another order than their jobs came into the stream.
    pub(crate) fn add(self: &Arc<Self>, lane: usize, number: u64, job: Arc<dyn Pending>, listener: Arc<dyn Listener>) -> bool {
        let mut shared = lock(&self.shared);
        if !shared.thread {
            let watch = self.clone();
            if thread::Builder::new().name(format!("aspen-{}", sys::KIND.name())).spawn(move || watch.run()).is_err() {
                return false;
            }
            shared.thread = true;
        }
        shared.count += 1;
        let asleep = shared.asleep;
        let own = &mut shared.lanes[lane];
        let behind = own.jobs.iter().rev().take_while(|other| other.number > number).count();
        own.jobs.insert(own.jobs.len() - behind, Watched { number, job, listener });
        own.added += 1;
        let (count, looks) = (own.jobs.len(), own.added.is_multiple_of(MANY));
        shared.added += 1;
        drop(shared);
        if asleep {
            self.changed.notify_one();
        }
        if looks {
            self.look(lane, true);
        }
        if count > MOST {
            let first = lock(&self.shared).lanes[lane].jobs.front().map(|first| first.job.clone());
            if let Some(first) = first {
                first.finish();
                self.look(lane, true);
            }
        }
        true
    }

    /// Somebody begins to wait for a job of the stream, and will tell: the thread leaves it alone for some time.
    pub(crate) fn attend(&self, lane: usize) {
        lock(&self.shared).lanes[lane].waited = Some(Instant::now());
    }

    /// How many jobs are in flight, for all that is known.
    pub(crate) fn count(&self) -> usize {
        lock(&self.shared).count
    }

    /// What is in flight and has a name, each once.
    pub(crate) fn names(&self) -> Vec<String> {
        let shared = lock(&self.shared);
        let mut names: Vec<String> =
            shared.lanes.iter().flat_map(|lane| &lane.jobs).map(|watched| watched.job.name()).filter(|name| !name.is_empty()).collect();
        names.sort();
        names.dedup();
        names
    }

    /// Tells of what is over in a stream. Asks for few: what is before one that is over is over, too. `submits`: whoever asks has put the last
    /// one there just now, and it is hardly over.
    fn look(&self, lane: usize, submits: bool) {
        let last = |count: usize| count.saturating_sub(1);
        let places: [fn(usize) -> usize; 3] = [if submits { |count| count * 3 / 4 } else { last }, |count| count / 2, |_| 0];
        for place in places {
            let asked = {
                let shared = lock(&self.shared);
                let jobs = &shared.lanes[lane].jobs;
                let put = jobs.partition_point(|watched| watched.job.is_put());
                jobs.get(place(put)).filter(|_| put > 0).map(|watched| (watched.number, watched.job.clone()))
            };
            let Some((number, job)) = asked else { return };
            if let Some(outcome) = job.outcome() {
                return self.tell(lane, number, &outcome);
            }
        }
    }

    /// Tells of a job of a stream that ended so, and of those before it. Nothing happens if that was done, or the job is not watched.
    pub(crate) fn tell(&self, lane: usize, last: u64, outcome: &Outcome) {
        let mut shared = lock(&self.shared);
        let Some(place) = shared.lanes[lane].jobs.binary_search_by_key(&last, |watched| watched.number).ok() else { return };
        let over: SmallVec<[Watched; 1]> = shared.lanes[lane].jobs.drain(..=place).collect();
        shared.count -= over.len();
        drop(shared);
        for Watched { job, listener, .. } in over {
            if *outcome == Outcome::Done {
                job.note_over();
            }
            // A failure says for each job which one it is.
            let own = job.outcome().unwrap_or_else(|| outcome.clone());
            listener.hear(job, own);
        }
    }

    fn run(&self) {
        let mut last = Instant::now();
        loop {
            let wanted: [bool; LANES] = {
                let mut shared = lock(&self.shared);
                if shared.count > 0 {
                    last = Instant::now();
                }
                if last.elapsed() > PATIENCE {
                    shared.asleep = true;
                    while shared.count == 0 {
                        shared = self.changed.wait(shared).unwrap_or_else(PoisonError::into_inner);
                    }
                    shared.asleep = false;
                    last = Instant::now();
                }
                let fast = shared.added - shared.seen >= FAST;
                shared.seen = shared.added;
                std::array::from_fn(|lane| shared.lanes[lane].is_wanted(fast))
            };
            (0..LANES).filter(|lane| wanted[*lane]).for_each(|lane| self.look(lane, false));
            thread::sleep(LOOK);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

    use aspen_runtime::backend::DeviceTimes;

    use super::*;

    struct Job {
        over: AtomicBool,
        name: &'static str,
    }

    impl DeviceEvent for Job {
        fn wait(&self) -> Outcome {
            Outcome::Done
        }

        fn has_begun(&self) -> bool {
            true
        }

        fn times(&self) -> Option<DeviceTimes> {
            None
        }

        fn when_over(self: Arc<Self>, _: Arc<dyn Listener>) -> bool {
            false
        }
    }

    impl Pending for Job {
        fn outcome(&self) -> Option<Outcome> {
            self.over.load(Ordering::Acquire).then_some(Outcome::Done)
        }

        fn is_put(&self) -> bool {
            true
        }

        fn note_over(&self) {
            self.finish();
        }

        fn finish(&self) {
            self.over.store(true, Ordering::Release);
        }

        fn name(&self) -> String {
            self.name.into()
        }
    }

    /// What is to be done when a job is over.
    struct Then<F>(F);

    impl<F: Fn() + Send + Sync> Listener for Then<F> {
        fn hear(self: Arc<Self>, _: Arc<dyn DeviceEvent>, _: Outcome) {
            self.0();
        }
    }

    fn job(over: bool, name: &'static str) -> Arc<Job> {
        Arc::new(Job { over: AtomicBool::new(over), name })
    }

    #[test]
    fn each_job_is_told_once_and_a_stream_in_its_order() {
        let (watch, told) = (Arc::new(Watch::default()), Arc::new(Mutex::new(Vec::new())));
        let jobs: Vec<_> = (0..200).map(|_| job(false, "")).collect();
        for (index, job) in jobs.iter().enumerate() {
            let told = told.clone();
            assert!(watch.add(index % 2, index as u64, job.clone(), Arc::new(Then(move || lock(&told).push(index)))));
        }
        jobs.iter().for_each(|job| job.finish());
        while lock(&told).len() < jobs.len() {
            thread::yield_now();
        }
        for lane in 0..2 {
            let of_lane: Vec<usize> = lock(&told).iter().copied().filter(|index| index % 2 == lane).collect();
            assert!(of_lane.is_sorted() && of_lane.len() == 100, "{of_lane:?}");
        }
    }

    #[test]
    fn who_submits_too_much_waits() {
        let (watch, told) = (Arc::new(Watch::default()), Arc::new(AtomicUsize::new(0)));
        for number in 0..2 * MOST {
            let told = told.clone();
            assert!(watch.add(3, number as u64, job(false, ""), Arc::new(Then(move || _ = told.fetch_add(1, Ordering::Relaxed)))));
        }
        assert!(told.load(Ordering::Relaxed) >= MOST);
    }

    #[test]
    fn what_is_behind_in_the_stream_is_not_over() {
        let (watch, told) = (Arc::new(Watch::default()), Arc::new(Mutex::new(Vec::new())));
        let add = |number: u64, over: bool| {
            let told = told.clone();
            assert!(watch.add(5, number, job(over, ""), Arc::new(Then(move || lock(&told).push(number)))));
        };
        // The thread of the second job comes first; only the first is over.
        add(2, false);
        add(1, true);
        while lock(&told).is_empty() {
            thread::yield_now();
        }
        thread::sleep(2 * LOOK);
        assert_eq!(*lock(&told), [1]);
    }

    #[test]
    fn names_are_told_once() {
        let watch = Arc::new(Watch::default());
        for (lane, name) in [(0, "b"), (1, "a"), (1, ""), (2, "b")] {
            watch.add(lane, 1, job(false, name), Arc::new(Then(|| ())));
        }
        assert_eq!(watch.names(), ["a", "b"]);
    }
}
