//! Files that are damaged, foreign or made to hurt: every one an error that names the file, no panic, no allocation by a number that was
//! only read.

#![allow(clippy::unwrap_used)] // helpers of tests may unwrap as tests do

use aspen_image::offload::{Entry, ImageKind, parse_all};
use aspen_image::{DeviceImage, Kind, PropertySets, find};
use object::write::{Object, Symbol, SymbolSection};
use object::{Architecture, BinaryFormat, Endianness, SectionKind, SymbolFlags, SymbolKind, SymbolScope};
use proptest::prelude::*;

const FAR: u64 = u64::MAX - 2047;

/// A version 2 blob of 4096 bytes whose fields can be set to anything.
struct Blob {
    version: u32,
    size: u64,
    entries_at: u64,
    entries: u64,
    strings_at: u64,
    strings: u64,
    image_at: u64,
    image_size: u64,
}

const SOUND: Blob = Blob { version: 2, size: 4096, entries_at: 32, entries: 1, strings_at: 72, strings: 0, image_at: 96, image_size: 16 };

impl Blob {
    fn bytes(&self) -> Vec<u8> {
        let mut out = vec![0x10, 0xff, 0x10, 0xad];
        out.extend(self.version.to_le_bytes());
        for word in [self.size, self.entries_at, self.entries] {
            out.extend(word.to_le_bytes());
        }
        out.extend([6, 0, 8, 0, 0, 0, 0, 0]);
        for word in [self.strings_at, self.strings, self.image_at, self.image_size] {
            out.extend(word.to_le_bytes());
        }
        out.resize(4096, 0);
        out
    }
}

#[test]
fn every_size_and_offset_of_an_offload_binary_is_checked() {
    assert_eq!(parse_all(&SOUND.bytes()).unwrap().len(), 1);
    for (blob, reason) in [
        (Blob { version: 77, ..SOUND }, "version 77 is not known, only 1 and 2 are"),
        (Blob { size: 1 << 62, ..SOUND }, "the blob (offset 0, size 4611686018427387904) is not inside its 4096 bytes"),
        (Blob { size: 31, ..SOUND }, "its size of 31 bytes is less than its header"),
        (Blob { size: 0, ..SOUND }, "its size of 0 bytes is less than its header"),
        (Blob { entries_at: 1 << 40, ..SOUND }, "the entries (offset 1099511627776, size 40) is not inside its 4096 bytes"),
        (Blob { entries: 1 << 60, ..SOUND }, "1152921504606846976 are too many for the entries"),
        (Blob { entries: 1 << 40, ..SOUND }, "the entries (offset 32, size 43980465111040) is not inside its 4096 bytes"),
        (Blob { strings: 1, strings_at: 1 << 50, ..SOUND }, "the strings (offset 1125899906842624, size 24) is not inside its 4096 bytes"),
        (Blob { strings: 1 << 59, ..SOUND }, "the strings (offset 72, size 13835058055282163712) is not inside its 4096 bytes"),
        (Blob { strings: 1 << 61, ..SOUND }, "2305843009213693952 are too many for the strings"),
        // Zeros as strings: the key is the text at offset 0, the magic, which is no UTF-8.
        (Blob { strings: 2, strings_at: 200, ..SOUND }, "a key is no text"),
        (
            Blob { image_at: 2048, image_size: FAR, ..SOUND },
            "the image (offset 2048, size 18446744073709549568) is not inside its 4096 bytes",
        ),
        (Blob { image_at: 4000, image_size: 1 << 31, ..SOUND }, "the image (offset 4000, size 2147483648) is not inside its 4096 bytes"),
        (Blob { image_at: 31, ..SOUND }, "the image at offset 31 overlaps the header or table at offset 0"),
        (Blob { image_at: 64, ..SOUND }, "the image at offset 64 overlaps the header or table at offset 32"),
        (Blob { version: 1, entries: 8, ..SOUND }, "an entry of 8 bytes is too small"),
        (Blob { version: 1, entries: 1 << 58, ..SOUND }, "the entry (offset 32, size 288230376151711744) is not inside its 4096 bytes"),
    ] {
        let error = parse_all(&blob.bytes()).unwrap_err().to_string();
        assert_eq!(error, format!("damaged OffloadBinary at byte 0: {reason}"));
        let error = find(&blob.bytes(), "ob.bin").unwrap_err().to_string();
        assert!(error.starts_with("'ob.bin': damaged OffloadBinary at byte 0: "), "{error}");
    }
    let error = find(&[0x10, 0xff, 0x10, 0xad, 2, 0, 0, 0], "short.bin").unwrap_err().to_string();
    assert_eq!(error, "'short.bin': damaged OffloadBinary at byte 0: the header (offset 0, size 32) is not inside its 8 bytes");
    let second = [SOUND.bytes(), vec![0, 0, 1]].concat();
    assert_eq!(
        parse_all(&second).unwrap_err().to_string(),
        "damaged OffloadBinary at byte 4098: it does not begin with the bytes 10 FF 10 AD"
    );
}

#[test]
fn a_small_blob_cannot_name_a_long_string_very_often() {
    // 40 000 keys, all different endings of one text of 40 000 bytes: 800 MB of keys from 1.7 MB.
    let count = 40_000u64;
    let text_at = 72 + 24 * count;
    let mut blob = Blob { size: text_at + count + 8, strings: count, image_at: 0, image_size: 0, ..SOUND }.bytes();
    blob.truncate(72);
    for index in 0..count {
        for word in [text_at + index, text_at, 0] {
            blob.extend(word.to_le_bytes());
        }
    }
    blob.resize(text_at as usize + count as usize, b'a');
    blob.resize(text_at as usize + count as usize + 8, 0);
    let error = parse_all(&blob).unwrap_err().to_string();
    assert_eq!(error, "damaged OffloadBinary at byte 0: its strings are out of all proportion to its size");
}

#[test]
fn images_must_not_overlap() {
    // Two entries at 32 and 72; strings of neither; an image at 112 of 16 bytes and one wherever.
    let two = |second_at: u64, second_size: u64| {
        let mut bytes = Blob { entries: 2, strings_at: 112, image_at: 112, ..SOUND }.bytes();
        let record: Vec<u8> = bytes[32..72].to_vec();
        bytes[72..112].copy_from_slice(&record);
        bytes[96..104].copy_from_slice(&second_at.to_le_bytes());
        bytes[104..112].copy_from_slice(&second_size.to_le_bytes());
        parse_all(&bytes).map(|entries| entries.len()).map_err(|error| error.to_string())
    };
    assert_eq!((two(128, 16), two(4096, 0), two(120, 0)), (Ok(2), Ok(2), Ok(2)));
    let overlaps = |image: u64, with: &str| Err(format!("damaged OffloadBinary at byte 0: the image at offset {image} overlaps {with}"));
    assert_eq!(two(127, 16), overlaps(127, "the image at offset 112"));
    assert_eq!(two(112, 4), overlaps(112, "the image at offset 112"));
    assert_eq!(two(72, 8), overlaps(72, "the header or table at offset 32"));
    assert_eq!(two(0, 4096), overlaps(112, "the image at offset 0"));
}

#[test]
fn keys_must_be_unique() {
    let mut entry = Entry::new(ImageKind::SpirV, &b""[..]);
    entry.strings = vec![("arch".into(), (&b"a"[..]).into()), ("arch".into(), (&b"b"[..]).into())];
    let error = parse_all(&entry.to_bytes().unwrap()).unwrap_err().to_string();
    assert_eq!(error, "damaged OffloadBinary at byte 0: the key 'arch' stands there twice");
}

#[test]
fn zeros_are_padding_only_up_to_an_alignment() {
    assert!(parse_all(&[0; 31]).unwrap().is_empty());
    let error = parse_all(&[0; 4096]).unwrap_err().to_string();
    assert!(error.starts_with("damaged OffloadBinary at byte 0"), "{error}");
}

fn blob(name: &str) -> Vec<u8> {
    let mut entry = Entry::new(ImageKind::Bitcode, &b"BC\xc0\xde"[..]);
    entry.set_string("name", name.as_bytes());
    entry.to_bytes().unwrap()
}

/// An x86-64 object with the given sections.
fn elf(sections: &[(&str, &[u8])]) -> Vec<u8> {
    let mut file = Object::new(BinaryFormat::Elf, Architecture::X86_64, Endianness::Little);
    for (name, data) in sections {
        let section = file.add_section(Vec::new(), name.as_bytes().to_vec(), SectionKind::ReadOnlyData);
        file.append_section_data(section, data, 8);
        file.add_symbol(Symbol {
            name: format!("begin{}", name).into_bytes(),
            value: 0,
            size: 0,
            kind: SymbolKind::Data,
            scope: SymbolScope::Linkage,
            weak: false,
            section: SymbolSection::Section(section),
            flags: SymbolFlags::None,
        });
    }
    file.write().unwrap()
}

fn archive(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut out = b"!<arch>\n".to_vec();
    for (name, data) in members {
        out.extend(format!("{:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n", format!("{name}/"), 0, 0, 0, 644, data.len()).bytes());
        out.extend(*data);
        out.resize(out.len().next_multiple_of(2), b'\n');
    }
    out
}

fn names(bytes: &[u8]) -> (Kind, Vec<String>) {
    let container = find(bytes, "file").unwrap();
    let name = |image: &DeviceImage<'_>| image.name().unwrap().to_owned();
    let found = container.entries.into_iter().map(|found| {
        let member = found.member.map_or(String::new(), |member| format!("{}:{}:", member.index, member.name));
        member + &name(&DeviceImage::new(found.entry))
    });
    (container.kind, found.collect())
}

#[test]
fn images_are_found_where_they_are() {
    let two = [blob("a"), blob("b")].concat();
    assert_eq!(names(&two), (Kind::OffloadBinary, vec!["a".into(), "b".into()]));
    let object = elf(&[(".text", b"code"), (".aspen.device", &two)]);
    assert_eq!(names(&object), (Kind::Object, vec!["a".into(), "b".into()]));
    let host = elf(&[(".text", b"code")]);
    let library = archive(&[("x.o", &host), ("y.o", &object), ("read.me", b"text"), ("y.o", &object)]);
    assert_eq!(names(&library).1, ["1:y.o:a", "1:y.o:b", "3:y.o:a", "3:y.o:b"]);
}

#[test]
fn other_kinds_of_files_are_recognised() {
    let spirv: Vec<u8> = [0x0723_0203u32, 0x10400, 0, 5, 0, 0x0002_0011, 4].into_iter().flat_map(u32::to_le_bytes).collect();
    for (bytes, name, kind) in [
        (&spirv[..], "a.spv", Kind::SpirV),
        (b"BC\xc0\xde", "a.bc", Kind::Bitcode),
        (b"; ModuleID = 'x'\n", "-", Kind::LlvmText),
        (b"define void @f() {", "x.ll", Kind::LlvmText),
        (b"[Code|Properties|Symbols]\n", "a.table", Kind::Table),
        (b"\n[SYCL/device-requirements]\n", "a.prop", Kind::Properties),
        (b"!<thin>\n", "a.a", Kind::ThinArchive(vec![])),
    ] {
        let container = find(bytes, name).unwrap();
        assert_eq!((container.kind, container.entries.len()), (kind, 0), "{name}");
    }
}

#[test]
fn files_without_images_say_so() {
    let host = elf(&[(".text", b"code")]);
    for (name, bytes) in [
        ("host.o", host.clone()),
        ("wrong.o", elf(&[(".llvm.offloading", &blob("a"))])), // only a linked file has images to run
        ("padding.o", elf(&[(".aspen.device", &[0; 8])])),
        ("libhost.a", archive(&[("x.o", &host)])),
        ("empty.a", archive(&[])),
        ("app.cpp", b"int main() {}\n".to_vec()),
        ("empty", Vec::new()),
        ("noise", vec![0xff, 1, 2]),
    ] {
        let error = find(&bytes, name).unwrap_err().to_string();
        assert_eq!(error, format!("'{name}' holds no device images: nothing in it was compiled or linked by aspen++ or DPC++"));
    }
}

#[test]
fn damaged_files_name_file_member_and_reason() {
    let object = elf(&[(".aspen.device", &blob("a"))]);
    let at = object.windows(4).position(|window| window == [0x10, 0xff, 0x10, 0xad]).unwrap();
    let mut damaged = object.clone();
    damaged[at + 8..at + 16].copy_from_slice(&(1u64 << 62).to_le_bytes());
    let message = |bytes: &[u8], name| find(bytes, name).unwrap_err().to_string();
    let reason = "section '.aspen.device': damaged OffloadBinary at byte 0: the blob (offset 0, size 4611686018427387904)";
    assert!(message(&damaged, "d.o").starts_with(&format!("'d.o': {reason}")), "{}", message(&damaged, "d.o"));
    let library = archive(&[("x.o", &object), ("d.o", &damaged)]);
    assert!(message(&library, "l.a").starts_with(&format!("'l.a(d.o)': {reason}")), "{}", message(&library, "l.a"));
    for (bytes, start) in [
        (object[..object.len() / 2].to_vec(), "'f' is a damaged ELF file: "),
        (object[..64].to_vec(), "'f' is a damaged ELF file: "),
        ([&object[..16], &[0xa5; 3000]].concat(), "'f' is a damaged ELF file: "),
        ([&b"!<arch>\n"[..], &[0xa5; 3000]].concat(), "'f' is a damaged archive: "),
        (format!("!<arch>\n{:<48}{:<10}`\nxyz", "x.o/", "9999999999").into_bytes(), "'f(x.o)' is a damaged archive: "),
        ([&0x0723_0203u32.to_le_bytes()[..], &[0xa5; 3000]].concat(), "'f': damaged SPIR-V at word 5: an instruction is cut off"),
        (0x0723_0203u32.to_le_bytes().to_vec(), "'f': damaged SPIR-V at word 1: the module is cut off"),
    ] {
        assert!(message(&bytes, "f").starts_with(start), "{}", message(&bytes, "f"));
    }
}

#[test]
fn damaged_elf_files_say_at_which_byte() {
    let object = elf(&[(".aspen.device", &blob("a"))]);
    let table = u64::from_le_bytes(object[40..48].try_into().unwrap());
    let headers = u64::from(u16::from_le_bytes(object[60..62].try_into().unwrap()));
    let length = object.len();
    // The first section that is in the file says that it is larger than any.
    let header = (1..headers).map(|index| table + index * 64).find(|at| object[*at as usize + 4] == 1).unwrap();
    let mut large = object.clone();
    large[header as usize + 32..][..8].copy_from_slice(&(1u64 << 62).to_le_bytes());
    let at = u64::from_le_bytes(object[header as usize + 24..][..8].try_into().unwrap());
    for (bytes, expected) in [
        (&object[..10], "it ends at byte 10, within its header of 64 bytes".to_owned()),
        (&object[..64], format!("{headers} section headers of 64 bytes at byte {table} do not fit into its 64 bytes")),
        (&object[..length - 1], format!("{headers} section headers of 64 bytes at byte {table} do not fit into its {} bytes", length - 1)),
        (
            &large,
            format!(
                "section {}, by its header at byte {header}, has 4611686018427387904 bytes at byte {at} of {length}",
                (header - table) / 64
            ),
        ),
    ] {
        let message = find(bytes, "f").unwrap_err().to_string();
        assert!(message.starts_with("'f' is a damaged ELF file: ") && message.ends_with(&expected), "{message}\n{expected}");
    }
}

/// Reads everything that can be read.
fn read_all(bytes: &[u8]) {
    if let Ok(container) = find(bytes, "f") {
        for found in container.entries {
            let image = DeviceImage::new(found.entry);
            let _ = (image.requirements(), image.property_sets(), image.exports(), image.imports());
            if let Ok(kernels) = image.kernels() {
                for kernel in kernels {
                    let _ = image.sources(&kernel.symbol);
                }
            }
        }
    }
    if let Ok(text) = std::str::from_utf8(bytes)
        && let Ok(sets) = PropertySets::from_text(text)
    {
        assert_eq!(PropertySets::from_text(&sets.to_text().unwrap_or_default()).map(|again| again.len()).ok(), Some(sets.len()));
    }
}

proptest! {
    // Failing inputs become tests by hand; no files are left beside the sources.
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn flipped_bytes_never_panic(flips in proptest::collection::vec((any::<usize>(), any::<u8>()), 1..8), cut in any::<usize>()) {
        let object = elf(&[(".aspen.device", &[blob("a"), blob("b")].concat())]);
        let sets = b"[SYCL/device-requirements]\naspect=2|ABAAAAAAAAQAAAAAGAAAAA\n".to_vec();
        for mut bytes in [object.clone(), archive(&[("x.o", &object)]), [blob("a"), SOUND.bytes()].concat(), sets] {
            for (at, byte) in &flips {
                let at = at % bytes.len();
                bytes[at] = *byte;
            }
            read_all(&bytes);
            bytes.truncate(cut % bytes.len());
            read_all(&bytes);
        }
    }

    #[test]
    fn noise_never_panics(noise in proptest::collection::vec(any::<u8>(), 0..600)) {
        for magic in [&b"\x10\xff\x10\xad\x01\0\0\0"[..], b"\x7fELF\x02\x01\x01\0", b"!<arch>\n", b"!<thin>\n", b"\x03\x02\x23\x07", b"[a]\n"] {
            read_all(&[magic, &noise].concat());
        }
    }
}
