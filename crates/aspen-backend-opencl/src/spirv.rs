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

use aspen_spirv::words::{Words, literal, opcode};
use rspirv::spirv::{ExecutionMode, Op};

const MODE_LOCAL_SIZE: u32 = ExecutionMode::LocalSize as u32;

/// The variables' names.
const SLOT: &str = "_ZZN4sycl6detail17local_memory_slotEvE4slot";
const SCRATCH: &str = "_ZZN4sycl6detail12scratch_slotEvE4slot";

const WORK_GROUP_PARAMETERS: usize = 3;

/// The module without LocalSize on entries of work-group kernels. What is no SPIR-V stays as it is: the driver says what is wrong with it.
pub(crate) fn for_driver(image: &[u8]) -> Cow<'_, [u8]> {
    without_group_sizes(image).map_or(Cow::Borrowed(image), Cow::Owned)
}

/// Whether functions of the module use the work-group memory of a kernel.
pub(crate) fn uses_local_memory(image: &[u8]) -> bool {
    let Ok(words) = Words::read(image) else { return false };
    words.instructions().map_while(Result::ok).any(|(_, instruction)| {
        opcode(instruction) == Op::Name as u16 && [SLOT, SCRATCH].contains(&literal(instruction.get(2..).unwrap_or_default()).as_str())
    })
}

/// `None` if nothing is to be changed.
fn without_group_sizes(image: &[u8]) -> Option<Vec<u8>> {
    let words = Words::read(image).ok()?;
    let (mut entries, mut groups, mut sized) = (BTreeSet::new(), BTreeSet::new(), Vec::new());
    let (mut function, mut parameters) = (0, 0);
    for instruction in words.instructions() {
        let (at, instruction) = instruction.ok()?;
        match (Op::from_u32(opcode(instruction).into()), instruction) {
            (Some(Op::EntryPoint), [_, _, entry, ..]) => _ = entries.insert(*entry),
            (Some(Op::ExecutionMode), [_, entry, MODE_LOCAL_SIZE, ..]) => sized.push((*entry, at..at + instruction.len())),
            (Some(Op::Function), [_, _, id, ..]) => (function, parameters) = (*id, 0),
            (Some(Op::FunctionParameter), _) => {
                parameters += 1;
                if parameters == WORK_GROUP_PARAMETERS {
                    groups.insert(function);
                }
            }
            (Some(Op::EntryPoint | Op::Function), _) => return None,
            _ => {}
        }
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

    fn instruction(op: Op, operands: &[u32]) -> Vec<u32> {
        let mut words = vec![(operands.len() as u32 + 1) << 16 | op as u32];
        words.extend(operands);
        words
    }

    fn bytes(instructions: &[Vec<u32>]) -> Vec<u8> {
        let header = vec![0x0723_0203, 0x0001_0400, 0, 100, 0];
        [&[header], instructions].concat().concat().iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    fn entry(id: u32) -> Vec<u32> {
        instruction(Op::EntryPoint, &[6, id, 0x0061_6161])
    }

    fn local_size(id: u32) -> Vec<u32> {
        instruction(Op::ExecutionMode, &[id, MODE_LOCAL_SIZE, 8, 1, 1])
    }

    fn function(id: u32, parameters: u32) -> Vec<u32> {
        let parameter = |index| instruction(Op::FunctionParameter, &[50, 60 + index]);
        let mut words = instruction(Op::Function, &[40, id, 0, 41]);
        words.extend((0..parameters).flat_map(parameter));
        words
    }

    #[test]
    fn only_work_group_kernels_lose_their_size() {
        let sub_group = instruction(Op::ExecutionMode, &[2, 35, 16]);
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
        let named = |text: &str| {
            let mut text = text.as_bytes().to_vec();
            text.resize((text.len() + 1).next_multiple_of(4), 0);
            let name: Vec<u32> = text.chunks(4).map(|word| u32::from_le_bytes(word.try_into().expect("a multiple of 4"))).collect();
            instruction(Op::Name, &[&[7], &name[..]].concat())
        };
        assert!(uses_local_memory(&bytes(&[named("other"), named(SLOT)])));
        assert!(uses_local_memory(&bytes(&[named(SCRATCH)])));
        assert!(!uses_local_memory(&bytes(&[named("other"), named(&SLOT[1..]), named(&SLOT[..SLOT.len() - 1])])));
        assert!(!uses_local_memory(b"no SPIR-V"));
    }
}
