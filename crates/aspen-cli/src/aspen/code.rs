//! Where the code of an image is: every reader says it of the images that it makes, whatever kind of file they come from, so that who
//! compiles code or walks through it has one way to it.

use std::borrow::Cow;
use std::fmt;
use std::io::Read;
use std::ops::Range;
use std::rc::Rc;

/// The most bytes that are unpacked for one purpose: an image, with those that it is linked with. Real ones have some megabytes; a frame of
/// zstd may stand for any amount.
pub const LARGEST: u64 = 1 << 30;

/// A part of a file that was read, perhaps in a frame of zstd.
#[derive(Clone)]
pub struct Code {
    file: Rc<Vec<u8>>,
    range: Range<usize>,
    packed: bool,
}

/// Why there is no code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CodeError {
    /// A frame that cannot be unpacked, in zstd's words.
    Damaged(String),
    /// There is more than was allowed.
    TooLarge,
}

impl fmt::Display for CodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CodeError::Damaged(why) => write!(f, "its compressed data is damaged: {why}"),
            CodeError::TooLarge => write!(f, "it unpacks to more than {LARGEST} bytes"),
        }
    }
}

impl Code {
    /// A part of `file`. What is none, since it had to be made of the file's bytes, is kept by itself.
    pub fn of(file: &Rc<Vec<u8>>, part: &[u8]) -> Code {
        let start = part.as_ptr().addr().checked_sub(file.as_ptr().addr());
        let range = start.and_then(|start| Some(start..start.checked_add(part.len())?)).filter(|range| range.end <= file.len());
        match range {
            Some(range) => Code { file: Rc::clone(file), range, packed: false },
            None => Code { file: Rc::new(part.to_vec()), range: 0..part.len(), packed: false },
        }
    }

    /// The same, said to be a frame of zstd.
    pub fn packed(self) -> Code {
        Code { packed: true, ..self }
    }

    /// The code, unpacked; at most so many bytes.
    ///
    /// # Errors
    /// If there is more, or the frame is damaged.
    pub fn bytes(&self, most: u64) -> Result<Cow<'_, [u8]>, CodeError> {
        self.part().bytes(most)
    }

    /// The same for other threads.
    pub fn part(&self) -> Part<'_> {
        Part { bytes: &self.file[self.range.clone()], packed: self.packed }
    }
}

/// A part of a file as it is there.
#[derive(Clone, Copy)]
pub struct Part<'f> {
    bytes: &'f [u8],
    packed: bool,
}

impl<'f> Part<'f> {
    /// As [`Code::bytes`].
    ///
    /// # Errors
    /// If there is more, or the frame is damaged.
    pub fn bytes(self, most: u64) -> Result<Cow<'f, [u8]>, CodeError> {
        let bytes = self.bytes;
        if !self.packed {
            return if bytes.len() as u64 > most { Err(CodeError::TooLarge) } else { Ok(bytes.into()) };
        }
        let out = unpack(bytes, most.saturating_add(1)).map_err(CodeError::Damaged)?;
        if out.len() as u64 > most { Err(CodeError::TooLarge) } else { Ok(out.into()) }
    }
}

/// The beginning of what a frame of zstd holds, at most so many bytes.
///
/// # Errors
/// In zstd's words.
pub fn unpack(bytes: &[u8], most: u64) -> Result<Vec<u8>, String> {
    let mut out = Vec::new();
    let decoder = zstd::stream::read::Decoder::with_buffer(bytes).map_err(|error| error.to_string())?;
    decoder.take(most).read_to_end(&mut out).map_err(|error| error.to_string())?;
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_what_they_were() {
        let packed = zstd::encode_all(&[7u8; 1000][..], 3).expect("packed");
        let file = Rc::new([b"before", &packed[..], b"after"].concat());
        let all = |code: &Code, most| code.bytes(most).map(Cow::into_owned);
        let part = Code::of(&file, &file[2..5]);
        assert_eq!((all(&part, 3), all(&part, 2)), (Ok(b"for".to_vec()), Err(CodeError::TooLarge)));
        let other = Code::of(&file, b"elsewhere");
        assert_eq!(all(&other, 99), Ok(b"elsewhere".to_vec()));
        let frame = Code::of(&file, &file[6..6 + packed.len()]).packed();
        assert_eq!((all(&frame, 1000), all(&frame, 999)), (Ok(vec![7; 1000]), Err(CodeError::TooLarge)));
        let torn = Code::of(&file, &file[7..]).packed();
        assert!(matches!(torn.bytes(99), Err(CodeError::Damaged(_))));
    }
}
