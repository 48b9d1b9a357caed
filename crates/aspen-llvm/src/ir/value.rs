//! Values: what a function, a constant or an instruction says about itself.

use std::ffi::c_uint;
use std::ptr;

use llvm_sys::core::*;
use llvm_sys::debuginfo::*;
use llvm_sys::{LLVMDbgRecordKind, LLVMLinkage, LLVMOpcode, LLVMTypeKind, LLVMValueKind};

use super::{DebugFile, Location, Md, ModuleRef, NewMd, Type, Value, attribute_kind, take_message, text};
use crate::ffi;

impl<'m> Value<'m> {
    pub(crate) fn name(self) -> String {
        let mut length = 0;
        // SAFETY: valid value; the string lives in it.
        unsafe { text(LLVMGetValueName2(self.raw, &mut length), length) }
    }

    pub(crate) fn kind(self) -> LLVMValueKind {
        // SAFETY: valid value.
        unsafe { LLVMGetValueKind(self.raw) }
    }

    pub(crate) fn ty(self) -> Type<'m> {
        // SAFETY: valid value.
        unsafe { Type::new(LLVMTypeOf(self.raw)) }
    }

    pub(crate) fn is_function(self) -> bool {
        self.kind() == LLVMValueKind::LLVMFunctionValueKind
    }

    pub(crate) fn is_global(self) -> bool {
        matches!(
            self.kind(),
            LLVMValueKind::LLVMFunctionValueKind
                | LLVMValueKind::LLVMGlobalAliasValueKind
                | LLVMValueKind::LLVMGlobalIFuncValueKind
                | LLVMValueKind::LLVMGlobalVariableValueKind
        )
    }

    pub(crate) fn is_global_variable(self) -> bool {
        self.kind() == LLVMValueKind::LLVMGlobalVariableValueKind
    }

    pub(crate) fn is_block_address(self) -> bool {
        self.kind() == LLVMValueKind::LLVMBlockAddressValueKind
    }

    pub(crate) fn is_inline_assembly(self) -> bool {
        self.kind() == LLVMValueKind::LLVMInlineAsmValueKind
    }

    pub(crate) fn is_instruction(self) -> bool {
        self.kind() == LLVMValueKind::LLVMInstructionValueKind
    }

    /// A constant that is made of other constants.
    pub(crate) fn is_compound_constant(self) -> bool {
        matches!(
            self.kind(),
            LLVMValueKind::LLVMConstantExprValueKind
                | LLVMValueKind::LLVMConstantArrayValueKind
                | LLVMValueKind::LLVMConstantStructValueKind
                | LLVMValueKind::LLVMConstantVectorValueKind
        )
    }

    /// Whether it is a constant expression that addresses into an aggregate.
    pub(crate) fn is_constant_gep(self) -> bool {
        self.kind() == LLVMValueKind::LLVMConstantExprValueKind
            // SAFETY: a constant expression.
            && unsafe { LLVMGetConstOpcode(self.raw) } == LLVMOpcode::LLVMGetElementPtr
    }

    /// The type of what a global's address points to; a function's type.
    pub(crate) fn value_type(self) -> Type<'m> {
        debug_assert!(self.is_global());
        // SAFETY: a global value.
        unsafe { Type::new(LLVMGlobalGetValueType(self.raw)) }
    }

    pub(crate) fn operands(self) -> impl Iterator<Item = Value<'m>> {
        // SAFETY: a user: function, global, constant or instruction.
        let count = unsafe { LLVMGetNumOperands(self.raw) }.max(0) as c_uint;
        // SAFETY: the index is in range.
        (0..count).filter_map(move |index| unsafe { Value::from_nullable(LLVMGetOperand(self.raw, index)) })
    }

    /// The users: instructions, constants, globals.
    pub(crate) fn users(self) -> impl Iterator<Item = Value<'m>> {
        // SAFETY: valid value; uses do not change while this view is read.
        let first = unsafe { LLVMGetFirstUse(self.raw) };
        // SAFETY: as above.
        std::iter::successors((!first.is_null()).then_some(first), |use_| {
            // SAFETY: as above.
            let next = unsafe { LLVMGetNextUse(*use_) };
            (!next.is_null()).then_some(next)
        })
        // SAFETY: a use has a user.
        .map(|use_| unsafe { Value::new(LLVMGetUser(use_)) })
    }

    /// The function behind casts and aliases.
    pub(crate) fn resolve(self) -> Value<'m> {
        let mut value = self;
        // Aliases cannot form cycles in a verified module; the bound keeps a broken one from hanging.
        for _ in 0..64 {
            let next = match value.kind() {
                // SAFETY: an alias.
                LLVMValueKind::LLVMGlobalAliasValueKind => unsafe { Value::from_nullable(LLVMAliasGetAliasee(value.raw)) },
                LLVMValueKind::LLVMConstantExprValueKind => {
                    // SAFETY: a constant expression.
                    match unsafe { LLVMGetConstOpcode(value.raw) } {
                        LLVMOpcode::LLVMBitCast | LLVMOpcode::LLVMAddrSpaceCast => value.operands().next(),
                        _ => None,
                    }
                }
                _ => None,
            };
            match next {
                Some(next) => value = next,
                None => break,
            }
        }
        value
    }

    /// The initialiser of a global variable.
    pub(crate) fn initializer(self) -> Option<Value<'m>> {
        // SAFETY: a global variable.
        unsafe { Value::from_nullable(LLVMGetInitializer(self.raw)) }
    }

    /// The value of an integer constant.
    pub(crate) fn constant_integer(self) -> Option<i64> {
        // SAFETY: asked only of integers of at most 64 bits.
        (self.kind() == LLVMValueKind::LLVMConstantIntValueKind && unsafe { LLVMGetIntTypeWidth(LLVMTypeOf(self.raw)) } <= 64)
            // SAFETY: as above.
            .then(|| unsafe { LLVMConstIntGetSExtValue(self.raw) })
    }

    /// The value of a string attribute of a global variable.
    pub(crate) fn global_attribute(self, name: &str) -> Option<String> {
        // SAFETY: a global variable and a valid string; the message is ours.
        unsafe { take_message(ffi::aspen_llvm_global_attribute(self.raw, name.as_ptr().cast(), name.len())) }
    }

    // Functions.

    pub(crate) fn is_intrinsic(self) -> bool {
        // SAFETY: a function.
        (unsafe { LLVMGetIntrinsicID(self.raw) }) != 0 || self.name().starts_with("llvm.")
    }

    pub(crate) fn is_declaration(self) -> bool {
        // SAFETY: a global value.
        unsafe { LLVMIsDeclaration(self.raw) != 0 }
    }

    pub(crate) fn linkage(self) -> LLVMLinkage {
        // SAFETY: a global value.
        unsafe { LLVMGetLinkage(self.raw) }
    }

    pub(crate) fn calling_convention(self) -> c_uint {
        // SAFETY: a function.
        unsafe { LLVMGetFunctionCallConv(self.raw) }
    }

    pub(crate) fn parameter_count(self) -> u32 {
        // SAFETY: a function.
        unsafe { LLVMCountParams(self.raw) }
    }

    /// The function's parameters.
    pub(crate) fn parameters(self) -> impl Iterator<Item = Value<'m>> {
        // SAFETY: a function, and an index in range.
        (0..self.parameter_count()).filter_map(move |index| unsafe { Value::from_nullable(LLVMGetParam(self.raw, index)) })
    }

    /// The function's instructions in block order.
    pub(crate) fn instructions(self) -> impl Iterator<Item = Value<'m>> {
        // SAFETY: a function; blocks and instructions do not change while this view is read.
        let first = unsafe { LLVMGetFirstBasicBlock(self.raw) };
        std::iter::successors((!first.is_null()).then_some(first), |block| {
            // SAFETY: as above.
            let next = unsafe { LLVMGetNextBasicBlock(*block) };
            (!next.is_null()).then_some(next)
        })
        .flat_map(|block| {
            // SAFETY: as above.
            let first = unsafe { Value::from_nullable(LLVMGetFirstInstruction(block)) };
            // SAFETY: as above.
            std::iter::successors(first, |instruction| unsafe { Value::from_nullable(LLVMGetNextInstruction(instruction.raw)) })
        })
    }

    /// The type of a type attribute (`byval`, `sret`, …) of a function's parameter, counted from 0.
    pub(crate) fn parameter_attribute_type(self, parameter: u32, kind: c_uint) -> Option<Type<'m>> {
        // SAFETY: a function; attribute index 0 is the return value. A null attribute is absent.
        unsafe {
            let attribute = LLVMGetEnumAttributeAtIndex(self.raw, parameter + 1, kind);
            if attribute.is_null() { None } else { Type::from_nullable(LLVMGetTypeAttributeValue(attribute)) }
        }
    }

    /// The alignment that a function's pointer parameter is promised, counted from 0.
    pub(crate) fn parameter_alignment(self, parameter: u32) -> Option<u32> {
        // SAFETY: a function; attribute index 0 is the return value. A null attribute is absent.
        unsafe {
            let attribute = LLVMGetEnumAttributeAtIndex(self.raw, parameter + 1, attribute_kind("align"));
            if attribute.is_null() { None } else { u32::try_from(LLVMGetEnumAttributeValue(attribute)).ok() }
        }
    }

    /// Whether a parameter of a function has an attribute of that kind.
    pub(crate) fn any_parameter_has(self, kind: c_uint) -> bool {
        // SAFETY: a function; attribute index 0 is the return value. A null attribute is absent.
        unsafe { (1..=LLVMCountParams(self.raw)).any(|index| !LLVMGetEnumAttributeAtIndex(self.raw, index, kind).is_null()) }
    }

    /// The value of a string attribute of a function.
    pub(crate) fn string_attribute(self, name: &str) -> Option<String> {
        let length = c_uint::try_from(name.len()).ok()?;
        // SAFETY: a function and a valid string; the value lives in the context.
        unsafe {
            let attribute = LLVMGetStringAttributeAtIndex(self.raw, llvm_sys::LLVMAttributeFunctionIndex, name.as_ptr().cast(), length);
            if attribute.is_null() {
                return None;
            }
            let mut length = 0;
            let value = LLVMGetStringAttributeValue(attribute, &mut length);
            Some(text(value, length as usize))
        }
    }

    /// Whether a call has a string attribute of its own.
    pub(crate) fn call_site_has(self, name: &str) -> bool {
        let Ok(length) = c_uint::try_from(name.len()) else { return false };
        // SAFETY: a call and a valid string.
        unsafe { !LLVMGetCallSiteStringAttribute(self.raw, llvm_sys::LLVMAttributeFunctionIndex, name.as_ptr().cast(), length).is_null() }
    }

    /// Gives a function a string attribute.
    pub(crate) fn set_string_attribute(self, module: ModuleRef<'m>, name: &str, value: &str) {
        let (Ok(name_length), Ok(value_length)) = (c_uint::try_from(name.len()), c_uint::try_from(value.len())) else { return };
        // SAFETY: a function of the module, and valid strings, which are copied.
        unsafe {
            let context = module.context();
            let attribute = LLVMCreateStringAttribute(context, name.as_ptr().cast(), name_length, value.as_ptr().cast(), value_length);
            LLVMAddAttributeAtIndex(self.raw, llvm_sys::LLVMAttributeFunctionIndex, attribute);
        }
    }

    /// All metadata of a function or a global variable, `(kind, node)`.
    pub(crate) fn global_metadata(self, module: ModuleRef<'m>) -> Vec<(c_uint, Md<'m>)> {
        // SAFETY: a function or a variable; the entries are read within their count and freed.
        unsafe {
            let mut count = 0;
            let entries = LLVMGlobalCopyAllMetadata(self.raw, &mut count);
            let mut out = Vec::with_capacity(count);
            for index in 0..c_uint::try_from(count).unwrap_or(c_uint::MAX) {
                let node = LLVMValueMetadataEntriesGetMetadata(entries, index);
                out.push((LLVMValueMetadataEntriesGetKind(entries, index), Md::new(LLVMMetadataAsValue(module.context(), node))));
            }
            LLVMDisposeValueMetadataEntries(entries);
            out
        }
    }

    /// Replaces a function's metadata of that kind, or removes it.
    pub(crate) fn set_function_metadata(self, kind: c_uint, node: Option<NewMd<'m>>) {
        // SAFETY: a function, and a node of the same context.
        unsafe {
            match node {
                Some(node) => LLVMGlobalSetMetadata(self.raw, kind, node.raw),
                None => LLVMGlobalEraseMetadata(self.raw, kind),
            }
        }
    }

    /// The line of a function's `DISubprogram`.
    pub(crate) fn subprogram_line(self) -> Option<u32> {
        // SAFETY: a function, and its subprogram.
        unsafe {
            let subprogram = LLVMGetSubprogram(self.raw);
            (!subprogram.is_null()).then(|| LLVMDISubprogramGetLine(subprogram)).filter(|line| *line > 0)
        }
    }

    /// The file of a function's `DISubprogram`.
    pub(crate) fn subprogram_file(self) -> Option<DebugFile<'m>> {
        // SAFETY: a function; a subprogram is a scope.
        unsafe {
            let subprogram = LLVMGetSubprogram(self.raw);
            if subprogram.is_null() { None } else { DebugFile::from_nullable(LLVMDIScopeGetFile(subprogram)) }
        }
    }

    /// What a pointer points to, behind casts and addresses of first members; of constants and instructions.
    pub(crate) fn strip_pointer_casts(self) -> Value<'m> {
        // SAFETY: a valid value.
        unsafe { Value::new(ffi::aspen_llvm_strip_pointer_casts(self.raw)) }
    }

    /// The text of an array of bytes that ends with 0.
    pub(crate) fn constant_text(self) -> Option<String> {
        let mut length = 0;
        // SAFETY: a constant; its bytes live in the context.
        unsafe {
            let is_text = !LLVMIsAConstantDataSequential(self.raw).is_null() && LLVMIsConstantString(self.raw) != 0;
            is_text.then(|| text(LLVMGetAsString(self.raw, &mut length), length))?.strip_suffix('\0').map(str::to_owned)
        }
    }

    // Instructions.

    pub(crate) fn opcode(self) -> LLVMOpcode {
        // SAFETY: an instruction.
        unsafe { LLVMGetInstructionOpcode(self.raw) }
    }

    pub(crate) fn is_call(self) -> bool {
        self.is_instruction() && matches!(self.opcode(), LLVMOpcode::LLVMCall | LLVMOpcode::LLVMInvoke | LLVMOpcode::LLVMCallBr)
    }

    /// A `call`, no `invoke`.
    pub(crate) fn is_plain_call(self) -> bool {
        self.opcode() == LLVMOpcode::LLVMCall
    }

    pub(crate) fn allocated_type(self) -> Type<'m> {
        // SAFETY: an alloca.
        unsafe { Type::new(LLVMGetAllocatedType(self.raw)) }
    }

    /// Of a `getelementptr`, instruction or constant.
    pub(crate) fn gep_source_type(self) -> Type<'m> {
        // SAFETY: a GEP operator.
        unsafe { Type::new(LLVMGetGEPSourceElementType(self.raw)) }
    }

    /// The called operand of a call.
    pub(crate) fn called(self) -> Value<'m> {
        // SAFETY: a call.
        unsafe { Value::new(LLVMGetCalledValue(self.raw)) }
    }

    pub(crate) fn called_type(self) -> Type<'m> {
        // SAFETY: a call.
        unsafe { Type::new(LLVMGetCalledFunctionType(self.raw)) }
    }

    /// The function that a call passes this value to through its `…`.
    fn passed_through_ellipsis(self, call: Value<'m>) -> Option<Value<'m>> {
        let fixed = call.called_type().variadic_after()?;
        let callee = Some(call.called().resolve()).filter(|callee| callee.is_function())?;
        let passed = call.operands().take(call.argument_count() as usize).skip(fixed).any(|argument| argument == self);
        passed.then_some(callee)
    }

    /// The function for whose `…` this value was made a `double` of a `float`, if nothing else uses it. Of several the first by name: lists
    /// of users have no order of their own.
    pub(crate) fn promoted_for(self) -> Option<Value<'m>> {
        if !self.is_instruction() || self.opcode() != LLVMOpcode::LLVMFPExt {
            return None;
        }
        let is_float = self.operands().all(|operand| operand.ty().kind() == LLVMTypeKind::LLVMFloatTypeKind);
        let callees: Option<Vec<Value<'m>>> =
            self.users().map(|user| if user.is_call() { self.passed_through_ellipsis(user) } else { None }).collect();
        callees.filter(|_| is_float)?.into_iter().min_by_key(|callee| callee.name())
    }

    pub(crate) fn argument_count(self) -> u32 {
        // SAFETY: a call.
        unsafe { LLVMGetNumArgOperands(self.raw) }
    }

    /// The type of a type attribute of a call's argument, counted from 0.
    pub(crate) fn argument_attribute_type(self, argument: u32, kind: c_uint) -> Option<Type<'m>> {
        // SAFETY: a call; attribute index 0 is the return value.
        unsafe {
            let attribute = LLVMGetCallSiteEnumAttribute(self.raw, argument + 1, kind);
            if attribute.is_null() { None } else { Type::from_nullable(LLVMGetTypeAttributeValue(attribute)) }
        }
    }

    pub(crate) fn instruction_metadata(self, kind: c_uint) -> Option<Md<'m>> {
        // SAFETY: an instruction.
        unsafe { Md::from_nullable(LLVMGetMetadata(self.raw, kind)) }
    }

    pub(crate) fn set_instruction_metadata(self, kind: c_uint, module: ModuleRef<'m>, node: Option<NewMd<'m>>) {
        // SAFETY: an instruction and a node of the same context; null removes.
        unsafe { LLVMSetMetadata(self.raw, kind, node.map_or(ptr::null_mut(), |node| LLVMMetadataAsValue(module.context(), node.raw))) }
    }

    /// The variables that are declared before the instruction: their memory, and the place of their name.
    pub(crate) fn debug_declares(self) -> Vec<(Value<'m>, Location<'m>)> {
        let mut out = Vec::new();
        // SAFETY: an instruction and the records before it. A variable's memory may be gone (null).
        unsafe {
            let mut record = LLVMGetFirstDbgRecord(self.raw);
            while !record.is_null() {
                if LLVMDbgRecordGetKind(record) == LLVMDbgRecordKind::LLVMDbgRecordDeclare {
                    let memory = Value::from_nullable(LLVMDbgVariableRecordGetValue(record, 0));
                    out.extend(memory.zip(Location::from_nullable(LLVMDbgRecordGetDebugLoc(record))));
                }
                record = LLVMGetNextDbgRecord(record);
            }
        }
        out
    }

    pub(crate) fn location(self) -> Option<Location<'m>> {
        // SAFETY: an instruction.
        unsafe { Location::from_nullable(LLVMInstructionGetDebugLoc(self.raw)) }
    }
}
