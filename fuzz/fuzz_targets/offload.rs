//! Entries that can be read are written and read again unchanged, unless version 2 let a NUL into a string.
#![no_main]

use aspen_image::offload::parse_all;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    for entry in parse_all(bytes).unwrap_or_default() {
        if let Ok(written) = entry.to_bytes() {
            assert_eq!(parse_all(&written).as_deref(), Ok(&[entry][..]));
        }
    }
});
