//! A folder of entries by content, that any number of processes share.
//!
//! An entry begins with the hash of its key and content, so one that is damaged, half written or another's under a wrong name is none.
//! Entries appear by rename. Where what is kept is run, a folder that others may write to is not used at all. When the folder holds more
//! than its limit, the entries that were not used for the longest time go. Source: issue 6 "JIT cache"; DESIGN §6.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use crate::Key;

/// Begins an entry; another layout gets another one.
const MAGIC: &[u8; 8] = b"aspnjit1";
/// What a file is called until it is whole. Those that are left over from killed processes go after this time.
const UNFINISHED: &str = ".unfinished";
const LEFT_OVER: Duration = Duration::from_secs(600);
/// Uses of an entry within this time count as one.
const USED_AGAIN: Duration = Duration::from_secs(60);

/// How a folder is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rules {
    /// The cache, for messages.
    pub what: &'static str,
    /// Bytes beyond this make room.
    pub limit_bytes: u64,
    /// Entries beyond this make room, too.
    pub limit_entries: usize,
    /// How many entries are written, about, until they are counted again: listing a full folder takes as long as compiling something small.
    pub count_after: u8,
    /// Whether what lies there is run as it is, so that nobody else may have a hand in it.
    pub private: bool,
}

/// A cache on this machine.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    rules: Rules,
    /// Whether the user named the folder, and so wants to know if it cannot be used.
    named: bool,
    usable: OnceLock<bool>,
}

fn seal(key: &Key, content: &[u8]) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    hasher.update(key.bytes());
    hasher.update(content);
    hasher.finalize()
}

impl Folder {
    /// That folder, which need not be there yet. `named`: the user asked for it.
    pub fn new(path: PathBuf, rules: Rules, named: bool) -> Folder {
        Folder { path, rules, named, usable: OnceLock::new() }
    }

    /// Where it is.
    pub fn location(&self) -> &Path {
        &self.path
    }

    /// Whether there seems to be an entry. [`Folder::load`] says whether it is whole.
    pub fn has(&self, key: &Key) -> bool {
        self.path(key).exists()
    }

    /// The content under the key.
    pub fn load(&self, key: &Key) -> Option<Vec<u8>> {
        if !self.is_usable() {
            return None;
        }
        let path = self.path(key);
        let mut file = File::open(&path).ok()?;
        let used = file.metadata().and_then(|found| found.modified()).ok()?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).ok()?;
        let begin = MAGIC.len() + blake3::OUT_LEN;
        let whole = bytes.len() >= begin && bytes.starts_with(MAGIC) && bytes[MAGIC.len()..begin] == *seal(key, &bytes[begin..]).as_bytes();
        if !whole {
            tracing::warn!(file = %path.display(), "a damaged entry of the {} is made again", self.rules.what);
            return None;
        }
        // The time of the last use decides who goes first, by and large; another user's entry keeps the old one.
        let now = SystemTime::now();
        if now.duration_since(used).map_or(true, |past| past > USED_AGAIN) {
            let _ = file.set_modified(now);
        }
        bytes.drain(..begin);
        Some(bytes)
    }

    /// Keeps it.
    pub fn store(&self, key: &Key, content: &[u8]) {
        if !self.is_usable() {
            return;
        }
        if let Err(error) = self.write(key, content) {
            tracing::warn!(folder = %self.path.display(), %error, "the {} cannot keep a program", self.rules.what);
        }
    }

    /// Forgets what is of no use any more.
    pub fn remove(&self, key: &Key) {
        // Somebody else may have done so.
        let _ = fs::remove_file(self.path(key));
    }

    fn path(&self, key: &Key) -> PathBuf {
        self.path.join(key.name())
    }

    fn write(&self, key: &Key, content: &[u8]) -> io::Result<()> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        // Containers that share a folder have processes of the same number.
        let time = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |time| time.as_nanos());
        let name = format!("{}.{}.{time}{UNFINISHED}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let unfinished = self.path.join(name);
        let mode = if self.rules.private { 0o600 } else { 0o666 };
        let mut file = OpenOptions::new().write(true).create_new(true).mode(mode).open(&unfinished)?;
        let written = (|| {
            file.write_all(MAGIC)?;
            file.write_all(seal(key, content).as_bytes())?;
            file.write_all(content)?;
            fs::rename(&unfinished, self.path(key))
        })();
        if written.is_err() {
            // Nothing is left of what does not fit.
            let _ = fs::remove_file(&unfinished);
        }
        written?;
        // Keys are hashes, so their beginnings are as good as chance.
        if key.bytes()[0].is_multiple_of(self.rules.count_after.max(1)) { self.make_room() } else { Ok(()) }
    }

    fn make_room(&self) -> io::Result<()> {
        let (mut entries, mut total, now) = (Vec::new(), 0_u64, SystemTime::now());
        for entry in fs::read_dir(&self.path)? {
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
        let Rules { limit_bytes, limit_entries, .. } = self.rules;
        let mut count = entries.len();
        if total <= limit_bytes && count <= limit_entries {
            return Ok(());
        }
        entries.sort();
        for (_, path, size) in entries {
            // Some more than must be, so that not every entry makes room again.
            if total <= limit_bytes / 4 * 3 && count <= limit_entries / 4 * 3 {
                break;
            }
            let _ = fs::remove_file(path);
            (total, count) = (total - size, count - 1);
        }
        Ok(())
    }

    /// Whether the folder is there and only this user may write to it. Decided once.
    fn is_usable(&self) -> bool {
        *self.usable.get_or_init(|| match self.prepare() {
            Ok(()) => true,
            Err(why) => {
                let folder = self.path.display();
                if self.named {
                    eprintln!("aspen: ASPEN_CACHE_DIR: programs are not kept in {folder}: {why}");
                } else {
                    tracing::warn!(%folder, why, "no {}", self.rules.what);
                }
                false
            }
        })
    }

    fn prepare(&self) -> Result<(), String> {
        // Whoever made the process may read its own environment; who it runs as is what `/proc/self` belongs to.
        let own = fs::metadata("/proc/self").map_err(|error| format!("/proc/self: {error}"))?.uid();
        self.prepare_for(own)
    }

    /// The same for the user of that number.
    fn prepare_for(&self, own: u32) -> Result<(), String> {
        let make = |folder: &Path, mode| DirBuilder::new().recursive(true).mode(mode).create(folder);
        // Folders above it are this user's affair; who may read a team's is for the umask to say. What fails above fails again below.
        let _ = self.path.parent().map(|above| make(above, 0o700));
        let made = make(&self.path, if self.rules.private { 0o700 } else { 0o777 });
        let found = fs::metadata(&self.path).map_err(|error| made.err().unwrap_or(error).to_string())?;
        if !found.is_dir() {
            return Err("it is no folder".into());
        }
        if !self.rules.private {
            return Ok(());
        }
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

    fn key(number: u32) -> Key {
        Key::new([b"test".as_slice(), &number.to_le_bytes()])
    }

    const PRIVATE: Rules = Rules { what: "test", limit_bytes: 1 << 20, limit_entries: usize::MAX, count_after: 1, private: true };

    fn cache(folder: &tempfile::TempDir, limit_bytes: u64) -> Folder {
        Folder::new(folder.path().join("jit"), Rules { limit_bytes, ..PRIVATE }, false)
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
        let left_over = cache.path.join(format!("1.2{UNFINISHED}"));
        let fresh = cache.path.join(format!("1.3{UNFINISHED}"));
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
        fs::create_dir_all(open.clone()).expect("a folder");
        fs::set_permissions(open.clone(), fs::Permissions::from_mode(0o777)).expect("ours");
        for unusable in [file, open, "/proc".into(), "/dev/null/folder".into()] {
            let cache = Folder::new(unusable.clone(), PRIVATE, false);
            cache.store(&key(1), b"one");
            assert_eq!(cache.load(&key(1)), None, "{}", unusable.display());
        }
    }

    /// Nobody but root may give a folder away; to somebody else, this user's is one of somebody else.
    #[test]
    fn a_folder_of_somebody_else_is_not_used() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (first, second) = (cache(&folder, 1 << 20), cache(&folder, 1 << 20));
        first.store(&key(1), b"one");
        let own = fs::metadata(folder.path()).expect("ours").uid();
        assert_eq!(second.prepare_for(own), Ok(()));
        let why = second.prepare_for(own + 1).expect_err("another user's");
        assert_eq!(why, format!("it belongs to user {own}, and what lies there would be run"));
        // What is refused is neither read nor written.
        assert_eq!(second.usable.set(false), Ok(()));
        second.store(&key(2), b"two");
        assert_eq!((second.load(&key(1)), first.load(&key(2))), (None, None));
    }

    #[test]
    fn a_folder_that_vanishes_costs_nothing() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let cache = cache(&folder, 1 << 20);
        cache.store(&key(1), b"one");
        fs::remove_dir_all(&cache.path).expect("ours");
        cache.store(&key(1), b"one");
        assert_eq!(cache.load(&key(1)), None);
    }

    #[test]
    fn only_a_teams_entries_are_for_others() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        // What this process's umask leaves of a new file's and a new folder's mode.
        let plain = folder.path().join("plain");
        fs::create_dir(&plain).expect("writable");
        fs::write(plain.join("file"), "").expect("writable");
        let mode = |path: PathBuf| fs::metadata(path).expect("it is there").mode() & 0o777;
        let left = (mode(plain.clone()), mode(plain.join("file")));
        for (private, expected) in [(true, (0o700, 0o600)), (false, left)] {
            let above = folder.path().join(format!("above-{private}"));
            let cache = Folder::new(above.join("cache"), Rules { private, ..PRIVATE }, false);
            cache.store(&key(1), b"one");
            assert_eq!((mode(cache.path.clone()), mode(cache.path(&key(1)))), expected, "{private}");
            assert_eq!(mode(above), 0o700, "{private}");
        }
    }

    #[test]
    fn entries_are_counted_too_and_others_folders_may_be_shared() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o777)).expect("ours");
        let cache = Folder::new(folder.path().into(), Rules { limit_entries: 8, private: false, ..PRIVATE }, false);
        for number in 0..9 {
            cache.store(&key(number), b"x");
            let file = File::options().append(true).open(cache.path(&key(number)));
            file.and_then(|file| file.set_modified(SystemTime::now() - Duration::from_secs(100 - u64::from(number)))).ok();
        }
        let kept: Vec<u32> = (0..9).filter(|number| cache.has(&key(*number))).collect();
        assert_eq!(kept, [3, 4, 5, 6, 7, 8]);
    }
}
