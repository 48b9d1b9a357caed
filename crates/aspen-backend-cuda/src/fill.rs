//! `fill`: the driver repeats words; a kernel of ours what divides 16 bytes; the rest is made by copies of what is there already.
//!
//! Copies within the device read as much as they write, and many small ones wait for each other, so a kernel is twice as fast (H200, 1 GiB
//! of doubles). It is PTX that every driver compiles, loaded when a device first needs it.

use std::ffi::c_void;
use std::ptr;

use crate::sys::{self, CUfunction, CUstream};

use crate::copy::enqueue_copy;
use crate::driver::{Tried, tried};

/// Bytes that the kernel writes at once.
const QUAD: usize = 16;

/// Up to here the pattern is repeated on the host and copied.
const SMALL: usize = 1 << 16;

/// What is copied within the device at once: a part of its cache.
const LARGE: usize = 1 << 24;

/// Threads of a block, and blocks of a grid at most: the kernel strides over the rest.
const THREADS: u32 = 256;
const BLOCKS: u64 = 1 << 20;

/// `(address, quads, quad)`.
const KERNEL: &std::ffi::CStr = cr"
.version 6.0
.target sm_50
.address_size 64
.visible .entry aspen_fill(.param .u64 to, .param .u64 quads, .param .align 16 .b8 quad[16])
{
  .reg .pred %done;
  .reg .b32 %a, %b, %c, %d, %thread, %threads, %block, %blocks;
  .reg .b64 %at, %end, %first, %own, %step;
  ld.param.u64 %first, [to];
  ld.param.u64 %end, [quads];
  ld.param.v4.b32 {%a, %b, %c, %d}, [quad];
  cvta.to.global.u64 %first, %first;
  mov.u32 %thread, %tid.x;
  mov.u32 %threads, %ntid.x;
  mov.u32 %block, %ctaid.x;
  mov.u32 %blocks, %nctaid.x;
  cvt.u64.u32 %own, %thread;
  mad.wide.u32 %own, %block, %threads, %own;
  mul.wide.u32 %step, %blocks, %threads;
NEXT:
  setp.ge.u64 %done, %own, %end;
  @%done bra END;
  shl.b64 %at, %own, 4;
  add.u64 %at, %first, %at;
  st.global.v4.b32 [%at], {%a, %b, %c, %d};
  add.u64 %own, %own, %step;
  bra NEXT;
END:
  ret;
}
";

/// How a range is filled.
#[derive(PartialEq, Eq, Debug)]
pub(crate) enum Way {
    /// By so many of the driver's words.
    Bytes(u8, usize),
    /// By so many of the driver's words.
    Halves(u16, usize),
    /// By so many of the driver's words.
    Words(u32, usize),
    /// By the kernel.
    Quads(Quads),
    /// By copies of the pattern, then of what is there.
    Copies,
}

/// A range for the kernel: so many bytes before the first aligned quad, so many quads, so many bytes behind.
#[derive(PartialEq, Eq, Debug)]
pub(crate) struct Quads {
    before: Vec<u8>,
    count: u64,
    quad: [u8; QUAD],
    behind: usize,
}

/// The best way for `count` patterns at an address of the device.
pub(crate) fn way(address: u64, pattern: &[u8], count: usize) -> Way {
    let (size, total) = (pattern.len(), pattern.len() * count);
    let repeats = |period: usize| {
        size.is_multiple_of(period)
            && address.is_multiple_of(period as u64)
            && pattern.chunks_exact(period).all(|chunk| chunk == &pattern[..period])
    };
    if repeats(4) {
        return Way::Words(u32::from_ne_bytes([pattern[0], pattern[1], pattern[2], pattern[3]]), total / 4);
    }
    if repeats(2) {
        return Way::Halves(u16::from_ne_bytes([pattern[0], pattern[1]]), total / 2);
    }
    if repeats(1) {
        return Way::Bytes(pattern[0], total);
    }
    if !QUAD.is_multiple_of(size) || total <= SMALL {
        return Way::Copies;
    }
    let before = address.next_multiple_of(QUAD as u64) - address;
    let before: Vec<u8> = pattern.iter().copied().cycle().take(before as usize).collect();
    let quad = std::array::from_fn(|i| pattern[(before.len() + i) % size]);
    let rest = total - before.len();
    Way::Quads(Quads { count: (rest / QUAD) as u64, behind: rest % QUAD, before, quad })
}

/// The kernel.
#[derive(Clone, Copy)]
pub(crate) struct Kernel(CUfunction);

// SAFETY: the driver's functions may be used by every thread.
unsafe impl Send for Kernel {}
// SAFETY: as above.
unsafe impl Sync for Kernel {}

impl Kernel {
    /// Into the current context, which keeps it.
    pub(crate) fn load() -> Tried<Kernel> {
        let (mut module, mut function) = (ptr::null_mut(), ptr::null_mut());
        // SAFETY: terminated PTX, no options, and room for the answer.
        let error = unsafe { sys::cuModuleLoadDataEx(&mut module, KERNEL.as_ptr().cast(), 0, ptr::null_mut(), ptr::null_mut()) };
        tried("cuModuleLoadDataEx", error)?;
        // SAFETY: the module from above, a terminated name, room for the answer.
        tried("cuModuleGetFunction", unsafe { sys::cuModuleGetFunction(&mut function, module, c"aspen_fill".as_ptr()) })?;
        Ok(Kernel(function))
    }

    /// # Safety
    /// The range is memory of the device, and the stream of the current context; `quads` is valid until it is done.
    pub(crate) unsafe fn submit(self, address: u64, quads: &Quads, stream: CUstream) -> Tried<()> {
        let first = address + quads.before.len() as u64;
        let blocks = quads.count.div_ceil(THREADS.into()).min(BLOCKS) as u32;
        let mut parameters: [*mut c_void; 3] =
            [ptr::from_ref(&first).cast_mut().cast(), ptr::from_ref(&quads.count).cast_mut().cast(), quads.quad.as_ptr().cast_mut().cast()];
        // SAFETY: parameters of the sizes that the kernel has; the driver copies them.
        let error =
            unsafe { sys::cuLaunchKernel(self.0, blocks, 1, 1, THREADS, 1, 1, 0, stream, parameters.as_mut_ptr(), ptr::null_mut()) };
        tried("cuLaunchKernel", error)?;
        // SAFETY: the ends of the range, and bytes that outlive the copies.
        unsafe {
            enqueue_copy(address, quads.before.as_ptr() as u64, quads.before.len(), stream)?;
            enqueue_copy(first + quads.count * QUAD as u64, quads.quad.as_ptr() as u64, quads.behind, stream)
        }
    }
}

/// What the copies begin with.
pub(crate) fn first_copy(pattern: &[u8], count: usize) -> Vec<u8> {
    pattern.repeat((SMALL / pattern.len()).clamp(1, count))
}

/// # Safety
/// The range of `total` bytes is memory of the device, the stream of the current context; `first` is valid until it is done.
pub(crate) unsafe fn submit_copies(address: u64, first: &[u8], total: usize, stream: CUstream) -> Tried<()> {
    // SAFETY: `first` is no larger than the range.
    unsafe { enqueue_copy(address, first.as_ptr() as u64, first.len(), stream)? };
    let most = (LARGE / first.len()).max(1) * first.len();
    let mut done = first.len();
    while done < total {
        // Whole patterns until the last, so that what follows goes on where the source began.
        let next = done.min(most).min(total - done);
        // SAFETY: source [0, next) and destination [done, done + next) are inside the range and do not overlap.
        unsafe { enqueue_copy(address + done as u64, address, next, stream)? };
        done += next;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_the_drivers() {
        assert_eq!(way(64, &[7], 100), Way::Bytes(7, 100));
        assert_eq!(way(64, &[2, 3], 100), Way::Halves(u16::from_ne_bytes([2, 3]), 100));
        assert_eq!(way(64, &[1, 2, 3, 4], 100), Way::Words(u32::from_ne_bytes([1, 2, 3, 4]), 100));
        // A double or a float4 of zeroes, and others that repeat a word.
        assert_eq!(way(64, &[0; 16], 100), Way::Words(0, 400));
        assert_eq!(way(64, &[1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4], 10), Way::Words(u32::from_ne_bytes([1, 2, 3, 4]), 30));
        assert_eq!(way(66, &[5; 4], 10), Way::Halves(0x0505, 20));
        assert_eq!(way(65, &[5; 4], 10), Way::Bytes(5, 40));
    }

    #[test]
    fn others_depend_on_size() {
        let double = 9.5_f64.to_ne_bytes();
        assert_eq!(way(64, &double, 100), Way::Copies);
        assert_eq!(way(64, &[1, 2, 3], 1 << 20), Way::Copies);
        assert!(matches!(way(64, &double, 1 << 20), Way::Quads(_)));
    }

    /// What the kernel and its copies write, against the pattern.
    #[test]
    fn quads_go_on_with_the_pattern() {
        for size in [2, 4, 8, 16] {
            for address in 0x1000..0x1020_u64 {
                for count in [SMALL, SMALL + 1, SMALL + 5] {
                    let pattern: Vec<u8> = (1..=size).collect();
                    let Way::Quads(quads) = way(address, &pattern, count) else {
                        assert!(size <= 4 && address.is_multiple_of(size.into()), "{size} at {address}");
                        continue;
                    };
                    assert!((address + quads.before.len() as u64).is_multiple_of(16));
                    let mut made = quads.before.clone();
                    made.extend(quads.quad.repeat(quads.count as usize));
                    made.extend(&quads.quad[..quads.behind]);
                    assert!(made == pattern.repeat(count), "{size} at {address}, {count} times");
                }
            }
        }
    }
}
