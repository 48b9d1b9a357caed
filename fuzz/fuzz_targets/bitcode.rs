//! libFuzzer on the rewriting for drivers that take bitcode: what is damaged is an error, and what comes out is a module again.
#![no_main]

use aspen_backend_opencl::bitcode::for_translator;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if let Ok(module) = for_translator(bytes) {
        for_translator(&module).expect("what was written can be read");
    }
});
