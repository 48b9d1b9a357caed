//! The fuzz targets on stable Rust: sound files of every kind, changed at random, through every reader. What must hold is in
//! `fuzz/src/lib.rs`; here also that no reader takes memory that the size of its input does not justify.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use aspen_image::offload::{Entry, ImageKind};
use object::write::{Object, StandardSegment};
use object::{Architecture, BinaryFormat, Endianness, SectionKind};

#[path = "../../../fuzz/src/lib.rs"]
mod targets;

/// The system's allocator, with the most that was taken at a time. One test a process: others would be counted too.
struct Counting;

static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

// SAFETY: hands every request to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let live = LIVE.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        PEAK.fetch_max(live, Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of alloc.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of dealloc, and the pointer came from the system's allocator.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Changes to a seed for each target.
const ROUNDS: usize = 3000;
/// Bytes that any reader may take, and how many for each byte of input: maps of small properties are mostly their own overhead.
const FREE: usize = 1 << 18;
const FOR_A_BYTE: usize = 256;

/// Numbers that look random and are the same in every run (xorshift).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() % limit.max(1) as u64).unwrap()
    }
}

/// Lengths and offsets that go wrong.
const EDGES: [u64; 12] = [0, 1, 7, 0x7f, 0xff, 0xffff, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 1 << 62, u64::MAX - 7, u64::MAX];

fn mutated(seed: &[u8], others: &[Vec<u8>], numbers: &mut Numbers) -> Vec<u8> {
    let mut out = seed.to_vec();
    for _ in 0..=numbers.below(4) {
        let at = numbers.below(out.len());
        match numbers.below(7) {
            0 if !out.is_empty() => out[at] = numbers.next().to_le_bytes()[0],
            1 if !out.is_empty() => out[at] ^= 1 << numbers.below(8),
            2 => out.truncate(at),
            3 | 4 => {
                let width = [1, 2, 4, 8][numbers.below(4)];
                let value = EDGES[numbers.below(EDGES.len())].to_le_bytes();
                let at = at / width * width;
                for (byte, new) in out.iter_mut().skip(at).zip(&value[..width]) {
                    *byte = *new;
                }
            }
            5 => {
                // A piece again, somewhere else.
                let piece = out[at..(at + numbers.below(64)).min(out.len())].to_vec();
                let to = numbers.below(out.len() + 1);
                out.splice(to..to, piece);
            }
            _ => {
                let other = &others[numbers.below(others.len())];
                let from = numbers.below(other.len());
                let piece = other[from..(from + numbers.below(64)).min(other.len())].to_vec();
                out.splice(at..(at + piece.len()).min(out.len()), piece);
            }
        }
    }
    out
}

fn elf(name: &str, data: &[u8]) -> Vec<u8> {
    let mut file = Object::new(BinaryFormat::Elf, Architecture::X86_64, Endianness::Little);
    let segment = file.segment_name(StandardSegment::Data).to_vec();
    let section = file.add_section(segment, name.into(), SectionKind::ReadOnlyData);
    file.append_section_data(section, data, 8);
    file.write().unwrap()
}

fn archive(magic: &str, members: &[&[u8]]) -> Vec<u8> {
    let mut out = magic.as_bytes().to_vec();
    for (index, data) in members.iter().enumerate() {
        out.extend(format!("{:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n", format!("m{index}.o/"), 0, 0, 0, 644, data.len()).bytes());
        out.extend(*data);
        out.resize(out.len().next_multiple_of(2), b'\n');
    }
    out
}

/// A linked file as DPC++ wraps images into it: a list, two descriptors, an entry, a set of one property. `list_at`: where the file says that
/// the list is, if not where it is.
fn wrapped(list_at: Option<u64>) -> Vec<u8> {
    const BASE: u64 = 0x1_0000;
    const HEADERS: u64 = 64 + 56;
    let at = |offset: u64| BASE + HEADERS + offset;
    let mut data = Vec::new();
    let (list, descriptors, entry, set, property, texts) = (0, 32, 192, 224, 248, 280);
    let (code, kernel) = (texts, texts + 32);
    let (target, set_name, key) = (kernel + 8, kernel + 16, kernel + 48);
    for word in [at(code), 8, at(code + 8), 8] {
        data.extend(word.to_le_bytes());
    }
    for (index, format) in [2u64, 4].into_iter().enumerate() {
        let begin = code + 8 * index as u64;
        let head = 3 | 4 << 16 | format << 24;
        let ends = [at(begin), at(begin + 8), at(entry), at(entry + 32), at(set), at(set + 24)];
        data.extend([head, at(target), 0, 0].into_iter().chain(ends).flat_map(u64::to_le_bytes));
    }
    assert_eq!((data.len() as u64, list, descriptors), (entry, 0, 32));
    let end = [0, at(kernel), 0, 0, at(set_name), at(property), at(property + 32), at(key), 0, 1, 16];
    data.extend(end.into_iter().flat_map(u64::to_le_bytes));
    data.extend([3, 2, 0x23, 7, 0, 4, 1, 0, 0x28, 0xb5, 0x2f, 0xfd, 0, 0, 0, 0].into_iter().chain([0; 16]));
    for (text, size) in [("k", 8), ("spir64", 8), ("SYCL/device requirements", 32), ("reqd_sub_group_size", 24)] {
        let end = data.len() + size;
        data.extend(text.bytes());
        data.resize(end, 0);
    }
    let names = b"\0.tgtimg\0.data\0.shstrtab\0";
    let all = HEADERS + data.len() as u64;
    let sections = (all + names.len() as u64).next_multiple_of(8);
    let mut out = b"\x7fELF\x02\x01\x01".to_vec();
    out.resize(16, 0);
    out.extend([2u16, 62].into_iter().flat_map(u16::to_le_bytes).chain(1u32.to_le_bytes()));
    out.extend([0, 64, sections].into_iter().flat_map(u64::to_le_bytes).chain([0; 4]));
    out.extend([64u16, 56, 1, 64, 4, 3].into_iter().flat_map(u16::to_le_bytes));
    // One segment, readable and writable, that is the whole file but for its sections.
    out.extend([1u32, 6].into_iter().flat_map(u32::to_le_bytes));
    out.extend([0, BASE, BASE, all, all, 8].into_iter().flat_map(u64::to_le_bytes));
    out.extend(data);
    out.extend(names);
    out.resize(usize::try_from(sections).unwrap(), 0);
    let none = [0u64; 6];
    let list_of = [3, at(list), list_at.unwrap_or(HEADERS + list), 32, 0, 8];
    let data_of = [3, at(descriptors), HEADERS + descriptors, all - HEADERS - descriptors, 0, 8];
    let names_of = [0, 0, all, names.len() as u64, 0, 1];
    for (name, kind, [flags, address, offset, size, link, align]) in
        [(0u32, 0u32, none), (1, 1, list_of), (9, 1, data_of), (15, 3, names_of)]
    {
        out.extend(name.to_le_bytes().into_iter().chain(kind.to_le_bytes()));
        out.extend([flags, address, offset, size, link, align, 0].into_iter().flat_map(u64::to_le_bytes));
    }
    out
}

/// Sound files: what the seeds print, DPC++'s form, each container.
fn seeds() -> Vec<Vec<u8>> {
    const SETS: &str = "[SYCL/device-requirements]\naspect=2|ABAAAAAAAAQAAAAAGAAAAA\nreqd_sub_group_size=2|gAAAAAAAAAACAAAA\n\
                        reqd_work_group_size=2|ACAAAAAAAAwAAAAAABAAAAABAAAAEAAA\n[SYCL/exported symbols]\n_Z3expv=1|1\n";
    const DPCPP: &str = "[SYCL/device requirements]\naspects=2|gBAAAAAAAAQBAAAAGAAAAsBAAAA\nreqd_sub_group_size=1|8\n\
                         reqd_work_group_size_uint64_t=2|ADAAAAAAAAAIAAAAAAAAAQAAAAAAAAAABAAAAAAAAAA\nwork_group_num_dim=1|2\n[SYCL/kernel names]\nk=1|1\n";
    const TABLE: &str = "[Code|Properties|Symbols]\na_0.bc|a_0.prop|a_0.sym\na_1.bc|a_1.prop|a_1.sym\n";
    let mut entry = Entry::new(ImageKind::SpirV, &b"\x03\x02\x23\x07\0\x04\x01\0"[..]);
    for (key, value) in [("triple", "spirv64"), ("arch", "spir64"), ("symbols", "k"), ("name", "a_0")] {
        entry.set_string(key, value.as_bytes());
    }
    entry.set_string("SYCL/device-requirements", &b"aspect=2|gAAAAAAAAAgBAAAA\n"[..]);
    entry.set_string("Aspen/kernels", &b"k=2|ABAAAAAAAAQAAAAAGAAAAA\n"[..]);
    let version1 = entry.to_bytes().unwrap();
    // Header, an entry, two strings with sizes, their bytes, an image.
    let mut version2 = vec![0x10, 0xff, 0x10, 0xad, 2, 0, 0, 0];
    for word in [144u64, 32, 1, 8 << 16 | 6, 72, 2, 136, 8, 120, 125, 4, 129, 134, 2] {
        version2.extend(word.to_le_bytes());
    }
    version2.extend(b"name\0abcdarch\0zz");
    version2.resize(144, 7);
    let words = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
    // Kernel and Linkage; an entry point "k" with LocalSize; an import "f"; an export "k".
    let spirv = words(&[
        0x0723_0203,
        0x1_0400,
        0,
        9,
        0,
        2 << 16 | 17,
        6,
        2 << 16 | 17,
        5,
        3 << 16 | 14,
        2,
        2,
        5 << 16 | 15,
        6,
        1,
        u32::from(b'k'),
        2,
        6 << 16 | 16,
        1,
        17,
        4,
        4,
        1,
        5 << 16 | 71,
        3,
        41,
        u32::from(b'f'),
        1,
        5 << 16 | 71,
        1,
        41,
        u32::from(b'k'),
        0,
    ]);
    let blobs = [version1.clone(), version2.clone()].concat();
    let object = elf(".aspen.device", &blobs);
    let bundle = elf("__CLANG_OFFLOAD_BUNDLE__sycl-spir64_gen-unknown-unknown-bmg_g21", &spirv);
    vec![
        SETS.into(),
        DPCPP.into(),
        TABLE.into(),
        version1,
        version2,
        spirv.clone(),
        archive("!<arch>\n", &[&object, &spirv, &object]),
        archive("!<thin>\n", &[]),
        elf(".llvm.offloading", &blobs),
        object,
        wrapped(None),
        wrapped(Some(1 << 40)),
        bundle.clone(),
        archive("!<arch>\n", &[&bundle, &spirv]),
    ]
}

#[test]
fn changed_files_neither_panic_nor_take_memory() {
    let seeds = seeds();
    let find = |seed: &[u8]| aspen_image::find(seed, "seed").map(|container| container.entries.len()).map_err(|error| error.to_string());
    // Unchanged, they are read; otherwise all that follows would only test how files are refused.
    for (index, entries) in [(3, 1), (4, 1), (5, 0), (6, 4), (9, 2)] {
        assert_eq!(find(&seeds[index]), Ok(entries), "seed {index}");
    }
    assert!(aspen_image::PropertySets::from_text(std::str::from_utf8(&seeds[1]).unwrap()).is_ok());
    assert_eq!(aspen_image::spirv::SpirvModule::parse(&seeds[5]).unwrap().kernels.len(), 1);
    let images = aspen_image::wrapped::find(&seeds[10]).unwrap();
    assert_eq!((images.len(), &*images[1].target, &*images[1].entries[0], images[0].properties.iter().count()), (2, "spir64", "k", 1));
    let outside = aspen_image::wrapped::find(&seeds[11]).unwrap_err();
    assert_eq!(outside.why, "the section '.tgtimg' begins at byte 1099511627776, and the file ends here");
    for (index, count) in [(12, 1), (13, 1)] {
        assert_eq!(aspen_image::bundles::find(&seeds[index], "seed").map(|found| found.len()), Ok(count));
    }
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    for (name, target) in targets::TARGETS {
        for seed in &seeds {
            target(seed);
            for round in 0..ROUNDS {
                let input = mutated(seed, &seeds, &mut numbers);
                let before = LIVE.load(Ordering::Relaxed);
                PEAK.store(before, Ordering::Relaxed);
                target(&input);
                let taken = PEAK.load(Ordering::Relaxed).saturating_sub(before);
                assert!(taken <= FREE + FOR_A_BYTE * input.len(), "{name}, round {round}: {taken} bytes for {}: {input:?}", input.len());
            }
        }
    }
}
