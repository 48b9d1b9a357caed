//! Thin views of LLVM's values, types, metadata and debug locations: each call of the C API is wrapped once, here.
//!
//! All views are `Copy` pointers into a module; the lifetime `'m` is that of the module, which outlives them. They are read-only except
//! for metadata, which [`crate::attach()`] writes. LLVM contexts are not thread-safe and neither are the views (raw pointers: `!Send`).

mod metadata;
mod value;

use std::ffi::{CStr, CString, c_char, c_uint};
use std::marker::PhantomData;
use std::ptr;

use llvm_sys::LLVMTypeKind;
use llvm_sys::core::*;
use llvm_sys::prelude::*;

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

/// The name for people of a kernel's or function's symbol: qualified, without parameters; the symbol itself if it is not mangled.
pub fn readable_name(symbol: &str) -> String {
    demangle(symbol).unwrap_or_else(|| symbol.to_owned())
}

/// The last component of a mangled function's name, `operator()`.
pub(crate) fn demangle_base(symbol: &str) -> Option<String> {
    demangle_part(symbol, true)
}

fn demangle_part(symbol: &str, base: bool) -> Option<String> {
    // Without the prefix, the demangler reads types: `c` would be `char`.
    if !symbol.starts_with("_Z") {
        return None;
    }
    let symbol = CString::new(symbol).ok()?;
    // SAFETY: a terminated string; the result is malloc'ed for LLVMDisposeMessage.
    let name = unsafe { take_message(ffi::aspen_llvm_demangle(symbol.as_ptr(), base)) };
    name.map(|name| aspen_contract::as_written(&name))
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
        // SAFETY: a module's context is valid.
        unsafe { metadata_kind(self.context(), name) }
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

    /// Of a function type with `…`, how many parameters come before.
    pub(crate) fn variadic_after(self) -> Option<usize> {
        // SAFETY: asked only of function types.
        (self.kind() == LLVMTypeKind::LLVMFunctionTypeKind && unsafe { LLVMIsFunctionVarArg(self.raw) } != 0)
            // SAFETY: as above.
            .then(|| unsafe { LLVMCountParamTypes(self.raw) } as usize)
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

/// The id of a metadata kind; a new one is registered.
///
/// # Safety
/// A valid context.
pub(crate) unsafe fn metadata_kind(context: LLVMContextRef, name: &str) -> c_uint {
    let length = c_uint::try_from(name.len()).expect("names of metadata kinds are short");
    // SAFETY: promised by the caller; a valid string.
    unsafe { LLVMGetMDKindIDInContext(context, name.as_ptr().cast(), length) }
}

/// The id of an enum or type attribute.
pub(crate) fn attribute_kind(name: &str) -> c_uint {
    // SAFETY: a valid string.
    unsafe { LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len()) }
}
