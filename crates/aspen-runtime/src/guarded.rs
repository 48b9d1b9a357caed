//! Memory between pages that nothing may access, so that accesses out of bounds are faults where they happen (`ASPEN_CHECK=1`).
//!
//! The data ends where the guard behind it begins, or begins where the one before it ends (`ASPEN_CHECK=begin`): pages are coarser than data,
//! so the other end is not exact. Pages of buffers are closed as long as no command and no host accessor has required them. Memory that was
//! given back stays closed for a while, so that its address means nothing else.
//!
//! Whoever handles the fault asks [`find`] what lies at an address.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, Mutex, Once, OnceLock, PoisonError, RwLock, TryLockError};

use crate::command::lock;

/// What is checked of the bounds of memory (`ASPEN_CHECK`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bounds {
    /// Its end, to the byte.
    End,
    /// Its begin, to the byte.
    Begin,
}

/// What memory is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// A buffer of elements with that alignment.
    Buffer {
        /// In bytes.
        alignment: usize,
    },
    /// An allocation of USM.
    Usm,
    /// Local memory of work-groups.
    Local,
}

/// How memory may be accessed at the moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Opened {
    /// Not at all.
    Nothing = 0,
    /// It may be read.
    Reading = 1,
    /// It may be read and written.
    Writing = 2,
}

/// What lies at an address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Found {
    /// What the memory is for.
    pub purpose: Purpose,
    /// Where it begins.
    pub begin: usize,
    /// Its bytes.
    pub size: usize,
    /// How it may be accessed; `None` if it was given back.
    pub opened: Option<Opened>,
}

/// Bytes of a guard. As much as programs are likely to miss by; they cost addresses only.
const GUARD: usize = 1 << 20;
/// How much memory that was given back stays closed: so many allocations, of so many bytes of addresses together.
const GONE: usize = 4096;
const GONE_BYTES: usize = 1 << 40;

struct Region {
    length: usize,
    found: Found,
    opened: Arc<AtomicU8>,
}

static BOUNDS: OnceLock<Bounds> = OnceLock::new();
/// By where their first guard begins.
static REGIONS: RwLock<BTreeMap<usize, Region>> = RwLock::new(BTreeMap::new());
static CLOSED: Mutex<VecDeque<(usize, usize)>> = Mutex::new(VecDeque::new());

/// Gives memory guards from now on.
pub fn start(bounds: Bounds) {
    let _first = BOUNDS.set(bounds);
}

/// Whether memory has guards.
pub fn is_on() -> bool {
    BOUNDS.get().is_some()
}

/// The alignment that memory of `size` bytes needs for whatever it may be an array of, up to `most`: what divides the size.
pub fn natural_alignment(size: usize, most: usize) -> usize {
    if size == 0 { most } else { (1 << size.trailing_zeros().min(usize::BITS - 2)).min(most) }
}

/// What lies at the address, or would lie there were it not out of bounds. For handlers of signals: it takes no lock that is not free.
pub fn find(address: usize) -> Option<Found> {
    // Who has it gives it back soon: nothing of this program's runs under it.
    for _ in 0..1_000_000 {
        let regions = match REGIONS.try_read() {
            Ok(regions) => regions,
            Err(TryLockError::Poisoned(regions)) => regions.into_inner(),
            Err(TryLockError::WouldBlock) => {
                std::hint::spin_loop();
                continue;
            }
        };
        let (begin, region) = regions.range(..=address).next_back()?;
        if address - begin >= region.length {
            return None;
        }
        let opened = region.found.opened.map(|_| match region.opened.load(Ordering::Relaxed) {
            0 => Opened::Nothing,
            1 => Opened::Reading,
            _ => Opened::Writing,
        });
        return Some(Found { opened, ..region.found });
    }
    None
}

/// Memory with guards.
#[derive(Debug)]
pub struct Guarded {
    whole: usize,
    length: usize,
    memory: NonNull<u8>,
    /// Where the pages between the guards begin, and their bytes.
    pages: (usize, usize),
    opened: Arc<AtomicU8>,
    users: Mutex<Users>,
}

#[derive(Default, Debug)]
struct Users {
    readers: usize,
    writers: usize,
}

// SAFETY: the pointer is only handed out; the rest is numbers, an atomic and what is behind a mutex.
unsafe impl Send for Guarded {}
// SAFETY: as above.
unsafe impl Sync for Guarded {}

impl Guarded {
    /// `size` bytes of zeroes that may be read and written, at a multiple of `alignment`, which is a power of two. `None` if memory has no guards
    /// or the system has no more room for such.
    pub fn new(purpose: Purpose, size: usize, alignment: usize) -> Option<Guarded> {
        let bounds = *BOUNDS.get()?;
        let made = Guarded::map(bounds, purpose, size, alignment);
        if let Err(why) = &made {
            static TOLD: Once = Once::new();
            TOLD.call_once(|| eprintln!("aspen: ASPEN_CHECK: the bounds of some memory are not checked: {why}"));
        }
        made.ok()
    }

    fn map(bounds: Bounds, purpose: Purpose, size: usize, alignment: usize) -> io::Result<Guarded> {
        let page = page();
        // A zero-sized one has no byte that may be accessed, but is somewhere.
        let alignment = alignment.max(1);
        let around = alignment.saturating_sub(page);
        let too_large = || io::Error::from(io::ErrorKind::OutOfMemory);
        let inner = size.checked_next_multiple_of(page).and_then(|inner| inner.checked_add(around)).ok_or_else(too_large)?;
        let length = inner.checked_add(2 * GUARD).ok_or_else(too_large)?;
        if REGIONS.read().unwrap_or_else(PoisonError::into_inner).len() >= most_regions() {
            return Err(io::Error::other(format!(
                "there are {} allocations, and vm.max_map_count bounds how many can have guards",
                most_regions()
            )));
        }
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: a new mapping.
        let whole = unsafe { libc::mmap(ptr::null_mut(), length, libc::PROT_NONE, flags, -1, 0) };
        if whole == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let whole = whole as usize;
        let memory = match bounds {
            Bounds::End => (whole + GUARD + inner - size) / alignment * alignment,
            Bounds::Begin => (whole + GUARD).next_multiple_of(alignment),
        };
        let first = memory / page * page;
        let pages = (first, (memory + size).next_multiple_of(page) - first);
        let opened = Arc::new(AtomicU8::new(Opened::Nothing as u8));
        let memory = NonNull::new(memory as *mut u8).ok_or_else(too_large)?;
        let made = Guarded { whole, length, memory, pages, opened: opened.clone(), users: Mutex::default() };
        let found = Found { purpose, begin: memory.as_ptr() as usize, size, opened: Some(Opened::Nothing) };
        REGIONS.write().unwrap_or_else(PoisonError::into_inner).insert(whole, Region { length, found, opened });
        // Here the system says whether it has so much memory; it does not take it back when the pages are closed.
        made.protect(Opened::Writing)?;
        Ok(made)
    }

    /// Where the data begins.
    pub fn memory(&self) -> NonNull<u8> {
        self.memory
    }

    /// Lets memory be accessed by those only who call [`Guarded::open`].
    pub(crate) fn close_pages(&self) {
        let users = lock(&self.users);
        self.show(&users);
    }

    /// Lets somebody read, and write if that is said, until the same is closed.
    pub(crate) fn open(&self, writes: bool) {
        let mut users = lock(&self.users);
        *(if writes { &mut users.writers } else { &mut users.readers }) += 1;
        self.show(&users);
    }

    /// Ends what [`Guarded::open`] began.
    pub(crate) fn close(&self, writes: bool) {
        let mut users = lock(&self.users);
        let count = if writes { &mut users.writers } else { &mut users.readers };
        *count = count.saturating_sub(1);
        self.show(&users);
    }

    fn show(&self, users: &Users) {
        let opened = match users {
            Users { writers: 1.., .. } => Opened::Writing,
            Users { readers: 1.., .. } => Opened::Reading,
            _ => Opened::Nothing,
        };
        if self.opened.load(Ordering::Relaxed) != opened as u8 {
            // Out of mappings it stays open, and is not checked.
            let _open = self.protect(opened).or_else(|_| self.protect(Opened::Writing));
        }
    }

    fn protect(&self, opened: Opened) -> io::Result<()> {
        let how = match opened {
            Opened::Nothing => libc::PROT_NONE,
            Opened::Reading => libc::PROT_READ,
            Opened::Writing => libc::PROT_READ | libc::PROT_WRITE,
        };
        // SAFETY: pages of this mapping.
        if self.pages.1 > 0 && unsafe { libc::mprotect(self.pages.0 as *mut libc::c_void, self.pages.1, how) } != 0 {
            return Err(io::Error::last_os_error());
        }
        self.opened.store(opened as u8, Ordering::Relaxed);
        Ok(())
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED;
        // SAFETY: this mapping, which nobody uses any more; its pages go back to the system, its addresses stay taken.
        let kept = unsafe { libc::mmap(self.whole as *mut libc::c_void, self.length, libc::PROT_NONE, flags, -1, 0) };
        if kept == libc::MAP_FAILED {
            forget(self.whole, self.length);
            return;
        }
        if let Some(region) = REGIONS.write().unwrap_or_else(PoisonError::into_inner).get_mut(&self.whole) {
            region.found.opened = None;
        }
        let mut closed = lock(&CLOSED);
        closed.push_back((self.whole, self.length));
        let mut gone = Vec::new();
        while closed.len() > GONE || closed.iter().map(|(_, length)| length).sum::<usize>() > GONE_BYTES {
            gone.extend(closed.pop_front());
        }
        drop(closed);
        for (whole, length) in gone {
            forget(whole, length);
        }
    }
}

/// Memory that is handed out by address.
static BY_ADDRESS: Mutex<BTreeMap<usize, Guarded>> = Mutex::new(BTreeMap::new());

/// [`Guarded::new`] for whoever keeps the address only.
pub fn allocate(purpose: Purpose, size: usize, alignment: usize) -> Option<NonNull<u8>> {
    let made = Guarded::new(purpose, size, alignment)?;
    let memory = made.memory();
    lock(&BY_ADDRESS).insert(memory.as_ptr() as usize, made);
    Some(memory)
}

/// Gives back what [`allocate`] gave; whether it did.
pub fn free(memory: NonNull<u8>) -> bool {
    is_on() && lock(&BY_ADDRESS).remove(&(memory.as_ptr() as usize)).is_some()
}

fn forget(whole: usize, length: usize) {
    REGIONS.write().unwrap_or_else(PoisonError::into_inner).remove(&whole);
    // SAFETY: a mapping of this module's, which nobody uses any more.
    unsafe { libc::munmap(whole as *mut libc::c_void, length) };
}

/// Each takes up to three mappings, and half of what there is stays for others. Those that were given back are one with their neighbours.
fn most_regions() -> usize {
    static MOST: OnceLock<usize> = OnceLock::new();
    *MOST.get_or_init(|| {
        let text = std::fs::read_to_string("/proc/sys/vm/max_map_count").unwrap_or_default();
        text.trim().parse().unwrap_or(65_530) / 6 + GONE
    })
}

fn page() -> usize {
    static PAGE: OnceLock<usize> = OnceLock::new();
    // SAFETY: `sysconf` only looks the number up.
    *PAGE.get_or_init(|| usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096))
}

/// Whether a mistake was told already; what follows from it is not worth a word.
pub fn tell_once() -> bool {
    static TOLD: AtomicBool = AtomicBool::new(false);
    !TOLD.swap(true, Ordering::Relaxed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at_end(size: usize, alignment: usize) -> Guarded {
        Guarded::map(Bounds::End, Purpose::Buffer { alignment }, size, alignment).expect("little memory")
    }

    #[test]
    fn data_ends_or_begins_at_a_guard() {
        for (size, alignment) in [(0, 1), (1, 1), (400, 4), (4096, 128), (4100, 4), (3, 8192), (100_000, 1 << 16)] {
            let made = at_end(size, alignment);
            let begin = made.memory().as_ptr() as usize;
            assert_eq!(begin % alignment, 0);
            let slack = (made.pages.0 + made.pages.1) - (begin + size);
            assert!(slack < alignment.min(page()), "{size} {alignment}: {slack}");
            // SAFETY: `size` bytes of this mapping.
            let bytes = unsafe { std::slice::from_raw_parts_mut(begin as *mut u8, size) };
            assert!(bytes.iter().all(|byte| *byte == 0));
            bytes.fill(1);
            let other = Guarded::map(Bounds::Begin, Purpose::Usm, size, alignment).expect("little memory");
            assert_eq!(other.memory().as_ptr() as usize, other.pages.0);
        }
    }

    #[test]
    fn what_lies_at_an_address_is_known_in_the_guards_and_after_the_end() {
        let made = at_end(400, 4);
        let begin = made.memory().as_ptr() as usize;
        let expected = Found { purpose: Purpose::Buffer { alignment: 4 }, begin, size: 400, opened: Some(Opened::Writing) };
        assert_eq!([find(begin), find(begin + 400), find(begin + 399 + GUARD), find(begin - 8000)], [Some(expected); 4]);
        assert!(find(begin + 400 + GUARD).is_none_or(|found| found.begin != begin));
        let opened = |made: &Guarded| find(made.memory().as_ptr() as usize).expect("there").opened;
        made.close_pages();
        assert_eq!(opened(&made), Some(Opened::Nothing));
        made.open(false);
        made.open(true);
        made.close(true);
        assert_eq!(opened(&made), Some(Opened::Reading));
        made.close(false);
        assert_eq!(opened(&made), Some(Opened::Nothing));
        drop(made);
        assert_eq!(find(begin), Some(Found { opened: None, ..expected }));
    }

    #[test]
    fn alignment_follows_the_size() {
        assert_eq!([404, 416, 1, 4096, 0].map(|size| natural_alignment(size, 128)), [4, 32, 1, 128, 128]);
    }
}
