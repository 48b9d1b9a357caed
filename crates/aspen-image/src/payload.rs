//! Values inside byte-array properties: one version byte, then postcard.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Raised when the layout of any payload changes.
const VERSION: u8 = 3;

pub(crate) fn write(value: &impl Serialize) -> Vec<u8> {
    postcard::to_extend(value, vec![VERSION]).expect("payloads hold only plain values")
}

pub(crate) fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, PayloadError> {
    let (version, rest) = bytes.split_first().ok_or(PayloadError::Empty)?;
    if *version != VERSION {
        return Err(PayloadError::Version(*version));
    }
    match postcard::take_from_bytes(rest) {
        Ok((value, [])) => Ok(value),
        Ok((_, rest)) => Err(PayloadError::TooLong(rest.len())),
        Err(error) => Err(PayloadError::Damaged(error.to_string())),
    }
}

/// Bytes that [`write`] has not written.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PayloadError {
    /// No bytes at all.
    #[error("it is empty")]
    Empty,
    /// Written by another version of Aspen.
    #[error("it has version {0}, this build reads version {VERSION}")]
    Version(u8),
    /// Bytes after the value.
    #[error("{0} bytes follow its end")]
    TooLong(usize),
    /// Not the layout.
    #[error("{0}")]
    Damaged(String),
}
