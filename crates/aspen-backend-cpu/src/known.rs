//! What is known of a kernel and of how kernels run, for those that run them.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use aspen_runtime::backend::GroupLimit;
use aspen_runtime::{Code, Error, Result};

use crate::facts;
use crate::fiber::is_room;
use crate::group::Whole;
use crate::library::Library;

/// How kernels run.
#[derive(Clone, Copy)]
pub(crate) struct Ways {
    pub(crate) item_by_item: Option<bool>,
    pub(crate) check: bool,
    pub(crate) sub_group_size: u32,
    /// Bytes of private variables that the items which wait on one thread may have together.
    pub(crate) most_variables: u64,
}

impl Ways {
    /// The limit of work-groups whose items run one by one, for that reason, and wait for each other: each keeps its variables meanwhile.
    pub(crate) fn limit(self, variables: usize, why: &str) -> Option<GroupLimit> {
        let items = self.most_variables.checked_div(variables as u64).map(|items| items.max(1))?;
        (items < facts::MAX_WORK_GROUP_SIZE).then(|| {
            let why = format!(
                "its work-items wait for each other, each with {variables} bytes of private variables, of which this machine's memory has \
                 {} for each thread (they run one by one: {why})",
                self.most_variables
            );
            GroupLimit { items, why }
        })
    }
}

/// What is known of a kernel besides its entry.
#[derive(Clone, Copy, Default)]
pub(crate) struct Known {
    /// Its function for whole groups or rows.
    pub(crate) whole: Option<Whole>,
    /// If none is required.
    pub(crate) sub_group_size: u32,
    /// Whether mistakes are looked for that do no harm by themselves.
    pub(crate) check: bool,
    /// Bytes of stack that a call needs for variables; 0 if they are few.
    pub(crate) variables: usize,
}

impl Known {
    /// Refuses what would end in a segmentation fault.
    pub(crate) fn fits(&self, kernel: &str) -> Result<()> {
        let (bytes, memory) = (self.variables, facts::memory());
        let why = match is_room(bytes) {
            _ if bytes as u64 > memory => format!("this machine's memory has {memory}"),
            Err(error) => format!("the system gives none as large: {error}"),
            Ok(()) => return Ok(()),
        };
        let way_out = "keep large arrays in global memory (a buffer, or unified shared memory)";
        let text = format!("kernel '{kernel}' needs {bytes} bytes of stack for private variables, and {why}; {way_out}");
        Err(Error::new(Code::MemoryAllocation, text))
    }
}

/// There was room when the kernel was launched.
pub(crate) fn no_room(bytes: usize, error: &io::Error) -> Error {
    Error::new(Code::MemoryAllocation, format!("no stack for {bytes} bytes of private variables: {error}"))
}

/// Nanoseconds that it takes to wake a thread, and to be woken by it.
const BRIEF_NS: u64 = 2_000;

/// What a job keeps of its kernel.
pub(crate) struct Kept {
    /// How fast the kernel is.
    pub(crate) pace: Arc<Pace>,
    /// Whether it waits for nothing, so that it ends wherever it runs.
    pub(crate) prompt: bool,
    _libraries: Arc<[Library]>,
}

impl Kept {
    pub(crate) fn new(pace: &Arc<Pace>, prompt: bool, libraries: &Arc<[Library]>) -> Kept {
        Kept { pace: pace.clone(), prompt, _libraries: libraries.clone() }
    }

    /// Whether a launch is over sooner than another thread would begin with it.
    pub(crate) fn is_brief(&self, expected_ns: Option<u64>) -> bool {
        self.prompt && expected_ns.is_some_and(|ns| ns < BRIEF_NS)
    }
}

#[cfg(test)]
impl Kept {
    /// For jobs whose entries are functions of the test.
    pub(crate) fn nothing() -> Kept {
        Kept::new(&Arc::default(), false, &(Arc::new([Library::of_test()]) as Arc<[Library]>))
    }
}

/// How long a kernel takes, as its last launch showed: nanoseconds for 1024 work-items, plus one; 0 as long as nothing is known.
#[derive(Default)]
pub(crate) struct Pace(AtomicU64);

impl Pace {
    pub(crate) fn expected_ns(&self, items: u64) -> Option<u64> {
        let known = self.0.load(Ordering::Relaxed).checked_sub(1)?;
        Some(u64::try_from(u128::from(known) * u128::from(items) / 1024).unwrap_or(u64::MAX))
    }

    pub(crate) fn took_ns(&self, items: u64, ns: u64) {
        let pace = u128::from(ns) * 1024 / u128::from(items.max(1));
        self.0.store(u64::try_from(pace).unwrap_or(u64::MAX - 1).saturating_add(1), Ordering::Relaxed);
    }
}
