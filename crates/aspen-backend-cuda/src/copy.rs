//! Copies in streams.

use crate::driver::{Tried, tried};
use crate::sys::{self, CUstream};

/// Puts a copy into a stream of the current context. Addresses mean the same on host and device.
///
/// # Safety
/// Both ranges are valid until the copy is over.
pub(crate) unsafe fn enqueue_copy(to: u64, from: u64, size: usize, stream: CUstream) -> Tried<()> {
    if size == 0 {
        return Ok(());
    }
    // SAFETY: by this function's contract.
    tried("cuMemcpyAsync", unsafe { sys::cuMemcpyAsync(to, from, size, stream) })
}
