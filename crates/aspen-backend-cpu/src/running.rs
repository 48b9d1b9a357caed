//! What each thread runs, for whoever must name it when the process is about to die.

use std::cell::Cell;
use std::{mem, ptr};

use aspen_runtime::guarded;

use crate::abi::Range;

/// Bytes of the stack that handlers run on, which look into debug information. Pages that nobody touches cost nothing.
const HANDLER_STACK: usize = 1 << 20;

/// What runs.
#[derive(Clone, Copy)]
pub(crate) enum Runs<'a> {
    /// The kernel of that name.
    Kernel(&'a str),
    /// A copy of memory.
    Copy,
    /// A fill of memory.
    Fill,
}

/// Which work-items.
#[derive(Clone, Copy)]
pub(crate) enum Items {
    /// It is not known.
    Unknown,
    /// The group with the ids.
    Group(*const [u64; 3]),
    /// Those of a box.
    Box(*const Range),
}

/// What a thread runs. Read by the handler, so nothing here allocates or is dropped.
#[derive(Clone, Copy)]
pub(crate) struct Running {
    /// Null if it is no kernel.
    name: *const u8,
    length: usize,
    /// Words for what is no kernel.
    other: &'static str,
    items: Items,
    /// The thread's own stack, from its lowest address to its end; `None` as long as nobody has asked.
    pub(crate) stack: Option<(usize, usize)>,
}

const NOTHING: Running = Running { name: ptr::null(), length: 0, other: "", items: Items::Unknown, stack: None };

impl Running {
    /// The kernel's name.
    ///
    /// # Safety
    /// It is what this thread runs.
    pub(crate) unsafe fn kernel(&self) -> Option<&[u8]> {
        // SAFETY: by this function's contract.
        (!self.name.is_null()).then(|| unsafe { std::slice::from_raw_parts(self.name, self.length) })
    }

    /// Whether that is the program itself: neither a kernel nor a copy or fill of ours.
    pub(crate) fn is_program(&self) -> bool {
        self.name.is_null() && self.other.is_empty()
    }

    /// `kernel 'K' in work-group (0, 0, 3)`, `a copy`, or `the program`. The items are known where accesses are checked.
    ///
    /// # Safety
    /// It is what this thread runs.
    pub(crate) unsafe fn in_words(&self) -> String {
        // SAFETY: by this function's contract.
        match unsafe { self.kernel() } {
            // SAFETY: the same.
            Some(name) => format!("kernel '{}'{}", String::from_utf8_lossy(name), unsafe { items(self.items) }),
            None if self.other.is_empty() => "the program".into(),
            None => self.other.into(),
        }
    }
}

thread_local! {
    static RUNNING: Cell<Running> = const { Cell::new(NOTHING) };
}

/// What this thread runs.
pub(crate) fn now() -> Running {
    RUNNING.try_with(Cell::get).unwrap_or(NOTHING)
}

/// Notes which work-items run, where somebody may ask.
pub(crate) fn note_items(items: Items) {
    if guarded::is_on() {
        let _set = RUNNING.try_with(|running| running.set(Running { items, ..running.get() }));
    }
}

/// Calls `work`, which runs that on this thread.
pub(crate) fn noted<R>(runs: Runs<'_>, work: impl FnOnce() -> R) -> R {
    // Destructors of globals run when the thread's storage is gone: nothing is noted then.
    let Ok(before) = RUNNING.try_with(Cell::get) else { return work() };
    let stack = Some(before.stack.unwrap_or_else(prepare_thread));
    let runs = match runs {
        Runs::Kernel(kernel) => Running { name: kernel.as_ptr(), length: kernel.len(), ..NOTHING },
        Runs::Copy => Running { other: "a copy", ..NOTHING },
        Runs::Fill => Running { other: "a fill", ..NOTHING },
    };
    let _set = RUNNING.try_with(|running| running.set(Running { stack, ..runs }));
    let result = work();
    let _reset = RUNNING.try_with(|running| running.set(Running { stack, ..before }));
    result
}

/// Gives the thread a stack for handlers, if it has none, and finds the end of its own. It is never freed: threads that run kernels are few.
fn prepare_thread() -> (usize, usize) {
    // SAFETY: plain system calls with valid arguments; the mapping lives as long as the process.
    unsafe {
        let mut known: libc::stack_t = mem::zeroed();
        if libc::sigaltstack(ptr::null(), &raw mut known) == 0 && known.ss_flags & libc::SS_DISABLE != 0 {
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
            let memory = libc::mmap(ptr::null_mut(), HANDLER_STACK, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0);
            if memory != libc::MAP_FAILED {
                let stack = libc::stack_t { ss_sp: memory, ss_flags: 0, ss_size: HANDLER_STACK };
                libc::sigaltstack(&raw const stack, ptr::null_mut());
            }
        }
        let mut attributes: libc::pthread_attr_t = mem::zeroed();
        if libc::pthread_getattr_np(libc::pthread_self(), &raw mut attributes) != 0 {
            return (0, 0);
        }
        let (mut bottom, mut size) = (ptr::null_mut(), 0);
        let found = libc::pthread_attr_getstack(&raw const attributes, &raw mut bottom, &raw mut size);
        libc::pthread_attr_destroy(&raw mut attributes);
        if found == 0 { (bottom as usize, bottom as usize + size) } else { (0, 0) }
    }
}

/// ` in work-group (0, 0, 3)`, or nothing.
///
/// # Safety
/// The thread runs these items.
unsafe fn items(items: Items) -> String {
    let triple = |[x, y, z]: [u64; 3]| format!("({x}, {y}, {z})");
    // SAFETY: by this function's contract.
    unsafe {
        match items {
            Items::Unknown => String::new(),
            Items::Group(id) => format!(" in work-group {}", triple(*id)),
            Items::Box(range) => {
                let (begin, end) = ((*range).begin, (*range).end);
                format!(" in one of the work-items {} to {}", triple(begin), triple(end.map(|end| end.saturating_sub(1))))
            }
        }
    }
}
