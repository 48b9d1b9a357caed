//! Memory for stacks of our own: many in one mapping, so that a work-group of 8192 waiting work-items costs few of the mappings that a
//! process may have (`vm.max_map_count`), and pages only where a stack was used.
//!
//! Below each stack lies a zone that nobody may touch. Linux 6.13 can close it without splitting the mapping. Before, closing it costs two
//! mappings, so only as many stacks have that as leave most mappings to the program. The zone of the others is open and stays zero:
//! whoever runs on such a stack is asked behind each switch whether it still is, before the neighbour whose stack lies below can go on.
//! What goes through that stack too ends at the slab's own guard or is found then.

use std::io;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use corosensei::stack::{Stack, StackPointer};

/// Bytes of a stack for what the image does not tell: functions with small variables, saved registers. Only touched pages cost memory.
const RESERVE: usize = 256 << 10;
/// Private variables that fit any stack, a thread's too.
pub(crate) const SMALL: usize = 128 << 10;
/// Bytes below it that no access survives; large, since a frame may be larger than a page.
const GUARD: usize = 64 << 10;
/// Stacks that share a mapping.
const TOGETHER: usize = 64;
/// Bytes at the end of a stack that stay in memory when it is put aside.
const STAYS: usize = 16 << 10;
/// Bytes of an open zone that are looked at: those that an overflow reaches first.
const LOOKED_AT: usize = 4 << 10;
/// `MADV_GUARD_INSTALL` of Linux 6.13, which libc does not name.
const GUARD_INSTALL: libc::c_int = 102;

/// How the zone below a stack is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Guard {
    /// By the system, without a mapping of its own.
    Light,
    /// By the system, as a mapping of its own.
    Mapping,
    /// It is open, and looked at.
    Open,
}

/// Stacks side by side in one mapping.
struct Slab {
    mapping: NonNull<u8>,
    /// Bytes of one stack with its zone.
    each: usize,
    stacks: usize,
    /// Zones that are mappings of their own.
    guards: AtomicUsize,
}

// SAFETY: the mapping belongs to the value, and each part of it to one stack.
unsafe impl Send for Slab {}
// SAFETY: as above.
unsafe impl Sync for Slab {}

/// Zones that are mappings of their own, in the whole process.
static GUARDS: AtomicUsize = AtomicUsize::new(0);

/// How many there may be: each is two mappings, and half of all stays for the program.
fn most_guards() -> usize {
    static MOST: OnceLock<usize> = OnceLock::new();
    *MOST.get_or_init(|| {
        let text = std::fs::read_to_string("/proc/sys/vm/max_map_count").unwrap_or_default();
        text.trim().parse().unwrap_or(65530) / 4
    })
}

impl Slab {
    fn new(each: usize, stacks: usize) -> io::Result<Slab> {
        let size = each.checked_mul(stacks).ok_or_else(|| io::Error::from_raw_os_error(libc::ENOMEM))?;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_STACK;
        // SAFETY: a fresh anonymous mapping at an address the system chooses.
        let mapping = unsafe { libc::mmap(ptr::null_mut(), size, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0) };
        if mapping == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let mapping = NonNull::new(mapping.cast()).ok_or_else(io::Error::last_os_error)?;
        let slab = Slab { mapping, each, stacks, guards: AtomicUsize::new(0) };
        // SAFETY: the mapping just made. A stack that needs a page shall not get the two megabytes of several. The advice may be unknown.
        unsafe { libc::madvise(mapping.as_ptr().cast(), size, libc::MADV_NOHUGEPAGE) };
        slab.close(0)?;
        Ok(slab)
    }

    fn zone(&self, index: usize) -> *mut libc::c_void {
        self.mapping.as_ptr().wrapping_add(index * self.each).cast()
    }

    /// Closes a zone by a mapping.
    fn close(&self, index: usize) -> io::Result<()> {
        // SAFETY: the lower part of one of the stacks, on which nothing runs yet.
        if unsafe { libc::mprotect(self.zone(index), GUARD, libc::PROT_NONE) } != 0 {
            return Err(io::Error::last_os_error());
        }
        self.guards.fetch_add(1, Ordering::Relaxed);
        GUARDS.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    /// Closes a zone by the best way that the system has, but none that is better than `best`.
    fn guard(&self, index: usize, best: Guard) -> Guard {
        if index == 0 {
            return Guard::Mapping;
        }
        // SAFETY: as in `close`.
        if best == Guard::Light && unsafe { libc::madvise(self.zone(index), GUARD, GUARD_INSTALL) } == 0 {
            return Guard::Light;
        }
        let closed = best != Guard::Open && GUARDS.load(Ordering::Relaxed) < most_guards() && self.close(index).is_ok();
        if closed { Guard::Mapping } else { Guard::Open }
    }
}

impl Drop for Slab {
    fn drop(&mut self) {
        GUARDS.fetch_sub(*self.guards.get_mut(), Ordering::Relaxed);
        // SAFETY: the whole mapping made in `new`; each of its stacks kept the slab alive.
        unsafe { libc::munmap(self.mapping.as_ptr().cast(), self.each * self.stacks) };
    }
}

/// Bytes of a stack with its zone.
fn size_for(variables: usize) -> io::Result<usize> {
    let more = if variables <= SMALL { Some(0) } else { variables.checked_next_multiple_of(GUARD) };
    more.and_then(|bytes| bytes.checked_add(RESERVE + GUARD)).ok_or_else(|| io::Error::from_raw_os_error(libc::ENOMEM))
}

/// Makes stacks.
pub(crate) struct Stacks {
    /// What is left of a slab: from this index on.
    rest: Option<(Arc<Slab>, usize)>,
    best: Guard,
}

impl Stacks {
    pub(crate) const fn new() -> Stacks {
        Stacks { rest: None, best: Guard::Light }
    }

    /// A stack with room for variables of that many bytes. One maker makes all of one size, until it is cleared.
    pub(crate) fn take(&mut self, variables: usize) -> io::Result<ItemStack> {
        let (slab, index) = match self.rest.take() {
            Some(rest) => rest,
            None => (Arc::new(Slab::new(size_for(variables)?, TOGETHER)?), 0),
        };
        let guard = slab.guard(index, self.best);
        if index + 1 < slab.stacks {
            self.rest = Some((slab.clone(), index + 1));
        }
        Ok(ItemStack { slab, index, guard })
    }

    /// Forgets what is left, for stacks of another size.
    pub(crate) fn clear(&mut self) {
        self.rest = None;
    }
}

/// One stack.
pub(crate) struct ItemStack {
    slab: Arc<Slab>,
    index: usize,
    guard: Guard,
}

impl ItemStack {
    /// A single one.
    pub(crate) fn new(variables: usize) -> io::Result<ItemStack> {
        Ok(ItemStack { slab: Arc::new(Slab::new(size_for(variables)?, 1)?), index: 0, guard: Guard::Mapping })
    }

    /// For whoever watches a stack whose owner has it.
    pub(crate) fn watch(&self) -> Watch {
        let at = self.slab.zone(self.index).cast::<u8>();
        Watch { zone: at, end: at.wrapping_add(self.slab.each), is_open: self.guard == Guard::Open }
    }

    fn at(&self, offset: usize) -> StackPointer {
        StackPointer::new(self.slab.zone(self.index) as usize + offset).expect("a mapping is not at address 0")
    }
}

// SAFETY: base and limit are page-aligned ends of one part of a mapping that lives as long as the value. Nothing below the limit belongs to
// somebody else, and the zone above it is closed, or its owner looks at it.
unsafe impl Stack for ItemStack {
    fn base(&self) -> StackPointer {
        self.at(self.slab.each)
    }

    fn limit(&self) -> StackPointer {
        self.at(0)
    }
}

/// What can be said of a stack from outside.
#[derive(Clone, Copy)]
pub(crate) struct Watch {
    zone: *const u8,
    end: *const u8,
    is_open: bool,
}

impl Watch {
    /// Behind the stack's highest byte.
    pub(crate) fn end(self) -> *const u8 {
        self.end
    }

    /// Whether something was written below the stack.
    ///
    /// # Safety
    /// The stack is alive, and nothing runs on it.
    pub(crate) unsafe fn has_overflowed(self) -> bool {
        if !self.is_open {
            return false;
        }
        let first = self.zone.wrapping_add(GUARD - LOOKED_AT);
        // SAFETY: the upper part of a zone that is open, so readable, and initialised by the system.
        let words = unsafe { std::slice::from_raw_parts(first.cast::<u64>(), LOOKED_AT / size_of::<u64>()) };
        words.iter().fold(0, |all, word| all | word) != 0
    }

    /// Gives back what the stack does not need while it is put aside.
    ///
    /// # Safety
    /// As for `has_overflowed`, and what lies on the stack takes less than `STAYS`.
    pub(crate) unsafe fn trim(self) {
        let first = self.zone.wrapping_add(GUARD).cast_mut();
        // SAFETY: a part of the stack's own memory, in which nothing is kept.
        unsafe { libc::madvise(first.cast(), self.end as usize - first as usize - STAYS, libc::MADV_DONTNEED) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Mappings of this process.
    fn mappings() -> usize {
        std::fs::read_to_string("/proc/self/maps").expect("the system tells").lines().count()
    }

    #[test]
    fn many_stacks_are_few_mappings_and_each_can_be_used_to_its_end() {
        // (guard, bytes of variables, mappings that 640 stacks take at most)
        for (best, variables, most) in
            [(Guard::Light, 0, 40), (Guard::Light, 160 << 10, 40), (Guard::Mapping, 0, 2 * 640 + 40), (Guard::Open, 0, 40)]
        {
            let before = mappings();
            let mut maker = Stacks { rest: None, best };
            let stacks: Vec<ItemStack> = (0..640).map(|_| maker.take(variables).expect("memory")).collect();
            let by = |guard| stacks.iter().filter(|stack| stack.guard == guard).count();
            // Where Linux is older than 6.13, the first case is the second.
            let most = if by(Guard::Light) == 0 && best == Guard::Light { 2 * 640 + 40 } else { most };
            assert!(mappings() < before + most, "{best:?}: {} of {before}", mappings());
            assert_eq!(by(Guard::Open) > 0, best == Guard::Open);
            for stack in &stacks {
                let (low, high) = (stack.limit().get() + GUARD, stack.base().get());
                for at in [low, high - 8] {
                    // SAFETY: the two ends of a stack that nobody uses.
                    unsafe { (at as *mut u64).write(at as u64) };
                }
                // SAFETY: nothing runs there, and nothing is kept there.
                unsafe {
                    assert!(!stack.watch().has_overflowed());
                    stack.watch().trim();
                    assert_eq!([(low as *const u64).read(), ((high - 8) as *const u64).read()], [0, high as u64 - 8]);
                }
            }
            drop((stacks, maker));
            assert!(mappings() < before + 40, "they are given back");
        }
        assert!(most_guards() > 0);
    }

    #[test]
    fn a_write_below_an_open_stack_is_seen() {
        let mut maker = Stacks { rest: None, best: Guard::Open };
        let stacks: Vec<ItemStack> = (0..3).map(|_| maker.take(0).expect("memory")).collect();
        for (stack, expected) in stacks.iter().zip([Guard::Mapping, Guard::Open, Guard::Open]) {
            assert_eq!(stack.guard, expected, "a slab's first is closed always");
        }
        let below = stacks[1].limit().get() + GUARD - 8;
        // SAFETY: the zone is open, and nothing runs on the stacks.
        unsafe {
            (below as *mut u64).write(1);
            assert!(stacks[1].watch().has_overflowed() && !stacks[2].watch().has_overflowed());
        }
    }

    #[test]
    fn what_no_machine_has_is_refused() {
        for variables in [usize::MAX, usize::MAX / 2, 1 << 47] {
            assert!(ItemStack::new(variables).is_err(), "{variables}");
        }
        assert!(ItemStack::new(1 << 30).is_ok());
    }
}
