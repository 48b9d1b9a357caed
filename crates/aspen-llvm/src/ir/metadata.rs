//! Metadata operands and debug locations.

use std::ptr;

use llvm_sys::core::*;
use llvm_sys::debuginfo::*;

use super::{DebugFile, Location, Md, Value, text};

impl<'m> Md<'m> {
    /// The operands of a node; empty for anything else.
    pub(crate) fn operands(self) -> Vec<Md<'m>> {
        // SAFETY: asked only of nodes; the vector has the size that LLVM asks for.
        unsafe {
            if LLVMIsAMDNode(self.raw).is_null() {
                return Vec::new();
            }
            let mut operands = vec![ptr::null_mut(); LLVMGetMDNodeNumOperands(self.raw) as usize];
            LLVMGetMDNodeOperands(self.raw, operands.as_mut_ptr());
            operands.into_iter().filter_map(|raw| Md::from_nullable(raw)).collect()
        }
    }

    /// How many operands a node has, those that are null included.
    pub(crate) fn operand_count(self) -> usize {
        // SAFETY: asked only of nodes.
        unsafe { if LLVMIsAMDNode(self.raw).is_null() { 0 } else { LLVMGetMDNodeNumOperands(self.raw) as usize } }
    }

    pub(crate) fn as_text(self) -> Option<String> {
        // SAFETY: asked only of strings.
        unsafe {
            if LLVMIsAMDString(self.raw).is_null() {
                return None;
            }
            let mut length = 0;
            let data = LLVMGetMDString(self.raw, &mut length);
            Some(text(data, length as usize))
        }
    }

    /// The sign-extended value of an integer.
    pub(crate) fn as_integer(self) -> Option<i64> {
        // SAFETY: asked only of integers of at most 64 bits.
        unsafe {
            let is_integer = !LLVMIsAConstantInt(self.raw).is_null() && LLVMGetIntTypeWidth(LLVMTypeOf(self.raw)) <= 64;
            is_integer.then(|| LLVMConstIntGetSExtValue(self.raw))
        }
    }

    /// The function that an operand refers to.
    pub(crate) fn as_function(self) -> Option<Value<'m>> {
        // SAFETY: valid value; a ValueAsMetadata operand is handed out as its value.
        let value = unsafe { Value::new(self.raw) };
        value.is_function().then_some(value)
    }

    /// The constant that an operand is.
    pub(crate) fn as_constant(self) -> Option<Value<'m>> {
        // SAFETY: valid value; a ConstantAsMetadata operand is handed out as its constant.
        unsafe { (!LLVMIsAConstant(self.raw).is_null()).then(|| Value::new(self.raw)) }
    }

    /// All integers in a node and the nodes in it, in order: `!{i32 6, !{!"fp16", i32 5}}` is 6, 5. Both dialects write so.
    pub(crate) fn integers(self) -> Vec<i64> {
        fn collect(md: Md<'_>, depth: u32, out: &mut Vec<i64>) {
            for operand in md.operands() {
                match operand.as_integer() {
                    Some(integer) => out.push(integer),
                    // Deeper nesting does not occur; cyclic nodes do exist.
                    None if depth < 4 => collect(operand, depth + 1, out),
                    None => {}
                }
            }
        }
        let mut out = Vec::new();
        collect(self, 0, &mut out);
        out
    }
}

impl<'m> Location<'m> {
    pub(crate) fn line(self) -> u32 {
        // SAFETY: a DILocation.
        unsafe { LLVMDILocationGetLine(self.raw) }
    }

    pub(crate) fn column(self) -> u32 {
        // SAFETY: a DILocation.
        unsafe { LLVMDILocationGetColumn(self.raw) }
    }

    /// Where the code stands in the function that now holds it, if it was inlined.
    pub(crate) fn outermost(self) -> Location<'m> {
        let mut location = self;
        // SAFETY: a DILocation; chains of inlining are finite.
        while let Some(outer) = unsafe { Location::from_nullable(LLVMDILocationGetInlinedAt(location.raw)) } {
            location = outer;
        }
        location
    }

    pub(crate) fn file(self) -> Option<DebugFile<'m>> {
        // SAFETY: a DILocation has a scope.
        unsafe { DebugFile::from_nullable(LLVMDIScopeGetFile(LLVMDILocationGetScope(self.raw))) }
    }
}

impl DebugFile<'_> {
    pub(crate) fn name(self) -> String {
        let mut length = 0;
        // SAFETY: a DIFile; the string lives in the context.
        unsafe {
            let data = LLVMDIFileGetFilename(self.raw, &mut length);
            text(data, length as usize)
        }
    }
}
