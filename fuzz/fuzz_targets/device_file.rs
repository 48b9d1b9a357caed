//! libFuzzer on device configuration files: every file is read, or refused with places that are in it. The same stands as a property test
//! in aspen-devices.
#![no_main]

use aspen_devices::{Database, text};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let overlaid = text("F.yaml", bytes).and_then(|text| Database::builtin().overlay("F.yaml", text));
    let lines = bytes.split(|byte| b"\r\n".contains(byte)).count();
    match overlaid {
        Ok((database, _)) => assert!(database.iter().count() >= Database::builtin().iter().count()),
        Err(error) => {
            assert!(!error.to_string().is_empty());
            assert!(error.0.iter().all(|one| one.line <= lines + 1 && one.column > 0));
        }
    }
});
