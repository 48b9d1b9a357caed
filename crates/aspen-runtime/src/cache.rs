//! Compiled programs by content: the JIT cache. A folder of this user's, and behind it a store that machines share, if the user names one.
//!
//! What a driver gets from here it runs, so a folder that others may write to is not used at all, and a store only with a secret
//! that those who share it know. Source: issue 6 "JIT cache"; issue 17 "Shared caches"; DESIGN §6.

use std::ffi::{CStr, OsStr, c_void};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use aspen_cache::{Folder, Part, Remote, Rules, Settings};

pub use aspen_cache::{Key as CacheKey, variables};

/// The folder inside the user's cache folder.
const FOLDER: &str = "jit";

/// A folder of compiled programs.
#[derive(Debug)]
pub struct ProgramCache {
    folder: Folder,
    remote: Option<Arc<Remote>>,
}

impl ProgramCache {
    /// In that cache folder of the user's, which need not be there yet. `named`: the user asked for this folder.
    pub fn new(folder: &Path, limit_bytes: u64, named: bool) -> ProgramCache {
        let rules = Rules { what: "JIT cache", limit_bytes, limit_entries: usize::MAX, count_after: 1, private: true };
        ProgramCache { folder: Folder::new(folder.join(FOLDER), rules, named), remote: None }
    }

    /// The same with the store behind it that `ASPEN_CACHE_REMOTE` names. Nothing is started before a program is missing.
    #[must_use]
    pub fn with_remote(self) -> ProgramCache {
        let warn = |sentence: &str| eprintln!("aspen: {sentence}");
        let settings = Settings::of_environment(folders_of_tools(), true, warn);
        ProgramCache { remote: settings.map(Remote::new), ..self }
    }

    /// The program under the key.
    pub fn load(&self, key: &CacheKey) -> Option<Vec<u8>> {
        self.folder.load(key).or_else(|| {
            let program = self.remote.as_ref()?.get(Part::Jit, &[*key]).pop()??;
            self.folder.store(key, &program);
            Some(program)
        })
    }

    /// Keeps a program.
    pub fn store(&self, key: &CacheKey, content: &[u8]) {
        self.folder.store(key, content);
        if let Some(remote) = &self.remote {
            remote.put(Part::Jit, key, content);
        }
    }

    /// Forgets a program that its driver does not take any more.
    pub fn remove(&self, key: &CacheKey) {
        self.folder.remove(key);
    }
}

/// Where an installation has its programs, as seen from this library: beside it as cargo builds them, or in `bin` beside its folder.
fn folders_of_tools() -> Vec<PathBuf> {
    let Some(folder) = own_file().and_then(|file| Some(file.canonicalize().ok()?.parent()?.to_owned())) else { return Vec::new() };
    vec![folder.join("../bin"), folder]
}

/// The file that this code was loaded from.
fn own_file() -> Option<PathBuf> {
    let mut info = libc::Dl_info {
        dli_fname: std::ptr::null(),
        dli_fbase: std::ptr::null_mut(),
        dli_sname: std::ptr::null(),
        dli_saddr: std::ptr::null_mut(),
    };
    let here = own_file as fn() -> Option<PathBuf> as *const c_void;
    // SAFETY: dladdr takes any address, and writes the structure that outlives the call.
    let found = unsafe { libc::dladdr(here, &raw mut info) };
    if found == 0 || info.dli_fname.is_null() {
        return None;
    }
    // SAFETY: dladdr found the object, so the name is a string that lives as long as the object is loaded, and this function is part of it.
    let name = unsafe { CStr::from_ptr(info.dli_fname) };
    Some(PathBuf::from(OsStr::from_bytes(name.to_bytes())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_are_looked_for_beside_this_code() {
        let own = std::env::current_exe().expect("this test");
        assert_eq!(folders_of_tools().last().map(PathBuf::as_path), own.parent());
    }
}
