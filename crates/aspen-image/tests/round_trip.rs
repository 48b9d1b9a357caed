//! What is written is read back, whatever it holds.

use std::borrow::Cow;

use aspen_contract::{Aspect, AspectSet, Guard, Need, Place, Remark, Requirements, Source, Step, WorkGroupSize};
use aspen_image::dpcpp::requirements_of_sets;
use aspen_image::guards::{GUARDS, Guards};
use aspen_image::image::{device_requirements, requirements_of};
use aspen_image::object_sections::{ObjectBlob, ObjectHeader, units};
use aspen_image::offload::parse_all;
use aspen_image::{DeviceImage, Entry, FileTable, ImageBuilder, ImageKind, Kernel, KernelInfo, PropertySet, PropertySets, Value};
use proptest::collection::{btree_map, btree_set, vec};
use proptest::prelude::*;

fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        any::<u32>().prop_map(Value::U32),
        vec(any::<u8>(), 0..40).prop_map(Value::Bytes),
        (vec(any::<u8>(), 1..9), 1..8u64).prop_map(|(bytes, missing)| Value::Bits { count: 8 * bytes.len() as u64 - missing, bytes }),
    ]
}

fn property_set() -> impl Strategy<Value = PropertySet> {
    btree_map("[^=\n\r\0\\[][^=\n\r\0]{0,12}", value(), 0..5).prop_map(|map| map.into_iter().collect())
}

fn requirements() -> impl Strategy<Value = Requirements> {
    let dims = proptest::option::of(vec(1..=u64::from(u32::MAX), 1..=3));
    (aspects(0..5), proptest::option::of(1..=u32::MAX), dims).prop_map(|(aspects, sub_group, dims)| Requirements {
        aspects,
        reqd_sub_group_size: sub_group,
        reqd_work_group_size: dims.map(|dims| WorkGroupSize::try_from(dims).expect("one to three dimensions of at least 1")),
        ..Requirements::default()
    })
}

fn aspects(count: std::ops::Range<usize>) -> impl Strategy<Value = AspectSet> {
    btree_set(any::<u32>().prop_map(Aspect::from_number), count)
}

fn guard() -> impl Strategy<Value = Guard> {
    (aspects(0..3), btree_set(aspects(1..3), 0..3)).prop_map(|(has, lacks)| Guard { has, lacks })
}

fn guards() -> impl Strategy<Value = Guards> {
    btree_map(guard(), aspects(0..3), 0..4)
}

fn source() -> impl Strategy<Value = Source> {
    let place = ("[a-c]{1,3}", any::<u32>(), any::<u32>()).prop_map(|(file, line, column)| Place { file, line, column });
    let remark = prop_oneof![
        "[p-r]{1,3}".prop_map(|callee| Remark::Promoted { callee }),
        any::<u32>().prop_map(|targets| Remark::Indirect { targets }),
        guard().prop_map(|guard| Remark::Guarded { guard }),
        Just(Remark::Elsewhere),
    ];
    let step = ("[f-h]{1,3}", proptest::option::of(place), proptest::option::of(remark));
    let step = step.prop_map(|(function, place, remark)| Step { function, place, remark });
    let need = prop_oneof![any::<u32>().prop_map(|n| Need::Aspect(Aspect::from_number(n))), any::<u32>().prop_map(Need::SubGroupSize)];
    (need, any::<bool>(), vec(step, 1..6)).prop_map(|(need, declared, chain)| Source { need, declared, chain })
}

fn entry() -> impl Strategy<Value = Entry<'static>> {
    let strings = btree_map("[^\0]{0,8}", "[^\0]{0,12}", 0..6);
    (any::<(u16, u16, u32)>(), strings, vec(any::<u8>(), 0..50)).prop_map(|((image_kind, offload_kind, flags), strings, image)| Entry {
        image_kind: ImageKind::from_number(image_kind),
        offload_kind,
        flags,
        strings: strings.into_iter().map(|(key, value)| (Cow::Owned(key), Cow::Owned(value.into_bytes()))).collect(),
        image: Cow::Owned(image),
    })
}

proptest! {
    // Failing inputs become tests by hand; no files are left beside the sources.
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn property_text(sets in btree_map("[^\n\r\0]{1,12}", property_set(), 0..5)) {
        let sets: PropertySets = sets.into_iter().collect();
        let text = sets.to_text().unwrap();
        let again = PropertySets::from_text(&text).unwrap();
        prop_assert_eq!(&again, &sets);
        prop_assert_eq!(again.to_text().unwrap(), text);
    }

    /// What DPC++ writes is made here by hand: sizes of work-groups fastest dimension first, padded, behind them how many are real.
    #[test]
    fn requirements_in_dpcpps_set(requirements in requirements(), older in any::<bool>(), padded in any::<bool>(), fixed in vec(any::<u32>(), 0..3)) {
        let mut set = PropertySet::new();
        set.insert("aspects".into(), Value::from_u32s(requirements.aspects.iter().map(|aspect| aspect.number())));
        if !fixed.is_empty() {
            set.insert("fixed_target".into(), Value::from_u32s(fixed));
        }
        if let Some(size) = requirements.reqd_sub_group_size {
            set.insert("reqd_sub_group_size".into(), Value::U32(size));
        }
        if let Some(size) = &requirements.reqd_work_group_size {
            let mut dims: Vec<u64> = size.dims().iter().rev().copied().collect();
            if padded {
                set.insert("work_group_num_dim".into(), Value::U32(u32::try_from(dims.len()).unwrap()));
                dims.resize(3, 1);
            }
            if older {
                set.insert("reqd_work_group_size".into(), Value::from_u32s(dims.iter().map(|&dim| u32::try_from(dim).unwrap())));
            } else {
                let bytes = dims.iter().flat_map(|dim| dim.to_le_bytes()).collect();
                set.insert("reqd_work_group_size_uint64_t".into(), Value::Bytes(bytes));
            }
        }
        let sets: PropertySets = [("SYCL/device requirements".to_owned(), set)].into_iter().collect();
        let again = PropertySets::from_text(&sets.to_text().unwrap()).unwrap();
        prop_assert_eq!(&again, &sets);
        prop_assert_eq!(&requirements_of_sets(&again).unwrap(), &requirements);

        // Of an image of ours too, and there is nothing that today's DPC++ would not write.
        let builder = ImageBuilder::new(ImageKind::SpirV, "spirv64-unknown-unknown", "spir64", "a_0").requirements_dpcpp(&requirements);
        if let (false, true) = (older, padded) {
            let written = builder.property_sets().get("SYCL/device requirements").unwrap().clone();
            let mut by_hand = sets.get("SYCL/device requirements").unwrap().clone();
            by_hand.shift_remove("fixed_target");
            prop_assert_eq!(written, by_hand);
        }
        let bytes = builder.to_bytes(b"x").unwrap();
        let image = DeviceImage::new(parse_all(&bytes).unwrap().remove(0));
        prop_assert_eq!(image.requirements().unwrap(), requirements);
    }

    #[test]
    fn guards_of_an_image(kernels in btree_map("[a-z]{1,3}", guards(), 0..3), requirements in requirements(), cut in 1..4usize) {
        let mut builder = ImageBuilder::new(ImageKind::SpirV, "spirv64-unknown-unknown", "spir64", "a_0").requirements(&requirements);
        for (symbol, guards) in &kernels {
            builder = builder.guards(symbol, guards);
        }
        let bytes = builder.to_bytes(b"x").unwrap();
        let image = DeviceImage::new(parse_all(&bytes).unwrap().remove(0));
        let mut expected = requirements;
        let said = kernels.into_iter().filter(|(_, guards)| !guards.is_empty());
        let said: std::collections::BTreeMap<_, _> = said.collect();
        expected.guard_also(said.values().flatten().filter(|(_, needed)| !needed.is_empty()).map(|(guard, needed)| (guard.clone(), needed.clone())));
        prop_assert_eq!(image.guards().unwrap(), said);
        prop_assert_eq!(image.requirements().unwrap(), expected);
        // What cannot be read cannot be checked.
        let mut set = image.property_set(GUARDS).unwrap().unwrap_or_default();
        if let Some(Value::Bytes(bytes)) = set.values_mut().next() {
            bytes.truncate(bytes.len() - cut);
            let mut damaged = image.into_entry();
            damaged.set_string(GUARDS, aspen_image::property::set_to_text(&set).unwrap().into_bytes());
            prop_assert!(DeviceImage::new(damaged).requirements().is_err());
        }
    }

    #[test]
    fn file_tables(
        (columns, rows) in (1..5usize).prop_flat_map(|count| {
            // A line without anything in it is no row, so that a table of one column has no empty cells.
            let cell = if count == 1 { "[^|\n\r\0]{1,12}" } else { "[^|\n\r\0]{0,12}" };
            (btree_set("[^|\n\r\0\\[\\]]{1,12}", count), vec(vec(cell, count), 0..8))
        }),
        keep in any::<u8>(),
    ) {
        let mut table = FileTable::new(columns.iter().cloned()).unwrap();
        for row in &rows {
            table.push(row.iter().cloned()).unwrap();
        }
        let text = table.to_text();
        prop_assert_eq!(&FileTable::from_text(&text).unwrap(), &table);
        prop_assert_eq!(&FileTable::from_text(&text.replace('\n', "\r\n")).unwrap(), &table);
        prop_assert_eq!(table.rows(), &rows);
        table.retain(|row| keep >> row & 1 == 1);
        let kept: Vec<_> = rows.iter().enumerate().filter(|(row, _)| keep >> row & 1 == 1).map(|(_, row)| row.clone()).collect();
        let again = FileTable::from_text(&table.to_text()).unwrap();
        prop_assert_eq!(again.rows(), kept);
    }

    #[test]
    fn offload_binaries_back_to_back(entries in vec(entry(), 0..4)) {
        let mut bytes = Vec::new();
        for entry in &entries {
            let blob = entry.to_bytes().unwrap();
            prop_assert_eq!(blob.len() % 8, 0);
            bytes.extend(blob);
        }
        prop_assert_eq!(parse_all(&bytes).unwrap(), entries);
    }

    #[test]
    fn requirements_in_their_set(requirements in requirements()) {
        let set = device_requirements(&requirements);
        prop_assert_eq!(set.is_empty(), requirements.is_empty());
        prop_assert_eq!(requirements_of(&set).unwrap(), requirements);
    }

    #[test]
    fn images(
        requirements in requirements(),
        kernels in btree_map("[_A-Za-z0-9.]{1,12}", ("[^\0]{0,9}", vec(source(), 0..4)), 0..4),
        bytes in vec(any::<u8>(), 0..40),
    ) {
        let mut builder = ImageBuilder::new(ImageKind::Object, "x86_64-pc-linux-gnu", "native_cpu", "a_0").requirements(&requirements);
        for (symbol, (name, sources)) in &kernels {
            let info = KernelInfo { name: name.clone(), requirements: requirements.clone() };
            builder = builder.kernel(Kernel { symbol: symbol.clone(), info }, sources.clone());
        }
        let blob = builder.to_bytes(&bytes).unwrap();
        let image = DeviceImage::new(parse_all(&blob).unwrap().remove(0));
        prop_assert_eq!(image.bytes(), &bytes);
        prop_assert_eq!(image.requirements().unwrap(), requirements.clone());
        let read = image.kernels().unwrap();
        prop_assert_eq!(read.len(), kernels.len());
        for (kernel, (symbol, (name, sources))) in read.iter().zip(&kernels) {
            prop_assert_eq!((&kernel.symbol, &kernel.info.name), (symbol, name));
            prop_assert_eq!(&kernel.info.requirements, &requirements);
            prop_assert_eq!(&image.sources(symbol).unwrap(), sources);
        }
    }
}

fn blob(tag: &str, unit: &str, target: &str) -> ObjectBlob<'static> {
    ObjectBlob {
        target: target.into(),
        triple: format!("{target}-unknown"),
        header: ObjectHeader {
            tag: tag.into(),
            unit: unit.into(),
            opt: "2".into(),
            fixed: "a#1,b#2".into(),
            pragmas: "ignored 1 2 x.cpp\n".into(),
        },
        told: "A=1\nB=2".into(),
        summary: (target == "spir64").then(|| vec![1, 2, 3]),
        host_launches: [("_ZTS1K".to_owned(), vec![7])].into_iter().collect(),
        device_kernels: [("_ZTS1K".to_owned(), vec![7]), ("_ZTS1L".to_owned(), vec![])].into_iter().collect(),
        bitcode: Cow::Borrowed(b"BC\xc0\xdebits"),
    }
}

#[test]
fn object_blobs_and_their_grouping() {
    let blobs = [
        blob("0123456789abcdef", "a.cpp", "native_cpu"),
        blob("0123456789abcdef", "a.cpp", "spir64"),
        blob("0123456789abcdef", "a.cpp", "spir64"), // the same object a second time
        blob("0123456789abcdef", "b.cpp", "native_cpu"),
        blob("fedcba9876543210", "b.cpp", "spir64"),
    ];
    let bytes: Vec<u8> = blobs.iter().flat_map(|blob| blob.to_bytes().unwrap()).collect();
    let entries = parse_all(&bytes).unwrap();
    assert_eq!(entries[0].text("symbols"), Some("_ZTS1K,_ZTS1L"));
    let units = units(entries).unwrap();
    let shape: Vec<_> = units.iter().map(|unit| (unit.header.unit.as_str(), unit.blobs.len())).collect();
    assert_eq!(shape, [("a.cpp", 2), ("a.cpp", 1), ("b.cpp", 1), ("b.cpp", 1)]);
    assert_eq!(units.into_iter().flat_map(|unit| unit.blobs).collect::<Vec<_>>(), blobs);
}

#[test]
fn damaged_object_blobs_are_errors() {
    let message = |entry: Entry<'_>| units([entry]).unwrap_err().to_string();
    assert_eq!(message(Entry::new(ImageKind::SpirV, &b""[..])), "device code of an object should be bitcode, not spirv");
    assert_eq!(message(Entry::new(ImageKind::Bitcode, &b""[..])), "the key 'Aspen/object' is missing or is no text");
    let bytes = blob("0", "a.cpp", "spir64").to_bytes().unwrap();
    let damage = |set: &'static str, text: &'static str| {
        let mut entry = parse_all(&bytes).unwrap().remove(0).into_owned();
        entry.set_string(set, text.as_bytes());
        message(entry)
    };
    assert_eq!(damage("Aspen/object", "tag=2|AAAAAAAAAAA\n"), "the property 'unit' of 'Aspen/object' is no byte array");
    assert_eq!(damage("Aspen/summary", ""), "the property 'module' of 'Aspen/summary' is no byte array");
    assert_eq!(damage("Aspen/host launches", "K=1|1\n"), "the property 'K' of 'Aspen/host launches' is no byte array");
}

#[test]
fn changed_bytes_of_an_image_are_noticed() {
    let builder = ImageBuilder::new(ImageKind::Object, "x86_64-pc-linux-gnu", "native_cpu", "a_0");
    for length in [0_u8, 1, 7, 8, 9, 64] {
        let bytes: Vec<u8> = (0..length).collect();
        let entry = builder.entry(bytes.clone()).expect("names are plain");
        assert_eq!(DeviceImage::new(entry.clone()).check_bytes(), Ok(()));
        for at in 0..bytes.len() {
            for bit in 0..8 {
                let mut changed = bytes.clone();
                changed[at] ^= 1 << bit;
                let entry = Entry { image: Cow::Owned(changed), ..entry.clone() };
                assert!(DeviceImage::new(entry).check_bytes().is_err(), "byte {at}, bit {bit}");
            }
        }
    }
    let foreign = Entry::new(ImageKind::Object, vec![1, 2, 3]);
    assert_eq!(DeviceImage::new(foreign).check_bytes(), Ok(()), "nothing is said about these bytes");
}
