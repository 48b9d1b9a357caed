//! Bytes compared with vectors made by hand from the formats' description, and with what LLVM's own tool writes and reads.

#![allow(clippy::unwrap_used)] // helpers of tests may unwrap as tests do

use std::path::Path;
use std::process::Command;

use aspen_contract::{Aspect, Need, Place, Requirements, Source, Step, WorkGroupSize};
use aspen_image::image::{DEVICE_REQUIREMENTS, REQUIREMENT_SOURCES, device_requirements, requirements_of};
use aspen_image::offload::parse_all;
use aspen_image::property::{set_from_text, set_to_text};
use aspen_image::{DeviceImage, Entry, ImageBuilder, ImageKind, Kernel, KernelInfo, PropertySet, PropertySets, Value};

fn set(properties: impl IntoIterator<Item = (&'static str, Value)>) -> PropertySet {
    properties.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// The vectors of FORMATS §4.4, which stand in the public description of the format.
#[test]
fn base64_takes_the_least_significant_bit_first() {
    for (payload, text) in [
        (&[1][..], "IAAAAAAAAAQA"),
        (&[1, 0, 0, 0, 6, 0, 0, 0], "ABAAAAAAAAQAAAAAGAAAAA"),
        (&[], "AAAAAAAAAAA"),
        (&[64, 0, 0, 0, 0, 0, 0, 0], "ABAAAAAAAAAQAAAAAAAAAA"),
    ] {
        let line = format!("p=2|{text}\n");
        assert_eq!(set_to_text(&set([("p", Value::Bytes(payload.to_vec()))])).unwrap(), line);
        assert_eq!(set_from_text(&line).unwrap()["p"], Value::Bytes(payload.to_vec()));
    }
}

/// Five bits in one byte: the count comes first, so the text is the 72 bits `05 00… 1f`.
#[test]
fn lengths_that_are_no_whole_bytes_are_kept() {
    let value = Value::Bits { count: 5, bytes: vec![0x1f] };
    let text = set_to_text(&set([("kernel", value.clone())])).unwrap();
    assert_eq!(text, "kernel=2|FAAAAAAAAAwH\n");
    assert_eq!(set_from_text(&text).unwrap()["kernel"], value);
}

#[test]
fn a_whole_file_keeps_its_order_and_unknown_sets() {
    let text = "[ZZZ/of the future]\nz=1|4294967295\na|b=1|0\n[SYCL/device-requirements]\naspect=2|ABAAAAAAAAQAAAAAGAAAAA\n[empty]\n";
    let sets = PropertySets::from_text(text).unwrap();
    assert_eq!(sets.iter().map(|(name, _)| name).collect::<Vec<_>>(), ["ZZZ/of the future", "SYCL/device-requirements", "empty"]);
    assert_eq!(sets.get(DEVICE_REQUIREMENTS).unwrap()["aspect"].as_u32s(), Some(vec![1, 6]));
    assert_eq!(sets.get("ZZZ/of the future").unwrap()["a|b"], Value::U32(0));
    assert_eq!(sets.to_text().unwrap(), text);
    assert!(PropertySets::from_text("").unwrap().is_empty());
}

#[test]
fn every_parse_error_names_its_line_and_why() {
    for (text, message) in [
        ("[a]\n\n[]\n", "line 3: \"\" is no name for a property set"),
        ("[a]\n[b]\n[a]\n", "line 3: the property set 'a' stands here a second time"),
        ("x=1|2\n", "line 1: a property before the first '[set name]' line"),
        ("[a]\nx\n", "line 2: expected 'name=type|value', found no '='"),
        ("[a]\nx=12\n", "line 2: expected 'name=type|value', found no '|'"),
        ("[a]\n=1|2\n", "line 2: \"\" is no name for a property"),
        ("[a]\nx=1|2\nx=1|2\n", "line 3: the property 'x' stands here a second time in its set"),
        ("[a]\nx=3|2\n", "line 2: the property type '3' is neither 1 (number) nor 2 (byte array)"),
        ("[a]\nx=1|4294967296\n", "line 2: '4294967296' is no unsigned 32-bit number"),
        ("[a]\nx=1|+1\n", "line 2: '+1' is no unsigned 32-bit number"),
        ("[a]\nx=1|\n", "line 2: '' is no unsigned 32-bit number"),
        ("[a]\nx=2|!!!!\n", "line 2: '!!!!' is no base64"),
        ("[a]\nx=2|AAAA\n", "line 2: the byte array lacks its length"),
        ("[a]\nx=2|AAAAAAAAAAAA\n", "line 2: the byte array says it has 0 bits but holds 1 bytes"),
        ("[a]\nx=2|IAAAAAAAAAQAA\n", "line 2: the byte array has stray bits after its last byte"),
        ("[a]\nx=2|AAAAAAAAAAB\n", "line 2: the byte array says it has 1152921504606846976 bits but holds 0 bytes"),
        ("[a]\nx=2|AAAAAAAAAAQ\n", "line 2: the byte array has stray bits after its last byte"),
    ] {
        assert_eq!(PropertySets::from_text(text).unwrap_err().to_string(), message, "{text:?}");
    }
}

#[test]
fn names_that_would_not_survive_are_refused() {
    for name in ["", "a\nb", "a=b", "[a", "a\rb", "a\0b"] {
        let properties: PropertySet = [(name.to_owned(), Value::U32(1))].into_iter().collect();
        let error = set_to_text(&properties).unwrap_err().to_string();
        assert!(error.contains("property name") && error.contains("cannot be written"), "{error}");
    }
    for name in ["", "a\nb", "a\0b"] {
        let mut sets = PropertySets::new();
        sets.insert(name, PropertySet::new());
        assert!(sets.to_text().unwrap_err().to_string().contains("property set name"));
    }
}

/// DESIGN §5, word for word: byte arrays of little-endian u32; the work-group size with its count, in the attribute's order.
#[test]
fn device_requirements_as_the_seeds_have_them() {
    let requirements = Requirements {
        aspects: [6, 5].map(Aspect::from_number).into(),
        reqd_sub_group_size: Some(16),
        reqd_work_group_size: Some(WorkGroupSize::try_from(vec![4, 1 << 40]).unwrap()),
        ..Requirements::default()
    };
    let expected = set([
        ("aspect", Value::Bytes(vec![5, 0, 0, 0, 6, 0, 0, 0])),
        ("reqd_sub_group_size", Value::Bytes(vec![16, 0, 0, 0])),
        ("reqd_work_group_size", Value::Bytes(vec![2, 0, 0, 0, 4, 0, 0, 0, 0xff, 0xff, 0xff, 0xff])),
    ]);
    let written = device_requirements(&requirements);
    assert_eq!(written, expected);
    assert_eq!(written.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>());
    assert!(device_requirements(&Requirements::default()).is_empty());
    let one = Requirements { reqd_work_group_size: Some(WorkGroupSize::try_from(vec![4, 1, 1]).unwrap()), ..Requirements::default() };
    assert_eq!(requirements_of(&device_requirements(&one)).unwrap(), one);
}

#[test]
fn requirements_that_cannot_be_checked_are_errors() {
    for (name, value, why) in [
        ("aspect", Value::U32(6), "it is no array of 32-bit numbers"),
        ("aspect", Value::Bytes(vec![6, 0, 0]), "it is no array of 32-bit numbers"),
        ("reqd_sub_group_size", Value::from_u32s([8, 16]), "it is not one number of at least 1"),
        ("reqd_sub_group_size", Value::from_u32s([0]), "it is not one number of at least 1"),
        ("reqd_work_group_size", Value::from_u32s([]), "it is empty"),
        ("reqd_work_group_size", Value::from_u32s([3, 1, 1]), "it says it has 3 dimensions but holds 2"),
        ("reqd_work_group_size", Value::from_u32s([1, 0]), "a work-group size has one to three dimensions of at least 1, not [0]"),
        ("reqd_quantum_size", Value::from_u32s([1]), "this version of Aspen does not know it and so cannot check it"),
    ] {
        let error = requirements_of(&set([(name, value)])).unwrap_err().to_string();
        assert_eq!(error, format!("the requirement '{name}' in 'SYCL/device-requirements' cannot be used: {why}"));
    }
}

/// Header, entry, strings, table and image written out by hand.
#[test]
fn offload_binary_version_1_byte_by_byte() {
    let mut entry = Entry::new(ImageKind::SpirV, &b"abc"[..]);
    entry.set_string("triple", &b"t"[..]);
    entry.set_string("arch", &b""[..]);
    let bytes: Vec<u8> = [
        &[0x10, 0xff, 0x10, 0xad, 1, 0, 0, 0, 0x80, 0, 0, 0, 0, 0, 0, 0][..], // magic, version, size
        &[32, 0, 0, 0, 0, 0, 0, 0, 40, 0, 0, 0, 0, 0, 0, 0],                  // entries at, size of an entry
        &[6, 0, 8, 0, 0, 0, 0, 0, 72, 0, 0, 0, 0, 0, 0, 0],                   // SPIR-V, SYCL, flags, strings at
        &[2, 0, 0, 0, 0, 0, 0, 0, 0x78, 0, 0, 0, 0, 0, 0, 0],                 // strings, image at
        &[3, 0, 0, 0, 0, 0, 0, 0],                                            // image size
        &[112, 0, 0, 0, 0, 0, 0, 0, 105, 0, 0, 0, 0, 0, 0, 0],                // "triple" = "t"
        &[107, 0, 0, 0, 0, 0, 0, 0, 104, 0, 0, 0, 0, 0, 0, 0],                // "arch" = ""
        // Sorted from the last byte backwards, descending: "t", "arch", "triple".
        &b"\0t\0arch\0triple\0\0abc\0\0\0\0\0"[..],
    ]
    .concat();
    let written = entry.to_bytes().unwrap();
    assert_eq!(written, bytes);
    assert_eq!(parse_all(&written).unwrap(), [entry]);
}

/// Version 2 by hand: two entries, values with a size that may hold NULs.
#[test]
fn offload_binary_version_2_holds_many() {
    let mut blob = vec![0x10, 0xff, 0x10, 0xad, 2, 0, 0, 0];
    let strings_at = 32 + 2 * 40;
    let data_at = strings_at + 24;
    for word in [data_at as u64 + 16, 32, 2] {
        blob.extend(word.to_le_bytes());
    }
    for (kind, strings, image) in [(6u16, 1u64, (data_at + 12) as u64), (2, 0, (data_at + 14) as u64)] {
        blob.extend(kind.to_le_bytes());
        blob.extend(8u16.to_le_bytes());
        blob.extend(0u32.to_le_bytes());
        for word in [strings_at as u64, strings, image, 2] {
            blob.extend(word.to_le_bytes());
        }
    }
    for word in [data_at as u64, data_at as u64 + 8, 3] {
        blob.extend(word.to_le_bytes());
    }
    blob.extend(b"symbols\0a\0b\0xxyy");
    let entries = parse_all(&blob).unwrap();
    assert_eq!(entries.len(), 2);
    assert_eq!((entries[0].image_kind, &*entries[0].image), (ImageKind::SpirV, &b"xx"[..]));
    assert_eq!((entries[1].image_kind, &*entries[1].image), (ImageKind::Bitcode, &b"yy"[..]));
    assert_eq!(entries[0].string("symbols"), Some(&b"a\0b"[..]));
    assert_eq!(DeviceImage::new(entries[0].clone()).symbols().collect::<Vec<_>>(), ["a", "b"]);
}

fn step(function: &str, file: &str, line: u32) -> Step {
    Step { function: function.into(), place: Some(Place { file: file.into(), line, column: 3 }), remark: None }
}

fn fp64() -> Requirements {
    Requirements { aspects: [Aspect::FP64].into(), ..Requirements::default() }
}

fn tour(name: &str) -> ImageBuilder {
    let kernel = |symbol: &str, name: &str| Kernel { symbol: symbol.into(), info: KernelInfo { name: name.into(), requirements: fp64() } };
    let chain = vec![step("boo", "a/very/long/path/to/hw.cpp", 5), step("bar", "a/very/long/path/to/hw.cpp", 9), step("K", "k.cpp", 1)];
    let source = Source { need: Need::Aspect(Aspect::FP64), declared: false, chain };
    ImageBuilder::new(ImageKind::SpirV, "spirv64-unknown-unknown", "spir64", name)
        .requirements(&fp64())
        .kernel(kernel("_ZTS1K", "K"), vec![source])
        .kernel(kernel("_ZTS1L", "ns::L<int, float>"), Vec::new())
        .export("_Z3foov", Vec::new())
        .imports(["_Z3barv", "_Z3bazv"])
}

#[test]
fn image_gives_back_what_the_builder_got() {
    let bytes = [tour("tour_0").to_bytes(b"image").unwrap(), vec![0; 16], tour("tour_1").to_bytes(b"").unwrap()].concat();
    let images: Vec<DeviceImage<'_>> = parse_all(&bytes).unwrap().into_iter().map(DeviceImage::new).collect();
    assert_eq!(images.iter().map(DeviceImage::name).collect::<Vec<_>>(), [Some("tour_0"), Some("tour_1")]);
    let image = &images[0];
    assert_eq!((image.target(), image.triple(), &*image.format_name()), ("spir64", Some("spirv64-unknown-unknown"), "spirv"));
    assert_eq!((image.bytes(), image.requirements().unwrap()), (&b"image"[..], fp64()));
    assert_eq!(image.symbols().collect::<Vec<_>>(), ["_ZTS1K", "_ZTS1L"]);
    let kernels = image.kernels().unwrap();
    assert_eq!(kernels.iter().map(|kernel| kernel.info.name.as_str()).collect::<Vec<_>>(), ["K", "ns::L<int, float>"]);
    assert!(kernels.iter().all(|kernel| kernel.info.requirements == fp64()));
    let sources = image.sources("_ZTS1K").unwrap();
    assert_eq!(sources[0].chain[1], step("bar", "a/very/long/path/to/hw.cpp", 9));
    assert!(image.sources("_ZTS1L").unwrap().is_empty() && image.sources("_ZTS").unwrap().is_empty());
    assert_eq!((image.exports().unwrap(), image.imports().unwrap().len()), (vec!["_Z3foov".to_owned()], 2));
    assert_eq!(image.property_sets().unwrap(), tour("tour_0").property_sets());
    // The long path stands in the bytes once.
    let sets = image.property_sets().unwrap();
    let payload = sets.get(REQUIREMENT_SOURCES).unwrap()["_ZTS1K"].as_bytes().unwrap();
    assert_eq!(payload.windows(10).filter(|window| window == b"/very/long").count(), 1);
}

#[test]
fn foreign_images_have_only_symbols() {
    let mut entry = Entry::new(ImageKind::Object, &b""[..]);
    entry.set_string("triple", &b"x86_64-pc-linux-gnu"[..]);
    entry.set_string("symbols", &b"k1,k2"[..]);
    entry.set_string(DEVICE_REQUIREMENTS, &b"aspect=2|ABAAAAAAAAQAAAAAGAAAAA\n"[..]);
    let image = DeviceImage::new(entry);
    assert_eq!((image.target(), image.name(), &*image.format_name()), ("x86_64-pc-linux-gnu", None, "native"));
    let kernels = image.kernels().unwrap();
    assert_eq!((kernels.len(), kernels[1].symbol.as_str(), kernels[1].info.requirements.aspects.len()), (2, "k2", 2));
}

#[test]
fn damaged_sets_of_images_are_errors_that_name_the_set() {
    let with = |set: &'static str, text: &'static [u8]| {
        let mut entry = Entry::new(ImageKind::SpirV, &b""[..]);
        entry.set_string(set, text);
        DeviceImage::new(entry)
    };
    let error = with(DEVICE_REQUIREMENTS, b"aspect=2|!\n").requirements().unwrap_err().to_string();
    assert_eq!(error, "the property set 'SYCL/device-requirements' is damaged: line 1: '!' is no base64");
    let error = with("Aspen/kernels", b"K=2|AAAAAAAAAAA\n").kernels().unwrap_err().to_string();
    assert_eq!(error, "the property 'K' of 'Aspen/kernels' is damaged: it is empty");
    let error = with("Aspen/kernels", b"K=2|IAAAAAAAAAAA\n").kernels().unwrap_err().to_string();
    assert_eq!(error, "the property 'K' of 'Aspen/kernels' is damaged: it has version 0, this build reads version 3");
    let error = with("Aspen/kernels", b"K=1|7\n").kernels().unwrap_err().to_string();
    assert_eq!(error, "the property 'K' of 'Aspen/kernels' is no byte array");
    let error = with(REQUIREMENT_SOURCES, b"K=2|IAAAAAAAAAQA\n").sources("K").unwrap_err().to_string();
    assert!(error.starts_with("the property 'K' of 'Aspen/requirement sources' is damaged: "), "{error}");
    let error = with(REQUIREMENT_SOURCES, b"\xff").property_sets().unwrap_err().to_string();
    assert_eq!(error, "the property set 'Aspen/requirement sources' is no text");
}

fn tool(name: &str, arguments: &[&str], folder: &Path) -> String {
    let output =
        Command::new(name).args(arguments).current_dir(folder).output().unwrap_or_else(|error| panic!("cannot start {name}: {error}"));
    assert!(output.status.success(), "{name} {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn llvm_writes_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("img"), b"seven b").unwrap();
    tool(
        "llvm-offload-binary-22",
        &["-o", "out", "--image=file=img,triple=spirv64-unknown-unknown,arch=64-unknown-unknown,kind=sycl,Aspen/x=le"],
        folder.path(),
    );
    let theirs = std::fs::read(folder.path().join("out")).unwrap();
    let entries = parse_all(&theirs).unwrap();
    assert_eq!(entries[0].text("triple"), Some("spirv64-unknown-unknown"));
    assert_eq!(entries[0].strings.len(), 3);
    assert_eq!(entries[0].to_bytes().unwrap(), theirs);
}

#[test]
fn llvm_lists_and_extracts_ours() {
    let folder = tempfile::tempdir().unwrap();
    let ours = [tour("tour_0").to_bytes(b"first image").unwrap(), tour("tour_1").to_bytes(b"second").unwrap()].concat();
    std::fs::write(folder.path().join("ours"), ours).unwrap();
    let listed = tool("llvm-objdump-22", &["--offloading", "ours"], folder.path());
    assert_eq!(listed.matches("spir64").count(), 2, "{listed}");
    assert_eq!(listed.matches("sycl").count(), 2, "{listed}");
    tool("llvm-offload-binary-22", &["ours", "--image=file=out,name=tour_1"], folder.path());
    assert_eq!(std::fs::read(folder.path().join("out")).unwrap(), b"second");
}
