//! The program's memory that a buffer was made of, where it is to be afterwards as it was before (SYCL 2020 §4.7.4: no final data, or other).
//!
//! Programs mostly say so right behind the constructor: then the buffer takes a copy and works there. Once an address was handed out it
//! stays where it is, and what was in the memory is put back in the end. That is known as long as nobody has written there; of small buffers it is
//! kept when the first command writes, so that it does not matter when they are told.

use std::ptr::NonNull;
use std::sync::atomic::Ordering;

use super::{Buffer, Hazards, own_memory};
use crate::command::lock;
use crate::error::Result;

/// What [`Buffer::spare_host`] could do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(i32)]
pub enum Spared {
    /// Nothing: commands have written there, and nobody has what was there before.
    Not = 0,
    /// The buffer works on memory of its own.
    Left = 1,
    /// It goes on working there, and [`Buffer::restore_host`] puts back what was there before.
    Restored = 2,
}

/// Up to how many bytes are kept when the first command writes: so few that it costs next to nothing beside a launch.
const KEPT: usize = 16 << 10;

impl Buffer {
    /// The program's memory is to be as it was before when the buffer is gone. Only for [`HostMemory::Used`](super::HostMemory::Used).
    ///
    /// # Errors
    /// [`Code::MemoryAllocation`](crate::error::Code::MemoryAllocation) without memory for a copy.
    pub fn spare_host(&self) -> Result<Spared> {
        let Some(origin) = self.origin else { return Ok(Spared::Left) };
        if self.instead.get().is_none() {
            // SAFETY: the origin is valid for that many bytes by the contract of `create`, and who writes there has asked where it is.
            let copy = || unsafe { own_memory(self.size, self.alignment, origin.as_ptr()) };
            // With guards it has memory of its own already.
            let own = self.guarded.is_none().then(copy).transpose()?;
            if self.instead.set(own).is_ok() {
                self.left.store(true, Ordering::Release);
            }
        }
        if self.left.load(Ordering::Acquire) {
            return Ok(Spared::Left);
        }
        let mut hazards = lock(&self.hazards);
        self.keep(&mut hazards, usize::MAX);
        Ok(if hazards.original.is_some() { Spared::Restored } else { Spared::Not })
    }

    /// Puts back into the program's memory what was there before anybody wrote there, if that is kept. Returns where the content is then
    /// that was there until now. Only when no command uses the buffer.
    pub fn restore_host(&self) -> Option<NonNull<u8>> {
        let mut hazards = lock(&self.hazards);
        let (origin, original) = (self.origin?, hazards.original.as_mut()?);
        // SAFETY: both are `size` bytes, the origin by the contract of `create`, and nobody uses it.
        unsafe { std::ptr::swap_nonoverlapping(origin.as_ptr(), original.as_mut_ptr(), self.size) };
        NonNull::new(original.as_mut_ptr())
    }

    /// Whether any command or host access that writes has been noted: if none, what the buffer was made of has the content.
    pub fn is_written(&self) -> bool {
        lock(&self.hazards).writer.is_some()
    }

    /// Before a command that writes is noted.
    pub(super) fn keep_original(&self, hazards: &mut Hazards) {
        self.keep(hazards, KEPT);
    }

    /// Keeps what is in the program's memory, if nobody has written there and it is no more than `most` bytes.
    fn keep(&self, hazards: &mut Hazards, most: usize) {
        let left = self.left.load(Ordering::Acquire);
        if let Some(origin) = self.origin.filter(|_| !left && self.size <= most)
            && hazards.writer.is_none()
            && hazards.original.is_none()
        {
            // SAFETY: valid for that many bytes by the contract of `create`, and nobody writes there before the command that is noted next.
            hazards.original = Some(Box::from(unsafe { std::slice::from_raw_parts(origin.as_ptr(), self.size) }));
        }
    }
}
