//! Failed assertions of kernels that nothing on the device ends. Source: sycl_ext_oneapi_assert; docs/decisions/0031.

use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// A word of the host that kernels set when an assertion has failed. It stays for ever.
#[derive(Clone, Copy, Debug)]
pub struct AssertionWord(NonNull<AtomicU32>);

// SAFETY: an atomic number that is never freed.
unsafe impl Send for AssertionWord {}
// SAFETY: as above.
unsafe impl Sync for AssertionWord {}

impl AssertionWord {
    /// Makes that memory such a word.
    ///
    /// # Safety
    /// The memory is aligned, writable by host and device, nobody else's, and never freed.
    pub unsafe fn new(memory: NonNull<u32>) -> AssertionWord {
        // SAFETY: by this function's contract.
        unsafe { memory.write(0) };
        AssertionWord(memory.cast())
    }

    /// Where kernels write.
    pub fn address(self) -> usize {
        self.0.as_ptr() as usize
    }

    /// Ends the program as a failed assertion of its own would, by `abort`, if one has failed in a kernel: `what`, on that device. The device has
    /// printed which.
    pub fn check(self, what: &str, device: &str) {
        // SAFETY: the word is never freed.
        if unsafe { self.0.as_ref() }.load(Ordering::Acquire) == 0 {
            return;
        }
        // Several threads may learn of it at a time; one tells.
        static TOLD: AtomicBool = AtomicBool::new(false);
        while TOLD.swap(true, Ordering::AcqRel) {
            std::thread::park();
        }
        // What the device printed lies in the C library's buffers, which `abort` leaves there.
        // SAFETY: null stands for all streams.
        unsafe { libc::fflush(std::ptr::null_mut()) };
        eprintln!("aspen: an assertion failed in {what} on '{device}'; the program ends");
        std::process::abort();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_word_tells_of_nothing() {
        let mut memory = 7;
        // SAFETY: the memory lives as long as the word.
        let word = unsafe { AssertionWord::new(NonNull::from(&mut memory)) };
        word.check("kernel 'k'", "a device");
        assert_eq!((word.address(), memory), (std::ptr::from_ref(&memory) as usize, 0));
    }
}
