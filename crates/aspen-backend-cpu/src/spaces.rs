//! In which address space an address lies, for device code that asks (`ASPEN_CPU_SPACE_SLOT`). Memory is global unless it is known to be the
//! running work-group's or work-item's: threads note where these lie, once some image asks.

use std::cell::Cell;
use std::ffi::{CStr, c_void};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// `aspen_cpu_space_t`.
const GLOBAL: u32 = 0;
const LOCAL: u32 = 1;
const PRIVATE: u32 = 2;

/// Memory by where it begins, and its bytes.
pub(crate) type Memory = (*const u8, usize);
pub(crate) const NONE: Memory = (std::ptr::null(), 0);

/// Whether an image asks.
static ASKED: AtomicBool = AtomicBool::new(false);

/// What a thread runs.
#[derive(Clone, Copy)]
struct Noted {
    local: Memory,
    /// Private variables that stay from barrier to barrier.
    frame: Memory,
    /// Where the work-items' part of the stack ends; it begins with whoever asks.
    stack_end: *const u8,
}

thread_local! {
    static NOTED: Cell<Noted> = const { Cell::new(Noted { local: NONE, frame: NONE, stack_end: std::ptr::null() }) };
}

/// `aspen_cpu_space_of_fn`, for an image that asks.
pub(crate) fn answer() -> extern "C" fn(*const c_void) -> u32 {
    ASKED.store(true, Ordering::Relaxed);
    space_of
}

/// Notes what runs next on this thread, if some image asks: local memory, frames, and where the stack ends, below which lies what is called.
pub(crate) fn note(local: Memory, frame: Memory, stack_end: *const u8) {
    if ASKED.load(Ordering::Relaxed) {
        NOTED.set(Noted { local, frame, stack_end });
    }
}

fn contains((begin, bytes): Memory, at: usize) -> bool {
    at.wrapping_sub(begin.addr()) < bytes
}

/// Whether AddressSanitizer keeps the variable, which otherwise were on the stack, elsewhere to find uses after its function has returned.
/// Source: `sanitizer/asan_interface.h`.
fn is_on_fake_stack(address: *const c_void) -> bool {
    type Current = unsafe extern "C" fn() -> *mut c_void;
    type IsOn = unsafe extern "C" fn(*mut c_void, *const c_void, *mut *mut c_void, *mut *mut c_void) -> *mut c_void;
    static FOUND: OnceLock<Option<(Current, IsOn)>> = OnceLock::new();
    let found = FOUND.get_or_init(|| {
        // SAFETY: strings that end with NUL; functions of these names have these types.
        unsafe {
            let find = |name: &CStr| libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr());
            let (current, is_on) = (find(c"__asan_get_current_fake_stack"), find(c"__asan_addr_is_in_fake_stack"));
            let both = !current.is_null() && !is_on.is_null();
            both.then(|| (std::mem::transmute::<*mut c_void, Current>(current), std::mem::transmute::<*mut c_void, IsOn>(is_on)))
        }
    });
    let Some((current, is_on)) = found else { return false };
    // SAFETY: the thread's own fake stack, if it has one; null where no more is asked.
    unsafe {
        let stack = current();
        !stack.is_null() && !is_on(stack, address, std::ptr::null_mut(), std::ptr::null_mut()).is_null()
    }
}

extern "C" fn space_of(address: *const c_void) -> u32 {
    let (at, noted) = (address.addr(), NOTED.get());
    let here = (&raw const at).addr();
    if contains(noted.local, at) {
        LOCAL
    } else if contains(noted.frame, at) || (here..noted.stack_end.addr()).contains(&at) || is_on_fake_stack(address) {
        PRIVATE
    } else {
        GLOBAL
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_what_was_noted_last() {
        let (local, frame, elsewhere, own) = ([0_u8; 16], [0_u8; 16], Box::new(0_u8), 0_u8);
        let ask = answer();
        // A stack that ends below the arrays of this test, as that of a kernel does.
        #[inline(never)]
        fn private(ask: extern "C" fn(*const c_void) -> u32, own: *const u8) -> [u32; 2] {
            let deeper = 0_u8;
            [ask((&raw const deeper).cast()), ask(own.cast())]
        }
        let end = (&raw const own).wrapping_add(1).min(local.as_ptr()).min(frame.as_ptr());
        note((local.as_ptr(), 16), (frame.as_ptr(), 16), end);
        let of = |address: *const u8| ask(address.cast());
        assert_eq!([of(&raw const local[0]), of(&raw const local[15]), of(&raw const frame[8])], [LOCAL, LOCAL, PRIVATE]);
        assert_eq!([of(&raw const *elsewhere), of(std::ptr::null())], [GLOBAL, GLOBAL]);
        assert_eq!(private(ask, &raw const *elsewhere), [PRIVATE, GLOBAL]);
        note(NONE, NONE, end);
        assert_eq!(of(&raw const local[0]), GLOBAL, "another launch has none");
    }
}
