//! What a SPIR-V module says about itself before its first function: enough to list it, not to understand it.
//!
//! Source: SPIR-V specification, "Physical Layout of a SPIR-V Module" and the instructions named below.

use std::collections::{BTreeMap, BTreeSet};

use aspen_contract::{Aspect, Requirements, WorkGroupSize};

const MAGIC: u32 = 0x0723_0203;
const HEADER_WORDS: usize = 5;

const OP_ENTRY_POINT: u32 = 15;
const OP_EXECUTION_MODE: u32 = 16;
const OP_CAPABILITY: u32 = 17;
const OP_FUNCTION: u32 = 54;
const OP_DECORATE: u32 = 71;
/// OpExtension, OpExtInstImport, OpMemoryModel, OpEntryPoint, OpExecutionMode, OpCapability, OpExecutionModeId: what a module begins with.
const BEFORE_NAMES: [u32; 7] = [10, 11, 14, OP_ENTRY_POINT, OP_EXECUTION_MODE, OP_CAPABILITY, 331];

const MODEL_KERNEL: u32 = 6;
const MODE_LOCAL_SIZE: u32 = 17;
const MODE_SUBGROUP_SIZE: u32 = 35;
const DECORATION_BUILT_IN: u32 = 11;
const DECORATION_LINKAGE: u32 = 41;

/// Capabilities that a device has exactly if it has the aspect.
const CAPABILITIES: [(u32, Aspect); 3] = [(9, Aspect::FP16), (10, Aspect::FP64), (12, Aspect::ATOMIC64)];

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

/// Damage of a module.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SpirvError {
    /// Where, in 32-bit words.
    pub word: usize,
    /// What is wrong there.
    pub why: &'static str,
}

impl SpirvModule {
    /// Reads a little-endian module; all its instructions are walked over.
    ///
    /// # Errors
    /// If it is cut off, or an instruction that is looked at has too few words.
    pub fn parse(bytes: &[u8]) -> Result<SpirvModule, SpirvError> {
        let (words, rest) = bytes.as_chunks::<4>();
        let words: Vec<u32> = words.iter().copied().map(u32::from_le_bytes).collect();
        if words.first() != Some(&MAGIC) {
            return Err(SpirvError { word: 0, why: "it does not begin as a SPIR-V module does" });
        }
        if !rest.is_empty() || words.len() < HEADER_WORDS {
            return Err(SpirvError { word: words.len(), why: "the module is cut off" });
        }
        let (mut reader, mut at, mut in_functions) = (Reader::default(), HEADER_WORDS, false);
        while at < words.len() {
            let (length, opcode) = ((words[at] >> 16) as usize, words[at] & 0xffff);
            if length == 0 {
                return Err(SpirvError { word: at, why: "an instruction has no length" });
            }
            let instruction = words.get(at..at + length).ok_or(SpirvError { word: at, why: "an instruction is cut off" })?;
            in_functions |= opcode == OP_FUNCTION;
            if !in_functions {
                reader.instruction(opcode, &instruction[1..]).ok_or(SpirvError { word: at, why: "an instruction is too short" })?;
            }
            at += length;
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
const TOUCHING: [(u32, Aspect); 3] = [(8, Aspect::FP16), (6034, Aspect::ATOMIC64), (5613, Aspect::ATOMIC64)];

/// What comes before names, types and code. `None` if the bytes end before the capabilities do, or are no module.
pub fn beginning(bytes: &[u8]) -> Option<Beginning> {
    let (words, _) = bytes.as_chunks::<4>();
    let word = |at: usize| words.get(at).copied().map(u32::from_le_bytes);
    if word(0)? != MAGIC {
        return None;
    }
    let mut out = Beginning::default();
    let (mut at, mut capabilities, mut sizes) = (HEADER_WORDS, true, Sizes::default());
    loop {
        let Some(head) = word(at) else { return (!capabilities).then_some(out) };
        let (length, opcode) = ((head >> 16) as usize, head & 0xffff);
        if opcode == OP_CAPABILITY {
            let capability = word(at + 1)?;
            out.needed.extend(CAPABILITIES.iter().filter(|(number, _)| *number == capability).map(|(_, aspect)| *aspect));
            out.touched.extend(TOUCHING.iter().filter(|(number, _)| *number == capability).map(|(_, aspect)| *aspect));
        } else if capabilities {
            capabilities = false;
            out.touched.extend(out.needed.iter().copied());
        }
        if !BEFORE_NAMES.contains(&opcode) || length == 0 {
            out.sizes = (length > 0).then_some(sizes);
            return Some(out);
        }
        if opcode == OP_EXECUTION_MODE {
            let operand = |index: usize| word(at + index).filter(|_| index < length);
            match (operand(2), operand(3), operand(4), operand(5)) {
                (Some(MODE_SUBGROUP_SIZE), Some(size), ..) => _ = sizes.sub_groups.insert(size),
                (Some(MODE_LOCAL_SIZE), Some(x), Some(y), Some(z)) => _ = sizes.work_groups.insert([x, y, z]),
                _ => {}
            }
        }
        at += length;
    }
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
    fn instruction(&mut self, opcode: u32, operands: &[u32]) -> Option<()> {
        match opcode {
            OP_CAPABILITY => {
                let capability = operands.first()?;
                self.aspects.extend(CAPABILITIES.iter().filter(|(number, _)| number == capability).map(|(_, aspect)| *aspect));
            }
            OP_ENTRY_POINT => {
                let [model, id, name @ ..] = operands else { return None };
                if *model == MODEL_KERNEL {
                    self.kernels.push((*id, literal(name)));
                }
            }
            OP_EXECUTION_MODE => match operands {
                [id, MODE_LOCAL_SIZE, x, y, z, ..] => _ = self.local_sizes.entry(*id).or_insert([*x, *y, *z]),
                [id, MODE_SUBGROUP_SIZE, size, ..] => _ = self.sub_group_sizes.entry(*id).or_insert(*size),
                [_, MODE_LOCAL_SIZE | MODE_SUBGROUP_SIZE, ..] | [] | [_] => return None,
                _ => {}
            },
            OP_DECORATE => match operands {
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

/// A string literal: bytes in little-endian words, up to the first zero.
fn literal(words: &[u32]) -> String {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).take_while(|&byte| byte != 0).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn module(instructions: &[&[u32]]) -> Vec<u8> {
        let mut words = vec![MAGIC, 0x0001_0400, 0, 10, 0];
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
            assert_eq!(told.is_some(), length >= 20 + 24 + 4, "{length}");
            assert_eq!(told.is_some_and(|told| told.sizes.is_some()), length >= whole + 4, "{length}");
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
        let mut words = vec![MAGIC, 0x0001_0400, 0, 10 + KERNELS, 0];
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
            assert!(error.word == word && error.why.contains(why), "{error:?}");
        }
    }
}
