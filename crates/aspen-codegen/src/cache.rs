//! Results of ahead-of-time compilers by content, so that what has not changed is not compiled again: on this machine, and behind that in a
//! store that machines share, if the user names one.
//!
//! Here a compiler is known by the places and times of its file and libraries, elsewhere by what it consists of
//! ([`crate::compiler`]), so an entry has a name for either.

use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use aspen_cache::{Folder, Part, Remote, Rules, variables};

use crate::aot::Aot;
use crate::compiler;

/// A thousand kernels for ten targets must be far below that many entries, or each build would throw out what the next one needs.
/// What lies there goes into programs and is not run here, so a folder may be a team's.
const RULES: Rules = Rules { what: "ahead-of-time cache", limit_bytes: 4 << 30, limit_entries: 1 << 17, count_after: 128, private: false };

/// Rewritten whenever a shared library is installed or replaced, and with the compiler's libraries its results change.
const LIBRARIES: &str = "/etc/ld.so.cache";

/// Variables that compilers ask.
const CONFIGURES: [&str; 4] = ["IGC_", "NEO", "OCLOC_", "SYCL_IGC_"];

/// Where results are kept.
#[derive(Clone)]
pub struct Cache {
    folder: Arc<Folder>,
    remote: Option<Arc<Remote>>,
    /// Compilers, as they are called: looked at once, since folders of programs and libraries are large.
    compilers: Arc<Mutex<HashMap<PathBuf, Option<Known>>>>,
}

/// What is known of a compiler.
#[derive(Clone)]
struct Known {
    /// Places and times of its file and libraries.
    stamps: Vec<u8>,
    /// What it consists of; `None` if that cannot be told, or nobody asks.
    identity: Option<blake3::Hash>,
}

/// What a result depends on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Key {
    here: aspen_cache::Key,
    /// `None` if it is not shared.
    anywhere: Option<aspen_cache::Key>,
}

/// Whose code it is: a release of this program with its libraries, LLVM above all.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct CodeOf(Vec<u8>);

impl CodeOf {
    /// The program in that file, as it is now, with the LLVM that this process has loaded; `None` if the file is not there any more.
    pub(crate) fn program(file: &Path) -> Option<CodeOf> {
        fs::metadata(file).ok()?;
        let maps = fs::read_to_string("/proc/self/maps").unwrap_or_default();
        let files = maps.lines().filter_map(|line| line.find('/').map(|at| Path::new(&line[at..])));
        let llvm: BTreeSet<&Path> =
            files.filter(|file| file.file_name().is_some_and(|name| name.to_string_lossy().starts_with("libLLVM"))).collect();
        let mut stamps = [env!("CARGO_PKG_VERSION").as_bytes(), &[0], &stamps(file)].concat();
        for file in llvm {
            stamps.extend([&[0], file.as_os_str().as_encoded_bytes(), &[0], stamp(file).as_bytes()].concat());
        }
        Some(CodeOf(stamps))
    }

    fn key(&self, job: &blake3::Hash) -> aspen_cache::Key {
        aspen_cache::Key::new([b"aspen code 1".as_slice(), &self.0, job.as_bytes()])
    }
}

impl Cache {
    /// In that folder, which need not be there yet, and in that store.
    pub fn new(folder: PathBuf, remote: Option<Arc<Remote>>) -> Cache {
        Cache { folder: Arc::new(Folder::new(folder, RULES, false)), remote, compilers: Arc::default() }
    }

    /// The key of what a compiler makes of a module: its file (found as the system finds it), its options, the libraries, the module.
    /// `None` if the compiler is not to be found; running it says why.
    pub(crate) fn key(&self, compiler: &Path, options: &[String], module: &[u8]) -> Option<Key> {
        let Known { stamps, identity } = self.compiler(compiler)?;
        let count = options.len().to_le_bytes();
        let variables = variables(&CONFIGURES);
        // The number keeps options and variables apart.
        let rest = || [count.as_slice()].into_iter().chain(options.iter().chain(&variables).map(String::as_bytes)).chain([module]);
        let here = [b"aspen ahead of time 3".as_slice(), &stamps].into_iter().chain(rest());
        let anywhere = identity.map(|identity| {
            let parts = [b"aspen ahead of time anywhere 2".as_slice(), identity.as_bytes()];
            aspen_cache::Key::new(parts.into_iter().chain(rest()))
        });
        Some(Key { here: aspen_cache::Key::new(here), anywhere })
    }

    /// A compiler, if it is to be found; what it consists of only where results are shared, since that reads all its libraries.
    fn compiler(&self, compiler: &Path) -> Option<Known> {
        let mut known = self.compilers.lock().unwrap_or_else(PoisonError::into_inner);
        let look = || {
            let file = fs::canonicalize(located(compiler)?).ok()?;
            let stamps = stamps(&file);
            let identity = self.remote.as_ref().and_then(|_| self.identity(&file, &stamps));
            Some(Known { stamps, identity })
        };
        known.entry(compiler.to_owned()).or_insert_with(look).clone()
    }

    fn identity(&self, file: &Path, stamps: &[u8]) -> Option<blake3::Hash> {
        let key = aspen_cache::Key::new([b"aspen compiler 2".as_slice(), stamps]);
        let kept = self.folder.load(&key).and_then(|bytes| Some(blake3::Hash::from_bytes(bytes.try_into().ok()?)));
        kept.or_else(|| {
            let made = compiler::identity(file).ok()?;
            self.folder.store(&key, made.as_bytes());
            Some(made)
        })
    }

    /// Whether results may come from other machines, so that asking for many at once is worth the while.
    pub(crate) fn is_shared(&self) -> bool {
        self.remote.is_some()
    }

    /// Fetches results of these runs (what runs, and its input) that are not here and that other machines made: all in one go, since each
    /// question to a store takes its time.
    pub fn fetch<'a>(&self, runs: impl Iterator<Item = (&'a Aot, &'a [u8])>) {
        let Some(remote) = &self.remote else { return };
        let keys = runs.filter_map(|(aot, input)| self.key(&aot.compiler, &aot.options, input));
        let missing: Vec<(aspen_cache::Key, aspen_cache::Key)> =
            keys.filter(|key| !self.folder.has(&key.here)).filter_map(|key| Some((key.here, key.anywhere?))).collect();
        let asked: Vec<_> = missing.iter().map(|(_, anywhere)| *anywhere).collect();
        for ((here, _), found) in missing.iter().zip(remote.get(Part::AheadOfTime, &asked)) {
            if let Some(image) = found {
                self.folder.store(here, &image);
            }
        }
    }

    /// The image under the key, if it is here.
    pub(crate) fn load(&self, key: &Key) -> Option<Vec<u8>> {
        self.folder.load(&key.here)
    }

    /// What LLVM made of a job. It is this machine's alone: making it anew takes less than asking another one.
    pub(crate) fn load_code(&self, code_of: &CodeOf, job: &blake3::Hash) -> Option<Vec<u8>> {
        self.folder.load(&code_of.key(job))
    }

    /// Keeps what LLVM made of a job.
    pub(crate) fn store_code(&self, code_of: &CodeOf, job: &blake3::Hash, code: &[u8]) {
        self.folder.store(&code_of.key(job), code);
    }

    /// Keeps an image. Others may read and write the folder at the same time.
    pub(crate) fn store(&self, key: &Key, image: &[u8]) {
        self.folder.store(&key.here, image);
        if let (Some(remote), Some(anywhere)) = (&self.remote, &key.anywhere) {
            remote.put(Part::AheadOfTime, anywhere, image);
        }
    }
}

impl PartialEq for Cache {
    fn eq(&self, other: &Cache) -> bool {
        self.folder.location() == other.folder.location() && self.remote.is_some() == other.remote.is_some()
    }
}

impl Eq for Cache {}

impl fmt::Debug for Cache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Cache").field(&self.folder.location()).finish()
    }
}

/// A file's place and time, the time of the list of libraries, and the libraries in folders that the list does not cover.
fn stamps(file: &Path) -> Vec<u8> {
    let mut out = [file.as_os_str().as_encoded_bytes(), stamp(file).as_bytes(), stamp(Path::new(LIBRARIES)).as_bytes()].join(&0);
    for folder in compiler::folders(file) {
        let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
        let libraries = entries.map(|entry| entry.path()).filter(|path| compiler::is_library(path));
        let mut libraries: Vec<PathBuf> = libraries.collect();
        libraries.sort();
        for path in libraries {
            out.extend([&[0], path.as_os_str().as_encoded_bytes(), &[0], stamp(&path).as_bytes()].concat());
        }
    }
    out
}

/// A system without that list of libraries has no stamp of it.
fn stamp(path: &Path) -> String {
    let found = fs::metadata(path).map(|found| (found.len(), found.mtime(), found.mtime_nsec()));
    format!("{:?}", found.unwrap_or_default())
}

/// The file that running the compiler would run.
fn located(compiler: &Path) -> Option<PathBuf> {
    if compiler.components().count() > 1 {
        return Some(compiler.to_owned());
    }
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(compiler)).find(|file| file.is_file())
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
        let cache = Cache::new("unused".into(), None);
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
    fn a_compilers_own_libraries_count() {
        let prefix = tempfile::tempdir().expect("a temporary folder");
        for folder in ["bin", "lib"] {
            fs::create_dir(prefix.path().join(folder)).expect("writable");
        }
        let compiler = prefix.path().join("bin/cc");
        fs::write(&compiler, "#!/bin/sh\n").expect("writable");
        let key = || Cache::new("unused".into(), None).key(&compiler, &[], b"module").expect("it is there");
        let without = key();
        fs::write(prefix.path().join("bin/log"), "runs").expect("writable");
        assert_eq!(key(), without, "what is no library");
        fs::write(prefix.path().join("lib/libigc.so.2"), "code").expect("writable");
        let with = key();
        assert_ne!(with, without);
        fs::write(prefix.path().join("lib/libigc.so.2"), "other code").expect("writable");
        assert_ne!(key(), with, "written over");
    }

    #[test]
    fn entries_come_back() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let cache = Cache::new(folder.path().join("deep/er"), None);
        let key = key(&cache, &[], b"module");
        assert_eq!(cache.load(&key), None);
        cache.store(&key, b"image");
        assert_eq!(cache.load(&key).as_deref(), Some(&b"image"[..]));
        let nowhere = Cache::new("/dev/null/folder".into(), None);
        nowhere.store(&key, b"image");
        assert_eq!(nowhere.load(&key), None);
    }
}
