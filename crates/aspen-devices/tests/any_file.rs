//! Whatever stands in a device file: it is read, or refused with places that are in it; never a panic.

use aspen_devices::{Database, text};
use proptest::prelude::*;

const VALID: &str = "# devices\nbase: &base\n  aspects: [gpu, fp64, 103]\n  may_support_other_aspects: true\n  sub-group-sizes: [8, 16]\n  \
                     aot-toolchain: ocloc\n  aot-toolchain-options: -device skl\n  aot-toolchain-rev: \"3\"\nintel_gpu_skl: *base\n\
                     new: {aspects: [6]}\n";

fn check(bytes: &[u8]) -> Result<(), TestCaseError> {
    let builtin = Database::builtin();
    match text("F.yaml", bytes).and_then(|text| builtin.overlay("F.yaml", text)) {
        Ok((database, warnings)) => {
            prop_assert!(database.iter().count() >= builtin.iter().count());
            prop_assert!(warnings.iter().all(|warning| warning.to_string().starts_with("F.yaml:")));
        }
        Err(error) => {
            let lines = bytes.split(|byte| b"\r\n".contains(byte)).count();
            for one in &error.0 {
                // The end of the file is the line behind its last one.
                prop_assert!((1..=lines + 1).contains(&one.line) && one.column > 0, "{error}");
            }
            let shown = error.to_string();
            prop_assert!(shown.starts_with("F.yaml:") && !shown.contains('\u{1b}'), "{shown}");
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        check(&bytes)?;
    }

    /// Pieces of YAML in any order.
    #[test]
    fn any_pieces(pieces in prop::collection::vec(prop::sample::select(vec![
        "a", ":", " ", "\n", "  ", "- ", "[", "]", "{", "}", ",", "&a", "*a", "aspects", "sub-group-sizes", "aot-toolchain-x", "\"", "'",
        "#", "|\n", "? ", "---\n", "...\n", "!!int ", "~", "0", "-1", "1e9", "fp64", "\t", "<<", "\u{e9}", "\u{1b}", "\r",
    ]), 0..40)) {
        check(pieces.concat().as_bytes())?;
    }

    /// A valid file with some bytes changed, and cut.
    #[test]
    fn changed_files(changes in prop::collection::vec((0..VALID.len(), any::<u8>()), 0..4), end in 0..=VALID.len()) {
        let mut bytes = VALID.as_bytes().to_vec();
        for (at, byte) in changes {
            bytes[at] = byte;
        }
        bytes.truncate(end);
        check(&bytes)?;
    }
}

#[test]
fn the_file_itself_is_valid() {
    let (database, warnings) = Database::builtin().overlay("F.yaml", VALID).expect("a valid file");
    assert!(warnings.is_empty() && database.lookup("base").is_ok() && database.lookup("new").is_ok());
}
