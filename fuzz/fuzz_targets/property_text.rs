//! Property text that can be read is written and read again unchanged.
#![no_main]

use aspen_image::PropertySets;

libfuzzer_sys::fuzz_target!(|text: &str| {
    if let Ok(sets) = PropertySets::from_text(text) {
        let written = sets.to_text().expect("the reader refuses names that cannot be written");
        assert_eq!(PropertySets::from_text(&written).as_ref(), Ok(&sets));
    }
});
