//! Nothing that a file may hold makes a reader panic, hang or take memory out of proportion.
#![no_main]

use aspen_image::object_sections::units;
use aspen_image::{DeviceImage, find};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Ok(container) = find(bytes, "input") else { return };
    let _ = units(container.entries.iter().map(|found| found.entry.clone()));
    for found in container.entries {
        let image = DeviceImage::new(found.entry);
        let _ = (image.requirements(), image.property_sets(), image.exports(), image.imports());
        for kernel in image.kernels().unwrap_or_default() {
            let _ = image.sources(&kernel.symbol);
        }
    }
});
