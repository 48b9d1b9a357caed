//! libFuzzer on the specialiser; what must hold is in `src/specialise.rs`.
#![no_main]

#[path = "../src/specialise.rs"]
mod specialise;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    specialise::specialised(bytes);
});
