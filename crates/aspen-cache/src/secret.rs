//! What those who share a store know and nobody else: the content of `ASPEN_CACHE_KEY_FILE`.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

/// Fewer bytes can be guessed.
const FEWEST: usize = 16;
/// More were not meant.
const MOST: u64 = 1 << 16;

/// Says what its keys are for, as BLAKE3 wants it: fixed, unlike any other. Source: BLAKE3's paper, 6.2.
const FOR_SEALS: &str = "Aspen 2026-11-22 entries of a shared cache";
const FOR_NAMES: &str = "Aspen 2026-11-22 which secret sealed an entry";

/// A secret, as keys made of it.
pub struct Secret {
    pub(crate) key: [u8; blake3::KEY_LEN],
    /// Tells it from other secrets, and nothing else.
    pub(crate) mark: [u8; 8],
}

impl Secret {
    /// Reads it. Blanks around it do not count, since editors end files with a line.
    ///
    /// # Errors
    /// Why the file holds none that could be used, with what to do.
    pub fn read(path: &Path) -> Result<Secret, String> {
        let failed = |error: std::io::Error| error.to_string();
        let found = fs::metadata(path).map_err(failed)?;
        if !found.is_file() {
            return Err("it is no file".into());
        }
        let mode = found.permissions().mode() & 0o777;
        if mode & 0o007 != 0 {
            return Err(format!("everybody may use it (mode {mode:o}), so it is no secret: chmod o= {}", path.display()));
        }
        if found.len() > MOST {
            return Err(format!("it has {} bytes, and a secret at most {MOST}", found.len()));
        }
        let bytes = fs::read(path).map_err(failed)?;
        Secret::of(bytes.trim_ascii()).ok_or_else(|| format!("it holds fewer than {FEWEST} bytes: head -c 32 /dev/urandom | base64"))
    }

    pub(crate) fn of(bytes: &[u8]) -> Option<Secret> {
        let mut mark = [0; 8];
        mark.copy_from_slice(&blake3::derive_key(FOR_NAMES, bytes)[..8]);
        (bytes.len() >= FEWEST).then(|| Secret { key: blake3::derive_key(FOR_SEALS, bytes), mark })
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_hold_no_secret_are_refused_with_the_way_out() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("key");
        for (content, mode, words) in [
            ("0123456789abcdef\n", 0o600, ""),
            ("0123456789abcdef", 0o640, ""),
            ("0123456789abcde\n", 0o600, "fewer than 16 bytes: head -c 32"),
            ("0123456789abcdef", 0o644, "everybody may use it (mode 644), so it is no secret: chmod o="),
            ("", 0o600, "fewer than 16"),
        ] {
            fs::write(&file, content).expect("writable");
            fs::set_permissions(&file, fs::Permissions::from_mode(mode)).expect("ours");
            let why = Secret::read(&file).err().unwrap_or_default();
            assert!(why.contains(words) && why.is_empty() == words.is_empty(), "{content} {mode:o}: {why}");
        }
        assert!(Secret::read(folder.path()).is_err_and(|why| why.contains("no file")));
        assert!(Secret::read(&folder.path().join("none")).is_err_and(|why| why.contains("No such file")));
    }
}
