//! The chunks of a kernel, as its threads take them.
//!
//! Each thread has a part of its own, chosen by the processor that it runs on, and takes chunks of others' parts, from their ends, when that is done. So a
//! processor comes back to the memory that it had in the last launch, which is in its caches or at its node, and threads that were early
//! finish what late ones have left. Kernels whose work-items may wait for each other get their chunks one after the other from one part: programs
//! count on it that what came first has begun. Source: issue 14, "Scheduling"; docs/decisions/0081.

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::command::lock;

pub(crate) struct Chunks {
    parts: Box<[Part]>,
}

/// In a line of its own: each is mostly used by one thread.
#[repr(align(128))]
struct Part {
    left: Mutex<Range<usize>>,
    /// Whether a thread has it for its own.
    taken: AtomicBool,
}

impl Chunks {
    /// So many chunks for so many threads at most; `in_order`: in one part.
    pub(crate) fn new(count: usize, threads: usize, in_order: bool) -> Chunks {
        let parts = if in_order { 1 } else { threads.clamp(1, count.max(1)) };
        // Without overflow, and none differs from another by more than one.
        let (each, more) = (count / parts, count % parts);
        let begin = |part: usize| part * each + part.min(more);
        let part = |part: usize| Part { left: Mutex::new(begin(part)..begin(part + 1)), taken: AtomicBool::new(false) };
        Chunks { parts: (0..parts).map(part).collect() }
    }

    /// A part for this thread: that of its processor, if nobody has it, or the next one that nobody has. With more threads than parts, one that another
    /// has, too.
    pub(crate) fn home(&self) -> usize {
        let count = self.parts.len();
        if count == 1 {
            return 0;
        }
        // SAFETY: it only asks.
        let processor = usize::try_from(unsafe { libc::sched_getcpu() }).unwrap_or(0);
        let from_here = (0..count).map(|offset| (processor + offset) % count);
        from_here.into_iter().find(|part| !self.parts[*part].taken.swap(true, Ordering::AcqRel)).unwrap_or(processor % count)
    }

    /// The thread leaves; its part is for others.
    pub(crate) fn leave(&self, home: usize) {
        self.parts[home].taken.store(false, Ordering::Release);
    }

    /// The next chunk for the thread with that part; `None` if all are taken.
    pub(crate) fn take(&self, home: usize) -> Option<usize> {
        if let Some(own) = lock(&self.parts[home].left).next() {
            return Some(own);
        }
        loop {
            let left = |part: &Part| lock(&part.left).len();
            let fullest = self.parts.iter().max_by_key(|part| left(part)).filter(|part| left(part) > 0)?;
            // It may have been emptied meanwhile.
            if let Some(others) = lock(&fullest.left).next_back() {
                return Some(others);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    fn all(chunks: &Chunks, home: usize) -> Vec<usize> {
        std::iter::from_fn(|| chunks.take(home)).collect()
    }

    #[test]
    fn one_part_is_taken_in_order() {
        let chunks = Chunks::new(7, 4, true);
        assert_eq!((chunks.home(), chunks.home()), (0, 0));
        assert_eq!(all(&chunks, 0), [0, 1, 2, 3, 4, 5, 6]);
    }

    #[test]
    fn the_own_part_comes_first_and_others_from_their_ends() {
        let chunks = Chunks::new(8, 2, false);
        assert_eq!((chunks.take(0), chunks.take(1)), (Some(0), Some(4)));
        assert_eq!(all(&chunks, 1), [5, 6, 7, 3, 2, 1]);
        assert_eq!(chunks.take(0), None);
    }

    #[test]
    fn each_thread_has_a_part_of_its_own_until_it_leaves() {
        let chunks = Chunks::new(100, 3, false);
        let mut homes = [chunks.home(), chunks.home(), chunks.home()];
        let second = homes[1];
        assert!(chunks.home() < 3, "a fourth has none of its own");
        chunks.leave(second);
        assert_eq!(chunks.home(), second);
        homes.sort_unstable();
        assert_eq!(homes, [0, 1, 2]);
    }

    #[test]
    fn all_chunks_are_taken_once_by_however_many_threads() {
        for (count, threads) in [(0, 4), (1, 4), (5, 8), (64, 4), (1001, 7)] {
            let chunks = Chunks::new(count, threads, false);
            let mut taken: Vec<usize> = thread::scope(|scope| {
                let take = || scope.spawn(|| all(&chunks, chunks.home()));
                let begun: Vec<_> = (0..threads + 1).map(|_| take()).collect();
                begun.into_iter().flat_map(|thread| thread.join().unwrap_or_default()).collect()
            });
            taken.sort_unstable();
            assert_eq!(taken, (0..count).collect::<Vec<usize>>());
        }
    }
}
