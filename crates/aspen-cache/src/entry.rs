//! Entries of a shared store: sealed, because everybody who reaches the store may have written them.
//!
//! | bytes | |
//! |---|---|
//! | 8 | `aspnshr1` |
//! | 8 | which secret sealed it; 0: none did |
//! | 32 | BLAKE3 of the name's length (u64), the name and the content, keyed with the secret if there is one |
//! | … | the content |

use crate::secret::Secret;

/// Another layout gets another one.
const MAGIC: &[u8; 8] = b"aspnshr1";
const NO_SECRET: [u8; 8] = [0; 8];
/// What stands before the content.
pub const HEAD: usize = MAGIC.len() + NO_SECRET.len() + blake3::OUT_LEN;

fn seal(secret: Option<&Secret>, name: &str, content: &[u8]) -> blake3::Hash {
    let mut hasher = secret.map_or_else(blake3::Hasher::new, |secret| blake3::Hasher::new_keyed(&secret.key));
    hasher.update(&(name.len() as u64).to_le_bytes());
    hasher.update(name.as_bytes());
    hasher.update(content);
    hasher.finalize()
}

/// What stands before this content under that name.
pub fn head(secret: Option<&Secret>, name: &str, content: &[u8]) -> Vec<u8> {
    let mark = secret.map_or(NO_SECRET, |secret| secret.mark);
    [MAGIC.as_slice(), &mark, seal(secret, name, content).as_bytes()].concat()
}

/// The content.
///
/// # Errors
/// Why it must not be used.
pub fn opened(secret: Option<&Secret>, name: &str, mut bytes: Vec<u8>) -> Result<Vec<u8>, &'static str> {
    if bytes.len() < HEAD || !bytes.starts_with(MAGIC) {
        return Err("is damaged");
    }
    let (mark, sealed) = (&bytes[MAGIC.len()..MAGIC.len() + NO_SECRET.len()], &bytes[HEAD - blake3::OUT_LEN..HEAD]);
    if mark != secret.map_or(NO_SECRET, |secret| secret.mark) {
        return Err(match (secret.is_some(), mark == NO_SECRET) {
            (true, true) => "was made without a secret, and ASPEN_CACHE_KEY_FILE names one",
            (true, false) => "was made with another secret than that of ASPEN_CACHE_KEY_FILE",
            (false, _) => "was made with a secret, and ASPEN_CACHE_KEY_FILE names none",
        });
    }
    let mut expected = [0; blake3::OUT_LEN];
    expected.copy_from_slice(sealed);
    // Compared in constant time, as blake3's hashes are.
    if seal(secret, name, &bytes[HEAD..]) != expected {
        return Err("is not what was kept there");
    }
    bytes.drain(..HEAD);
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_open_for_those_who_know() {
        let (ours, theirs) = (Secret::of(b"one secret of many letters"), Secret::of(b"another one, as long as that"));
        for secret in [None, ours.as_ref()] {
            let whole = [head(secret, "jit/a", b"content"), b"content".to_vec()].concat();
            assert_eq!(opened(secret, "jit/a", whole.clone()).as_deref(), Ok(&b"content"[..]));
            assert_eq!(opened(secret, "jit/b", whole.clone()), Err("is not what was kept there"));
            for at in [0, 20, 47, 48, whole.len() - 1] {
                let mut damaged = whole.clone();
                damaged[at] ^= 1;
                assert!(opened(secret, "jit/a", damaged).is_err(), "{at}");
            }
            for length in [0, 10, HEAD - 1, HEAD, whole.len() - 1] {
                assert!(opened(secret, "jit/a", whole[..length].to_vec()).is_err(), "{length}");
            }
        }
        let with = |secret: Option<&Secret>| [head(secret, "n", b"x"), b"x".to_vec()].concat();
        for (made, asked, words) in [
            (None, ours.as_ref(), "without a secret"),
            (theirs.as_ref(), ours.as_ref(), "another secret"),
            (ours.as_ref(), None, "names none"),
        ] {
            let why = opened(asked, "n", with(made)).expect_err(words);
            assert!(why.contains(words), "{why}");
        }
        // Who does not know the secret but writes its mark.
        let mut forged = with(None);
        forged[8..16].copy_from_slice(&ours.as_ref().expect("long enough").mark);
        assert_eq!(opened(ours.as_ref(), "n", forged), Err("is not what was kept there"));
    }
}
