//! Memory that programs free while commands still run. SYCL forbids it, but with DPC++ it goes well: OpenCL's and CUDA's free wait, Level
//! Zero's defers. Here memory of devices that share the host's is given back when all commands that were there before have ended.
//!
//! By epochs: a command belongs to that in which it was made, and an epoch begins when all commands of the one before the last have ended.
//! What was freed in an epoch is given back two epochs later. Three counts suffice, since commands are of the last two epochs only.

use std::alloc::Layout;
use std::collections::VecDeque;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::guarded;
use crate::system::Device;

/// A command that never ends keeps so many bytes at most; what was freed first is given back then.
const MOST_BYTES: usize = 256 << 20;

/// The commands of an epoch, by its remainder.
struct Epochs {
    now: AtomicUsize,
    commands: [AtomicUsize; 3],
}

static EPOCHS: Epochs = Epochs::new();
static RETIRED: Mutex<Retired<Memory>> = Mutex::new(Retired { bytes: 0, blocks: VecDeque::new() });
/// Whether there is any.
static IS_ANY: AtomicBool = AtomicBool::new(false);

impl Epochs {
    const fn new() -> Epochs {
        Epochs { now: AtomicUsize::new(1), commands: [const { AtomicUsize::new(0) }; 3] }
    }

    fn enter(&self) -> usize {
        loop {
            let epoch = self.now.load(SeqCst);
            self.commands[epoch % 3].fetch_add(1, SeqCst);
            // Otherwise nobody knows which epoch's count that is by now.
            if self.now.load(SeqCst) == epoch {
                return epoch;
            }
            self.commands[epoch % 3].fetch_sub(1, SeqCst);
        }
    }

    /// Whether it was the last of its epoch.
    fn leave(&self, epoch: usize) -> bool {
        self.commands[epoch % 3].fetch_sub(1, SeqCst) == 1
    }

    /// Begins the next epoch if all commands of the one before this have ended. By one thread at a time.
    fn advance(&self) -> bool {
        let now = self.now.load(SeqCst);
        let over = self.commands[(now - 1) % 3].load(SeqCst) == 0;
        if over {
            self.now.store(now + 1, SeqCst);
        }
        over
    }
}

/// What was freed, oldest first, with its epoch.
struct Retired<T> {
    bytes: usize,
    blocks: VecDeque<(usize, usize, T)>,
}

impl<T> Retired<T> {
    fn add(&mut self, epochs: &Epochs, bytes: usize, block: T) {
        self.bytes += bytes;
        self.blocks.push_back((epochs.now.load(SeqCst), bytes, block));
    }

    /// What nobody uses any more, and what is too much.
    fn take(&mut self, epochs: &Epochs) -> Vec<T> {
        let mut out = Vec::new();
        while let Some(&(epoch, bytes, _)) = self.blocks.front() {
            if epoch + 2 > epochs.now.load(SeqCst) && self.bytes <= MOST_BYTES && !epochs.advance() {
                break;
            }
            if epoch + 2 > epochs.now.load(SeqCst) && self.bytes <= MOST_BYTES {
                continue;
            }
            self.bytes -= bytes;
            out.extend(self.blocks.pop_front().map(|(.., block)| block));
        }
        out
    }
}

struct Memory {
    device: &'static Device,
    pointer: NonNull<u8>,
    layout: Layout,
}

// SAFETY: nobody but its owner knows the memory any more.
unsafe impl Send for Memory {}

/// A command that may use memory; it has ended when this is dropped.
pub(crate) struct Using(usize);

impl Using {
    pub(crate) fn new() -> Using {
        Using(EPOCHS.enter())
    }
}

impl Drop for Using {
    fn drop(&mut self) {
        if EPOCHS.leave(self.0) && IS_ANY.load(SeqCst) {
            give_back(|_| ());
        }
    }
}

/// Whether mistakes with memory are looked for, so that a use of what was freed must meet nothing that is there.
pub(crate) fn are_mistakes_told() -> bool {
    static IS_SANITIZED: OnceLock<bool> = OnceLock::new();
    // SAFETY: a name without a nul inside; nothing is called.
    guarded::is_on() || *IS_SANITIZED.get_or_init(|| unsafe { !libc::dlsym(libc::RTLD_DEFAULT, c"__asan_init".as_ptr()).is_null() })
}

/// Gives memory back when no command can use it any more: at once, if none is there.
///
/// # Safety
/// The device allocated it with that layout, and who frees it does not use it any more.
pub(crate) unsafe fn free(device: &'static Device, pointer: NonNull<u8>, layout: Layout) {
    give_back(|retired| retired.add(&EPOCHS, layout.size(), Memory { device, pointer, layout }));
}

fn give_back(first: impl FnOnce(&mut Retired<Memory>)) {
    let over = {
        let mut retired = RETIRED.lock().unwrap_or_else(PoisonError::into_inner);
        first(&mut retired);
        // Before the counts are read: a command that ends afterwards looks here.
        IS_ANY.store(true, SeqCst);
        let over = retired.take(&EPOCHS);
        IS_ANY.store(!retired.blocks.is_empty(), SeqCst);
        over
    };
    for Memory { device, pointer, layout } in over {
        // SAFETY: by the contract of `free`; the commands that could still use it have ended.
        unsafe { device.real().free(pointer, layout) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Steps: a letter begins a command, a capital one ends it; a digit is freed. What is given back after each step.
    fn check(steps: &str, expected: &str) {
        let epochs = Epochs::new();
        let mut retired = Retired { bytes: 0, blocks: VecDeque::new() };
        let mut running = std::collections::BTreeMap::new();
        let mut out = Vec::new();
        for step in steps.chars() {
            match step {
                'a'..='z' => assert!(running.insert(step, epochs.enter()).is_none()),
                'A'..='Z' => _ = epochs.leave(running.remove(&step.to_ascii_lowercase()).unwrap()),
                _ => retired.add(&epochs, if step == '9' { MOST_BYTES + 1 } else { 1 }, step),
            }
            out.push(retired.take(&epochs).into_iter().collect::<String>());
        }
        assert_eq!(out.join(","), expected, "{steps}");
    }

    #[test]
    fn memory_outlives_the_commands_before_it() {
        check("1", "1");
        check("a1A", ",,1");
        check("aA1", ",,1");
        // Later commands keep nothing back for ever.
        check("a1bAB", ",,,1,");
        check("a1b2Ac3BC", ",,,,1,,,2,3");
        check("abc1CBA", ",,,,,,1");
        // Too much is given back as it was freed.
        check("a9A", ",9,");
        check("a19A", ",,19,");
    }

    /// Beside a list of everything: nothing is given back while a command from before is there, and everything in the end.
    #[test]
    fn beside_a_list_of_what_was_there() {
        let mut random = 1u64;
        let mut next = |below: usize| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (random >> 33) as usize % below
        };
        for _ in 0..200 {
            let epochs = Epochs::new();
            let mut retired = Retired { bytes: 0, blocks: VecDeque::new() };
            let (mut running, mut freed) = (Vec::<(usize, usize)>::new(), Vec::<Vec<usize>>::new());
            let mut given = 0;
            for step in 0..200 {
                match next(4) {
                    0 | 1 => running.push((step, epochs.enter())),
                    2 if !running.is_empty() => _ = epochs.leave(running.swap_remove(next(running.len())).1),
                    _ => {
                        freed.push(running.iter().map(|(who, _)| *who).collect());
                        retired.add(&epochs, 1, freed.len() - 1);
                    }
                }
                for block in retired.take(&epochs) {
                    given += 1;
                    assert!(running.iter().all(|(who, _)| !freed[block].contains(who)));
                }
            }
            running.drain(..).for_each(|(_, epoch)| _ = epochs.leave(epoch));
            assert_eq!(given + retired.take(&epochs).len(), freed.len());
        }
    }
}
