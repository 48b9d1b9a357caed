//! A table that can be read is written and read again unchanged.
#![no_main]

use aspen_image::FileTable;

libfuzzer_sys::fuzz_target!(|text: &str| {
    if let Ok(table) = FileTable::from_text(text) {
        assert_eq!(FileTable::from_text(&table.to_text()).as_ref(), Ok(&table));
    }
});
