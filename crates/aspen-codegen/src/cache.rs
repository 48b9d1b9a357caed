//! Results of ahead-of-time compilers by content, so that what has not changed is not compiled again.
//!
//! A courtesy: what cannot be read is compiled, and what cannot be written is not kept. An entry begins with the hash of its image, so a
//! damaged one is no entry.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Entries beyond this make room: those go that were not used for longest. A thousand kernels for ten targets must be far below it, or each
/// build would throw out what the next one needs.
const MAX_ENTRIES: usize = 1 << 17;

/// Bytes beyond this make room, too.
const MAX_BYTES: u64 = 4 << 30;

/// How many entries are written, about, until they are counted again: listing a full folder takes as long as compiling a small image.
const COUNT_AFTER: u8 = 128;

/// Rewritten whenever a shared library is installed or replaced, and with the compiler's libraries its results change.
const LIBRARIES: &str = "/etc/ld.so.cache";

/// A folder of results.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cache {
    folder: PathBuf,
}

/// What a result depends on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Key(String);

impl Cache {
    /// In that folder, which need not be there yet.
    pub fn new(folder: PathBuf) -> Cache {
        Cache { folder }
    }

    /// The key of what a compiler makes of a module: its file (found as the system finds it), its options, the libraries, the module.
    /// `None` if the compiler is not to be found; running it says why.
    pub(crate) fn key(&self, compiler: &Path, options: &[String], module: &[u8]) -> Option<Key> {
        let file = fs::canonicalize(located(compiler)?).ok()?;
        let mut hasher = blake3::Hasher::new();
        let mut part = |bytes: &[u8]| {
            hasher.update(&(bytes.len() as u64).to_le_bytes());
            hasher.update(bytes);
        };
        part(b"aspen ahead of time 1");
        part(file.as_os_str().as_encoded_bytes());
        for path in [file.as_path(), Path::new(LIBRARIES)] {
            // A system without that list of libraries has no stamp of it.
            let stamp = fs::metadata(path).map(|found| (found.len(), found.mtime(), found.mtime_nsec())).unwrap_or_default();
            part(format!("{stamp:?}").as_bytes());
        }
        part(&(options.len() as u64).to_le_bytes());
        options.iter().for_each(|option| part(option.as_bytes()));
        part(module);
        Some(Key(hasher.finalize().to_hex().to_string()))
    }

    /// The image under the key.
    pub(crate) fn load(&self, key: &Key) -> Option<Vec<u8>> {
        let mut file = File::open(self.folder.join(&key.0)).ok()?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).ok()?;
        let image = bytes.split_off_checked(blake3::OUT_LEN)?;
        let found = (blake3::hash(&image).as_bytes() == bytes.as_slice()).then_some(image)?;
        // In a folder of another user's it stays as old as it is.
        let _ = file.set_modified(SystemTime::now());
        Some(found)
    }

    /// Keeps an image. Others may read and write the folder at the same time.
    pub(crate) fn store(&self, key: &Key, image: &[u8]) {
        let write = || -> std::io::Result<()> {
            fs::create_dir_all(&self.folder)?;
            let mut file = tempfile::NamedTempFile::new_in(&self.folder)?;
            file.write_all(blake3::hash(image).as_bytes())?;
            file.write_all(image)?;
            file.persist(self.folder.join(&key.0))?;
            // Keys are hashes, so their beginnings are as good as chance.
            if u8::from_str_radix(&key.0[..2], 16).is_ok_and(|chance| chance % COUNT_AFTER == 0) {
                self.make_room(MAX_ENTRIES, MAX_BYTES)
            } else {
                Ok(())
            }
        };
        // See above: a courtesy.
        drop(write());
    }

    fn make_room(&self, most: usize, bytes: u64) -> std::io::Result<()> {
        // Other runs may remove some at the same time.
        let found = fs::read_dir(&self.folder)?.flatten().filter_map(|entry| {
            let about = entry.metadata().ok()?;
            Some((about.modified().ok()?, about.len(), entry.path()))
        });
        let mut entries: Vec<(SystemTime, u64, PathBuf)> = found.collect();
        let (mut count, mut total) = (entries.len(), entries.iter().map(|(_, bytes, _)| bytes).sum::<u64>());
        if count > most || total > bytes {
            entries.sort();
            for (_, size, path) in &entries {
                if count <= most * 3 / 4 && total <= bytes / 4 * 3 {
                    break;
                }
                let _ = fs::remove_file(path);
                (count, total) = (count - 1, total - size);
            }
        }
        Ok(())
    }
}

/// The file that running the compiler would run.
fn located(compiler: &Path) -> Option<PathBuf> {
    if compiler.components().count() > 1 {
        return Some(compiler.to_owned());
    }
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(compiler)).find(|file| file.is_file())
}

/// `Vec::split_off` that does not panic.
trait SplitOff {
    fn split_off_checked(&mut self, at: usize) -> Option<Vec<u8>>;
}

impl SplitOff for Vec<u8> {
    fn split_off_checked(&mut self, at: usize) -> Option<Vec<u8>> {
        (self.len() >= at).then(|| self.split_off(at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(cache: &Cache, options: &[&str], module: &[u8]) -> Key {
        let options: Vec<String> = options.iter().map(|option| (*option).to_owned()).collect();
        cache.key(Path::new("sh"), &options, module).expect("there is a shell")
    }

    #[test]
    fn keys_tell_everything_apart() {
        let cache = Cache::new("unused".into());
        let keys = [
            key(&cache, &["-a", "b"], b"module"),
            key(&cache, &["-a b"], b"module"),
            key(&cache, &["-ab"], b"module"),
            key(&cache, &["-a"], b"bmodule"),
            key(&cache, &["-a", "b"], b"other"),
            cache.key(Path::new("cat"), &["-a".to_owned(), "b".to_owned()], b"module").expect("there is a cat"),
        ];
        for (at, one) in keys.iter().enumerate() {
            assert!(keys[at + 1..].iter().all(|other| other != one), "{at}");
        }
        assert_eq!(keys[0], key(&cache, &["-a", "b"], b"module"));
        assert_eq!(cache.key(Path::new("no-such-compiler"), &[], b""), None);
    }

    #[test]
    fn entries_come_back_unless_they_are_damaged() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let cache = Cache::new(folder.path().join("deep/er"));
        let key = key(&cache, &[], b"module");
        assert_eq!(cache.load(&key), None);
        cache.store(&key, b"image");
        assert_eq!(cache.load(&key).as_deref(), Some(&b"image"[..]));
        let file = folder.path().join("deep/er").join(&key.0);
        let whole = fs::read(&file).expect("it was written");
        for damaged in [&whole[..whole.len() - 1], &whole[..7], b""] {
            fs::write(&file, damaged).expect("writable");
            assert_eq!(cache.load(&key), None);
        }
        let nowhere = Cache::new("/dev/null/folder".into());
        nowhere.store(&key, b"image");
        assert_eq!(nowhere.load(&key), None);
    }

    #[test]
    fn what_is_not_used_makes_room() {
        const MOST: usize = 40;
        let folder = tempfile::tempdir().expect("a temporary folder");
        let cache = Cache::new(folder.path().into());
        let (used, unused) = (key(&cache, &[], b"used"), key(&cache, &[], b"unused"));
        let long_ago = SystemTime::now() - std::time::Duration::from_secs(1000);
        for key in [&used, &unused] {
            cache.store(key, b"image");
            File::open(folder.path().join(&key.0)).and_then(|file| file.set_modified(long_ago)).expect("ours");
        }
        for number in 2..MOST {
            let file = File::create(folder.path().join(format!("old{number}"))).expect("writable");
            file.set_modified(long_ago + std::time::Duration::from_secs(number as u64)).expect("ours");
        }
        assert!(cache.load(&used).is_some());
        cache.make_room(MOST, MAX_BYTES).expect("readable");
        assert_eq!(fs::read_dir(folder.path()).expect("readable").count(), MOST, "there is room enough");
        cache.store(&key(&cache, &[], b"new"), b"image");
        cache.make_room(MOST, MAX_BYTES).expect("readable");
        assert_eq!(fs::read_dir(folder.path()).expect("readable").count(), MOST * 3 / 4);
        assert_eq!((cache.load(&used).is_some(), cache.load(&unused)), (true, None));
        cache.make_room(MOST, 100).expect("readable");
        assert!(cache.load(&used).is_some(), "75 bytes, and an entry of five has 37");
        let left = fs::read_dir(folder.path()).expect("readable").flatten().map(|entry| entry.metadata().expect("ours").len());
        assert!(left.sum::<u64>() <= 100);
    }
}
