//! Where the scalars of a constant stand, and what the runtime is told about it. No IR is made here.
//!
//! The type that a kernel reads and the type of the default value may differ in their padding (clang spells it out in one of them), so that
//! scalars are found by their place. Source: DPC++'s SYCL2020-SpecializationConstants.md.

use llvm_sys::core::*;
use llvm_sys::target::*;
use llvm_sys::{LLVMTypeKind, LLVMValueKind};

use super::SpecConstantPart;
use crate::ir::{ModuleRef, Type, Value};

/// More than any device takes, and little enough that a short file cannot make us write gigabytes.
const LARGEST: u64 = 1 << 20;

/// Sizes in bytes, as the module lays types out.
#[derive(Clone, Copy)]
pub(super) struct Layout(LLVMTargetDataRef);

/// A scalar of a default value.
#[derive(Clone, Copy)]
pub(super) struct Leaf<'m> {
    pub(super) offset: u64,
    pub(super) value: Value<'m>,
}

/// A constant as a kernel reads it.
pub(super) enum Shape<'m> {
    /// Has the number `slot` and this default value.
    Scalar { ty: Type<'m>, slot: u32, offset: u64, size: u64, default: Value<'m> },
    /// Padding that the type spells out. It takes a number as well, which nothing has.
    Undefined { ty: Type<'m>, offset: u64 },
    /// Several of them.
    Composite { ty: Type<'m>, offset: u64, parts: Vec<Shape<'m>>, end: Option<u64> },
}

/// What is wrong with a type or value.
pub(super) type Reason = String;

impl Layout {
    pub(super) fn of(module: ModuleRef<'_>) -> Layout {
        // SAFETY: a valid module, whose layout lives as long as it does.
        Layout(unsafe { LLVMGetModuleDataLayout(module.raw()) })
    }

    /// What a value takes in memory, without the padding behind it.
    pub(super) fn store_size(self, ty: Type<'_>) -> u64 {
        // SAFETY: a sized type.
        unsafe { LLVMStoreSizeOfType(self.0, ty.raw()) }
    }

    pub(super) fn alignment(self, ty: Type<'_>) -> u64 {
        // SAFETY: a sized type.
        u64::from(unsafe { LLVMABIAlignmentOfType(self.0, ty.raw()) })
    }

    /// That it can be read at all.
    pub(super) fn check(self, ty: Type<'_>) -> Result<(), Reason> {
        // SAFETY: a valid type.
        let sized = unsafe { LLVMTypeIsSized(ty.raw()) != 0 } && ty.kind() != LLVMTypeKind::LLVMScalableVectorTypeKind;
        match sized.then(|| self.store_size(ty)) {
            None => Err(format!("its type {} has no size", ty.spelling())),
            Some(size) if size > LARGEST => Err(format!("its type {} is {size} bytes large, more than {LARGEST}", ty.spelling())),
            Some(_) => Ok(()),
        }
    }

    /// The elements of a composite type with their places in it; nothing for a scalar.
    fn elements<'m>(self, ty: Type<'m>) -> Option<Vec<(u64, Type<'m>)>> {
        let parts = ty.parts();
        // SAFETY: each call fits the kind of the type, and the type is sized.
        unsafe {
            let count = match ty.kind() {
                LLVMTypeKind::LLVMStructTypeKind => {
                    let offset = |index: usize| u32::try_from(index).map_or(0, |index| LLVMOffsetOfElement(self.0, ty.raw(), index));
                    return Some(parts.into_iter().enumerate().map(|(index, part)| (offset(index), part)).collect());
                }
                LLVMTypeKind::LLVMArrayTypeKind => LLVMGetArrayLength2(ty.raw()),
                // Vectors of bits share bytes; in memory there are none.
                LLVMTypeKind::LLVMVectorTypeKind if parts.first().is_some_and(|&part| width(part) != Some(1)) => {
                    u64::from(LLVMGetVectorSize(ty.raw()))
                }
                _ => return None,
            };
            let element = *parts.first()?;
            let stride = LLVMABISizeOfType(self.0, element.raw());
            // Elements without a size hold nothing, however many they are.
            let count = if stride == 0 { 0 } else { count };
            Some((0..count).map(|index| (index * stride, element)).collect())
        }
    }

    /// The scalars of a default value that are defined, by their place.
    pub(super) fn leaves<'m>(self, value: Value<'m>) -> Result<Vec<Leaf<'m>>, Reason> {
        let mut out = Vec::new();
        self.collect(value, 0, &mut out)?;
        Ok(out)
    }

    fn collect<'m>(self, value: Value<'m>, offset: u64, out: &mut Vec<Leaf<'m>>) -> Result<(), Reason> {
        if matches!(value.kind(), LLVMValueKind::LLVMUndefValueValueKind | LLVMValueKind::LLVMPoisonValueKind) {
            return Ok(());
        }
        let Some(elements) = self.elements(value.ty()) else {
            if is_number(value) {
                out.push(Leaf { offset, value });
                return Ok(());
            }
            return Err(format!("its default value holds a {} that is no number of 8, 16, 32 or 64 bits", value.ty().spelling()));
        };
        for (index, (place, ty)) in elements.into_iter().enumerate() {
            let index = u32::try_from(index).map_err(|_| "its default value has too many elements".to_owned())?;
            // SAFETY: an aggregate constant; null for an index that it does not have, or an expression.
            let element = unsafe { Value::from_nullable(LLVMGetAggregateElement(value.raw(), index)) };
            let element = element.ok_or_else(|| format!("element {index} of its default value, a {}, is no constant", ty.spelling()))?;
            self.collect(element, offset + place, out)?;
        }
        Ok(())
    }

    /// What a kernel reads as this type. Scalars have numbers from 0 in the order of their places; so has padding.
    pub(super) fn shape<'m>(self, ty: Type<'m>, leaves: &[Leaf<'m>]) -> Result<(Shape<'m>, u32), Reason> {
        let mut slots = 0;
        let shape = self.shape_at(ty, 0, leaves, &mut slots)?;
        Ok((shape, slots))
    }

    fn shape_at<'m>(self, ty: Type<'m>, offset: u64, leaves: &[Leaf<'m>], slots: &mut u32) -> Result<Shape<'m>, Reason> {
        let size = self.store_size(ty);
        let inside = leaves.partition_point(|leaf| leaf.offset < offset)..leaves.partition_point(|leaf| leaf.offset < offset + size);
        let inside = &leaves[inside];
        let mut slot = || {
            *slots += 1;
            *slots - 1
        };
        if inside.is_empty() {
            slot();
            return Ok(Shape::Undefined { ty, offset });
        }
        if let Some(elements) = self.elements(ty) {
            let is_struct = ty.kind() == LLVMTypeKind::LLVMStructTypeKind;
            let parts = elements.into_iter().map(|(place, part)| self.shape_at(part, offset + place, inside, slots));
            // SAFETY: a sized type.
            let end = is_struct.then(|| offset + unsafe { LLVMABISizeOfType(self.0, ty.raw()) });
            return Ok(Shape::Composite { ty, offset, parts: parts.collect::<Result<_, _>>()?, end });
        }
        match inside {
            [leaf] if leaf.offset == offset && fits(ty, leaf.value.ty()) => {
                Ok(Shape::Scalar { ty, slot: slot(), offset, size, default: leaf.value })
            }
            [leaf, ..] => Err(format!(
                "a {} at byte {offset} of it has the default value of a {} at byte {}",
                ty.spelling(),
                leaf.value.ty().spelling(),
                leaf.offset
            )),
            [] => Err("it has no default value".into()),
        }
    }

    /// The default value as it stands in memory. Padding is 0, as is what is not defined.
    pub(super) fn bytes(self, ty: Type<'_>, leaves: &[Leaf<'_>]) -> Vec<u8> {
        let at = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        let mut out = vec![0; at(self.store_size(ty))];
        for leaf in leaves {
            let (start, size) = (at(leaf.offset), at(self.store_size(leaf.value.ty())));
            let bits = bits_of(leaf.value).unwrap_or_default().to_le_bytes();
            // A scalar stands within its value and has at most 8 bytes.
            out[start..start + size].copy_from_slice(&bits[..size]);
        }
        out
    }
}

impl Shape<'_> {
    /// What the runtime is told: a part a scalar, and one for the bytes behind the last member of each structure.
    pub(super) fn describe(&self, first: u32, out: &mut Vec<SpecConstantPart>) -> u64 {
        // Within LARGEST.
        let narrow = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
        let part = |id: u32, offset: u64, size: u64| SpecConstantPart { id, offset: narrow(offset), size: narrow(size) };
        match self {
            Shape::Scalar { slot, offset, size, .. } => {
                out.push(part(first.saturating_add(*slot), *offset, *size));
                offset + size
            }
            Shape::Undefined { offset, .. } => *offset,
            Shape::Composite { offset, parts, end, .. } => {
                let last = parts.iter().fold(*offset, |_, part| part.describe(first, out));
                match *end {
                    Some(end) if end > last => {
                        out.push(part(SpecConstantPart::PADDING, last, end - last));
                        end
                    }
                    Some(end) => end,
                    None => last,
                }
            }
        }
    }
}

/// A `bool` is an `i8` in memory and an `i1` where a function returns it.
fn fits(read: Type<'_>, default: Type<'_>) -> bool {
    read == default || (width(read) == Some(1) && width(default) == Some(8))
}

/// Of an integer type.
pub(super) fn width(ty: Type<'_>) -> Option<u32> {
    // SAFETY: an integer type.
    (ty.kind() == LLVMTypeKind::LLVMIntegerTypeKind).then(|| unsafe { LLVMGetIntTypeWidth(ty.raw()) })
}

/// What SPIR-V has specialization constants of, as DPC++ does.
fn is_number(value: Value<'_>) -> bool {
    let scalar = match value.ty().kind() {
        LLVMTypeKind::LLVMHalfTypeKind | LLVMTypeKind::LLVMFloatTypeKind | LLVMTypeKind::LLVMDoubleTypeKind => true,
        _ => width(value.ty()).is_some_and(|width| [1, 8, 16, 32, 64].contains(&width)),
    };
    scalar && bits_of(value).is_some()
}

/// The bits of a number.
fn bits_of(value: Value<'_>) -> Option<u64> {
    let bits = match value.ty().kind() {
        LLVMTypeKind::LLVMHalfTypeKind => 16,
        LLVMTypeKind::LLVMFloatTypeKind => 32,
        LLVMTypeKind::LLVMDoubleTypeKind => 64,
        _ => width(value.ty())?,
    };
    // SAFETY: a constant of that many bits; LLVM folds the cast of a number to an integer.
    unsafe {
        let integer = LLVMConstBitCast(value.raw(), LLVMIntTypeInContext(LLVMGetTypeContext(value.ty().raw()), bits));
        let is_integer = !LLVMIsAConstantInt(integer).is_null();
        is_integer.then(|| LLVMConstIntGetZExtValue(integer))
    }
}
