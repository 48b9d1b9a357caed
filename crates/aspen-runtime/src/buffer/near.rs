//! Small buffers, whose content a device's own queue moves in front of a command and behind it: so nobody waits for a copy.

use std::sync::TryLockError;

use super::{Access, Buffer, Copies, DeviceCopy, Place, Store};
use crate::backend::Ahead;
use crate::command::{Command, lock};

impl Buffer {
    /// Whether [`Buffer::bring`] would copy nothing, and at once, or a job can bring the content itself.
    pub(crate) fn is_near(&self, place: Place, access: Access) -> bool {
        // Who holds it may be copying.
        let copies = match self.copies.try_lock() {
            Ok(copies) => copies,
            Err(TryLockError::Poisoned(copies)) => copies.into_inner(),
            Err(TryLockError::WouldBlock) => return false,
        };
        let near = |target| copies.is_current(target) || self.copy_ahead(&copies, target, access).is_some();
        copies.target(place).is_none_or(near)
    }

    /// The copy by which a job can bring the content itself. It must write: others that read would not wait for the copy.
    fn copy_ahead(&self, copies: &Copies, target: Option<usize>, access: Access) -> Option<Ahead> {
        let DeviceCopy { device, store: Store::Memory(memory, _), current: false } = &copies.list[target?] else { return None };
        let may = access.writes() && !copies.host_stale && self.guarded.is_none() && self.size <= device.real().most_ahead();
        may.then_some(Ahead { to: memory.as_ptr(), from: self.memory().as_ptr(), size: self.size })
    }

    /// [`Buffer::bring`] for a job that brings the content itself by the copy that comes back; `None` if it is there already. Only after
    /// [`Buffer::is_near`] said yes for the command's access.
    pub(crate) fn bring_ahead(&self, place: Place, access: Access) -> Option<Ahead> {
        let mut copies = lock(&self.copies);
        let target = copies.target(place)?;
        let ahead = self.copy_ahead(&copies, target, access);
        if access.writes() {
            copies.written(target);
        }
        ahead
    }

    /// The job did not: the host has the content.
    pub(crate) fn not_brought(&self, ahead: &[Ahead]) {
        let mut copies = lock(&self.copies);
        let is_own =
            |copy: &DeviceCopy| matches!(&copy.store, Store::Memory(memory, _) if ahead.iter().any(|copy| copy.to == memory.as_ptr()));
        if let Some(copy) = copies.list.iter_mut().find(|copy| is_own(copy)) {
            copy.current = false;
            copies.host_stale = false;
        }
    }

    /// Brings content home that a command in flight is about to write, by a copy that begins when that is over: to wait for it first would take
    /// as long again. Nothing happens where the device has no such copies, or the driver fails: then [`Buffer::bring`] says why.
    pub(super) fn bring_behind(&self, writer: &Command) {
        let Some(event) = lock(&writer.inner).in_flight.as_ref().map(|in_flight| in_flight.event.clone()) else { return };
        // Held while it is copied, as by whoever else brings content home: both would write there.
        let mut copies = lock(&self.copies);
        let written = |copy: &&DeviceCopy| copy.current && self.size <= copy.device.real().most_ahead();
        let found = copies.list.iter().filter(|_| copies.host_stale && self.guarded.is_none()).find(written);
        let found = found.and_then(|copy| match copy.store {
            Store::Memory(memory, _) => Some((copy.device, memory)),
            Store::Object(..) => None,
        });
        let Some((device, memory)) = found else { return };
        // SAFETY: both are `size` bytes, the host's memory is nobody's but the caller's, and the writer is over when the copy begins.
        let copied = unsafe { device.real().copy_behind(&event, self.memory().as_ptr(), memory.as_ptr(), self.size) };
        if copied.is_some_and(|copied| copied.is_ok()) {
            copies.host_stale = false;
        }
    }
}
