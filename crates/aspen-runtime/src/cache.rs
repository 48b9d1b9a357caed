//! Compiled programs by content, in a folder that any number of processes share: the JIT cache.
//!
//! A courtesy: what cannot be read is compiled again, and what cannot be written is not kept. An entry begins with the hash of its key and
//! content, so one that is damaged, half written or another's under a wrong name is none. Entries appear by rename. What a driver gets
//! from here it runs, so a folder that others may write to is not used at all. When the folder holds more than its limit, the entries that
//! were not used for the longest time go. Source: issue 6 "JIT cache"; DESIGN §6.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

/// Bytes that a cache holds if the user does not say.
pub const DEFAULT_LIMIT_BYTES: u64 = 1 << 30;

/// The folder inside the user's cache folder.
const FOLDER: &str = "jit";
/// Begins an entry; another layout gets another one.
const MAGIC: &[u8; 8] = b"aspnjit1";
/// What a file is called until it is whole. Those that are left over from killed processes go after this time.
const UNFINISHED: &str = ".unfinished";
const LEFT_OVER: Duration = Duration::from_secs(600);

/// A folder of compiled programs.
#[derive(Debug)]
pub struct ProgramCache {
    folder: PathBuf,
    limit_bytes: u64,
    /// Whether the user named the folder, and so wants to know if it cannot be used.
    named: bool,
    usable: OnceLock<bool>,
}

/// What a program depends on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CacheKey(blake3::Hash);

impl CacheKey {
    /// The key of these parts in that order.
    pub fn new<'p>(parts: impl IntoIterator<Item = &'p [u8]>) -> CacheKey {
        let mut hasher = blake3::Hasher::new();
        for part in parts {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
        CacheKey(hasher.finalize())
    }

    fn seal(&self, content: &[u8]) -> blake3::Hash {
        let mut hasher = blake3::Hasher::new();
        hasher.update(self.0.as_bytes());
        hasher.update(content);
        hasher.finalize()
    }
}

impl ProgramCache {
    /// In that cache folder of the user's, which need not be there yet. `named`: the user asked for this folder.
    pub fn new(folder: &Path, limit_bytes: u64, named: bool) -> ProgramCache {
        ProgramCache { folder: folder.join(FOLDER), limit_bytes, named, usable: OnceLock::new() }
    }

    /// The program under the key.
    pub fn load(&self, key: &CacheKey) -> Option<Vec<u8>> {
        if !self.is_usable() {
            return None;
        }
        let path = self.path(key);
        let mut bytes = fs::read(&path).ok()?;
        let begin = MAGIC.len() + blake3::OUT_LEN;
        let whole = bytes.len() >= begin && bytes.starts_with(MAGIC) && bytes[MAGIC.len()..begin] == *key.seal(&bytes[begin..]).as_bytes();
        if !whole {
            tracing::warn!(file = %path.display(), "a damaged entry of the JIT cache is made again");
            return None;
        }
        // The time of the last use decides who goes first; a folder that cannot be written keeps the old one.
        let _ = File::options().append(true).open(&path).and_then(|file| file.set_modified(SystemTime::now()));
        bytes.drain(..begin);
        Some(bytes)
    }

    /// Keeps a program.
    pub fn store(&self, key: &CacheKey, content: &[u8]) {
        if !self.is_usable() {
            return;
        }
        if let Err(error) = self.write(key, content) {
            tracing::warn!(folder = %self.folder.display(), %error, "the JIT cache cannot keep a program");
        }
    }

    /// Forgets a program that its driver does not take any more.
    pub fn remove(&self, key: &CacheKey) {
        // Somebody else may have done so.
        let _ = fs::remove_file(self.path(key));
    }

    fn path(&self, key: &CacheKey) -> PathBuf {
        self.folder.join(key.0.to_hex().as_str())
    }

    fn write(&self, key: &CacheKey, content: &[u8]) -> io::Result<()> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let name = format!("{}.{}{UNFINISHED}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let unfinished = self.folder.join(name);
        let written = (|| {
            let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&unfinished)?;
            file.write_all(MAGIC)?;
            file.write_all(key.seal(content).as_bytes())?;
            file.write_all(content)?;
            drop(file);
            fs::rename(&unfinished, self.path(key))
        })();
        if written.is_err() {
            // Nothing is left of what does not fit.
            let _ = fs::remove_file(&unfinished);
        }
        written.and_then(|()| self.make_room())
    }

    fn make_room(&self) -> io::Result<()> {
        let (mut entries, mut total, now) = (Vec::new(), 0_u64, SystemTime::now());
        for entry in fs::read_dir(&self.folder)? {
            let entry = entry?;
            // Another process may have made room meanwhile.
            let Ok(found) = entry.metadata() else { continue };
            let used = found.modified()?;
            if entry.file_name().to_string_lossy().ends_with(UNFINISHED) {
                if now.duration_since(used).is_ok_and(|age| age > LEFT_OVER) {
                    let _ = fs::remove_file(entry.path());
                }
                continue;
            }
            total += found.len();
            entries.push((used, entry.path(), found.len()));
        }
        if total <= self.limit_bytes {
            return Ok(());
        }
        entries.sort();
        for (_, path, size) in entries {
            // Some more than must be, so that not every program makes room again.
            if total <= self.limit_bytes / 4 * 3 {
                break;
            }
            let _ = fs::remove_file(path);
            total -= size;
        }
        Ok(())
    }

    /// Whether the folder is there and only this user may write to it. Decided once.
    fn is_usable(&self) -> bool {
        *self.usable.get_or_init(|| match self.prepare() {
            Ok(()) => true,
            Err(why) => {
                let folder = self.folder.display();
                if self.named {
                    eprintln!("aspen: ASPEN_CACHE_DIR: programs are not kept in {folder}: {why}");
                } else {
                    tracing::warn!(%folder, why, "no JIT cache");
                }
                false
            }
        })
    }

    fn prepare(&self) -> Result<(), String> {
        let made = DirBuilder::new().recursive(true).mode(0o700).create(&self.folder);
        let found = fs::metadata(&self.folder).map_err(|error| made.err().unwrap_or(error).to_string())?;
        if !found.is_dir() {
            return Err("it is no folder".into());
        }
        // Whoever made the process may read its own environment; who it runs as is what `/proc/self` belongs to.
        let own = fs::metadata("/proc/self").map_err(|error| format!("/proc/self: {error}"))?.uid();
        if found.uid() != own {
            return Err(format!("it belongs to user {}, and what lies there would be run", found.uid()));
        }
        if found.mode() & 0o022 != 0 {
            return Err(format!("others may write to it (mode {:o}), and what lies there would be run", found.mode() & 0o777));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn key(number: u32) -> CacheKey {
        CacheKey::new([b"test".as_slice(), &number.to_le_bytes()])
    }

    fn cache(folder: &tempfile::TempDir, limit: u64) -> ProgramCache {
        ProgramCache::new(folder.path(), limit, false)
    }

    #[test]
    fn keys_tell_parts_apart() {
        let keys = [
            CacheKey::new([b"ab".as_slice(), b"c"]),
            CacheKey::new([b"a".as_slice(), b"bc"]),
            CacheKey::new([b"abc".as_slice()]),
            CacheKey::new([b"abc".as_slice(), b""]),
        ];
        for (at, one) in keys.iter().enumerate() {
            assert!(keys[at + 1..].iter().all(|other| other != one), "{at}");
        }
    }

    #[test]
    fn entries_come_back_unless_they_are_damaged_or_anothers() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let cache = cache(&folder, 1 << 20);
        assert_eq!(cache.load(&key(1)), None);
        cache.store(&key(1), b"one");
        cache.store(&key(2), b"");
        assert_eq!(cache.load(&key(1)).as_deref(), Some(&b"one"[..]));
        assert_eq!(cache.load(&key(2)).as_deref(), Some(&b""[..]));
        let path = cache.path(&key(1));
        let whole = fs::read(&path).expect("it was written");
        let mut flipped = whole.clone();
        *flipped.last_mut().expect("not empty") ^= 1;
        for damaged in [&whole[..whole.len() - 1], &whole[..20], b"", &flipped, &fs::read(cache.path(&key(2))).expect("written")] {
            fs::write(&path, damaged).expect("writable");
            assert_eq!(cache.load(&key(1)), None);
        }
        cache.store(&key(1), b"again");
        assert_eq!(cache.load(&key(1)).as_deref(), Some(&b"again"[..]));
        cache.remove(&key(1));
        assert_eq!(cache.load(&key(1)), None);
    }

    #[test]
    fn what_was_not_used_for_the_longest_time_goes_first() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let cache = cache(&folder, 10_000);
        let past = |seconds| SystemTime::now() - Duration::from_secs(seconds);
        for number in 0..9 {
            cache.store(&key(number), &[0; 1000]);
            let file = File::options().append(true).open(cache.path(&key(number))).expect("there");
            file.set_modified(past(1000 - u64::from(number))).expect("ours");
        }
        let left_over = cache.folder.join(format!("1.2{UNFINISHED}"));
        let fresh = cache.folder.join(format!("1.3{UNFINISHED}"));
        fs::write(&left_over, "x").expect("writable");
        fs::write(&fresh, "x").expect("writable");
        File::options().append(true).open(&left_over).expect("there").set_modified(past(3600)).expect("ours");
        assert!(cache.load(&key(0)).is_some(), "which is a use");
        cache.store(&key(9), &[0; 1000]);
        let kept: Vec<u32> = (0..10).filter(|number| cache.load(&key(*number)).is_some()).collect();
        assert_eq!(kept, [0, 4, 5, 6, 7, 8, 9]);
        assert!(!left_over.exists() && fresh.exists());
    }

    #[test]
    fn folders_that_cannot_be_used_cost_nothing() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("file");
        fs::write(&file, "x").expect("writable");
        let open = folder.path().join("open");
        fs::create_dir_all(open.join(FOLDER)).expect("a folder");
        fs::set_permissions(open.join(FOLDER), fs::Permissions::from_mode(0o777)).expect("ours");
        for unusable in [file, open, "/proc".into(), "/dev/null/folder".into()] {
            let cache = ProgramCache::new(&unusable, 1 << 20, false);
            cache.store(&key(1), b"one");
            assert_eq!(cache.load(&key(1)), None, "{}", unusable.display());
        }
    }

    #[test]
    #[ignore = "it needs root: it gives a folder to another user"]
    fn a_folder_of_somebody_else_is_not_used() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let other = folder.path().join("other");
        fs::create_dir_all(other.join(FOLDER)).expect("a folder");
        std::os::unix::fs::chown(other.join(FOLDER), Some(12345), None).expect("root may");
        let cache = ProgramCache::new(&other, 1 << 20, false);
        cache.store(&key(1), b"one");
        assert_eq!(fs::read_dir(other.join(FOLDER)).expect("readable").count(), 0);
    }

    #[test]
    fn a_folder_that_vanishes_costs_nothing() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let cache = cache(&folder, 1 << 20);
        cache.store(&key(1), b"one");
        fs::remove_dir_all(&cache.folder).expect("ours");
        cache.store(&key(1), b"one");
        assert_eq!(cache.load(&key(1)), None);
    }
}
