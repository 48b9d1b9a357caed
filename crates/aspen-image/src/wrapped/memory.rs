//! A linked file as the loader would lay it out: bytes by address, and pointers with relocations applied.

use std::borrow::Cow;
use std::cell::Cell;

use object::{Architecture, Object, ObjectSegment, ObjectSymbol, ObjectSymbolTable, RelocationFlags, RelocationTarget};

/// Relocations that put "load address + addend" there. Source: the processors' System V ABIs.
const RELATIVE: [(Architecture, u32); 2] = [(Architecture::X86_64, 8), (Architecture::Aarch64, 1027)];

pub(super) struct Memory<'a> {
    bytes: &'a [u8],
    /// Address, place in the file, size; sorted.
    segments: Vec<(u64, u64, u64)>,
    /// What the loader writes, by address; sorted.
    relocated: Vec<(u64, u64)>,
    /// How many bytes may still be copied.
    left: Cell<u64>,
}

/// How often a file may be copied. In a sound one nothing is named twice; in a hostile one thousands of properties may name the same bytes.
const COPIES: u64 = 4;

impl<'a> Memory<'a> {
    pub(super) fn new(file: &object::File<'a>, bytes: &'a [u8]) -> Memory<'a> {
        let segment = |segment: object::Segment<'a, '_>| {
            let (offset, size) = segment.file_range();
            (segment.address(), offset, size)
        };
        let mut segments: Vec<_> = file.segments().map(segment).filter(|(start, _, size)| start.checked_add(*size).is_some()).collect();
        segments.sort_unstable();
        let relative = RELATIVE.iter().find(|(architecture, _)| *architecture == file.architecture()).map(|(_, kind)| *kind);
        let symbols = file.dynamic_symbol_table();
        let mut relocated = Vec::new();
        for (address, relocation) in file.dynamic_relocations().into_iter().flatten() {
            let addend = relocation.addend().cast_unsigned();
            let kind = match relocation.flags() {
                RelocationFlags::Elf { r_type } => Some(r_type.0),
                _ => None,
            };
            if kind.is_some() && kind == relative {
                relocated.push((address, addend));
            } else if let (RelocationTarget::Symbol(index), Some(symbols)) = (relocation.target(), &symbols)
                && let Ok(symbol) = symbols.symbol_by_index(index)
            {
                relocated.push((address, symbol.address().wrapping_add(addend)));
            }
        }
        relocated.sort_unstable();
        Memory { bytes, segments, relocated, left: Cell::new(COPIES * bytes.len() as u64) }
    }

    /// The place in the file; 0 for addresses that have none.
    pub(super) fn offset(&self, address: u64) -> u64 {
        self.place(address).map_or(0, |(offset, _)| offset)
    }

    /// The place in the file, and how much follows.
    fn place(&self, address: u64) -> Option<(u64, u64)> {
        let index = self.segments.partition_point(|(start, ..)| *start <= address).checked_sub(1)?;
        let (start, offset, size) = self.segments[index];
        let into = address - start;
        Some((offset.checked_add(into)?, size.checked_sub(into)?))
    }

    fn tail(&self, address: u64) -> Option<&'a [u8]> {
        let (offset, rest) = self.place(address)?;
        let from = usize::try_from(offset).ok()?;
        let all = self.bytes.get(from..)?;
        Some(&all[..all.len().min(usize::try_from(rest).ok()?)])
    }

    pub(super) fn bytes(&self, address: u64, size: u64) -> Option<&'a [u8]> {
        self.tail(address)?.get(..usize::try_from(size).ok()?)
    }

    /// Before so many bytes are copied: whether a sound file would ask for them.
    pub(super) fn may_copy(&self, size: usize) -> bool {
        let left = self.left.get().checked_sub(size as u64);
        self.left.set(left.unwrap_or(0));
        left.is_some()
    }

    /// A number as it stands in the file.
    pub(super) fn number(&self, address: u64) -> Option<u64> {
        self.bytes(address, 8)?.try_into().ok().map(u64::from_le_bytes)
    }

    /// A pointer as the loader leaves it.
    pub(super) fn pointer(&self, address: u64) -> Option<u64> {
        match self.relocated.binary_search_by_key(&address, |(address, _)| *address) {
            Ok(index) => Some(self.relocated[index].1),
            Err(_) => self.number(address),
        }
    }

    /// A terminated string.
    pub(super) fn text(&self, address: u64, longest: usize) -> Option<Cow<'a, str>> {
        let tail = self.tail(address)?;
        let length = tail[..tail.len().min(longest)].iter().position(|&byte| byte == 0)?;
        Some(String::from_utf8_lossy(&tail[..length]))
    }
}
