//! `parallel_for(nd_range)` and `parallel_for_work_group`: chunks are runs of consecutive work-groups.

use std::cell::RefCell;
use std::ptr;

use aspen_runtime::backend::{Job, Launch, LaunchKind};
use aspen_runtime::{Error, Result};

use crate::abi::ItemEntry;
use crate::facts::memory;
use crate::faults::watched;
use crate::fiber::with_room;
use crate::group::{Shape, Whole, Worker};
use crate::known::{Kept, Known, no_room};
use crate::patience::Patience;
use crate::running::Runs;

/// Chunks a thread; enough for an even end.
const CHUNKS_PER_THREAD: u64 = 8;

/// The logical group of `parallel_for_work_group` when neither launch nor kernel names one: one work-item, as other
/// implementations have it: programs index memory by global ids (SYCL-CTS `handler`).
const DEFAULT_LOGICAL_GROUP: [u64; 3] = [1, 1, 1];

thread_local! {
    /// Taken out while in use, so that a launch inside a launch (a waiting thread that helps) makes itself another one.
    static WORKER: RefCell<Option<Worker>> = const { RefCell::new(None) };
}

/// A prepared launch.
pub(crate) struct Groups {
    launch: Launch,
    shape: Shape,
    groups: u64,
    per_chunk: u64,
    /// Whether groups may wait for each other.
    may_wait: bool,
    /// Tells under `ASPEN_CHECK=1` of groups that wait for such as cannot begin.
    patience: Option<Patience>,
    kept: Kept,
}

// SAFETY: the pointer of this shape is null; `shape` gives copies that have the launch's own closure, which is immutable.
unsafe impl Send for Groups {}
// SAFETY: as above.
unsafe impl Sync for Groups {}

/// Items of groups that are one for a call: a row of some vectors for each of sixteen rows, and little for a thread to be late by.
const MOST_JOINED: u64 = 1024;

/// How many groups of a row are one, for a kernel that cannot tell (docs/decisions/0085).
fn joined(local: [u64; 3], groups: [u64; 3], threads: u64) -> u64 {
    let items = local.iter().product::<u64>().max(1);
    let for_threads = groups.iter().product::<u64>() / (CHUNKS_PER_THREAD * threads);
    let most = (MOST_JOINED / items).min(for_threads).min(groups[2]);
    (1..=most).rev().find(|many| groups[2].is_multiple_of(*many)).unwrap_or(1)
}

impl Groups {
    pub(crate) fn new(entry: ItemEntry, kernel: Known, launch: Launch, threads: usize, kept: Kept) -> Groups {
        let by_item = launch.kind == LaunchKind::NdRange;
        let local_range = match launch.local {
            local if by_item => local,
            [0, 0, 0] => DEFAULT_LOGICAL_GROUP,
            local => local.map(|dim| dim.max(1)),
        };
        let group_range = if by_item { [0, 1, 2].map(|dim| launch.global[dim] / local_range[dim].max(1)) } else { launch.global };
        let (local_range, group_range) = match &kernel.whole {
            Some(whole) if by_item && whole.joined && whole.work_group == [0; 3] && !kernel.check => {
                let joined = joined(local_range, group_range, threads as u64);
                let [of_local, of_groups] = [local_range[2] * joined, group_range[2] / joined];
                ([local_range[0], local_range[1], of_local], [group_range[0], group_range[1], of_groups])
            }
            _ => (local_range, group_range),
        };
        let runs = |whole: &Whole| whole.work_group == [0; 3] || whole.work_group == local_range;
        let shape = Shape {
            entry,
            closure: ptr::null(),
            group_range,
            local_range,
            offset: launch.offset,
            local_memory: usize::try_from(launch.local_memory).unwrap_or(usize::MAX),
            sub_group_size: launch.sub_group_size.unwrap_or(kernel.sub_group_size).max(1),
            by_item,
            whole: kernel.whole.filter(|whole| by_item && runs(whole)),
            check: kernel.check,
            variables: kernel.variables,
            most_variables: usize::try_from(memory()).unwrap_or(usize::MAX) / threads.max(1),
        };
        let groups = group_range.iter().product::<u64>();
        // Groups that are no more than the threads are a chunk each: they may wait for each other.
        let per_chunk = groups.div_ceil(CHUNKS_PER_THREAD * threads as u64).max(1);
        // Of kernels without a function for whole groups nothing is known.
        let may_wait = kernel.whole.is_none_or(|whole| whole.may_wait);
        let patience = (kernel.check && may_wait && groups > threads as u64).then(|| Patience::new(&launch.name, groups, threads));
        Groups { launch, shape, groups, per_chunk, may_wait, patience, kept }
    }

    /// The shape, with the closure, which stays where it is while the launch runs.
    fn shape(&self) -> Shape {
        Shape { closure: self.launch.closure.as_ptr().cast(), ..self.shape }
    }

    /// Calls of the entry.
    fn items(&self) -> u64 {
        if self.shape.by_item { self.launch.global.iter().product() } else { self.groups }
    }

    fn run_groups(&self, worker: &mut Worker, chunk: u64) -> Result<()> {
        worker.begin(self.shape());
        let [_, rows, columns] = self.shape.group_range;
        let first = chunk * self.per_chunk;
        let row = first / columns;
        let mut id = [row / rows, row % rows, first % columns];
        // Counted on, since two divisions take as long as a short group does.
        for _ in first..self.groups.min(first + self.per_chunk) {
            worker.run(id)?;
            id[2] += 1;
            for dim in [2, 1] {
                if id[dim] == self.shape.group_range[dim] {
                    id[dim] = 0;
                    id[dim - 1] += 1;
                }
            }
            if let Some(patience) = &self.patience {
                patience.group_ended();
            }
        }
        Ok(())
    }
}

impl Job for Groups {
    fn chunks(&self) -> usize {
        usize::try_from(self.groups.div_ceil(self.per_chunk)).unwrap_or(usize::MAX)
    }

    fn expected_ns(&self) -> Option<u64> {
        self.kept.pace.expected_ns(self.items())
    }

    fn is_brief(&self) -> bool {
        self.kept.is_brief(self.expected_ns())
    }

    fn waits_for_nothing(&self) -> bool {
        self.kept.prompt
    }

    fn took_ns(&self, ns: u64) {
        self.kept.pace.took_ns(self.items(), ns);
    }

    fn needs_threads(&self) -> bool {
        self.may_wait && self.groups > 1
    }

    fn run(&self, chunk: usize) -> Result<()> {
        if let Some(patience) = &self.patience {
            patience.begin();
        }
        // The destructors of globals run after that of their thread's storage, and may launch kernels: nothing is kept then.
        let kept = WORKER.try_with(|kept| kept.borrow_mut().take()).ok().flatten();
        let mut worker = kept.unwrap_or_else(|| Worker::new(self.shape()));
        // Items that may wait for each other have stacks of their own.
        let variables = if self.shape.by_item && self.shape.whole.is_none() { 0 } else { self.shape.variables };
        let result = watched(Runs::Kernel(&self.launch.name), || with_room(variables, || self.run_groups(&mut worker, chunk as u64)));
        let result = result.unwrap_or_else(|error| Err(no_room(variables, &error)));
        worker.rest();
        let _gone = WORKER.try_with(|kept| *kept.borrow_mut() = Some(worker));
        result.map_err(|error| Error::new(error.code(), format!("kernel '{}': {}", self.launch.name, error.message())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_of_a_row_are_joined() {
        for (local, groups, threads, many) in [
            ([1, 4, 4], [1, 256, 256], 2, 64),
            ([1, 16, 16], [1, 64, 64], 2, 4),
            ([1, 1, 256], [1, 1, 4096], 2, 4),
            ([1, 1, 256], [1, 1, 16], 2, 1),  // one for each chunk
            ([1, 8, 8], [1, 125, 125], 2, 5), // what divides them
            ([1, 8, 8], [1, 125, 127], 2, 1),
            ([1, 1, 2048], [1, 1, 4096], 2, 1), // long already
            ([0, 0, 0], [0, 0, 0], 2, 1),
        ] {
            assert_eq!(joined(local, groups, threads), many, "{local:?} {groups:?}");
        }
    }
}
