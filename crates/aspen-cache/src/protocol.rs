//! What `aspen-cache-remote` and those who start it say to each other over one socket, which is the program's standard input.
//!
//! A frame is, little-endian:
//!
//! | bytes | |
//! |---|---|
//! | 4 | the length of what follows |
//! | 1 | its [`Kind`] |
//! | 4 | a number: of the request, which the answer repeats; in `Ready` the [`VERSION`] |
//! | 2 | the length of the name |
//! | … | the name: `jit/` or `ahead-of-time/` and the 64 letters of a key |
//! | … | the entry, or a sentence |
//!
//! The program begins with `Ready`, or with `Refused` and why it will do nothing. Every request has one answer; answers come in any order.
//! When the socket is closed the program finishes what it was given to keep, for a bounded time, and ends.

use std::io::{self, Read};

/// Changes with the table above.
pub const VERSION: u32 = 1;

/// Entries beyond this are not shared: Redis takes no more than twice that, and nothing would come within the time there is.
pub const MAX_BYTES: usize = 256 << 20;

/// Between the length and the name.
const FIXED: usize = 7;
/// The longest frame: an entry, its name and the fixed parts.
const MAX_FRAME: usize = MAX_BYTES + (64 << 10);

/// What a frame says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Asks for the entry of that name.
    Get = 1,
    /// Has an entry kept.
    Put = 2,
    /// The program is there.
    Ready = 16,
    /// It will do nothing; why.
    Refused = 17,
    /// The entry.
    Found = 18,
    /// There is no such entry.
    Absent = 19,
    /// The entry is kept.
    Kept = 20,
    /// The store did not do it; why.
    Failed = 21,
}

impl Kind {
    fn of(byte: u8) -> Option<Kind> {
        use Kind::{Absent, Failed, Found, Get, Kept, Put, Ready, Refused};
        [Get, Put, Ready, Refused, Found, Absent, Kept, Failed].into_iter().find(|kind| *kind as u8 == byte)
    }
}

/// A frame.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Frame {
    /// What it says.
    pub kind: Kind,
    /// The request's number.
    pub number: u32,
    /// The entry's name; empty in answers.
    pub name: String,
    /// The entry, or a sentence.
    pub bytes: Vec<u8>,
}

impl Frame {
    /// An answer to that request.
    pub fn answer(kind: Kind, number: u32, bytes: Vec<u8>) -> Frame {
        Frame { kind, number, name: String::new(), bytes }
    }

    /// The sentence of a frame that holds one.
    pub fn sentence(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }

    /// What stands before `length` bytes of content.
    ///
    /// # Errors
    /// If there are too many, or the name is too long.
    pub fn head(kind: Kind, number: u32, name: &str, length: usize) -> io::Result<Vec<u8>> {
        let too_long = || io::Error::new(io::ErrorKind::InvalidInput, "too long for a frame");
        let whole = u32::try_from(FIXED + name.len() + length).ok().filter(|whole| *whole as usize <= MAX_FRAME).ok_or_else(too_long)?;
        let name_length = u16::try_from(name.len()).map_err(|_| too_long())?;
        let mut head = Vec::with_capacity(4 + FIXED + name.len());
        head.extend(whole.to_le_bytes());
        head.push(kind as u8);
        head.extend(number.to_le_bytes());
        head.extend(name_length.to_le_bytes());
        head.extend(name.as_bytes());
        Ok(head)
    }

    /// All of it.
    ///
    /// # Errors
    /// As [`Frame::head`].
    pub fn to_bytes(&self) -> io::Result<Vec<u8>> {
        let mut out = Frame::head(self.kind, self.number, &self.name, self.bytes.len())?;
        out.extend(&self.bytes);
        Ok(out)
    }

    /// The next frame; `None` at the end.
    ///
    /// # Errors
    /// If it cannot be read or is none.
    pub fn read(from: &mut impl Read) -> io::Result<Option<Frame>> {
        let wrong = |what: &str| io::Error::new(io::ErrorKind::InvalidData, format!("not this program's words: {what}"));
        let mut length = [0; 4];
        match from.read(&mut length[..1])? {
            0 => return Ok(None),
            _ => from.read_exact(&mut length[1..])?,
        }
        let length = u32::from_le_bytes(length) as usize;
        if !(FIXED..=MAX_FRAME).contains(&length) {
            return Err(wrong("a length that makes no sense"));
        }
        let mut fixed = [0; FIXED];
        from.read_exact(&mut fixed)?;
        let [kind, a, b, c, d, low, high] = fixed;
        let kind = Kind::of(kind).ok_or_else(|| wrong("a kind that is none"))?;
        let name_length = usize::from(u16::from_le_bytes([low, high]));
        let rest = (length - FIXED).checked_sub(name_length).ok_or_else(|| wrong("a name longer than its frame"))?;
        let mut name = vec![0; name_length];
        from.read_exact(&mut name)?;
        let name = String::from_utf8(name).map_err(|_| wrong("a name that is no text"))?;
        let mut bytes = vec![0; rest];
        from.read_exact(&mut bytes)?;
        Ok(Some(Frame { kind, number: u32::from_le_bytes([a, b, c, d]), name, bytes }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_come_back_and_damage_is_an_error() {
        let frames = [
            Frame { kind: Kind::Put, number: 7, name: "jit/ab".into(), bytes: b"content".to_vec() },
            Frame::answer(Kind::Absent, u32::MAX, Vec::new()),
            Frame::answer(Kind::Failed, 1, b"why".to_vec()),
        ];
        let bytes: Vec<u8> = frames.iter().flat_map(|frame| frame.to_bytes().expect("short")).collect();
        let mut from = bytes.as_slice();
        for frame in &frames {
            assert_eq!(Frame::read(&mut from).expect("a frame").as_ref(), Some(frame));
        }
        assert_eq!(Frame::read(&mut from).expect("the end"), None);
        for length in 1..frames[0].to_bytes().expect("short").len() {
            assert!(Frame::read(&mut &bytes[..length]).is_err(), "{length}");
        }
        for (at, byte) in [(3, 0xff), (0, 1), (4, 99), (10, 0xff), (11, 0xff)] {
            let mut damaged = frames[0].to_bytes().expect("short");
            damaged[at] = byte;
            assert!(Frame::read(&mut damaged.as_slice()).is_err(), "{at}");
        }
        assert!(Frame::head(Kind::Put, 0, "x", MAX_FRAME).is_err());
    }
}
