//! LLVM's OffloadBinary: the container of device images in objects and executables.
//!
//! All numbers are little-endian, all offsets count from the start of the blob, all blobs are aligned to 8 bytes:
//!
//! | part | layout |
//! |---|---|
//! | header | `10 FF 10 AD`, u32 version, u64 blob size, u64 offset of the entries, u64 size of an entry (version 1) or their number (2) |
//! | entry | u16 image kind, u16 offload kind, u32 flags, u64 string table offset, u64 strings, u64 image offset, u64 image size |
//! | string | u64 offset of the key, u64 offset of the value; both end at a NUL; version 2 adds the u64 size of the value |
//!
//! Version 1 holds one image and is what LLVM 22 writes; version 2 holds many. Source: FORMATS §8.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// The first four bytes of every blob.
pub const MAGIC: [u8; 4] = [0x10, 0xff, 0x10, 0xad];

/// The offload kind of SYCL images.
pub const OFFLOAD_KIND_SYCL: u16 = 8;

/// Blobs, and images inside them, begin at multiples of this many bytes.
pub const ALIGNMENT: usize = 8;

/// Strings may share bytes, so a small blob could name the same long string very often. All strings of a blob together may be this many
/// times as long as the blob; real ones share a few short keys.
const STRING_BUDGET: usize = 16;

const HEADER_SIZE: usize = 32;
const ENTRY_SIZE: usize = 40;

/// What an image is. Source: FORMATS §8.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ImageKind {
    /// No image.
    None,
    /// An object or shared object of the target.
    Object,
    /// LLVM bitcode.
    Bitcode,
    /// A CUDA binary.
    Cubin,
    /// A CUDA fat binary.
    Fatbinary,
    /// PTX text.
    Ptx,
    /// SPIR-V.
    SpirV,
    /// A kind this build does not know; kept as it is.
    Other(u16),
}

impl ImageKind {
    /// The number in the container.
    pub fn number(self) -> u16 {
        match self {
            ImageKind::None => 0,
            ImageKind::Object => 1,
            ImageKind::Bitcode => 2,
            ImageKind::Cubin => 3,
            ImageKind::Fatbinary => 4,
            ImageKind::Ptx => 5,
            ImageKind::SpirV => 6,
            ImageKind::Other(number) => number,
        }
    }

    /// The kind of that number.
    pub fn from_number(number: u16) -> ImageKind {
        match number {
            0 => ImageKind::None,
            1 => ImageKind::Object,
            2 => ImageKind::Bitcode,
            3 => ImageKind::Cubin,
            4 => ImageKind::Fatbinary,
            5 => ImageKind::Ptx,
            6 => ImageKind::SpirV,
            other => ImageKind::Other(other),
        }
    }
}

/// One image with its strings.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry<'a> {
    /// What the image is.
    pub image_kind: ImageKind,
    /// The language it belongs to, [`OFFLOAD_KIND_SYCL`] for ours.
    pub offload_kind: u16,
    /// Bit 0: there are only strings, no image.
    pub flags: u32,
    /// Keys with values, in the order of the container; no key twice. Version 1 holds no NUL in them.
    pub strings: Vec<(Cow<'a, str>, Cow<'a, [u8]>)>,
    /// The image.
    pub image: Cow<'a, [u8]>,
}

impl<'a> Entry<'a> {
    /// A SYCL image without strings.
    pub fn new(image_kind: ImageKind, image: impl Into<Cow<'a, [u8]>>) -> Entry<'a> {
        Entry { image_kind, offload_kind: OFFLOAD_KIND_SYCL, flags: 0, strings: Vec::new(), image: image.into() }
    }

    /// The value of a key.
    pub fn string(&self, key: &str) -> Option<&[u8]> {
        self.strings.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_ref())
    }

    /// The value of a key that is text; `None` also when it is no UTF-8.
    pub fn text(&self, key: &str) -> Option<&str> {
        self.string(key).and_then(|value| std::str::from_utf8(value).ok())
    }

    /// Adds a key, or replaces its value.
    pub fn set_string(&mut self, key: impl Into<Cow<'a, str>>, value: impl Into<Cow<'a, [u8]>>) {
        let (key, value) = (key.into(), value.into());
        match self.strings.iter_mut().find(|(name, _)| *name == key) {
            Some((_, old)) => *old = value,
            None => self.strings.push((key, value)),
        }
    }

    /// The same entry without borrowing.
    pub fn into_owned(self) -> Entry<'static> {
        let owned = |(key, value): (Cow<'a, str>, Cow<'a, [u8]>)| (Cow::Owned(key.into_owned()), Cow::Owned(value.into_owned()));
        Entry {
            image_kind: self.image_kind,
            offload_kind: self.offload_kind,
            flags: self.flags,
            strings: self.strings.into_iter().map(owned).collect(),
            image: Cow::Owned(self.image.into_owned()),
        }
    }

    /// The bytes of a version 1 blob, byte for byte what LLVM 22 writes for the same entry; their number is a multiple of [`ALIGNMENT`].
    ///
    /// # Errors
    /// If a string holds a NUL, which version 1 cannot.
    pub fn to_bytes(&self) -> Result<Vec<u8>, NulInString> {
        for (key, value) in &self.strings {
            if key.contains('\0') || value.contains(&0) {
                return Err(NulInString { key: key.to_string() });
            }
        }
        let table = StringTable::new(self.strings.iter().flat_map(|(key, value)| [key.as_bytes(), value.as_ref()]));
        let table_at = HEADER_SIZE + ENTRY_SIZE + 16 * self.strings.len();
        let image_at = (table_at + table.bytes.len()).next_multiple_of(ALIGNMENT);
        let size = (image_at + self.image.len()).next_multiple_of(ALIGNMENT);

        let mut out = Vec::with_capacity(size);
        let word = |out: &mut Vec<u8>, value: usize| out.extend_from_slice(&(value as u64).to_le_bytes());
        out.extend_from_slice(&MAGIC);
        out.extend_from_slice(&1u32.to_le_bytes());
        for value in [size, HEADER_SIZE, ENTRY_SIZE] {
            word(&mut out, value);
        }
        out.extend_from_slice(&self.image_kind.number().to_le_bytes());
        out.extend_from_slice(&self.offload_kind.to_le_bytes());
        out.extend_from_slice(&self.flags.to_le_bytes());
        for value in [HEADER_SIZE + ENTRY_SIZE, self.strings.len(), image_at, self.image.len()] {
            word(&mut out, value);
        }
        for (key, value) in &self.strings {
            word(&mut out, table_at + table.offset(key.as_bytes()));
            word(&mut out, table_at + table.offset(value));
        }
        out.extend_from_slice(&table.bytes);
        out.resize(image_at, 0);
        out.extend_from_slice(&self.image);
        out.resize(size, 0);
        Ok(out)
    }
}

/// NUL-terminated strings after a first NUL, where a string that ends another one shares its bytes. The order is that of LLVM's
/// `StringTableBuilder`: compared from the last byte backwards, descending, so that every string comes before its own endings.
struct StringTable<'s> {
    bytes: Vec<u8>,
    offsets: BTreeMap<&'s [u8], usize>,
}

impl<'s> StringTable<'s> {
    fn new(strings: impl Iterator<Item = &'s [u8]>) -> StringTable<'s> {
        let mut sorted: Vec<&[u8]> = strings.collect();
        sorted.sort_unstable_by(|a, b| b.iter().rev().cmp(a.iter().rev()));
        sorted.dedup();
        let (mut bytes, mut offsets, mut previous) = (vec![0], BTreeMap::new(), &[][..]);
        for string in sorted {
            if string.is_empty() {
                offsets.insert(string, 0);
            } else if previous.ends_with(string) {
                offsets.insert(string, bytes.len() - 1 - string.len());
            } else {
                offsets.insert(string, bytes.len());
                bytes.extend_from_slice(string);
                bytes.push(0);
                previous = string;
            }
        }
        StringTable { bytes, offsets }
    }

    fn offset(&self, string: &[u8]) -> usize {
        *self.offsets.get(string).expect("the table was made from these strings")
    }
}

/// Every entry of a range that holds blobs back to back, with zeros between them for alignment. A range of zeros holds none.
///
/// # Errors
/// The first field that cannot be true, with its place. Nothing is allocated by a number that was only read.
pub fn parse_all(bytes: &[u8]) -> Result<Vec<Entry<'_>>, OffloadError> {
    let mut entries = Vec::new();
    parse_all_into(bytes, &mut entries).map(|()| entries)
}

/// Entries of blobs before a damaged one stay.
fn parse_all_into<'a>(bytes: &'a [u8], entries: &mut Vec<Entry<'a>>) -> Result<(), OffloadError> {
    let mut at = 0;
    while at < bytes.len() {
        let zeros = bytes[at..].iter().take_while(|&&byte| byte == 0).count();
        if zeros > MAX_PADDING {
            return Err(OffloadError { blob: at, reason: OffloadReason::NoMagic });
        }
        at += zeros;
        if at == bytes.len() {
            break;
        }
        let known = entries.len();
        match parse_blob(&bytes[at..], entries) {
            Ok(size) => at += size,
            Err(reason) => {
                entries.truncate(known);
                return Err(OffloadError { blob: at, reason });
            }
        }
    }
    Ok(())
}

/// All entries that can be read, and the first thing that is wrong. What follows a damaged blob is found by the next blob's first bytes, so
/// that one damaged image does not take the others with it.
pub fn parse_readable(bytes: &[u8]) -> (Vec<Entry<'_>>, Option<OffloadError>) {
    let (mut entries, mut at, mut wrong) = (Vec::new(), 0, None);
    while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
        match parse_all_into(rest, &mut entries) {
            Ok(()) => break,
            Err(error) => {
                let damaged = at + error.blob;
                wrong.get_or_insert(OffloadError { blob: damaged, reason: error.reason });
                let next = |from: usize| (from..bytes.len()).step_by(BLOB_ALIGNMENT).find(|from| begins(&bytes[*from..]));
                match next((damaged + 1).next_multiple_of(BLOB_ALIGNMENT)) {
                    Some(next) => at = next,
                    None => break,
                }
            }
        }
    }
    (entries, wrong)
}

/// Blobs begin at multiples of this.
const BLOB_ALIGNMENT: usize = 8;

/// Blobs are aligned to 8 bytes and sections to at most 32; a longer run of zeros is something overwritten, not padding.
const MAX_PADDING: usize = 31;

/// Whether the bytes begin with a blob.
pub fn begins(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC)
}

/// Reads the blob at the start of `bytes` and returns its size.
fn parse_blob<'a>(bytes: &'a [u8], entries: &mut Vec<Entry<'a>>) -> Result<usize, OffloadReason> {
    if !begins(bytes) {
        return Err(OffloadReason::NoMagic);
    }
    if bytes.len() < HEADER_SIZE {
        return Err(OffloadReason::Outside { what: "the header", offset: 0, size: HEADER_SIZE as u64, end: bytes.len() });
    }
    let version = u32::from_le_bytes(array(bytes, 4)?);
    let [size, entries_at, last] = [u64_at(bytes, 8)?, u64_at(bytes, 16)?, u64_at(bytes, 24)?];
    let range = range(bytes, "the blob", 0, size)?;
    if range.end < HEADER_SIZE {
        return Err(OffloadReason::SizeTooSmall { size });
    }
    let blob = &bytes[range];
    let count = match version {
        1 if last < ENTRY_SIZE as u64 => return Err(OffloadReason::EntryTooSmall { size: last }),
        1 => {
            // LLVM does not look at it, but an entry that claims to leave the blob is a damaged one.
            self::range(blob, "the entry", entries_at, last)?;
            1
        }
        2 => last,
        other => return Err(OffloadReason::UnknownVersion(other)),
    };
    let table = table(blob, "the entries", entries_at, count, ENTRY_SIZE)?;
    let mut budget = STRING_BUDGET.saturating_mul(blob.len());
    let mut parts = Parts::default();
    parts.others.push(0..HEADER_SIZE);
    parts.others.push(self::range(blob, "the entries", entries_at, table.len() as u64)?);
    for record in table.chunks_exact(ENTRY_SIZE) {
        entries.push(parse_entry(blob, record, version, &mut budget, &mut parts)?);
    }
    parts.check()?;
    Ok(blob.len())
}

/// Where the parts of a blob are. An image that shares bytes with another part was made to hurt, or an offset in it is damaged.
#[derive(Default)]
struct Parts {
    images: Vec<Range<usize>>,
    /// Header and tables.
    others: Vec<Range<usize>>,
}

impl Parts {
    fn check(mut self) -> Result<(), OffloadReason> {
        self.images.retain(|image| !image.is_empty());
        self.images.sort_unstable_by_key(|image| image.start);
        let overlap = |a: &Range<usize>, with, b: usize| OffloadReason::Overlap { image: a.start as u64, with, offset: b as u64 };
        if let Some(pair) = self.images.windows(2).find(|pair| pair[1].start < pair[0].end) {
            return Err(overlap(&pair[1], "the image", pair[0].start));
        }
        for other in self.others.iter().filter(|other| !other.is_empty()) {
            // Disjoint and sorted, so that only the first one that ends behind the other part's beginning can reach into it.
            let first = self.images.partition_point(|image| image.end <= other.start);
            if let Some(image) = self.images.get(first).filter(|image| image.start < other.end) {
                return Err(overlap(image, "the header or table", other.start));
            }
        }
        Ok(())
    }
}

fn parse_entry<'a>(blob: &'a [u8], record: &[u8], version: u32, budget: &mut usize, parts: &mut Parts) -> Result<Entry<'a>, OffloadReason> {
    let [strings_at, string_count] = [u64_at(record, 8)?, u64_at(record, 16)?];
    let [image_at, image_size] = [u64_at(record, 24)?, u64_at(record, 32)?];
    let string_size = if version == 1 { 16 } else { 24 };
    let (mut strings, mut seen) = (Vec::new(), BTreeSet::new());
    let records = table(blob, "the strings", strings_at, string_count, string_size)?;
    parts.others.push(range(blob, "the strings", strings_at, records.len() as u64)?);
    let image = range(blob, "the image", image_at, image_size)?;
    parts.images.push(image.clone());
    for string in records.chunks_exact(string_size) {
        let key = std::str::from_utf8(c_string(blob, "a key", u64_at(string, 0)?, budget)?).map_err(|_| OffloadReason::KeyIsNoText)?;
        let value = if version == 1 {
            c_string(blob, "a value", u64_at(string, 8)?, budget)?
        } else {
            &blob[range(blob, "a value", u64_at(string, 8)?, u64_at(string, 16)?)?]
        };
        if !seen.insert(key) {
            return Err(OffloadReason::KeyTwice(key.to_owned()));
        }
        strings.push((Cow::Borrowed(key), Cow::Borrowed(value)));
    }
    Ok(Entry {
        image_kind: ImageKind::from_number(u16::from_le_bytes(array(record, 0)?)),
        offload_kind: u16::from_le_bytes(array(record, 2)?),
        flags: u32::from_le_bytes(array(record, 4)?),
        strings,
        image: Cow::Borrowed(&blob[image]),
    })
}

/// `count` records of `size` bytes.
fn table<'a>(blob: &'a [u8], what: &'static str, offset: u64, count: u64, size: usize) -> Result<&'a [u8], OffloadReason> {
    let total = count.checked_mul(size as u64);
    let outside = OffloadReason::TooMany { what, count };
    Ok(&blob[range(blob, what, offset, total.ok_or(outside)?)?])
}

/// The bytes from `offset` to the next NUL; takes them from the budget.
fn c_string<'a>(blob: &'a [u8], what: &'static str, offset: u64, budget: &mut usize) -> Result<&'a [u8], OffloadReason> {
    let rest = &blob[range(blob, what, offset, 1)?.start..];
    let end = rest.iter().take(*budget).position(|&byte| byte == 0);
    let end = end.ok_or(if rest.len() > *budget { OffloadReason::TooMuchSharing } else { OffloadReason::NoEnd { what, offset } })?;
    *budget -= end;
    Ok(&rest[..end])
}

/// The one place where offsets from outside become indices.
fn range(bytes: &[u8], what: &'static str, offset: u64, size: u64) -> Result<Range<usize>, OffloadReason> {
    let outside = || OffloadReason::Outside { what, offset, size, end: bytes.len() };
    let end = offset.checked_add(size).filter(|&end| end <= bytes.len() as u64).ok_or_else(outside)?;
    // Both fit into usize because `end` is at most the length of a slice.
    Ok(offset as usize..end as usize)
}

fn u64_at(bytes: &[u8], at: usize) -> Result<u64, OffloadReason> {
    array(bytes, at).map(u64::from_le_bytes)
}

fn array<const N: usize>(bytes: &[u8], at: usize) -> Result<[u8; N], OffloadReason> {
    let outside = OffloadReason::Outside { what: "a field", offset: at as u64, size: N as u64, end: bytes.len() };
    bytes.get(at..).and_then(|rest| rest.first_chunk()).copied().ok_or(outside)
}

/// A blob that cannot be read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("damaged OffloadBinary at byte {blob}: {reason}")]
pub struct OffloadError {
    /// Where the blob begins in the range that was read.
    pub blob: usize,
    /// What is wrong with it.
    pub reason: OffloadReason,
}

/// What is wrong with a blob.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum OffloadReason {
    /// Neither padding nor a blob.
    #[error("it does not begin with the bytes 10 FF 10 AD")]
    NoMagic,
    /// A version this reader does not know.
    #[error("version {0} is not known, only 1 and 2 are")]
    UnknownVersion(u32),
    /// The blob would end inside its own header.
    #[error("its size of {size} bytes is less than its header")]
    SizeTooSmall {
        /// What the header says.
        size: u64,
    },
    /// Version 1 states the size of its entry.
    #[error("an entry of {size} bytes is too small")]
    EntryTooSmall {
        /// What the header says.
        size: u64,
    },
    /// An offset or size leaves the blob.
    #[error("{what} (offset {offset}, size {size}) is not inside its {end} bytes")]
    Outside {
        /// Which part.
        what: &'static str,
        /// Where it should begin.
        offset: u64,
        /// How long it should be.
        size: u64,
        /// How many bytes there are.
        end: usize,
    },
    /// A count whose size in bytes is no 64-bit number.
    #[error("{count} are too many for {what}")]
    TooMany {
        /// Of what.
        what: &'static str,
        /// What the blob says.
        count: u64,
    },
    /// Two parts share bytes.
    #[error("the image at offset {image} overlaps {with} at offset {offset}")]
    Overlap {
        /// Where the image begins.
        image: u64,
        /// What it shares bytes with.
        with: &'static str,
        /// Where that begins.
        offset: u64,
    },
    /// A string that runs to the end of the blob.
    #[error("{what} at offset {offset} has no end")]
    NoEnd {
        /// Key or value.
        what: &'static str,
        /// Where it begins.
        offset: u64,
    },
    /// The strings name the same bytes far more often than any real writer does.
    #[error("its strings are out of all proportion to its size")]
    TooMuchSharing,
    /// A key is not UTF-8.
    #[error("a key is no text")]
    KeyIsNoText,
    /// The same key again.
    #[error("the key '{0}' stands there twice")]
    KeyTwice(String),
}

/// Version 1 ends strings at the first NUL.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the string '{}' of a device image holds a NUL, which OffloadBinary version 1 cannot", key.escape_default())]
pub struct NulInString {
    /// The key.
    pub key: String,
}
