//! What holds for any bytes from outside, a function a reader: no panic, no hang, nothing lost on the way through our writer.
//!
//! `fuzz_targets/` hands libFuzzer's inputs over (nightly only); `aspen-image`'s test `mutations` hands over changed seeds on any compiler.

use aspen_image::object_sections::units;
use aspen_image::offload::parse_all;
use aspen_image::spirv::SpirvModule;
use aspen_image::{DeviceImage, FileTable, PropertySets, dpcpp, find};

/// A reader, by the name of its fuzz target.
pub type Target = (&'static str, fn(&[u8]));

/// All of them.
pub const TARGETS: [Target; 8] = [
    ("property_text", property_text),
    ("requirements", requirements),
    ("file_table", file_table),
    ("offload", offload),
    ("container", container),
    ("wrapped", wrapped),
    ("bundles", bundles),
    ("spirv", spirv),
];

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap_or_default()
}

/// Property text that can be read is written and read again unchanged.
pub fn property_text(bytes: &[u8]) {
    if let Ok(sets) = PropertySets::from_text(text(bytes)) {
        let written = sets.to_text().expect("the reader refuses names that cannot be written");
        assert_eq!(PropertySets::from_text(&written).as_ref(), Ok(&sets));
    }
}

/// What a `.prop` file needs can be checked, or is an error; sizes that are no sizes do not come through.
pub fn requirements(bytes: &[u8]) {
    let Ok(sets) = PropertySets::from_text(text(bytes)) else { return };
    if let Ok(requirements) = dpcpp::requirements_of_sets(&sets) {
        assert_ne!(requirements.reqd_sub_group_size, Some(0));
        let dims = requirements.reqd_work_group_size.map_or(1, |size| size.dims().len());
        assert!((1..=3).contains(&dims));
    }
}

/// A table that can be read is written and read again unchanged.
pub fn file_table(bytes: &[u8]) {
    if let Ok(table) = FileTable::from_text(text(bytes)) {
        assert_eq!(FileTable::from_text(&table.to_text()).as_ref(), Ok(&table));
    }
}

/// Entries that can be read are written and read again unchanged, unless version 2 let a NUL into a string.
pub fn offload(bytes: &[u8]) {
    for entry in parse_all(bytes).unwrap_or_default() {
        if let Ok(written) = entry.to_bytes() {
            assert_eq!(parse_all(&written).as_deref(), Ok(&[entry][..]));
        }
    }
}

/// Executables, objects, archives and all that may be in them: every part is read or is an error.
pub fn container(bytes: &[u8]) {
    let Ok(container) = find(bytes, "input") else { return };
    let _ = units(container.entries.iter().map(|found| found.entry.clone()));
    for found in container.entries {
        let image = DeviceImage::new(found.entry);
        let _ = (image.requirements(), image.property_sets(), image.exports(), image.imports());
        for kernel in image.kernels().unwrap_or_default() {
            let _ = image.sources(&kernel.symbol);
        }
    }
}

/// Programs that DPC++ built: every descriptor is read or is an error with a place in the file.
pub fn wrapped(bytes: &[u8]) {
    match aspen_image::wrapped::find(bytes) {
        Ok(images) => {
            for image in images {
                let _ = (aspen_image::dpcpp::requirements_of_sets(&image.properties), aspen_image::spirv::beginning(image.bytes));
            }
        }
        Err(error) => assert!(error.offset <= bytes.len() as u64, "{error}"),
    }
}

/// Objects of DPC++ and archives of them: what is found lies in the file, and has a target.
pub fn bundles(bytes: &[u8]) {
    let found = aspen_image::bundles::find(bytes, "input").unwrap_or_default();
    for bundle in &found {
        assert!(bundle.bytes.len() <= bytes.len());
        let _ = (bundle.target(), SpirvModule::parse(&bundle.bytes));
    }
}

/// Magic number, version 1.4, generator, bound and schema: a fuzzer should not have to find these.
const SPIRV_HEADER: [u8; 20] = [3, 2, 0x23, 7, 0, 4, 1, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0, 0, 0, 0, 0];

/// A SPIR-V module never lists more than its words could say, and an error names a word of it.
pub fn spirv(bytes: &[u8]) {
    for module in [bytes.to_vec(), [&SPIRV_HEADER, bytes].concat()] {
        let words = module.len() / 4;
        match SpirvModule::parse(&module) {
            Ok(found) => assert!(found.kernels.len() + found.exports.len() + found.imports.len() <= words),
            Err(aspen_spirv::Error::Damaged { word, why }) => assert!(word <= words, "word {word}: {why}"),
            Err(error) => assert_eq!(error, aspen_spirv::Error::Endianness),
        }
    }
}
