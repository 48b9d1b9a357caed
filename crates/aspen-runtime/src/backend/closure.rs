//! Copies of kernels' functors.

use std::alloc;
use std::fmt;
use std::mem::MaybeUninit;
use std::ptr::NonNull;

use crate::error::{Code, Error, Result};

/// A copy of a kernel's functor, at the alignment it asked for.
pub struct Closure {
    bytes: Bytes,
    layout: alloc::Layout,
}

/// Most functors are a few pointers, accessors and numbers; those need no memory of their own.
enum Bytes {
    Here(Room),
    Apart(NonNull<u8>),
}

#[repr(align(16))]
struct Room([MaybeUninit<u8>; 128]);

// SAFETY: the bytes belong to this value alone and nothing writes them after construction.
unsafe impl Send for Closure {}
// SAFETY: as above; shared access only reads.
unsafe impl Sync for Closure {}

impl Closure {
    /// Copies `size` bytes from `from`.
    ///
    /// # Safety
    /// `from` is readable for `size` bytes, or `size` is 0.
    ///
    /// # Errors
    /// [`Code::Invalid`] for an alignment that is no power of two, [`Code::MemoryAllocation`] without memory.
    pub unsafe fn copy(from: *const u8, size: usize, alignment: usize) -> Result<Closure> {
        let layout = alloc::Layout::from_size_align(size.max(1), alignment.max(1))
            .map_err(|_| Error::new(Code::Invalid, format!("a kernel's functor of {size} bytes cannot be aligned to {alignment}")))?;
        let fits = layout.size() <= size_of::<Room>() && layout.align() <= align_of::<Room>();
        let mut bytes = if fits {
            Bytes::Here(Room([MaybeUninit::uninit(); 128]))
        } else {
            // SAFETY: the layout has at least one byte.
            let pointer = NonNull::new(unsafe { alloc::alloc(layout) });
            let without = || Error::new(Code::MemoryAllocation, format!("no memory for a kernel's functor of {size} bytes"));
            Bytes::Apart(pointer.ok_or_else(without)?)
        };
        let to: *mut u8 = match &mut bytes {
            Bytes::Here(room) => room.0.as_mut_ptr().cast(),
            Bytes::Apart(pointer) => pointer.as_ptr(),
        };
        if size > 0 {
            // SAFETY: `from` is readable by this function's contract, `to` has room for at least `size` bytes, and nobody else knows it.
            unsafe { std::ptr::copy_nonoverlapping(from, to, size) };
        } else {
            // SAFETY: there is room for a byte.
            unsafe { to.write(0) };
        }
        Ok(Closure { bytes, layout })
    }

    /// Where the bytes are, until the value is moved.
    pub fn as_ptr(&self) -> *const u8 {
        match &self.bytes {
            Bytes::Here(room) => room.0.as_ptr().cast(),
            Bytes::Apart(pointer) => pointer.as_ptr(),
        }
    }

    /// How many there are; at least one, as of an object of an empty class.
    pub fn size(&self) -> usize {
        self.layout.size()
    }
}

impl fmt::Debug for Closure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Closure").field("layout", &self.layout).finish_non_exhaustive()
    }
}

impl Drop for Closure {
    fn drop(&mut self) {
        if let Bytes::Apart(pointer) = &self.bytes {
            // SAFETY: allocated in `copy` with this layout, and freed only here.
            unsafe { alloc::dealloc(pointer.as_ptr(), self.layout) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_has_the_bytes_and_the_alignment() {
        for (size, alignment) in [(0, 1), (1, 1), (8, 8), (128, 16), (129, 1), (128, 32), (64, 64), (5000, 16)] {
            let bytes: Vec<u8> = (0..size).map(|number| number as u8).collect();
            // SAFETY: readable bytes.
            let closure = Box::new(unsafe { Closure::copy(bytes.as_ptr(), size, alignment) }.expect("there is memory"));
            assert_eq!((closure.size(), closure.as_ptr().addr() % alignment), (size.max(1), 0), "{size} {alignment}");
            // SAFETY: so many bytes are there.
            let copied = unsafe { std::slice::from_raw_parts(closure.as_ptr(), closure.size()) };
            assert_eq!(copied, if size == 0 { &[0] } else { &bytes[..] }, "{size} {alignment}");
        }
        // SAFETY: readable bytes.
        let refused = unsafe { Closure::copy([0].as_ptr(), 1, 3) };
        assert!(refused.is_err_and(|error| error.code() == Code::Invalid));
    }
}
