//! Nothing that stands behind a SPIR-V header makes the reader panic, hang or list more than the words could say.
#![no_main]

use aspen_image::spirv::SpirvModule;

/// Magic number, version 1.4, generator, bound and schema: a fuzzer should not have to find these.
const HEADER: [u8; 20] = [3, 2, 0x23, 7, 0, 4, 1, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0, 0, 0, 0, 0];

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    for module in [bytes.to_vec(), [&HEADER, bytes].concat()] {
        let words = module.len() / 4;
        match SpirvModule::parse(&module) {
            Ok(found) => assert!(found.kernels.len() + found.exports.len() + found.imports.len() <= words),
            Err(error) => assert!(error.word <= words, "{error:?}"),
        }
    }
});
