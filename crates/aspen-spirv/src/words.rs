//! A module's words: the header, and the instructions behind it one after another.
//!
//! Source: SPIR-V specification, "Physical Layout of a SPIR-V Module and Instruction".

use std::borrow::Cow;

use crate::error::Error;

pub(crate) const MAGIC: u32 = 0x0723_0203;
/// The words before the first instruction.
pub const HEADER_WORDS: usize = 5;

/// The words of a little-endian module.
pub struct Words<'b>(pub(crate) Cow<'b, [u32]>);

impl<'b> Words<'b> {
    /// Reads a module. Nothing behind its header is looked at.
    ///
    /// # Errors
    /// If it does not begin as one, is cut off within a word or the header, or is big-endian.
    pub fn read(bytes: &'b [u8]) -> Result<Words<'b>, Error> {
        let words = Words::read_beginning(bytes)?;
        if !bytes.len().is_multiple_of(4) {
            return Err(Error::damaged(words.0.len(), "the module is cut off"));
        }
        Ok(words)
    }

    /// Reads what there is of a module that may be cut off behind its header.
    ///
    /// # Errors
    /// If it does not begin as one, is cut off within the header, or is big-endian.
    pub fn read_beginning(bytes: &'b [u8]) -> Result<Words<'b>, Error> {
        let (chunks, _) = bytes.as_chunks::<4>();
        // Images lie aligned, and nothing is copied then.
        let as_they_lie = if cfg!(target_endian = "little") { bytemuck::try_cast_slice(chunks.as_flattened()).ok() } else { None };
        let words: Cow<'b, [u32]> =
            as_they_lie.map_or_else(|| chunks.iter().map(|word| u32::from_le_bytes(*word)).collect(), Cow::Borrowed);
        match words.first() {
            Some(&MAGIC) => {}
            Some(&magic) if magic == MAGIC.swap_bytes() => return Err(Error::Endianness),
            _ => return Err(Error::damaged(0, "it does not begin as a SPIR-V module does")),
        }
        if words.len() < HEADER_WORDS {
            return Err(Error::damaged(words.len(), "the module is cut off"));
        }
        Ok(Words(words))
    }

    /// All of them, with the header.
    #[must_use]
    pub fn all(&self) -> &[u32] {
        &self.0
    }

    /// The instructions, in order. The first that does not end inside is an error, and the last item.
    #[must_use]
    pub fn instructions(&self) -> Walk<'_> {
        Walk { words: &self.0, at: HEADER_WORDS }
    }
}

/// The instructions of a module: [`Words::instructions`].
pub struct Walk<'w> {
    words: &'w [u32],
    at: usize,
}

/// An instruction: where it begins, in words of the module, and its words, of which the first holds length and opcode.
pub type Placed<'w> = (usize, &'w [u32]);

impl<'w> Iterator for Walk<'w> {
    type Item = Result<Placed<'w>, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let at = self.at;
        if at >= self.words.len() {
            return None;
        }
        let length = length_at(self.words, at);
        self.at = length.as_ref().map_or(self.words.len(), |length| at + length);
        Some(length.map(|length| (at, &self.words[at..at + length])))
    }
}

/// The opcode of an instruction.
///
/// # Panics
/// If it has no words.
#[must_use]
pub fn opcode(instruction: &[u32]) -> u16 {
    split(instruction[0]).1
}

/// A string literal: bytes in little-endian words, up to the first zero.
#[must_use]
pub fn literal(words: &[u32]) -> String {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).take_while(|&byte| byte != 0).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Length and opcode, of an instruction's first word.
pub(crate) fn split(word: u32) -> (usize, u16) {
    ((word >> 16) as usize, (word & 0xffff) as u16)
}

/// The length of the instruction that begins there, which is inside.
#[inline]
pub(crate) fn length_at(words: &[u32], at: usize) -> Result<usize, Error> {
    let (length, _) = split(words[at]);
    if length == 0 {
        return Err(Error::damaged(at, "an instruction has no length"));
    }
    if words.len() - at < length {
        return Err(Error::damaged(at, "an instruction is cut off"));
    }
    Ok(length)
}
