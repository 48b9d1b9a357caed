//! Which capabilities and extensions instructions ask for.
//!
//! The grammar names them for opcodes and enumerants; what depends on types is known here. A declaration is dropped only if something that
//! asked for it is gone and nothing that asks for it is left, so what nobody can judge stays. Where a driver refuses a module for a mere
//! declaration, the rule is known exactly ([`EXACT`]), and unused declarations go too. Source: SPIR-V specification, "Capability".

use rspirv::spirv::{Capability, Op};

use crate::grammar::{Enumerants, OPCODES, grammar};

/// Capabilities whose every use is known here.
const EXACT: [Capability; 13] = [
    Capability::Int8,
    Capability::Int16,
    Capability::Int64,
    Capability::Float64,
    Capability::Float16,
    Capability::Int64Atomics,
    Capability::AtomicFloat16AddEXT,
    Capability::AtomicFloat32AddEXT,
    Capability::AtomicFloat64AddEXT,
    Capability::AtomicFloat16MinMaxEXT,
    Capability::AtomicFloat32MinMaxEXT,
    Capability::AtomicFloat64MinMaxEXT,
    Capability::Vector16,
];

/// Capabilities of images in general: no instruction of the grammar asks for them.
const IMAGES: [Capability; 4] = [Capability::ImageBasic, Capability::ImageReadWrite, Capability::ImageMipmap, Capability::LiteralSampler];

/// A set of small numbers that can be taken back to what it was.
#[derive(Default)]
struct Seen {
    seen: Vec<bool>,
    /// In the order in which they came.
    list: Vec<u32>,
}

impl Seen {
    #[inline]
    fn insert(&mut self, number: usize) {
        if self.seen.get(number) != Some(&true) {
            self.insert_new(number);
        }
    }

    #[cold]
    fn insert_new(&mut self, number: usize) {
        if self.seen.len() <= number {
            self.seen.resize(number + 1, false);
        }
        self.seen[number] = true;
        self.list.push(u32::try_from(number).unwrap_or(u32::MAX));
    }

    fn truncate(&mut self, length: usize) {
        for number in self.list.drain(length..) {
            self.seen[number as usize] = false;
        }
    }
}

/// What some instructions ask for.
pub(crate) struct Needs {
    opcodes: Seen,
    /// By index in [`Enumerants`].
    enumerants: Seen,
    /// By types.
    capabilities: Vec<Capability>,
}

/// How much had been asked for at some point.
#[derive(Clone, Copy)]
pub(crate) struct Before {
    opcodes: usize,
    enumerants: usize,
    capabilities: usize,
}

impl Default for Needs {
    fn default() -> Needs {
        Needs { opcodes: Seen { seen: vec![false; OPCODES], list: Vec::new() }, enumerants: Seen::default(), capabilities: Vec::new() }
    }
}

impl Needs {
    pub(crate) fn before(&self) -> Before {
        Before { opcodes: self.opcodes.list.len(), enumerants: self.enumerants.list.len(), capabilities: self.capabilities.len() }
    }

    /// Forgets what was asked for since then.
    pub(crate) fn back_to(&mut self, before: Before) {
        self.opcodes.truncate(before.opcodes);
        self.enumerants.truncate(before.enumerants);
        self.capabilities.truncate(before.capabilities);
    }

    /// Unknown opcodes ask for nothing that anybody knows.
    #[inline]
    pub(crate) fn opcode(&mut self, opcode: u16) {
        if usize::from(opcode) < OPCODES {
            self.opcodes.insert(usize::from(opcode));
        }
    }

    #[inline]
    pub(crate) fn enumerant(&mut self, index: usize) {
        self.enumerants.insert(index);
    }

    pub(crate) fn capability(&mut self, capability: Capability) {
        if !self.capabilities.contains(&capability) {
            self.capabilities.push(capability);
        }
    }

    /// What a type asks for.
    pub(crate) fn of_type(&mut self, opcode: u16, words: &[u32]) {
        let op = u32::from(opcode);
        if !(Op::TypeInt as u32..=Op::TypeSampledImage as u32).contains(&op) {
            return;
        }
        let by_width = |width: u32, of: &[(u32, Capability)]| of.iter().find(|(bits, _)| *bits == width).map(|(_, capability)| *capability);
        let asked = match *words {
            // With an encoding it is another format, which the encoding's enumerant accounts for.
            [_, _, width] if op == Op::TypeFloat as u32 => by_width(width, &[(64, Capability::Float64), (16, Capability::Float16)]),
            [_, _, width, _] if op == Op::TypeInt as u32 => {
                by_width(width, &[(64, Capability::Int64), (16, Capability::Int16), (8, Capability::Int8)])
            }
            [_, _, _, 8 | 16] if op == Op::TypeVector as u32 => Some(Capability::Vector16),
            _ => None,
        };
        if let Some(capability) = asked {
            self.capability(capability);
        }
        if op == Op::TypeFloat as u32 && words.get(2) == Some(&16) {
            self.capability(Capability::Float16Buffer);
        }
        if [Op::TypeImage, Op::TypeSampler, Op::TypeSampledImage].iter().any(|of| *of as u32 == op) {
            IMAGES.iter().for_each(|capability| self.capability(*capability));
        }
    }

    /// What an atomic operation on values of that type asks for. `None`: the type is not known.
    pub(crate) fn of_atomic(&mut self, opcode: u16, scalar: Option<(Op, u32)>) {
        let op = u32::from(opcode);
        let add = op == Op::AtomicFAddEXT as u32;
        let extreme = op == Op::AtomicFMinEXT as u32 || op == Op::AtomicFMaxEXT as u32;
        let of = |width: u32, list: [Capability; 3]| [16, 32, 64].iter().position(|bits| *bits == width).map(|index| list[index]);
        let asked = match scalar {
            None => Some(Capability::Int64Atomics),
            Some((Op::TypeInt, 64)) => Some(Capability::Int64Atomics),
            Some((_, width)) if add => {
                of(width, [Capability::AtomicFloat16AddEXT, Capability::AtomicFloat32AddEXT, Capability::AtomicFloat64AddEXT])
            }
            Some((_, width)) if extreme => {
                of(width, [Capability::AtomicFloat16MinMaxEXT, Capability::AtomicFloat32MinMaxEXT, Capability::AtomicFloat64MinMaxEXT])
            }
            // A driver may do 64-bit floating-point values by the integers of their size.
            Some((_, 64)) => Some(Capability::Int64Atomics),
            Some(_) => None,
        };
        if let Some(capability) = asked {
            self.capability(capability);
        }
    }

    /// Adds what others ask for.
    pub(crate) fn extend(&mut self, others: &Needs) {
        others.opcodes.list.iter().for_each(|opcode| self.opcodes.insert(*opcode as usize));
        others.enumerants.list.iter().for_each(|index| self.enumerants.insert(*index as usize));
        others.capabilities.iter().for_each(|capability| self.capability(*capability));
    }

    /// Everything that is asked for, by number and by name.
    pub(crate) fn asked(&self, enumerants: &Enumerants) -> Asked {
        let mut asked = Asked { by_types: self.capabilities.clone(), capabilities: self.capabilities.clone(), extensions: Vec::new() };
        for opcode in &self.opcodes.list {
            if let Some(shape) = u16::try_from(*opcode).ok().and_then(|opcode| grammar().shape(opcode)) {
                asked.capabilities.extend(shape.capabilities);
                asked.extensions.extend(shape.extensions);
            }
        }
        for index in &self.enumerants.list {
            asked.capabilities.extend(&enumerants.get(*index as usize).capabilities);
            asked.extensions.extend(&enumerants.get(*index as usize).extensions);
        }
        asked
    }
}

/// What instructions ask for; each of several capabilities may do, and all of them count as asked for.
#[derive(Debug)]
pub(crate) struct Asked {
    by_types: Vec<Capability>,
    capabilities: Vec<Capability>,
    pub(crate) extensions: Vec<&'static str>,
}

impl Asked {
    /// Whether what these ask for does not say if the capability's declaration stays.
    pub(crate) fn leaves_open(&self, number: u32) -> bool {
        Capability::from_u32(number).is_some_and(|capability| {
            let decided = EXACT.contains(&capability) || [Capability::Linkage, Capability::SpecConditionalINTEL].contains(&capability);
            !decided && !self.capabilities.contains(&capability)
        })
    }

    /// Whether a capability's declaration stays, if `self` is what the module asked for and `left` what it asks for now.
    pub(crate) fn keeps_capability(&self, left: &Asked, number: u32) -> bool {
        let Some(capability) = Capability::from_u32(number) else { return true };
        // A module without entry points needs it, whatever else is left.
        if capability == Capability::Linkage {
            return true;
        }
        if EXACT.contains(&capability) {
            // Opcodes name every capability that one of their types may ask for.
            return left.by_types.contains(&capability);
        }
        left.capabilities.contains(&capability)
            || !(self.capabilities.contains(&capability) || capability == Capability::SpecConditionalINTEL)
    }

    /// The same for an extension.
    pub(crate) fn keeps_extension(&self, left: &Asked, name: &str) -> bool {
        left.extensions.contains(&name) || !self.extensions.contains(&name)
    }
}
