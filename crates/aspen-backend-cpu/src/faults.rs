//! What ends a program inside of a kernel, told before the process dies of it: a stack overflow, a division by zero, an access where no memory
//! is, a trap, an abort; and, where accesses are checked, those out of bounds.
//!
//! A handler says which kernel that was, what it did and where, and lets the signal take its course. It is installed when the first kernel
//! runs, and only for signals that the program has no handler for: a program's, a sanitizer's or a debugger's comes first.

use std::ffi::{c_int, c_void};
use std::sync::Once;
use std::{mem, ptr};

use aspen_runtime::guarded;

use crate::running::{self, Running, Runs};
use crate::{lines, out_of_bounds};

/// Accesses so far below a stack are taken for its overflow: a frame may be larger than a page.
const BELOW: usize = 1 << 20;
/// The signals that a kernel can end by.
const SIGNALS: [c_int; 5] = [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGABRT];
/// The memory is there, and forbids the access. Source: sigaction(2).
const SEGV_ACCERR: c_int = 2;
/// `ud2`, which compilers emit for traps. Source: Intel SDM, volume 2, "UD".
const UD2: [u8; 2] = [0x0f, 0x0b];

/// Calls `work`, which runs that on this thread.
pub(crate) fn watched<R>(runs: Runs<'_>, work: impl FnOnce() -> R) -> R {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(install);
    running::noted(runs, work)
}

/// Installs the handler for each signal that the program has none for.
pub(crate) fn install() {
    for signal in SIGNALS {
        // SAFETY: plain system calls with valid arguments; the handler has the type that SA_SIGINFO asks for.
        unsafe {
            let mut known: libc::sigaction = mem::zeroed();
            if libc::sigaction(signal, ptr::null(), &raw mut known) != 0 || known.sa_sigaction != libc::SIG_DFL {
                continue;
            }
            let mut ours: libc::sigaction = mem::zeroed();
            ours.sa_sigaction = handler as extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void) as usize;
            ours.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
            libc::sigaction(signal, &raw const ours, ptr::null_mut());
        }
    }
}

/// Runs on the thread's stack for handlers, in the middle of kernels' code, which holds no lock of the allocator.
extern "C" fn handler(signal: c_int, information: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: the system gives both for SA_SIGINFO; what runs on this thread is there while the handler runs.
    unsafe {
        let (information, context) = (&*information, &*context.cast::<libc::ucontext_t>());
        let running = running::now();
        let is_told = signal == libc::SIGSEGV && guarded::is_on() && out_of_bounds::tell(running, information, context);
        // A signal that somebody else sent says nothing of the kernel; an abort is one that the thread sends itself.
        let is_own = information.si_code > 0 || (signal == libc::SIGABRT && information.si_pid() == libc::getpid());
        if !is_told && !running.is_program() && is_own {
            // Only of a kernel's own instructions is the place one that its author knows.
            let place = running.kernel().filter(|_| signal != libc::SIGABRT).map(|_| place(signal, information, context));
            tell(running, what(signal, running, information, context), place);
        }
        // The instruction is run again, and what the system does then is what it would have done.
        let mut usual: libc::sigaction = mem::zeroed();
        usual.sa_sigaction = libc::SIG_DFL;
        libc::sigaction(signal, &raw const usual, ptr::null_mut());
        // A signal that somebody sent has no instruction; it comes again, as soon as the handler returns.
        if information.si_code <= 0 {
            libc::raise(signal);
        }
    }
}

/// The instruction that the signal is of.
///
/// # Safety
/// In the handler of the signal.
unsafe fn place(signal: c_int, information: &libc::siginfo_t, context: &libc::ucontext_t) -> usize {
    let register = |register: i32| context.uc_mcontext.gregs[register as usize] as usize;
    let instruction = register(libc::REG_RIP);
    if signal == libc::SIGSEGV && information.si_code > 0 && information_address(information) == instruction {
        // Nothing is there; the call has just put on the stack where it would have come back to.
        // SAFETY: the stack, which the call has written to.
        return unsafe { (register(libc::REG_RSP) as *const usize).read_unaligned() }.saturating_sub(1);
    }
    instruction
}

/// What was done, and a way out.
///
/// # Safety
/// In the handler of the signal, in the thread that runs that.
unsafe fn what(signal: c_int, running: Running, information: &libc::siginfo_t, context: &libc::ucontext_t) -> (String, &'static str) {
    let register = |register: i32| context.uc_mcontext.gregs[register as usize] as usize;
    match signal {
        libc::SIGFPE => ("divides an integer by zero, or the smallest one by -1".into(), "check the divisor"),
        libc::SIGABRT => ("aborts".into(), "what it or the library has said stands above"),
        libc::SIGILL => {
            // SAFETY: code that the processor has just read.
            let code = unsafe { (register(libc::REG_RIP) as *const [u8; 2]).read_unaligned() };
            if code == UD2 {
                return (
                    "comes to a trap".into(),
                    "that is std::abort, __builtin_trap, a check of the library (an empty std::optional), or code that cannot be reached",
                );
            }
            ("has an instruction that this processor lacks".into(), "build it for this processor's level, or for none")
        }
        libc::SIGBUS => (
            format!("accesses {:#x}, behind the end of a file or on a page that is gone", information_address(information)),
            "a file that is mapped must not get shorter",
        ),
        _ => {
            let (address, pointer) = (information_address(information), register(libc::REG_RSP));
            // An access near the stack pointer that fails is one of a stack that has no room: the thread's, or a work-item's own.
            if address.abs_diff(pointer) < BELOW && is_beyond(pointer, running.stack) {
                return (OVERFLOW.into(), OVERFLOW_WAY_OUT);
            }
            if information.si_code == out_of_bounds::SI_KERNEL {
                return ("accesses an address that cannot be, or is not aligned as its type asks".into(), WAY_OUT);
            }
            let null = if address < 4096 { " (a null pointer)" } else { "" };
            if address == register(libc::REG_RIP) {
                return (format!("calls a function at {address:#x}, where there is none{null}"), "check where the pointer comes from");
            }
            let writes = register(libc::REG_ERR) & out_of_bounds::WRITE != 0;
            match (information.si_code, writes) {
                (SEGV_ACCERR, true) => (
                    format!("writes at {address:#x}, where memory is for reading only"),
                    "literals and constants are never written; what a kernel writes must be in USM allocations or accessors",
                ),
                (_, true) => (format!("writes at {address:#x}, where it has no memory{null}"), WAY_OUT),
                (_, false) => (format!("reads at {address:#x}, where it has no memory{null}"), WAY_OUT),
            }
        }
    }
}

const OVERFLOW: &str = "has overflowed its stack";
const OVERFLOW_WAY_OUT: &str = "it calls itself too deep, or its private variables are too large; keep large arrays in global memory (a buffer, or unified shared memory)";
const WAY_OUT: &str = "pointers must be those of USM allocations or accessors; ASPEN_CHECK=1 finds accesses out of bounds";

fn information_address(information: &libc::siginfo_t) -> usize {
    // SAFETY: a fault's information.
    unsafe { information.si_addr() as usize }
}

/// Names the kernel, what it does, and the place of the instruction at that address.
fn tell(running: Running, (what, way_out): (String, &str), place: Option<usize>) {
    if !lines::is_first_to_tell() {
        return;
    }
    // SAFETY: what this thread runs.
    let who = unsafe { running.in_words() };
    lines::say(format!("aspen: {who} {what}").as_bytes());
    let (place, hint) = place.map(lines::at).unwrap_or_default();
    lines::say(format!("{place}: {way_out}{hint}\n").as_bytes());
}

/// The kernel of this thread has written over what lies below its stack, where nothing stopped it. Ends the process as an access would have.
pub(crate) fn end_by_overflow() -> ! {
    // What lies there may be the allocator's, so nothing is allocated.
    let running = running::now();
    // SAFETY: what this thread runs.
    let kernel = unsafe { running.kernel() }.unwrap_or_default();
    for text in [b"aspen: kernel '", kernel, b"' ", OVERFLOW.as_bytes(), b": ", OVERFLOW_WAY_OUT.as_bytes(), b"\n"] {
        lines::say(text);
    }
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
