//! libFuzzer on `bundles`; what must hold is in `src/lib.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| aspen_fuzz::bundles(bytes));
