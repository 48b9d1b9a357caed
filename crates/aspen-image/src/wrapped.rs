//! Device images as DPC++ wraps them into executables and shared libraries: structures in the host's data that the runtime gets a pointer to
//! when the library is loaded. Here they are found and read without loading anything.
//!
//! A section `.tgtimg` lists where each image lies; the descriptor of an image is the structure that points there. Where a file has no such
//! section, structures that look like descriptors and hold together are taken. Source: FORMATS §7.

mod memory;
mod runtime;

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::fmt;

use aspen_contract::{Aspect, Requirements};
use object::{Object, ObjectSection, SectionFlags};

use crate::dpcpp;
use crate::image::ImageError;
use crate::property::{PropertySet, PropertySets, Value};
use memory::Memory;

/// Where images lie: pairs of address and size.
const LIST: &str = ".tgtimg";
/// `SYCL` among the kinds of offloading.
const KIND_SYCL: u64 = 4;
/// Offload entries: the old ones, and those that new drivers write.
const OLD_ENTRY: u64 = 32;
const NEW_ENTRY: u64 = 56;
/// The first 16 bytes of a new entry: nothing, version 1, kind SYCL, no flags.
const NEW_ENTRY_MARK: [u64; 2] = [0, 0x0008_0001];
const PROPERTY_SET: u64 = 24;
const PROPERTY: u64 = 32;
/// Names are symbols; the longest of real libraries have some thousand bytes.
const LONGEST_TEXT: usize = 1 << 20;

/// An image with all that its descriptor says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WrappedImage<'a> {
    /// Where the descriptor is in the file.
    pub offset: u64,
    /// 2 or 3.
    pub version: u16,
    /// What the bytes are.
    pub format: Format,
    /// `spir64`, `spir64_gen`, …
    pub target: String,
    /// Options for the device's compiler.
    pub compile_options: String,
    /// Options for the device's linker.
    pub link_options: String,
    /// The image, perhaps compressed.
    pub bytes: &'a [u8],
    /// What the runtime can ask for by name: kernels, and exported functions.
    pub entries: Vec<Cow<'a, str>>,
    /// All property sets.
    pub properties: PropertySets,
    /// Whether the file asks for a runtime of 2025 or before: its numbers of aspects are of that time.
    pub of_2025: bool,
}

impl WrappedImage<'_> {
    /// What the image needs, in today's aspects.
    ///
    /// # Errors
    /// If a property set says something impossible.
    pub fn requirements(&self) -> Result<Requirements, ImageError> {
        let mut out = dpcpp::requirements_of_sets(&self.properties)?;
        if self.of_2025 {
            out.aspects = out.aspects.into_iter().map(|aspect| Aspect::from_number_of_2025(aspect.number())).collect();
        }
        Ok(out)
    }
}

/// What the bytes of an image are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// Not said: the first bytes tell.
    None,
    /// Machine code for a device.
    Native,
    /// A SPIR-V module.
    SpirV,
    /// LLVM bitcode.
    Bitcode,
    /// One of the others in a frame of zstd.
    Compressed,
    /// Another number.
    Other(u8),
}

impl Format {
    fn from_number(number: u8) -> Format {
        match number {
            0 => Format::None,
            1 => Format::Native,
            2 => Format::SpirV,
            3 => Format::Bitcode,
            4 => Format::Compressed,
            other => Format::Other(other),
        }
    }
}

/// As `aspen inspect` names it.
impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Format::None => "none",
            Format::Native => "native",
            Format::SpirV => "spirv",
            Format::Bitcode => "bitcode",
            Format::Compressed => "compressed",
            Format::Other(number) => return write!(f, "format {number}"),
        })
    }
}

/// What the first bytes of an image say for sure. Machine code begins in many ways.
fn seen(bytes: &[u8]) -> Option<Format> {
    const MARKS: [(&[u8], Format); 3] =
        [(&[3, 2, 0x23, 7], Format::SpirV), (b"BC\xc0\xde", Format::Bitcode), (&[0x28, 0xb5, 0x2f, 0xfd], Format::Compressed)];
    MARKS.iter().find(|(mark, _)| bytes.starts_with(mark)).map(|(_, format)| *format)
}

/// A descriptor that says something impossible.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WrappedError {
    /// Where in the file.
    pub offset: u64,
    /// What is wrong there.
    pub why: String,
}

impl fmt::Display for WrappedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "descriptor of a device image at byte {}: {}", self.offset, self.why)
    }
}

impl std::error::Error for WrappedError {}

fn wrong(offset: u64, why: impl Into<String>) -> WrappedError {
    WrappedError { offset, why: why.into() }
}

/// All images of a linked ELF file, in the order of their descriptors; none if DPC++ did not make it.
///
/// # Errors
/// If a descriptor is damaged, or the file is one whose structures are laid out in another way.
pub fn find<'a>(bytes: &'a [u8]) -> Result<Vec<WrappedImage<'a>>, WrappedError> {
    let Ok(file) = object::File::parse(bytes) else { return Ok(Vec::new()) };
    let list = file.sections().find(|section| section.name() == Ok(LIST));
    let place = list.as_ref().map_or(0, |list| list.file_range().map_or(0, |range| range.0));
    if place > bytes.len() as u64 {
        return Err(wrong(bytes.len() as u64, format!("the section '{LIST}' begins at byte {place}, and the file ends here")));
    }
    if !file.is_64() || !file.is_little_endian() {
        return match list {
            Some(_) => Err(wrong(place, "only files of 64-bit little-endian machines are read")),
            None => Ok(Vec::new()),
        };
    }
    let memory = Memory::new(&file, bytes);
    let of_2025 = runtime::version(&file, bytes).is_some_and(|version| version <= runtime::LAST_OF_2025);
    let begins = list.map(|list| listed(&list, place, &memory)).transpose()?;
    let mut found: BTreeMap<u64, WrappedImage<'a>> = BTreeMap::new();
    let mut described: HashMap<u64, u64> = HashMap::new();
    for section in file.sections().filter(holds_data) {
        let Ok(data) = section.data() else { continue };
        let (start, words) = (section.address(), data.as_chunks::<8>().0);
        for (index, word) in words.iter().enumerate() {
            let Some((layout, format)) = Layout::of(u64::from_le_bytes(*word)) else { continue };
            let address = start.wrapping_add(8 * index as u64);
            if memory.bytes(address, layout.binary + 48).is_none() {
                continue;
            }
            let Some(begin) = memory.pointer(address + layout.binary) else { continue };
            let sure = begins.as_ref().map(|begins| begins.contains_key(&begin));
            if sure == Some(false) || (sure.is_none() && !looks_right(&memory, address, layout)) {
                continue;
            }
            described.insert(begin, address);
            let image = WrappedImage { of_2025, ..image(&memory, address, layout, format)? };
            // Of a compressed image the list has the size that it had before.
            let listed = begins.as_ref().and_then(|begins| begins.get(&begin)).filter(|_| format != Format::Compressed);
            if let Some((_, size)) = listed.filter(|(_, size)| *size != image.bytes.len() as u64) {
                let why = format!("its image has {} bytes, but the section '{LIST}' says {size}", image.bytes.len());
                return Err(wrong(memory.offset(address + layout.binary), why));
            }
            found.insert(address, image);
        }
    }
    for (begin, (offset, _)) in begins.into_iter().flatten() {
        if !described.contains_key(&begin) {
            return Err(wrong(offset, format!("the image at address {begin:#x} has no descriptor of a version that is known (2 and 3)")));
        }
    }
    Ok(found.into_values().collect())
}

/// Addresses of images; where in the file each is listed, and its size. `offset`: where the list is in the file.
fn listed<'a>(list: &object::Section<'a, '_>, offset: u64, memory: &Memory<'_>) -> Result<BTreeMap<u64, (u64, u64)>, WrappedError> {
    if list.size() % 16 != 0
        || memory.bytes(list.address(), list.size()).is_none()
        || list.data().map_or(0, <[u8]>::len) as u64 != list.size()
    {
        return Err(wrong(offset, format!("the section '{LIST}' has {} bytes and no pairs of address and size", list.size())));
    }
    let mut out = BTreeMap::new();
    for index in 0..list.size() / 16 {
        let at = list.address() + 16 * index;
        let (begin, size) = (memory.pointer(at), memory.number(at + 8));
        let (Some(begin), Some(size)) = (begin, size) else { return Err(wrong(offset + 16 * index, "it lists nothing")) };
        let outside = || wrong(offset + 16 * index, format!("it lists {size} bytes at address {begin:#x}, which is not in the file"));
        memory.bytes(begin, size.min(1)).ok_or_else(outside)?;
        out.insert(begin, (offset + 16 * index, size));
    }
    Ok(out)
}

fn holds_data(section: &object::Section<'_, '_>) -> bool {
    const ALLOCATED: u64 = 2;
    const EXECUTABLE: u64 = 4;
    match section.flags() {
        SectionFlags::Elf { sh_flags, .. } => sh_flags.0 & ALLOCATED != 0 && sh_flags.0 & EXECUTABLE == 0 && section.address() % 8 == 0,
        _ => false,
    }
}

/// Where the parts of a descriptor are.
#[derive(Clone, Copy)]
struct Layout {
    version: u16,
    binary: u64,
}

impl Layout {
    /// What the first eight bytes say, if they are those of a descriptor.
    fn of(word: u64) -> Option<(Layout, Format)> {
        let format = Format::from_number((word >> 24) as u8);
        match word & !0xff00_0000 {
            head if head == 3 | KIND_SYCL << 16 => Some((Layout { version: 3, binary: 32 }, format)),
            // Two pointers of a manifest stand before the image.
            head if head == 2 | KIND_SYCL << 16 => Some((Layout { version: 2, binary: 48 }, format)),
            _ => None,
        }
    }
}

/// Whether a structure that nothing lists holds together as a descriptor does.
fn looks_right(memory: &Memory<'_>, at: u64, layout: Layout) -> bool {
    let target = memory.pointer(at + 8).and_then(|target| memory.text(target, 64));
    let named = target.is_some_and(|target| !target.is_empty() && target.bytes().all(|byte| byte.is_ascii_graphic()));
    let range = |at| Some((memory.pointer(at)?, memory.pointer(at + 8)?));
    let in_order = |at| range(at).is_some_and(|(begin, end)| begin <= end && memory.bytes(begin, end - begin).is_some());
    named && in_order(at + layout.binary) && range(at + layout.binary).is_some_and(|(begin, end)| begin < end)
}

fn image<'a>(memory: &Memory<'a>, at: u64, layout: Layout, format: Format) -> Result<WrappedImage<'a>, WrappedError> {
    let text = |place: u64, what: &str| -> Result<Cow<'a, str>, WrappedError> {
        match memory.pointer(place) {
            Some(0) => Ok("".into()),
            Some(address) => {
                let text = memory.text(address, LONGEST_TEXT);
                let text = text.ok_or_else(|| wrong(memory.offset(place), format!("its {what} is no text in the file")))?;
                let refused = || wrong(memory.offset(place), format!("its {what} has the same bytes as others again and again"));
                if memory.may_copy(text.len()) { Ok(text) } else { Err(refused()) }
            }
            None => Err(wrong(memory.offset(place), format!("its {what} is not in the file"))),
        }
    };
    let (begin, size) = range(memory, at + layout.binary, "image", 1)?;
    let bytes = memory.bytes(begin, size).ok_or_else(|| wrong(memory.offset(at + layout.binary), "its image is not in the file"))?;
    // A runtime would hand it to the wrong compiler. Formats that nobody knows are shown as such.
    if let Some(seen) = seen(bytes).filter(|seen| *seen != format && !matches!(format, Format::None | Format::Other(_))) {
        return Err(wrong(memory.offset(at), format!("its format is '{format}', but its image begins as '{seen}' does")));
    }
    let (first, entries_size) = entries_range(memory, at + layout.binary + 16)?;
    Ok(WrappedImage {
        offset: memory.offset(at),
        version: layout.version,
        format,
        target: text(at + 8, "target")?.into_owned(),
        compile_options: text(at + 16, "list of compiler options")?.into_owned(),
        link_options: text(at + 24, "list of linker options")?.into_owned(),
        bytes,
        entries: entries(memory, first, entries_size)?,
        properties: property_sets(memory, at + layout.binary + 32)?,
        of_2025: false,
    })
}

/// Begin and size of what two pointers enclose.
fn range(memory: &Memory<'_>, place: u64, what: &str, item: u64) -> Result<(u64, u64), WrappedError> {
    let offset = memory.offset(place);
    let (Some(begin), Some(end)) = (memory.pointer(place), memory.pointer(place + 8)) else {
        return Err(wrong(offset, format!("its {what} is cut off")));
    };
    let size =
        end.checked_sub(begin).ok_or_else(|| wrong(offset, format!("its {what} ends at {end:#x} before it begins at {begin:#x}")))?;
    if size % item != 0 {
        return Err(wrong(offset, format!("its {what} has {size} bytes, which are no whole number of items of {item}")));
    }
    if size > 0 && memory.bytes(begin, size).is_none() {
        return Err(wrong(offset, format!("its {what} has {size} bytes at address {begin:#x}, which are not all in the file")));
    }
    Ok((begin, size))
}

fn entries_range(memory: &Memory<'_>, place: u64) -> Result<(u64, u64), WrappedError> {
    range(memory, place, "list of entries", 8)
}

fn entries<'a>(memory: &Memory<'a>, begin: u64, size: u64) -> Result<Vec<Cow<'a, str>>, WrappedError> {
    if size == 0 {
        return Ok(Vec::new());
    }
    let is_new = [memory.number(begin), memory.number(begin + 8)] == NEW_ENTRY_MARK.map(Some);
    let (item, name) = if is_new { (NEW_ENTRY, 24) } else { (OLD_ENTRY, 8) };
    if !size.is_multiple_of(item) {
        return Err(wrong(memory.offset(begin), format!("its entries have {size} bytes, which are no whole number of items of {item}")));
    }
    let read = |index| {
        let place = begin + index * item + name;
        let name = memory.pointer(place).and_then(|address| memory.text(address, LONGEST_TEXT));
        let name = name.ok_or_else(|| wrong(memory.offset(place), format!("entry {index} has no name in the file")))?;
        if memory.may_copy(name.len()) {
            Ok(name)
        } else {
            Err(wrong(memory.offset(place), "its entries name the same bytes again and again"))
        }
    };
    (0..size / item).map(read).collect()
}

fn property_sets(memory: &Memory<'_>, place: u64) -> Result<PropertySets, WrappedError> {
    let (begin, size) = range(memory, place, "list of property sets", PROPERTY_SET)?;
    let mut out = PropertySets::new();
    for at in (0..size / PROPERTY_SET).map(|index| begin + index * PROPERTY_SET) {
        let name = memory.pointer(at).and_then(|address| memory.text(address, LONGEST_TEXT));
        let name = name.ok_or_else(|| wrong(memory.offset(at), "a property set has no name in the file"))?;
        if !memory.may_copy(name.len()) {
            return Err(wrong(memory.offset(at), "its property sets name the same bytes again and again"));
        }
        let (first, length) = range(memory, at + 8, &format!("property set '{name}'"), PROPERTY)?;
        let mut set = PropertySet::new();
        for at in (0..length / PROPERTY).map(|index| first + index * PROPERTY) {
            let key = memory.pointer(at).and_then(|address| memory.text(address, LONGEST_TEXT));
            let key = key.ok_or_else(|| wrong(memory.offset(at), format!("a property of '{name}' has no name in the file")))?;
            if !memory.may_copy(key.len()) {
                return Err(wrong(memory.offset(at), TOO_MUCH));
            }
            let value = value(memory, at).map_err(|why| wrong(memory.offset(at), format!("property '{key}' of '{name}' {why}")))?;
            set.insert(key.into_owned(), value);
        }
        out.insert(&*name, set);
    }
    Ok(out)
}

const TOO_MUCH: &str = "its properties name the same bytes again and again";

/// A number stands in place of the size; bytes begin with their number of bits.
fn value(memory: &Memory<'_>, at: u64) -> Result<Value, String> {
    let (Some(pointer), Some(kind), Some(size)) = (memory.pointer(at + 8), memory.number(at + 16), memory.number(at + 24)) else {
        return Err("is cut off".into());
    };
    match kind as u32 {
        1 => u32::try_from(size).map(Value::U32).map_err(|_| format!("is the number {size}, which has no 32 bits")),
        2 => {
            let bytes = memory
                .bytes(pointer, size)
                .ok_or_else(|| format!("has {size} bytes at address {pointer:#x}, which are not all in the file"))?;
            if !memory.may_copy(bytes.len()) {
                return Err(format!("cannot be: {TOO_MUCH}"));
            }
            let (count, payload) = bytes.split_at_checked(8).ok_or_else(|| format!("has {size} bytes, too few for their count"))?;
            let count = count.try_into().map_or(0, u64::from_le_bytes);
            let held = count.div_ceil(8);
            // A terminator may follow.
            let payload = usize::try_from(held).ok().and_then(|held| payload.get(..held));
            let bytes = payload.ok_or_else(|| format!("says that it has {count} bits, but has {size} bytes"))?.to_vec();
            Ok(if count % 8 == 0 { Value::Bytes(bytes) } else { Value::Bits { count, bytes } })
        }
        3 => {
            let bytes = memory
                .bytes(pointer, size)
                .ok_or_else(|| format!("has {size} bytes at address {pointer:#x}, which are not all in the file"))?;
            if !memory.may_copy(bytes.len()) {
                return Err(format!("cannot be: {TOO_MUCH}"));
            }
            Ok(Value::Bytes(bytes.strip_suffix(&[0]).unwrap_or(bytes).to_vec()))
        }
        other => Err(format!("is of the kind {other}, which this version of Aspen does not know")),
    }
}
