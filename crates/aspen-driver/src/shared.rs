//! What all links of a process have in common: the cache of what was made ahead of time, which looks at compilers once, and the store that
//! machines share behind it, which has one limit for all.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use aspen_cache::{Remote, Settings};
use aspen_codegen::Cache;

static CACHE: OnceLock<Option<Cache>> = OnceLock::new();
static REMOTE: OnceLock<Option<Arc<Remote>>> = OnceLock::new();

/// The cache; none with `ASPEN_CACHE=0`, or where there is no place for it. Source: DESIGN §6.
pub fn cache() -> Option<Cache> {
    let open = || Some(Cache::new(crate::cache_folder().filter(|_| !crate::cache_is_off())?.join("ahead-of-time"), remote()));
    CACHE.get_or_init(open).clone()
}

/// The store, if `ASPEN_CACHE_REMOTE` names one.
fn remote() -> Option<Arc<Remote>> {
    let folder = || Some(crate::own_file().ok()?.parent()?.to_owned());
    let warn = |sentence: &str| crate::tell(&format!("aspen++: warning: {sentence}\n"));
    let open = || Some(Remote::new(Settings::of_environment(folder().into_iter().collect::<Vec<PathBuf>>(), false, warn)?));
    REMOTE.get_or_init(open).clone()
}

/// Waits, for a bounded time, until what this process made is kept there.
pub fn finish() {
    if let Some(Some(remote)) = REMOTE.get() {
        remote.finish();
    }
}
