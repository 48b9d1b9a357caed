//! Work on many threads: hundreds of files, of which one takes a minute and most take seconds.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What `work` makes of each item, in the order of the items; `jobs` are done at a time, in that order too.
pub fn each<T: Sync, R: Send>(jobs: usize, items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, R)>> = Mutex::new(Vec::with_capacity(items.len()));
    std::thread::scope(|scope| {
        for _ in 0..jobs.clamp(1, items.len().max(1)) {
            scope.spawn(|| {
                // Not `while let Some(i) = lock().next()`: that would hold the lock while it works.
                loop {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(i) else { break };
                    let result = work(item);
                    done.lock().expect("a thread that panics ends the program").push((i, result));
                }
            });
        }
    });
    let mut done = done.into_inner().expect("a thread that panics ends the program");
    done.sort_by_key(|(i, _)| *i);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;

    use super::*;

    #[test]
    fn results_are_in_the_order_of_the_items() {
        let check = |jobs: usize, items: &[u64], expected: &[u64]| {
            let slow_first = |item: &u64| {
                std::thread::sleep(std::time::Duration::from_millis(20 - item));
                item * 2
            };
            assert_eq!(each(jobs, items, slow_first), expected);
        };
        check(1, &[1, 2, 3], &[2, 4, 6]);
        check(4, &[1, 9, 17, 3, 5], &[2, 18, 34, 6, 10]);
        check(8, &[], &[]);
    }

    #[test]
    fn jobs_are_done_at_a_time() {
        // Each waits for the other three, which only those can who run beside it.
        let all = Barrier::new(4);
        assert_eq!(each(4, &[1, 2, 3, 4], |_| all.wait().is_leader()).into_iter().filter(|leads| *leads).count(), 1);
    }
}
