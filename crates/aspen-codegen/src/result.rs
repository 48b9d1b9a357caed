//! What an ahead-of-time compiler made, as a file that says of which job it is, and whether it is whole.
//!
//! `ASPENAOT`, a u32 of the format, 32 bytes of [`Aot::identity`](crate::Aot::identity), 32 bytes of BLAKE3 of all that follows, the u64
//! length of the compiler's messages, these, and the machine code. Numbers are little-endian.

use crate::Made;

const MAGIC: &[u8; 8] = b"ASPENAOT";
const FORMAT: u32 = 1;

/// Why a file is no result of a job.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unusable {
    /// Something else lies there.
    #[error("it is no result of `aspen aot`")]
    Foreign,
    /// Another version wrote it.
    #[error("another version of aspen wrote it (format {0}, this is format {FORMAT})")]
    Version(u32),
    /// It is shorter than it was, or was changed.
    #[error("it is truncated or damaged")]
    Damaged,
    /// It is what another input, compiler or list of options leads to.
    #[error("it is stale: it was made of another input, or by another command")]
    Stale,
}

/// The bytes of such a file.
pub fn to_bytes(identity: &blake3::Hash, made: &Made) -> Vec<u8> {
    let mut content = (made.messages.len() as u64).to_le_bytes().to_vec();
    content.extend_from_slice(made.messages.as_bytes());
    content.extend_from_slice(&made.bytes);
    let hash = blake3::hash(&content);
    [MAGIC.as_slice(), &FORMAT.to_le_bytes(), identity.as_bytes(), hash.as_bytes(), &content].concat()
}

/// What such a file holds, if it is the job's.
///
/// # Errors
/// If it is another's, or not whole.
pub fn from_bytes(bytes: &[u8], identity: &blake3::Hash) -> Result<Made, Unusable> {
    let rest = bytes.strip_prefix(MAGIC).ok_or(Unusable::Foreign)?;
    let (format, rest) = rest.split_first_chunk().ok_or(Unusable::Damaged)?;
    let format = u32::from_le_bytes(*format);
    if format != FORMAT {
        return Err(Unusable::Version(format));
    }
    let (of, rest) = rest.split_first_chunk::<{ blake3::OUT_LEN }>().ok_or(Unusable::Damaged)?;
    let (hash, content) = rest.split_first_chunk::<{ blake3::OUT_LEN }>().ok_or(Unusable::Damaged)?;
    if blake3::hash(content).as_bytes() != hash {
        return Err(Unusable::Damaged);
    }
    if identity.as_bytes() != of {
        return Err(Unusable::Stale);
    }
    let (length, content) = content.split_first_chunk().ok_or(Unusable::Damaged)?;
    let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| Unusable::Damaged)?;
    let (messages, bytes) = content.split_at_checked(length).ok_or(Unusable::Damaged)?;
    let messages = std::str::from_utf8(messages).map_err(|_| Unusable::Damaged)?.to_owned();
    Ok(Made { bytes: bytes.to_vec(), messages, command: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_results_of_the_job_are_taken() {
        let (job, other) = (blake3::hash(b"job"), blake3::hash(b"other"));
        let made = Made { bytes: b"code".into(), messages: "warning: ö".into(), command: None };
        let whole = to_bytes(&job, &made);
        assert_eq!(from_bytes(&whole, &job), Ok(made));
        assert_eq!(from_bytes(&whole, &other), Err(Unusable::Stale));
        assert_eq!(from_bytes(b"\x7fELF", &job), Err(Unusable::Foreign));
        for length in 8..whole.len() {
            assert_eq!(from_bytes(&whole[..length], &job), Err(Unusable::Damaged), "{length}");
        }
        let mut newer = whole.clone();
        newer[8] = 9;
        assert_eq!(from_bytes(&newer, &job), Err(Unusable::Version(9)));
        let mut changed = whole;
        *changed.last_mut().expect("not empty") ^= 1;
        assert_eq!(from_bytes(&changed, &job), Err(Unusable::Damaged));
    }
}
