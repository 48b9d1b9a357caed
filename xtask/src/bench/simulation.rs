//! A graph of ahead-of-time jobs on more workers than there are here: what is simulated is who waits for what, in steps of events. The times
//! of jobs are measured (`graph.rs`). Source: issue 17, point 8.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::time::Duration;

/// A run of a compiler.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Job {
    /// How long the compiler runs.
    pub(super) runs: Duration,
    /// What it reads and writes that lies in the store.
    pub(super) input_bytes: u64,
    pub(super) output_bytes: u64,
}

/// What all jobs share.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Machines {
    pub(super) workers: usize,
    /// What the one process that starts jobs needs for each start.
    pub(super) start: Duration,
    /// Bytes a second that the store moves, for all workers together; one transfer after the other.
    pub(super) store: f64,
}

/// In which order jobs are started, and how many at a time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Order {
    /// As the link comes to them.
    Written,
    /// The longest first: as the graph has them, which goes by the size of inputs.
    LongestFirst,
    /// That, and short jobs together, until a start has so much to do: `-fsycl-aot-batch`.
    Batched(Duration),
}

/// What came of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Outcome {
    /// From the first start until the last result is kept.
    pub(super) takes: Duration,
    /// The least that it could take, by each of four reasons: work over workers, the longest start, starting, the store.
    pub(super) limits: [(&'static str, Duration); 4],
}

impl Outcome {
    /// What keeps it from being faster.
    pub(super) fn limit(&self) -> &'static str {
        self.limits.iter().max_by_key(|(_, time)| *time).map_or("nothing", |(name, _)| name)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// A result is in the store: the worker is free.
    Kept,
    /// The compiler has ended.
    Done(usize),
    /// The input has come.
    Read(usize),
    /// A worker has been told.
    Started(usize),
}

/// Simulates. Workers are alike, and a worker that waits for the store does nothing else.
pub(super) fn simulate(jobs: &[Job], machines: &Machines, order: Order) -> Outcome {
    let starts = starts(jobs, order);
    let moved = |bytes: u64| {
        #[allow(clippy::cast_precision_loss, reason = "bytes of a store")]
        Duration::from_secs_f64(bytes as f64 / machines.store)
    };
    let (mut now, mut starter_free, mut store_free) = (Duration::ZERO, Duration::ZERO, Duration::ZERO);
    let (mut idle, mut waiting) = (machines.workers, (0..starts.len()).collect::<VecDeque<usize>>());
    let mut events = BinaryHeap::new();
    loop {
        while idle > 0
            && let Some(start) = waiting.pop_front()
        {
            idle -= 1;
            starter_free = starter_free.max(now) + machines.start;
            events.push(Reverse((starter_free, Event::Started(start))));
        }
        let Some(Reverse((time, event))) = events.pop() else { break };
        now = time;
        match event {
            Event::Started(start) => {
                store_free = store_free.max(now) + moved(starts[start].input_bytes);
                events.push(Reverse((store_free, Event::Read(start))));
            }
            Event::Read(start) => events.push(Reverse((now + starts[start].runs, Event::Done(start)))),
            Event::Done(start) => {
                store_free = store_free.max(now) + moved(starts[start].output_bytes);
                events.push(Reverse((store_free, Event::Kept)));
            }
            Event::Kept => idle += 1,
        }
    }
    let work: Duration = jobs.iter().map(|job| job.runs).sum();
    let workers = u32::try_from(machines.workers.max(1)).unwrap_or(u32::MAX);
    let bytes = jobs.iter().map(|job| job.input_bytes + job.output_bytes).sum();
    let limits = [
        ("work", work / workers),
        ("the longest", starts.iter().map(|start| start.runs).max().unwrap_or_default()),
        ("starting", machines.start * u32::try_from(starts.len()).unwrap_or(u32::MAX)),
        ("the store", moved(bytes)),
    ];
    Outcome { takes: now, limits }
}

/// What is started at a time, in order.
fn starts(jobs: &[Job], order: Order) -> Vec<Job> {
    let mut sorted = jobs.to_vec();
    if order != Order::Written {
        sorted.sort_by_key(|job| Reverse(job.runs));
    }
    let Order::Batched(least) = order else { return sorted };
    let mut out: Vec<Job> = Vec::new();
    for job in sorted {
        match out.last_mut().filter(|last| last.runs < least) {
            Some(last) => {
                last.runs += job.runs;
                last.input_bytes += job.input_bytes;
                last.output_bytes += job.output_bytes;
            }
            None => out.push(job),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::propagate::Numbers;

    const FREE: f64 = 1e18;

    fn some(numbers: &mut Numbers, count: usize) -> Vec<Job> {
        let job = |numbers: &mut Numbers| Job {
            runs: Duration::from_millis(1 + numbers.below(1000) as u64),
            input_bytes: numbers.below(5000) as u64,
            output_bytes: numbers.below(9000) as u64,
        };
        (0..count).map(|_| job(numbers)).collect()
    }

    /// Where starts and the store cost nothing, each job goes to the worker that is free first.
    fn naive(jobs: &[Job], workers: usize) -> Duration {
        let mut free = vec![Duration::ZERO; workers];
        for job in jobs {
            *free.iter_mut().min().expect("workers") += job.runs;
        }
        free.into_iter().max().expect("workers")
    }

    #[test]
    fn without_other_costs_it_is_list_scheduling() {
        let mut numbers = Numbers::new(3);
        for _ in 0..200 {
            let (count, workers) = (1 + numbers.below(60), 1 + numbers.below(12));
            let jobs = some(&mut numbers, count);
            let machines = Machines { workers, start: Duration::ZERO, store: FREE };
            assert_eq!(simulate(&jobs, &machines, Order::Written).takes, naive(&jobs, workers));
            let mut sorted = jobs.clone();
            sorted.sort_by_key(|job| Reverse(job.runs));
            assert_eq!(simulate(&jobs, &machines, Order::LongestFirst).takes, naive(&sorted, workers));
        }
    }

    #[test]
    fn nothing_is_faster_than_its_limits() {
        let mut numbers = Numbers::new(5);
        for _ in 0..200 {
            let (count, workers) = (1 + numbers.below(60), 1 + numbers.below(12));
            let jobs = some(&mut numbers, count);
            let machines =
                Machines { workers, start: Duration::from_millis(numbers.below(50) as u64), store: 1e4 + numbers.below(90_000) as f64 };
            for order in [Order::Written, Order::LongestFirst, Order::Batched(Duration::from_secs(2))] {
                let outcome = simulate(&jobs, &machines, order);
                let sum: Duration = outcome.limits.iter().map(|(_, time)| *time).sum();
                let rounding = Duration::from_micros(1);
                assert!(outcome.limits.iter().all(|(_, limit)| *limit <= outcome.takes + rounding), "{outcome:?}");
                // Graham's bound, each wait once for each worker that may wait at a time.
                assert!(outcome.takes <= sum * u32::try_from(workers + 1).expect("few"), "{outcome:?}");
            }
        }
    }

    #[test]
    fn what_limits_is_named() {
        let second = Job { runs: Duration::from_secs(1), input_bytes: 0, output_bytes: 1000 };
        let check = |workers: usize, start: u64, store: f64, order: Order, limit: &str, takes: f64| {
            let machines = Machines { workers, start: Duration::from_millis(start), store };
            let outcome = simulate(&[second; 100], &machines, order);
            assert_eq!((outcome.limit(), format!("{:.2}", outcome.takes.as_secs_f64())), (limit, format!("{takes:.2}")));
        };
        check(1, 0, FREE, Order::Written, "work", 100.0);
        check(10, 0, FREE, Order::Written, "work", 10.0);
        check(1000, 0, FREE, Order::Written, "the longest", 1.0);
        check(1000, 500, FREE, Order::Written, "starting", 51.0);
        check(1000, 500, FREE, Order::Batched(Duration::from_secs(10)), "the longest", 15.0);
        check(1000, 0, 1000.0, Order::Written, "the store", 101.0);
    }
}
