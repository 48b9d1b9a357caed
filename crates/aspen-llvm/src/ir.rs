//! Thin views of LLVM's values, types, metadata and debug locations: each call of the C API is wrapped once, here.
//!
//! All views are `Copy` pointers into a module; the lifetime `'m` is that of the module, which outlives them. They are read-only except
//! for metadata, which [`crate::attach()`] writes. LLVM contexts are not thread-safe and neither are the views (raw pointers: `!Send`).

use std::ffi::{CStr, CString, c_char, c_uint};
use std::marker::PhantomData;
use std::ptr;

use llvm_sys::core::*;
use llvm_sys::debuginfo::*;
use llvm_sys::prelude::*;
use llvm_sys::{LLVMDbgRecordKind, LLVMLinkage, LLVMOpcode, LLVMTypeKind, LLVMValueKind};

use crate::ffi;

macro_rules! view {
    ($(#[$doc:meta])* $vis:vis $name:ident($raw:ty)) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash)]
        $vis struct $name<'m> {
            raw: $raw,
            module: PhantomData<&'m ()>,
        }

        impl<'m> $name<'m> {
            /// # Safety
            /// `raw` is not null and stays valid for `'m`.
            #[allow(clippy::allow_attributes, dead_code)]
            pub(crate) unsafe fn new(raw: $raw) -> Self {
                Self { raw, module: PhantomData }
            }

            /// `None` for null.
            ///
            /// # Safety
            /// `raw` is null or stays valid for `'m`.
            #[allow(clippy::allow_attributes, dead_code)]
            pub(crate) unsafe fn from_nullable(raw: $raw) -> Option<Self> {
                (!raw.is_null()).then_some(Self { raw, module: PhantomData })
            }

            #[allow(clippy::allow_attributes, dead_code)]
            pub(crate) fn raw(self) -> $raw {
                self.raw
            }
        }
    };
}

view! {
    /// A module that somebody else owns: clang, or a [`crate::Module`].
    pub ModuleRef(LLVMModuleRef)
}
view! {
    /// A type.
    pub(crate) Type(LLVMTypeRef)
}
view! {
    /// A value: function, global, constant, instruction, argument.
    pub(crate) Value(LLVMValueRef)
}
view! {
    /// A metadata operand: a node, a string, or an integer.
    pub(crate) Md(LLVMValueRef)
}
view! {
    /// Metadata to be written. (As a value, LLVM turns `!{i32 6}` into `i32 6`.)
    pub(crate) NewMd(LLVMMetadataRef)
}
view! {
    /// A `DILocation`.
    pub(crate) Location(LLVMMetadataRef)
}
view! {
    /// A `DIFile`.
    pub(crate) DebugFile(LLVMMetadataRef)
}

/// # Safety
/// `data` is null or points to `length` readable bytes for the call.
unsafe fn text(data: *const c_char, length: usize) -> String {
    if data.is_null() {
        return String::new();
    }
    // SAFETY: passed on from the caller.
    String::from_utf8_lossy(unsafe { std::slice::from_raw_parts(data.cast::<u8>(), length) }).into_owned()
}

/// A message that LLVM allocated, as a `String`; frees it.
///
/// # Safety
/// `message` is null or a string that `LLVMDisposeMessage` may free.
pub(crate) unsafe fn take_message(message: *mut c_char) -> Option<String> {
    if message.is_null() {
        return None;
    }
    // SAFETY: not null, terminated, and ours to free.
    unsafe {
        let text = CStr::from_ptr(message).to_string_lossy().into_owned();
        LLVMDisposeMessage(message);
        Some(text)
    }
}

/// The qualified name of a mangled function without parameters, or the type's name of a `_ZTS` symbol.
pub(crate) fn demangle(symbol: &str) -> Option<String> {
    demangle_part(symbol, false)
}

/// The last component of a mangled function's name, `operator()`.
pub(crate) fn demangle_base(symbol: &str) -> Option<String> {
    demangle_part(symbol, true)
}

fn demangle_part(symbol: &str, base: bool) -> Option<String> {
    let symbol = CString::new(symbol).ok()?;
    // SAFETY: a terminated string; the result is malloc'ed for LLVMDisposeMessage.
    unsafe { take_message(ffi::aspen_llvm_demangle(symbol.as_ptr(), base)) }
}

impl<'m> ModuleRef<'m> {
    /// A view of a module that the caller keeps alive and does not change behind the view's back.
    ///
    /// # Safety
    /// `raw` is a valid module for `'m`, and the calling thread may use its context.
    pub unsafe fn from_raw(raw: LLVMModuleRef) -> ModuleRef<'m> {
        // SAFETY: promised by the caller.
        unsafe { Self::new(raw) }
    }

    pub(crate) fn context(self) -> LLVMContextRef {
        // SAFETY: valid module.
        unsafe { LLVMGetModuleContext(self.raw) }
    }

    /// The source file that the module was made from.
    pub(crate) fn source_file(self) -> String {
        let mut length = 0;
        // SAFETY: valid module; the string lives in it.
        unsafe { text(LLVMGetSourceFileName(self.raw, &mut length), length) }
    }

    /// All functions in module order, also intrinsics.
    pub(crate) fn functions(self) -> impl Iterator<Item = Value<'m>> {
        // SAFETY: valid module; functions live as long as it does and this view adds and removes none.
        let first = unsafe { Value::from_nullable(LLVMGetFirstFunction(self.raw)) };
        // SAFETY: as above.
        std::iter::successors(first, |function| unsafe { Value::from_nullable(LLVMGetNextFunction(function.raw)) })
    }

    /// All global variables in module order.
    pub(crate) fn globals(self) -> impl Iterator<Item = Value<'m>> {
        // SAFETY: as for functions.
        let first = unsafe { Value::from_nullable(LLVMGetFirstGlobal(self.raw)) };
        // SAFETY: as above.
        std::iter::successors(first, |global| unsafe { Value::from_nullable(LLVMGetNextGlobal(global.raw)) })
    }

    /// The operands of a named node; empty if there is none.
    pub(crate) fn named_metadata(self, name: &CStr) -> Vec<Md<'m>> {
        // SAFETY: valid module; the vector has the size that LLVM asks for.
        unsafe {
            let count = LLVMGetNamedMetadataNumOperands(self.raw, name.as_ptr()) as usize;
            let mut operands = vec![ptr::null_mut(); count];
            LLVMGetNamedMetadataOperands(self.raw, name.as_ptr(), operands.as_mut_ptr());
            operands.into_iter().filter_map(|raw| Md::from_nullable(raw)).collect()
        }
    }

    pub(crate) fn has_named_metadata(self, name: &str) -> bool {
        // SAFETY: valid module and string.
        unsafe { !LLVMGetNamedMetadata(self.raw, name.as_ptr().cast(), name.len()).is_null() }
    }

    pub(crate) fn erase_named_metadata(self, name: &str) {
        // SAFETY: valid module and string.
        unsafe { ffi::aspen_llvm_erase_named_metadata(self.raw, name.as_ptr().cast(), name.len()) }
    }

    pub(crate) fn add_named_metadata(self, name: &CStr, node: NewMd<'m>) {
        // SAFETY: valid module; `node` is a node in the same context.
        unsafe { LLVMAddNamedMetadataOperand(self.raw, name.as_ptr(), LLVMMetadataAsValue(self.context(), node.raw)) }
    }

    /// The id of a metadata kind.
    pub(crate) fn kind(self, name: &str) -> c_uint {
        let length = c_uint::try_from(name.len()).expect("names of metadata kinds are short");
        // SAFETY: valid context and string.
        unsafe { LLVMGetMDKindIDInContext(self.context(), name.as_ptr().cast(), length) }
    }

    /// A metadata node.
    pub(crate) fn node(self, operands: &[NewMd<'m>]) -> NewMd<'m> {
        let mut operands: Vec<_> = operands.iter().map(|operand| operand.raw).collect();
        // SAFETY: the operands belong to the same context.
        unsafe { NewMd::new(LLVMMDNodeInContext2(self.context(), operands.as_mut_ptr(), operands.len())) }
    }

    /// An integer operand: `i32`, or `i64` where that is too small.
    pub(crate) fn integer(self, value: u64) -> NewMd<'m> {
        // SAFETY: valid context.
        unsafe {
            let wide = value > u64::from(u32::MAX);
            let ty = if wide { LLVMInt64TypeInContext(self.context()) } else { LLVMInt32TypeInContext(self.context()) };
            NewMd::new(LLVMValueAsMetadata(LLVMConstInt(ty, value, 0)))
        }
    }

    /// A string operand.
    pub(crate) fn string(self, value: &str) -> NewMd<'m> {
        // SAFETY: valid context and string.
        unsafe { NewMd::new(LLVMMDStringInContext2(self.context(), value.as_ptr().cast(), value.len())) }
    }
}

impl<'m> Type<'m> {
    pub(crate) fn kind(self) -> LLVMTypeKind {
        // SAFETY: valid type.
        unsafe { LLVMGetTypeKind(self.raw) }
    }

    /// The name of a named struct.
    pub(crate) fn struct_name(self) -> Option<String> {
        if self.kind() != LLVMTypeKind::LLVMStructTypeKind {
            return None;
        }
        // SAFETY: a struct type; the name is null (literal structs) or terminated.
        unsafe {
            let name = LLVMGetStructName(self.raw);
            (!name.is_null()).then(|| CStr::from_ptr(name).to_string_lossy().into_owned())
        }
    }

    /// Members, elements, and a function type's return and parameters: what a value of the type consists of.
    pub(crate) fn parts(self) -> Vec<Type<'m>> {
        // SAFETY: each call fits the kind of the type.
        unsafe {
            match self.kind() {
                LLVMTypeKind::LLVMStructTypeKind => {
                    let mut members = vec![ptr::null_mut(); LLVMCountStructElementTypes(self.raw) as usize];
                    LLVMGetStructElementTypes(self.raw, members.as_mut_ptr());
                    members.into_iter().map(|raw| Type::new(raw)).collect()
                }
                LLVMTypeKind::LLVMArrayTypeKind | LLVMTypeKind::LLVMVectorTypeKind | LLVMTypeKind::LLVMScalableVectorTypeKind => {
                    vec![Type::new(LLVMGetElementType(self.raw))]
                }
                LLVMTypeKind::LLVMFunctionTypeKind => {
                    let mut parts = vec![ptr::null_mut(); LLVMCountParamTypes(self.raw) as usize];
                    LLVMGetParamTypes(self.raw, parts.as_mut_ptr());
                    parts.push(LLVMGetReturnType(self.raw));
                    parts.into_iter().map(|raw| Type::new(raw)).collect()
                }
                _ => Vec::new(),
            }
        }
    }

    /// As LLVM prints it where it is used: `double`, `[4 x i32]`, `%class.half` (without quotes).
    pub(crate) fn spelling(self) -> String {
        match self.struct_name() {
            Some(name) => format!("%{name}"),
            // SAFETY: valid type; the string is ours to free.
            None => unsafe { take_message(LLVMPrintTypeToString(self.raw)) }.unwrap_or_default().replace('"', ""),
        }
    }
}

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

    /// All metadata of a function, `(kind, node)`.
    pub(crate) fn function_metadata(self, module: ModuleRef<'m>) -> Vec<(c_uint, Md<'m>)> {
        // SAFETY: a function; the entries are read within their count and freed.
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

    /// The file of a function's `DISubprogram`.
    pub(crate) fn subprogram_file(self) -> Option<DebugFile<'m>> {
        // SAFETY: a function; a subprogram is a scope.
        unsafe {
            let subprogram = LLVMGetSubprogram(self.raw);
            if subprogram.is_null() { None } else { DebugFile::from_nullable(LLVMDIScopeGetFile(subprogram)) }
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

/// The id of an enum or type attribute.
pub(crate) fn attribute_kind(name: &str) -> c_uint {
    // SAFETY: a valid string.
    unsafe { LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len()) }
}
