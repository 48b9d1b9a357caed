//! What is changed in an image before a driver sees it.
//!
//! A kernel of `parallel_for_work_group` runs one work-item a group, whatever size its `reqd_work_group_size` gives the logical group. The
//! toolchain writes that size down as for any kernel (execution mode LocalSize), and drivers would then refuse every launch. Such kernels
//! are those with three parameters: functor, local memory, logical group. Source: include/sycl/detail/kernel_entry.hpp.

//!
//! The variables in which a kernel's entry leaves the addresses of its work-group memory (`local_memory_slot` and `scratch_slot` of
//! include/sycl/detail/work_item.hpp) are private to each image, and drivers do not link such variables: those of 2022 to 2026 take an
//! imported one for a second definition, and some crash. So a function of another image can use neither local accessors there nor
//! scratch memory.

use std::borrow::Cow;
use std::collections::BTreeSet;

const MAGIC: u32 = 0x0723_0203;
pub(crate) const HEADER_WORDS: usize = 5;

const OP_ENTRY_POINT: u32 = 15;
const OP_EXECUTION_MODE: u32 = 16;
const OP_FUNCTION: u32 = 54;
const OP_FUNCTION_PARAMETER: u32 = 55;
const MODE_LOCAL_SIZE: u32 = 17;

const OP_NAME: u32 = 5;

/// The variables' names.
const SLOT: &[u8] = b"_ZZN4sycl6detail17local_memory_slotEvE4slot";
const SCRATCH: &[u8] = b"_ZZN4sycl6detail12scratch_slotEvE4slot";

const WORK_GROUP_PARAMETERS: usize = 3;

/// The module without LocalSize on entries of work-group kernels. What is no SPIR-V stays as it is: the driver says what is wrong with it.
pub(crate) fn for_driver(image: &[u8]) -> Cow<'_, [u8]> {
    without_group_sizes(image).map_or(Cow::Borrowed(image), Cow::Owned)
}

/// The words of what begins as SPIR-V; the header may be cut.
pub(crate) fn words(image: &[u8]) -> Option<Vec<u32>> {
    let words: Vec<u32> = image.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect();
    (words.first() == Some(&MAGIC) && image.len().is_multiple_of(4)).then_some(words)
}

/// Whether functions of the module use the work-group memory of a kernel.
pub(crate) fn uses_local_memory(image: &[u8]) -> bool {
    let Some(words) = words(image) else { return false };
    let mut at = HEADER_WORDS;
    while at < words.len() {
        let (length, code) = ((words[at] >> 16) as usize, words[at] & 0xFFFF);
        let Some(instruction) = words.get(at..at + length).filter(|instruction| !instruction.is_empty()) else { return false };
        let name = || instruction.get(2..).unwrap_or_default().iter().flat_map(|word| word.to_le_bytes()).take_while(|byte| *byte != 0);
        if code == OP_NAME && [SLOT, SCRATCH].iter().any(|slot| name().eq(slot.iter().copied())) {
            return true;
        }
        at += length;
    }
    false
}

/// `None` if nothing is to be changed.
fn without_group_sizes(image: &[u8]) -> Option<Vec<u8>> {
    let words = words(image)?;
    let (mut entries, mut groups, mut sized) = (BTreeSet::new(), BTreeSet::new(), Vec::new());
    let (mut function, mut parameters, mut at) = (0, 0, HEADER_WORDS);
    while at < words.len() {
        let (length, code) = ((words[at] >> 16) as usize, words[at] & 0xFFFF);
        let instruction = words.get(at..at + length).filter(|instruction| !instruction.is_empty())?;
        match code {
            OP_ENTRY_POINT => {
                entries.insert(*instruction.get(2)?);
            }
            OP_EXECUTION_MODE if instruction.get(2) == Some(&MODE_LOCAL_SIZE) => sized.push((instruction[1], at..at + length)),
            OP_FUNCTION => (function, parameters) = (*instruction.get(2)?, 0),
            OP_FUNCTION_PARAMETER => {
                parameters += 1;
                if parameters == WORK_GROUP_PARAMETERS {
                    groups.insert(function);
                }
            }
            _ => {}
        }
        at += length;
    }
    sized.retain(|(entry, _)| entries.contains(entry) && groups.contains(entry));
    if sized.is_empty() {
        return None;
    }
    let mut out = image.to_vec();
    for (_, place) in sized.into_iter().rev() {
        out.drain(place.start * 4..place.end * 4);
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn instruction(code: u32, operands: &[u32]) -> Vec<u32> {
        let mut words = vec![(operands.len() as u32 + 1) << 16 | code];
        words.extend(operands);
        words
    }

    fn bytes(instructions: &[Vec<u32>]) -> Vec<u8> {
        let header = vec![MAGIC, 0x0001_0400, 0, 100, 0];
        [&[header], instructions].concat().concat().iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    fn entry(id: u32) -> Vec<u32> {
        instruction(OP_ENTRY_POINT, &[6, id, 0x0061_6161])
    }

    fn local_size(id: u32) -> Vec<u32> {
        instruction(OP_EXECUTION_MODE, &[id, MODE_LOCAL_SIZE, 8, 1, 1])
    }

    fn function(id: u32, parameters: u32) -> Vec<u32> {
        let parameter = |index| instruction(OP_FUNCTION_PARAMETER, &[50, 60 + index]);
        let mut words = instruction(OP_FUNCTION, &[40, id, 0, 41]);
        words.extend((0..parameters).flat_map(parameter));
        words
    }

    #[test]
    fn only_work_group_kernels_lose_their_size() {
        let sub_group = instruction(OP_EXECUTION_MODE, &[2, 35, 16]);
        let rest = [function(1, 2), function(2, 3), function(3, 1), function(4, 3)].concat();
        let with = bytes(&[entry(1), entry(2), entry(3), local_size(1), local_size(2), local_size(3), sub_group.clone(), rest.clone()]);
        let without = bytes(&[entry(1), entry(2), entry(3), local_size(1), local_size(3), sub_group, rest]);
        assert_eq!(for_driver(&with), without);
        assert!(matches!(for_driver(&without), Cow::Borrowed(_)));
    }

    #[test]
    fn what_is_damaged_stays_as_it_is() {
        let good = bytes(&[entry(2), local_size(2), function(2, 3)]);
        assert_ne!(for_driver(&good), good);
        for damaged in
            [&b""[..], b"no SPIR-V", &good[..good.len() - 4], &good[1..], &[&good[..], &[0; 4]].concat(), &good[..good.len() - 1]]
        {
            assert!(matches!(for_driver(damaged), Cow::Borrowed(_)));
        }
    }

    #[test]
    fn local_memory_is_told_by_the_variables_name() {
        let named = |text: &[u8]| {
            let mut text = text.to_vec();
            text.resize((text.len() + 1).next_multiple_of(4), 0);
            let name: Vec<u32> = text.chunks(4).map(|word| u32::from_le_bytes(word.try_into().expect("a multiple of 4"))).collect();
            instruction(OP_NAME, &[&[7], &name[..]].concat())
        };
        assert!(uses_local_memory(&bytes(&[named(b"other"), named(SLOT)])));
        assert!(uses_local_memory(&bytes(&[named(SCRATCH)])));
        assert!(!uses_local_memory(&bytes(&[named(b"other"), named(&SLOT[1..]), named(&SLOT[..SLOT.len() - 1])])));
        assert!(!uses_local_memory(b"no SPIR-V"));
    }
}
