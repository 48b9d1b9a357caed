//! Which capabilities and extensions instructions ask for.
//!
//! The grammar names them for opcodes and enumerants; what depends on types is known here. A declaration is dropped only if something that
//! asked for it is gone and nothing that asks for it is left, so what nobody can judge stays. Where a driver refuses a module for a mere
//! declaration, the rule is known exactly ([`EXACT`]), and unused declarations go too. Source: SPIR-V specification, "Capability".

use rspirv::spirv::{Capability, Op};

use crate::grammar::{Enumerants, grammar};

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

/// What some instructions ask for.
#[derive(Default)]
pub(crate) struct Needs {
    /// By opcode.
    opcodes: Vec<bool>,
    /// By index in [`Enumerants`].
    enumerants: Vec<bool>,
    /// By types.
    capabilities: Vec<Capability>,
}

fn set(list: &mut Vec<bool>, index: usize) {
    if index >= list.len() {
        list.resize(index + 1, false);
    }
    list[index] = true;
}

impl Needs {
    pub(crate) fn opcode(&mut self, opcode: u16) {
        set(&mut self.opcodes, usize::from(opcode));
    }

    pub(crate) fn enumerant(&mut self, index: usize) {
        set(&mut self.enumerants, index);
    }

    pub(crate) fn capability(&mut self, capability: Capability) {
        if !self.capabilities.contains(&capability) {
            self.capabilities.push(capability);
        }
    }

    /// What a type asks for.
    pub(crate) fn of_type(&mut self, opcode: u16, words: &[u32]) {
        let op = u32::from(opcode);
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
        for (index, _) in others.opcodes.iter().enumerate().filter(|(_, seen)| **seen) {
            set(&mut self.opcodes, index);
        }
        for (index, _) in others.enumerants.iter().enumerate().filter(|(_, seen)| **seen) {
            set(&mut self.enumerants, index);
        }
        others.capabilities.iter().for_each(|capability| self.capability(*capability));
    }

    /// Everything that is asked for, by number and by name.
    pub(crate) fn asked(&self, enumerants: &Enumerants) -> Asked {
        let mut asked = Asked { by_types: self.capabilities.clone(), capabilities: self.capabilities.clone(), extensions: Vec::new() };
        let seen = |list: &[bool]| list.iter().enumerate().filter(|(_, seen)| **seen).map(|(index, _)| index).collect::<Vec<_>>();
        for opcode in seen(&self.opcodes) {
            if let Some(shape) = u16::try_from(opcode).ok().and_then(|opcode| grammar().shape(opcode)) {
                asked.capabilities.extend(shape.capabilities);
                asked.extensions.extend(shape.extensions);
            }
        }
        for index in seen(&self.enumerants) {
            asked.capabilities.extend(&enumerants.get(index).capabilities);
            asked.extensions.extend(&enumerants.get(index).extensions);
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
