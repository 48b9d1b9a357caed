//! What came of checks, by (kernel, device). A warm launch finds its kernel here and nowhere else, so this is the way that must be short.
//!
//! The key is where the strings of the launch lie: they are literals of the launching module, so the same launch always has the same. As
//! other strings may lie there later, a hit counts only if the texts are equal too.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use super::{Admitted, KernelKey};
use crate::error::Error;
use crate::system::Device;

/// A verdict, and the loaded kernel once somebody launched it.
pub(super) struct Verdict {
    tag: String,
    symbol: String,
    generation: u64,
    /// Why the kernel may not run.
    pub(super) refused: Option<Error>,
    pub(super) admitted: OnceLock<Arc<Admitted>>,
}

/// Programs have fewer kernels; whoever asks with ever new strings must not fill the memory.
const MOST: usize = 1 << 17;

/// Device, module, and the addresses of tag and symbol.
type Key = [usize; 4];

/// Mixes addresses; nobody outside chooses them, so no more is needed.
#[derive(Default)]
pub(super) struct Mix(u64);

impl Hasher for Mix {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(23) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }

    fn write_usize(&mut self, word: usize) {
        self.write_u64(word as u64);
    }
}

type Table = HashMap<Key, Arc<Verdict>, BuildHasherDefault<Mix>>;

/// Verdicts that nobody finds any more. They may be the last to hold a kernel, whose device closes libraries then.
pub(super) struct Forgotten {
    _table: Table,
}

/// The verdicts on today's modules.
pub(super) struct Verdicts {
    table: OnceLock<RwLock<Table>>,
    /// How often modules have come and gone.
    generation: AtomicU64,
}

impl Verdicts {
    pub(super) const fn new() -> Verdicts {
        Verdicts { table: OnceLock::new(), generation: AtomicU64::new(0) }
    }

    fn table(&self) -> &RwLock<Table> {
        self.table.get_or_init(RwLock::default)
    }

    pub(super) fn find(&self, device: &'static Device, key: KernelKey<'_>) -> Option<Arc<Verdict>> {
        self.look(device, key.module, key.tag.as_bytes(), key.symbol.as_bytes(), Arc::clone)
    }

    /// What `what` says of the verdict: whoever needs no more than that saves counting who holds it. Strings are bytes here, so that those of
    /// a warm check need not be found to be UTF-8 first: what is known was.
    pub(super) fn look<T>(
        &self,
        device: &'static Device,
        module: usize,
        tag: &[u8],
        symbol: &[u8],
        what: impl FnOnce(&Arc<Verdict>) -> T,
    ) -> Option<T> {
        let table = self.table().read().unwrap_or_else(PoisonError::into_inner);
        let known = table.get(&addresses(device, module, tag, symbol))?;
        (known.tag.as_bytes() == tag && known.symbol.as_bytes() == symbol).then(|| what(known))
    }

    /// The caller holds the registry's lock, so that the verdict is of today's modules; what was known before is dropped after it.
    pub(super) fn remember(&self, device: &'static Device, key: KernelKey<'_>, refused: Option<Error>) -> (Arc<Verdict>, Forgotten) {
        let generation = self.generation.load(Ordering::Acquire);
        let (tag, symbol) = (key.tag.to_owned(), key.symbol.to_owned());
        let verdict = Arc::new(Verdict { tag, symbol, generation, refused, admitted: OnceLock::new() });
        let mut table = self.table().write().unwrap_or_else(PoisonError::into_inner);
        let mut forgotten = if table.len() >= MOST { std::mem::take(&mut *table) } else { Table::default() };
        let place = addresses(device, key.module, key.tag.as_bytes(), key.symbol.as_bytes());
        if let Some(old) = table.insert(place, verdict.clone()) {
            forgotten.insert(place, old);
        }
        (verdict, Forgotten { _table: forgotten })
    }

    /// Whether no module has come or gone since. The caller holds the registry's lock.
    pub(super) fn is_current(&self, verdict: &Verdict) -> bool {
        verdict.generation == self.generation.load(Ordering::Acquire)
    }

    /// Forgets all. The caller holds the registry's lock for writing, and drops what comes back after it.
    pub(super) fn clear(&self) -> Forgotten {
        self.generation.fetch_add(1, Ordering::AcqRel);
        let table = self.table.get().map(|table| std::mem::take(&mut *table.write().unwrap_or_else(PoisonError::into_inner)));
        Forgotten { _table: table.unwrap_or_default() }
    }
}

fn addresses(device: &'static Device, module: usize, tag: &[u8], symbol: &[u8]) -> Key {
    [ptr::from_ref(device) as usize, module, tag.as_ptr() as usize, symbol.as_ptr() as usize]
}
