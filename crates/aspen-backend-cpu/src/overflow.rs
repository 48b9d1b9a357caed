//! Stack overflow in a kernel, named before the process dies of it; and, where accesses are checked, those out of bounds.
//!
//! A kernel that calls itself too deep, or has variables that nobody counted, runs into the guard below its stack. Here a handler for
//! SIGSEGV says which kernel that was, and lets the signal take its course. It is installed when the first kernel runs, and only if the
//! program has none of its own: a program's, a sanitizer's or a debugger's handler comes first.

use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::sync::Once;
use std::{mem, ptr};

use aspen_runtime::guarded;

use crate::abi::Range;
use crate::out_of_bounds;

/// Bytes of the stack that the handler runs on, and where it may look into debug information.
const HANDLER_STACK: usize = 64 << 10;
const LARGE_HANDLER_STACK: usize = 1 << 20;
/// Accesses so far below a stack are taken for its overflow: a frame may be larger than a page.
const BELOW: usize = 1 << 20;

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
    pub(crate) items: Items,
    /// The thread's own stack, from its lowest address to its end; `None` as long as nobody has asked.
    stack: Option<(usize, usize)>,
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

    /// What it is, if it is no kernel; empty for the program itself.
    pub(crate) fn other(&self) -> &'static str {
        self.other
    }
}

thread_local! {
    static RUNNING: Cell<Running> = const { Cell::new(NOTHING) };
}

/// Notes which work-items run, where somebody may ask.
pub(crate) fn note_items(items: Items) {
    if guarded::is_on() {
        let _set = RUNNING.try_with(|running| running.set(Running { items, ..running.get() }));
    }
}

/// Calls `work`, which runs that on this thread.
pub(crate) fn watched<R>(runs: Runs<'_>, work: impl FnOnce() -> R) -> R {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(install);
    // Destructors of globals run when the thread's storage is gone: nothing is watched then.
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

/// Installs the handler, unless the program has one.
pub(crate) fn install() {
    // SAFETY: plain system calls with valid arguments; the handler has the type that SA_SIGINFO asks for.
    unsafe {
        let mut known: libc::sigaction = mem::zeroed();
        if libc::sigaction(libc::SIGSEGV, ptr::null(), &raw mut known) != 0 || known.sa_sigaction != libc::SIG_DFL {
            return;
        }
        let mut ours: libc::sigaction = mem::zeroed();
        ours.sa_sigaction = handler as extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void) as usize;
        ours.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        libc::sigaction(libc::SIGSEGV, &raw const ours, ptr::null_mut());
    }
}

/// Gives the thread a stack for handlers, if it has none, and finds the end of its own. It is never freed: threads that run kernels are few.
fn prepare_thread() -> (usize, usize) {
    // SAFETY: plain system calls with valid arguments; the mapping lives as long as the process.
    unsafe {
        let mut known: libc::stack_t = mem::zeroed();
        if libc::sigaltstack(ptr::null(), &raw mut known) == 0 && known.ss_flags & libc::SS_DISABLE != 0 {
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
            let size = if guarded::is_on() { LARGE_HANDLER_STACK } else { HANDLER_STACK };
            let memory = libc::mmap(ptr::null_mut(), size, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0);
            if memory != libc::MAP_FAILED {
                let stack = libc::stack_t { ss_sp: memory, ss_flags: 0, ss_size: size };
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

/// Only what may be done in a handler: it reads the thread's cell, which is there while a kernel runs, and writes.
extern "C" fn handler(_: c_int, information: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: the system gives both for SA_SIGINFO; the name is that of the kernel that runs on this thread.
    unsafe {
        let address = (*information).si_addr() as usize;
        let pointer = (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs[libc::REG_RSP as usize] as usize;
        let running = RUNNING.try_with(Cell::get).unwrap_or(NOTHING);
        if guarded::is_on() {
            out_of_bounds::tell(running, &*information, &*context.cast::<libc::ucontext_t>());
        }
        // An access near the stack pointer that fails is one of a stack that has no room: the thread's, or a work-item's own.
        if address.abs_diff(pointer) < BELOW && is_beyond(pointer, running.stack) {
            tell(running);
        }
        // The access is made again, and what the system does then is what it would have done.
        let mut usual: libc::sigaction = mem::zeroed();
        usual.sa_sigaction = libc::SIG_DFL;
        libc::sigaction(libc::SIGSEGV, &raw const usual, ptr::null_mut());
        // A signal that somebody sent has no access; it comes again, as soon as the handler returns.
        if (*information).si_code <= 0 {
            libc::raise(libc::SIGSEGV);
        }
    }
}

/// Names the kernel. Only what may be done in a handler.
fn tell(running: Running) {
    if running.name.is_null() {
        return;
    }
    let after = b"' has overflowed its stack: it calls itself too deep, or its private variables are too large; keep large arrays in \
                  global memory (a buffer, or unified shared memory)\n";
    // SAFETY: the name is that of the kernel that runs on this thread; the others are constants.
    unsafe {
        for text in [b"aspen: kernel '".as_slice(), std::slice::from_raw_parts(running.name, running.length), after] {
            libc::write(libc::STDERR_FILENO, text.as_ptr().cast(), text.len());
        }
    }
}

/// The kernel of this thread has written over what lies below its stack, where nothing stopped it. Ends the process as an access would have.
pub(crate) fn end_by_overflow() -> ! {
    tell(RUNNING.try_with(Cell::get).unwrap_or(NOTHING));
    // SAFETY: plain system calls; the signal ends the process, whatever the program wants to do at it.
    unsafe {
        libc::signal(libc::SIGSEGV, libc::SIG_DFL);
        libc::raise(libc::SIGSEGV);
    }
    std::process::abort()
}

/// Whether there is no more stack below: near the end of the thread's own, or on another one, whose guard is all that an access near the
/// stack pointer can fail at.
fn is_beyond(pointer: usize, stack: Option<(usize, usize)>) -> bool {
    stack.is_none_or(|(bottom, end)| pointer < bottom.saturating_add(BELOW) || pointer >= end)
}
