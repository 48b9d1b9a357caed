//! What a SPIR-V module says about itself before its first function: enough to list it, not to understand it.
//!
//! Source: SPIR-V specification, "Physical Layout of a SPIR-V Module" and the instructions named below.

use std::collections::{BTreeMap, BTreeSet};

use aspen_contract::{Aspect, Requirements, WorkGroupSize};
use aspen_spirv::Error;
use aspen_spirv::words::{Words, literal, opcode};
use rspirv::spirv::{Capability, Decoration, ExecutionMode, ExecutionModel, Op};

/// What a module begins with, before names, types and code.
fn is_before_names(op: Op) -> bool {
    matches!(
        op,
        Op::Extension | Op::ExtInstImport | Op::MemoryModel | Op::EntryPoint | Op::ExecutionMode | Op::Capability | Op::ExecutionModeId
    )
}

const MODEL_KERNEL: u32 = ExecutionModel::Kernel as u32;
const MODE_LOCAL_SIZE: u32 = ExecutionMode::LocalSize as u32;
const MODE_SUBGROUP_SIZE: u32 = ExecutionMode::SubgroupSize as u32;
const DECORATION_BUILT_IN: u32 = Decoration::BuiltIn as u32;
const DECORATION_LINKAGE: u32 = Decoration::LinkageAttributes as u32;

/// Capabilities that a device has exactly if it has the aspect.
const CAPABILITIES: [(Capability, Aspect); 3] =
    [(Capability::Float16, Aspect::FP16), (Capability::Float64, Aspect::FP64), (Capability::Int64Atomics, Aspect::ATOMIC64)];

/// A module.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SpirvModule {
    /// The kernels, in the order of the module. Each needs its own sizes and the aspects that the module's capabilities stand for.
    pub kernels: Vec<(String, Requirements)>,
    /// Functions offered to others.
    pub exports: Vec<String>,
    /// Functions taken from others.
    pub imports: Vec<String>,
}

impl SpirvModule {
    /// Reads a little-endian module; all its instructions are walked over.
    ///
    /// # Errors
    /// If it is cut off, or an instruction that is looked at has too few words.
    pub fn parse(bytes: &[u8]) -> Result<SpirvModule, Error> {
        let words = Words::read(bytes)?;
        let (mut reader, mut in_functions) = (Reader::default(), false);
        for instruction in words.instructions() {
            let (at, instruction) = instruction?;
            let op = Op::from_u32(opcode(instruction).into());
            in_functions |= op == Some(Op::Function);
            if !in_functions {
                let taken = reader.instruction(op, &instruction[1..]);
                taken.ok_or_else(|| Error::Damaged { word: at, why: "an instruction is too short".into() })?;
            }
        }
        Ok(reader.finish())
    }
}

/// What the beginning of a module tells of it: which aspects its capabilities stand for, and which sizes its kernels are compiled for.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Beginning {
    /// A device without these refuses the module.
    pub needed: BTreeSet<Aspect>,
    /// These have to do with the code, needed or not: `Float16Buffer` alone lets code hold `half`, and DPC++ declares no more for it, nor more
    /// than the operation itself for atomic ones of `double`.
    pub touched: BTreeSet<Aspect>,
    /// The sizes of its kernels; `None` if the bytes end before all of them are told.
    pub sizes: Option<Sizes>,
}

/// Which sizes the kernels of a module are compiled for.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Sizes {
    /// Sub-group sizes of those that have one.
    pub sub_groups: BTreeSet<u32>,
    /// Work-group sizes of those that have one, fastest dimension first and padded with ones.
    pub work_groups: BTreeSet<[u32; 3]>,
}

/// Capabilities that show what a need is for, and that devices have or lack beside the aspect: `Float16Buffer`, and atomic additions, minima
/// and maxima of `double`.
const TOUCHING: [(Capability, Aspect); 3] = [
    (Capability::Float16Buffer, Aspect::FP16),
    (Capability::AtomicFloat64AddEXT, Aspect::ATOMIC64),
    (Capability::AtomicFloat64MinMaxEXT, Aspect::ATOMIC64),
];

/// What comes before names, types and code. `None` if the bytes end before the capabilities do, or are no module.
pub fn beginning(bytes: &[u8]) -> Option<Beginning> {
    let words = Words::read_beginning(bytes).ok()?;
    let mut out = Beginning::default();
    let (mut capabilities, mut sizes) = (true, Sizes::default());
    for instruction in words.instructions() {
        // The bytes end here, or are damaged.
        let Ok((_, instruction)) = instruction else { break };
        let op = Op::from_u32(opcode(instruction).into());
        if op == Some(Op::Capability) {
            let capability = *instruction.get(1)?;
            let named = |table: &[(Capability, Aspect)]| {
                table.iter().filter(|(one, _)| *one as u32 == capability).map(|(_, aspect)| *aspect).collect::<Vec<_>>()
            };
            out.needed.extend(named(&CAPABILITIES));
            out.touched.extend(named(&TOUCHING));
        } else if capabilities {
            capabilities = false;
            out.touched.extend(out.needed.iter().copied());
        }
        if !op.is_some_and(is_before_names) {
            out.sizes = Some(sizes);
            return Some(out);
        }
        if op == Some(Op::ExecutionMode) {
            match instruction[1..] {
                [_, MODE_SUBGROUP_SIZE, size, ..] => _ = sizes.sub_groups.insert(size),
                [_, MODE_LOCAL_SIZE, x, y, z, ..] => _ = sizes.work_groups.insert([x, y, z]),
                _ => {}
            }
        }
    }
    (!capabilities).then_some(out)
}

#[derive(Default)]
struct Reader {
    /// Id and name.
    kernels: Vec<(u32, String)>,
    aspects: BTreeSet<Aspect>,
    /// By kernel id, as they stand there: fastest dimension first.
    local_sizes: BTreeMap<u32, [u32; 3]>,
    sub_group_sizes: BTreeMap<u32, u32>,
    /// Id, name, whether it is an import.
    linkage: Vec<(u32, String, bool)>,
    built_in: BTreeSet<u32>,
}

impl Reader {
    /// Takes in an instruction's operands; `None` if there are too few.
    fn instruction(&mut self, op: Option<Op>, operands: &[u32]) -> Option<()> {
        match op {
            Some(Op::Capability) => {
                let capability = operands.first()?;
                self.aspects.extend(CAPABILITIES.iter().filter(|(one, _)| *one as u32 == *capability).map(|(_, aspect)| *aspect));
            }
            Some(Op::EntryPoint) => {
                let [model, id, name @ ..] = operands else { return None };
                if *model == MODEL_KERNEL {
                    self.kernels.push((*id, literal(name)));
                }
            }
            Some(Op::ExecutionMode) => match operands {
                [id, MODE_LOCAL_SIZE, x, y, z, ..] => _ = self.local_sizes.entry(*id).or_insert([*x, *y, *z]),
                [id, MODE_SUBGROUP_SIZE, size, ..] => _ = self.sub_group_sizes.entry(*id).or_insert(*size),
                [_, MODE_LOCAL_SIZE | MODE_SUBGROUP_SIZE, ..] | [] | [_] => return None,
                _ => {}
            },
            Some(Op::Decorate) => match operands {
                [id, DECORATION_LINKAGE, name @ .., kind] => self.linkage.push((*id, literal(name), *kind == 1)),
                [id, DECORATION_BUILT_IN, ..] => _ = self.built_in.insert(*id),
                [] | [_] | [_, DECORATION_LINKAGE] => return None,
                _ => {}
            },
            _ => {}
        }
        Some(())
    }

    fn finish(self) -> SpirvModule {
        let needs = |id: u32| {
            let size = self.local_sizes.get(&id);
            let dims = size.map(|dims| dims.iter().rev().copied().map(u64::from).collect::<Vec<_>>());
            Requirements {
                aspects: self.aspects.clone(),
                reqd_work_group_size: dims.and_then(|dims| WorkGroupSize::try_from(dims).ok()),
                reqd_sub_group_size: self.sub_group_sizes.get(&id).copied().filter(|&size| size > 0),
                ..Requirements::default()
            }
        };
        let kernels: BTreeSet<u32> = self.kernels.iter().map(|(id, _)| *id).collect();
        // LLVM gives built-in variables import linkage, and kernels export linkage.
        let named = |import: bool| {
            let linked = self.linkage.iter().filter(move |(_, _, is_import)| *is_import == import);
            linked.filter(|(id, ..)| !self.built_in.contains(id) && !kernels.contains(id)).map(|(_, name, _)| name.clone()).collect()
        };
        SpirvModule {
            kernels: self.kernels.iter().map(|(id, name)| (name.clone(), needs(*id))).collect(),
            exports: named(false),
            imports: named(true),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn module(instructions: &[&[u32]]) -> Vec<u8> {
        let mut words = vec![0x0723_0203, 0x0001_0400, 0, 10, 0];
        for instruction in instructions {
            words.push((instruction.len() as u32) << 16 | instruction[0]);
            words.extend(&instruction[1..]);
        }
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    fn name(name: &[u8; 4]) -> u32 {
        u32::from_le_bytes(*name)
    }

    #[test]
    fn kernels_with_sizes_capabilities_and_linkage() {
        let parsed = SpirvModule::parse(&module(&[
            &[17, 6],
            &[17, 10],
            &[15, 6, 3, name(b"one\0"), 7, 8],
            &[15, 6, 4, name(b"quad"), 0],
            &[16, 3, 17, 8, 4, 1],
            &[16, 4, 35, 16],
            &[71, 3, 41, name(b"one\0"), 0],
            &[71, 5, 41, name(b"ex\0\0"), 0],
            &[71, 6, 41, name(b"im\0\0"), 1],
            &[71, 7, 41, name(b"id\0\0"), 1],
            &[71, 7, 11, 28],
            &[54, 1, 2, 0, 3],
            // Inside functions nothing is read.
            &[15, 6],
        ]))
        .expect("a sound module");
        let needs: Vec<_> = parsed
            .kernels
            .iter()
            .map(|(name, needed)| (name.as_str(), needed.needs().map(|need| need.to_string()).collect::<Vec<_>>()))
            .collect();
        assert_eq!(
            needs,
            [
                ("one", vec!["aspect fp64".into(), "work-group size 1x4x8".into()]),
                ("quad", vec!["aspect fp64".into(), "sub-group size 16".to_owned()])
            ]
        );
        assert_eq!((parsed.exports, parsed.imports), (vec!["ex".to_owned()], vec!["im".to_owned()]));
    }

    #[test]
    fn the_beginning_tells_aspects_and_sizes() {
        let start: &[&[u32]] = &[&[17, 6], &[17, 10], &[17, 12], &[11, 1, name(b"std\0")], &[15, 6, 3, name(b"one\0")]];
        let modes: &[&[u32]] = &[&[16, 3, 17, 8, 4, 1], &[16, 3, 35, 16], &[16, 3, 31]];
        let rest: &[&[u32]] = &[&[5, 3, name(b"one\0")], &[16, 3, 35, 99]];
        let all = module(&[start, modes, rest].concat());
        let told = beginning(&all).expect("a module");
        assert_eq!(told.needed, [Aspect::FP64, Aspect::ATOMIC64].into());
        assert_eq!(told.sizes, Some(Sizes { sub_groups: [16].into(), work_groups: [[8, 4, 1]].into() }));
        // Cut anywhere: nothing, or the aspects alone.
        let whole = module(&[start, modes].concat()).len();
        for length in 0..all.len() {
            let told = beginning(&all[..length]);
            assert_eq!(told.is_some(), length >= 20 + 24 + 12, "{length}");
            assert_eq!(told.is_some_and(|told| told.sizes.is_some()), length >= whole + 12, "{length}");
        }
        for (capability, touched) in [(8, Aspect::FP16), (6034, Aspect::ATOMIC64), (5613, Aspect::ATOMIC64)] {
            let told = beginning(&module(&[&[17, capability], &[14, 2, 2]])).expect("a module");
            assert_eq!((told.touched, told.needed), ([touched].into(), [].into()), "{capability}");
        }
        // An instruction of no words has no end.
        let endless = [module(start), 0u32.to_le_bytes().to_vec()].concat();
        assert_eq!(beginning(&endless).map(|told| told.sizes), Some(None));
    }

    /// Looking each kernel up among all modes would take minutes here.
    #[test]
    fn many_kernels_take_no_longer_each() {
        const KERNELS: u32 = 200_000;
        let mut words = vec![0x0723_0203, 0x0001_0400, 0, 10 + KERNELS, 0];
        for id in 1..=KERNELS {
            words.extend([4 << 16 | 15, 6, id, name(b"k\0\0\0"), 4 << 16 | 16, id, 35, 1 + id % 64]);
            words.extend([5 << 16 | 71, id, 41, name(b"k\0\0\0"), 0]);
        }
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let parsed = SpirvModule::parse(&bytes).expect("a sound module");
        assert_eq!((parsed.kernels.len(), parsed.exports.len()), (200_000, 0));
        assert_eq!(parsed.kernels[99].1.reqd_sub_group_size, Some(37));
    }

    #[test]
    fn damage_is_placed() {
        for (bytes, word, why) in [
            (b"BC\xc0\xde".to_vec(), 0, "does not begin"),
            (module(&[])[..8].to_vec(), 2, "cut off"),
            ([module(&[]), vec![1]].concat(), 5, "cut off"),
            (module(&[&[15, 6]]), 5, "too short"),
            (module(&[&[17, 6], &[16, 1, 35]]), 7, "too short"),
            ([module(&[]), 0u32.to_le_bytes().to_vec()].concat(), 5, "no length"),
            ([module(&[]), (9u32 << 16 | 17).to_le_bytes().to_vec()].concat(), 5, "cut off"),
        ] {
            let error = SpirvModule::parse(&bytes).expect_err(why);
            let told = error.to_string();
            assert!(told.starts_with(&format!("damaged SPIR-V at word {word}: ")) && told.contains(why), "{told}");
        }
    }
}
