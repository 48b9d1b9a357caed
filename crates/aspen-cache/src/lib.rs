//! What is kept between runs and can be made again: results of compilers by content.
//!
//! [`Folder`] is a cache on this machine, which any number of processes share. [`Remote`] is a store that machines share behind it;
//! who talks to that store is a program of its own ([`protocol`]), so that nothing here, and so not the runtime either, links what
//! networks need.
//!
//! All of it is a courtesy: what cannot be read is made again, what cannot be written is not kept, and a store that is slow, wrong or gone
//! costs a bounded time and never a result. Source: issue 6 "JIT cache"; issue 17 "Shared caches"; docs/decisions/0045.

mod entry;
mod folder;
pub mod program;
pub mod protocol;
mod remote;
mod secret;
mod size;

use std::ffi::OsString;

pub use folder::{Folder, Rules};
pub use remote::{Part, Remote, Settings};
pub use size::{DEFAULT_LIMIT_BYTES, SIZES, size_in_bytes};

/// The environment's variables whose names begin so, sorted, as parts of a [`Key`]: they configure what makes the entry.
pub fn variables(beginnings: &[&str]) -> Vec<String> {
    let wanted = |name: &OsString| beginnings.iter().any(|beginning| name.to_string_lossy().starts_with(beginning));
    let found = std::env::vars_os().filter(|(name, _)| wanted(name));
    let mut words: Vec<String> = found.map(|(name, value)| format!("{}={}", name.display(), value.display())).collect();
    words.sort();
    words
}

/// What an entry depends on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Key(blake3::Hash);

impl Key {
    /// The key of these parts in that order.
    pub fn new<'p>(parts: impl IntoIterator<Item = &'p [u8]>) -> Key {
        let mut hasher = blake3::Hasher::new();
        for part in parts {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
        Key(hasher.finalize())
    }

    /// Its 64 letters, which are the name of its entry.
    pub fn name(&self) -> String {
        self.0.to_hex().to_string()
    }

    fn bytes(&self) -> &[u8; blake3::OUT_LEN] {
        self.0.as_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_tell_parts_apart() {
        let keys = [
            Key::new([b"ab".as_slice(), b"c"]),
            Key::new([b"a".as_slice(), b"bc"]),
            Key::new([b"abc".as_slice()]),
            Key::new([b"abc".as_slice(), b""]),
        ];
        for (at, one) in keys.iter().enumerate() {
            assert!(keys[at + 1..].iter().all(|other| other != one), "{at}");
        }
    }
}
