//! What holds for any bytes that are specialised.

use aspen_spirv::{SpecId, spec_ids, specialise};

/// Specialises by values that the input decides. An error, or a module without anything of ours, which comes back as it is the next time;
/// whether there was a module.
pub fn specialised(bytes: &[u8]) -> bool {
    let seed = bytes.iter().fold(0u32, |sum, byte| sum.rotate_left(3) ^ u32::from(*byte));
    let value = |id: SpecId| id.is_ours().then(|| (seed >> (id.number() % 31)) & 1 == 1);
    let Ok(special) = specialise(bytes, &value) else { return false };
    assert!(special.len() <= bytes.len() + 64, "nothing is added but shorter forms of what was there");
    let left = spec_ids(&special).expect("a module can be read again");
    assert!(left.iter().all(|id| !id.is_ours()), "{left:?}");
    let again = specialise(&special, &|_| None).expect("nothing asks for a value any more");
    assert!(again == special, "nothing is left to specialise");
    true
}
