//! Modules that Aspen owns: reading, writing, linking, cutting out what an image needs.

use std::cell::{Cell, OnceCell};
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ops::Deref;
use std::ptr::{self, NonNull};

use llvm_sys::LLVMModule;
use llvm_sys::analysis::{LLVMVerifierFailureAction, LLVMVerifyModule};
use llvm_sys::bit_writer::LLVMWriteBitcodeToMemoryBuffer;
use llvm_sys::core::*;
use llvm_sys::debuginfo::LLVMStripModuleDebugInfo;
use llvm_sys::error::{LLVMDisposeErrorMessage, LLVMGetErrorMessage};
use llvm_sys::prelude::*;
use llvm_sys::target_machine::LLVMTargetMachineRef;
use llvm_sys::transforms::pass_builder::{LLVMCreatePassBuilderOptions, LLVMDisposePassBuilderOptions, LLVMRunPasses};

use crate::dialect::KIND_NAMES;
use crate::ffi;
use crate::ir::{ModuleRef, Value, metadata_kind, take_message};

/// Why a module could not be read or changed. The text names the module or file.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The bytes are neither bitcode nor text of LLVM 22, or do not verify.
    #[error("{name}: not a valid LLVM module: {reason}")]
    Invalid {
        /// The file, as handed to [`Context::parse`].
        name: String,
        /// LLVM's words.
        reason: String,
    },
    /// Text IR with a mistake in it: LLVM's words as compilers print them, `FILE:LINE:COLUMN: error: …`, with the line and a mark under it.
    #[error("{0}")]
    Syntax(String),
    /// Two modules do not fit together.
    #[error("cannot link device code of {name}: {reason}")]
    Link {
        /// The module that was to be added.
        name: String,
        /// LLVM's words.
        reason: String,
    },
    /// A symbol that should be there is not, or the other way round.
    #[error("{name}: {reason}")]
    Symbol {
        /// The module.
        name: String,
        /// What is wrong, with the symbol.
        reason: String,
    },
    /// A pass pipeline that LLVM does not accept, or that failed.
    #[error("{name}: passes '{passes}' failed: {reason}")]
    Passes {
        /// The module.
        name: String,
        /// The pipeline.
        passes: String,
        /// LLVM's words.
        reason: String,
    },
}

/// An LLVM context: modules that are linked with each other share one. Not for several threads.
pub struct Context {
    raw: LLVMContextRef,
    /// LLVM crashed while it worked in this context, so that freeing it could crash again.
    lost: Cell<bool>,
}

impl Context {
    /// An empty context.
    pub fn new() -> Context {
        // SAFETY: no preconditions.
        let raw = unsafe { ffi::aspen_llvm_context() };
        for name in KIND_NAMES {
            // SAFETY: a new context.
            unsafe { metadata_kind(raw, name) };
        }
        Context { raw, lost: Cell::new(false) }
    }

    /// Reads bitcode or text IR and verifies it. `name` is the file's name, for messages.
    ///
    /// # Errors
    /// If the bytes are no valid module; also if LLVM's reader crashes on them.
    pub fn parse(&self, name: &str, bytes: &[u8]) -> Result<Module<'_>, Error> {
        let invalid = |mut reason: String| {
            if reason.contains("Incompatible epoch") || reason.contains("Producer: ") && !reason.contains("Producer: 'LLVM22.") {
                reason += "; it was written by another version of LLVM, while Aspen reads what LLVM 22 reads";
            }
            Error::Invalid { name: name.to_owned(), reason }
        };
        if self.lost.get() {
            return Err(invalid("LLVM crashed on an earlier module of the same context".into()));
        }
        // As text this would be a valid module without anything; a file that was cut off is likelier.
        if bytes.iter().all(|byte| byte.is_ascii_whitespace() || *byte == 0) {
            return Err(invalid("it is empty".into()));
        }
        let (mut message, mut placed, mut lost) = (ptr::null_mut(), false, false);
        // SAFETY: the buffers are valid for the call; the context is alive and has our diagnostic handler.
        let raw = unsafe {
            ffi::aspen_llvm_parse(
                self.raw,
                bytes.as_ptr().cast::<c_char>(),
                bytes.len(),
                name.as_ptr().cast(),
                name.len(),
                &mut message,
                &mut placed,
                &mut lost,
            )
        };
        self.lost.set(lost);
        match NonNull::new(raw) {
            Some(raw) => Ok(Module { raw, context: self, index: OnceCell::new() }),
            None => {
                // SAFETY: a message of the shim.
                let reason = unsafe { take_message(message) }.unwrap_or_default();
                Err(if placed { Error::Syntax(reason.trim_end().to_owned()) } else { invalid(reason) })
            }
        }
    }
}

impl Default for Context {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        if !self.lost.get() {
            // SAFETY: ours, and all modules borrow it, so they are gone.
            unsafe { LLVMContextDispose(self.raw) }
        }
    }
}

/// A module of a [`Context`].
pub struct Module<'ctx> {
    raw: NonNull<LLVMModule>,
    context: &'ctx Context,
    /// Made for the first closure.
    index: OnceCell<Index>,
}

/// What stays visible in a closure, so that others find it under its name.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Visible {
    /// The roots; all other definitions become internal, so that optimisations may take them apart.
    #[default]
    Roots = 0,
    /// What DPC++ leaves visible: variables too, and functions marked as called through their addresses. Variables that nobody may drop are
    /// in every closure. Source: docs/POST_LINK.md.
    Dpcpp = 1,
    /// The same of images that import functions from each other; addresses of functions travel that way then.
    DpcppImporting = 2,
}

/// What all closures of a module have in common.
struct Index(*mut c_void);

impl Drop for Index {
    fn drop(&mut self) {
        // SAFETY: ours.
        unsafe { ffi::aspen_llvm_index_free(self.0) }
    }
}

impl Drop for Module<'_> {
    fn drop(&mut self) {
        if !self.context.lost.get() {
            // SAFETY: ours; views of it borrow it.
            unsafe { LLVMDisposeModule(self.raw()) }
        }
    }
}

/// A buffer of LLVM's.
pub(crate) struct Buffer(LLVMMemoryBufferRef);

impl Buffer {
    /// # Safety
    /// A valid buffer that nobody else frees.
    pub(crate) unsafe fn new(raw: LLVMMemoryBufferRef) -> Buffer {
        Buffer(raw)
    }
}

impl Deref for Buffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        // SAFETY: the buffer lives as long as self and holds that many bytes.
        unsafe { std::slice::from_raw_parts(LLVMGetBufferStart(self.0).cast(), LLVMGetBufferSize(self.0)) }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: ours.
        unsafe { LLVMDisposeMemoryBuffer(self.0) }
    }
}

impl<'ctx> Module<'ctx> {
    pub(crate) fn raw(&self) -> LLVMModuleRef {
        self.raw.as_ptr()
    }

    /// A view for [`crate::summarise()`] and [`crate::attach()`].
    pub fn view(&self) -> ModuleRef<'_> {
        // SAFETY: alive as long as self is borrowed.
        unsafe { ModuleRef::from_raw(self.raw()) }
    }

    /// The name that the module was parsed under.
    pub fn name(&self) -> String {
        let mut length = 0;
        // SAFETY: valid module; the bytes live in it.
        let bytes = unsafe { std::slice::from_raw_parts(LLVMGetModuleIdentifier(self.raw(), &mut length).cast::<u8>(), length) };
        String::from_utf8_lossy(bytes).into_owned()
    }

    /// Bitcode.
    pub fn to_bitcode(&self) -> Vec<u8> {
        // SAFETY: valid module; the buffer is ours.
        Buffer(unsafe { LLVMWriteBitcodeToMemoryBuffer(self.raw()) }).to_vec()
    }

    /// Text IR.
    pub fn to_text(&self) -> String {
        // SAFETY: valid module; the message is ours.
        unsafe { take_message(LLVMPrintModuleToString(self.raw())) }.unwrap_or_default()
    }

    /// Checks the module's rules, after changes.
    ///
    /// # Errors
    /// With LLVM's words if it is broken.
    pub fn verify(&self) -> Result<(), Error> {
        let mut message = ptr::null_mut();
        // SAFETY: valid module; the message is ours whatever the result.
        let (broken, reason) = unsafe {
            let broken = LLVMVerifyModule(self.raw(), LLVMVerifierFailureAction::LLVMReturnStatusAction, &mut message) != 0;
            (broken, take_message(message).unwrap_or_default())
        };
        if broken { Err(Error::Invalid { name: self.name(), reason }) } else { Ok(()) }
    }

    /// Adds everything of `other`. Inline functions and templates of both become one.
    ///
    /// # Errors
    /// If both define the same symbol, or the modules are for different targets. This module then holds a part of the other one and is
    /// of no further use.
    pub fn link_in(&mut self, other: Module<'ctx>) -> Result<(), Error> {
        assert!(ptr::eq(self.context, other.context), "modules that are linked share a context");
        let name = other.name();
        let source = other.raw();
        self.index.take();
        std::mem::ManuallyDrop::new(other).index.take();
        let mut lost = false;
        // SAFETY: both valid and of one context with our handler; the source is consumed and no longer dropped.
        let reason = unsafe { take_message(ffi::aspen_llvm_link(self.raw(), source, &mut lost)) };
        self.context.lost.set(self.context.lost.get() || lost);
        match reason {
            None => Ok(()),
            Some(reason) => Err(Error::Link { name, reason }),
        }
    }

    /// Adds what this module calls and `library` defines; all that comes in is internal and compiled for `processor`.
    ///
    /// # Errors
    /// If they do not go together. This module then holds a part of the library and is of no further use.
    pub(crate) fn link_library(&mut self, library: Module<'ctx>, processor: &CStr, features: &CStr) -> Result<(), Error> {
        assert!(ptr::eq(self.context, library.context), "modules that are linked share a context");
        let name = library.name();
        let source = library.raw();
        self.index.take();
        std::mem::ManuallyDrop::new(library).index.take();
        let mut lost = false;
        // SAFETY: both valid and of one context with our handler, terminated strings; the library is consumed and no longer dropped.
        let reason =
            unsafe { take_message(ffi::aspen_llvm_link_library(self.raw(), source, processor.as_ptr(), features.as_ptr(), &mut lost)) };
        self.context.lost.set(self.context.lost.get() || lost);
        match reason {
            None => Ok(()),
            Some(reason) => Err(Error::Link { name, reason }),
        }
    }

    /// Gives a global another name.
    ///
    /// # Errors
    /// If there is no such global, or the new name is taken.
    pub fn rename(&mut self, from: &str, to: &str) -> Result<(), Error> {
        let Some(global) = self.find(from) else { return Err(self.symbol(format!("there is no '{from}' to rename to '{to}'"))) };
        if self.find(to).is_some() {
            return Err(self.symbol(format!("'{from}' cannot be renamed to '{to}': that name is taken")));
        }
        // SAFETY: a global of this module.
        unsafe { LLVMSetValueName2(global.raw(), to.as_ptr().cast(), to.len()) };
        Ok(())
    }

    pub(crate) fn symbol(&self, reason: String) -> Error {
        Error::Symbol { name: self.name(), reason }
    }

    /// A function, global or alias of that name.
    fn find(&self, name: &str) -> Option<Value<'_>> {
        let c_name = CString::new(name).ok()?;
        // SAFETY: valid module and strings.
        unsafe {
            Value::from_nullable(LLVMGetNamedFunction(self.raw(), c_name.as_ptr()))
                .or_else(|| Value::from_nullable(LLVMGetNamedGlobal(self.raw(), c_name.as_ptr())))
                .or_else(|| Value::from_nullable(LLVMGetNamedGlobalAlias(self.raw(), name.as_ptr().cast(), name.len())))
        }
    }

    /// Does what the first closure would do for all others; workers that are forked afterwards share it. Closures only declare the
    /// functions of `outside`, unless these are roots: other images define them.
    ///
    /// # Errors
    /// If one of them is not there.
    pub fn prepare_closures(&mut self, outside: &[&str], visible: Visible) -> Result<(), Error> {
        let mut values = Vec::with_capacity(outside.len());
        for symbol in outside {
            let value = self.find(symbol).ok_or_else(|| self.symbol(format!("there is no function '{symbol}' to leave outside")))?;
            values.push(value.raw());
        }
        self.index = OnceCell::from(self.new_index(&mut values, visible));
        Ok(())
    }

    /// Of functions of this module that closures do not enter.
    fn new_index(&self, outside: &mut [LLVMValueRef], visible: Visible) -> Index {
        // SAFETY: valid module and globals of it. Globals come and go only through methods that drop the index.
        Index(unsafe { ffi::aspen_llvm_index(self.raw(), outside.as_mut_ptr(), outside.len(), visible as c_int) })
    }

    /// A module with the roots and everything they reach. Unless [`Module::prepare_closures`] says otherwise, the roots stay visible and
    /// all other definitions become internal.
    ///
    /// # Errors
    /// If a root is not there, or LLVM crashes on damaged debug info.
    pub fn clone_closure(&self, roots: &[&str]) -> Result<Module<'ctx>, Error> {
        let mut values = self.roots(roots)?;
        let index = self.index.get_or_init(|| self.new_index(&mut [], Visible::Roots));
        let mut message = ptr::null_mut();
        // SAFETY: globals of this module, and its index; the result is a new module of the same context. The message is ours.
        let (raw, reason) = unsafe {
            let raw = ffi::aspen_llvm_clone_closure(self.raw(), index.0, values.as_mut_ptr(), values.len(), &mut message);
            (raw, take_message(message))
        };
        match NonNull::new(raw) {
            Some(raw) => Ok(Module { raw, context: self.context, index: OnceCell::new() }),
            None => {
                self.context.lost.set(true);
                Err(Error::Invalid { name: self.name(), reason: reason.unwrap_or_default() })
            }
        }
    }

    /// How many instructions the closure of a root has.
    pub(crate) fn closure_size(&self, root: &str) -> Result<usize, Error> {
        let value = self.roots(&[root])?[0];
        let index = self.index.get_or_init(|| self.new_index(&mut [], Visible::Roots));
        // SAFETY: a global of this module, and its index.
        Ok(unsafe { ffi::aspen_llvm_closure_size(self.raw(), index.0, value) })
    }

    /// Which of these functions of this module the closure of the roots holds.
    ///
    /// # Errors
    /// If one of them is not there.
    pub fn reached<'t>(&self, roots: &[&str], targets: &[&'t str]) -> Result<Vec<&'t str>, Error> {
        let values = targets.iter().map(|target| self.find(target).ok_or_else(|| self.symbol(format!("there is no function '{target}'"))));
        let held = self.closure_reaches(roots, &values.collect::<Result<Vec<_>, _>>()?)?;
        Ok(targets.iter().zip(held).filter(|(_, held)| *held).map(|(target, _)| *target).collect())
    }

    /// The same for functions at hand: whether each is held.
    pub(crate) fn closure_reaches(&self, roots: &[&str], targets: &[Value<'_>]) -> Result<Vec<bool>, Error> {
        let mut values = self.roots(roots)?;
        let mut targets: Vec<LLVMValueRef> = targets.iter().map(|target| target.raw()).collect();
        let index = self.index.get_or_init(|| self.new_index(&mut [], Visible::Roots));
        let mut held = vec![false; targets.len()];
        // SAFETY: globals of this module, and its index; a bool a target.
        unsafe {
            let (roots, count) = (values.as_mut_ptr(), values.len());
            ffi::aspen_llvm_closure_reaches(self.raw(), index.0, roots, count, targets.as_mut_ptr(), targets.len(), held.as_mut_ptr());
        }
        Ok(held)
    }

    fn roots(&self, roots: &[&str]) -> Result<Vec<LLVMValueRef>, Error> {
        let find = |root: &&str| match self.find(root) {
            Some(value) => Ok(value.raw()),
            None => Err(self.symbol(format!("there is no function '{root}' to make an image of"))),
        };
        roots.iter().map(find).collect()
    }

    /// Another module that holds the same.
    pub fn copy(&self) -> Module<'ctx> {
        // SAFETY: a valid module; LLVM does not run out of memory but aborts.
        let raw = unsafe { NonNull::new_unchecked(LLVMCloneModule(self.raw())) };
        Module { raw, context: self.context, index: OnceCell::new() }
    }

    /// Call it before globals come or go.
    pub(crate) fn forget_index(&mut self) {
        self.index.take();
    }

    /// Removes all debug info.
    pub fn strip_debug(&mut self) {
        // SAFETY: valid module.
        unsafe { LLVMStripModuleDebugInfo(self.raw()) };
    }

    /// Functions that are called or referred to but not defined here, in module order; LLVM's own excluded.
    pub fn imports(&self) -> Vec<String> {
        let functions = self.view().functions().filter(|function| function.is_declaration() && !function.is_intrinsic());
        functions.filter(|function| function.users().next().is_some()).map(Value::name).collect()
    }

    /// Functions defined here that other modules can see, in module order.
    pub fn exports(&self) -> Vec<String> {
        use llvm_sys::LLVMLinkage::{LLVMExternalLinkage, LLVMWeakAnyLinkage, LLVMWeakODRLinkage};
        let functions = self.view().functions().filter(|function| !function.is_declaration());
        functions
            .filter(|function| matches!(function.linkage(), LLVMExternalLinkage | LLVMWeakAnyLinkage | LLVMWeakODRLinkage))
            .map(Value::name)
            .collect()
    }

    /// The target triple.
    pub fn triple(&self) -> String {
        // SAFETY: valid module; the terminated string lives in it.
        unsafe { CStr::from_ptr(LLVMGetTarget(self.raw())) }.to_string_lossy().into_owned()
    }

    pub(crate) fn set_triple(&mut self, triple: &str) {
        if let Ok(triple) = CString::new(triple) {
            // SAFETY: valid module and string.
            unsafe { LLVMSetTarget(self.raw(), triple.as_ptr()) };
        }
    }

    /// What LLVM reported as errors in this module's context since the last call; code generation does not stop for them.
    pub(crate) fn take_errors(&self) -> String {
        // SAFETY: a context of the shim; the message is ours.
        unsafe { take_message(ffi::aspen_llvm_take_errors(self.context.raw)) }.unwrap_or_default()
    }

    /// Runs a pass pipeline in `opt -passes` syntax, without a target machine.
    ///
    /// # Errors
    /// If LLVM does not know a pass.
    pub fn run_passes(&mut self, passes: &str) -> Result<(), Error> {
        // SAFETY: no target machine.
        unsafe { self.run_passes_for(passes, ptr::null_mut()) }
    }

    /// # Safety
    /// `machine` is null or a valid target machine for the module's triple.
    pub(crate) unsafe fn run_passes_for(&mut self, passes: &str, machine: LLVMTargetMachineRef) -> Result<(), Error> {
        self.index.take();
        let fail = |reason: String| Error::Passes { name: self.name(), passes: passes.to_owned(), reason };
        let pipeline = CString::new(passes).map_err(|error| fail(error.to_string()))?;
        // SAFETY: valid module, string and options; the error is consumed by LLVMGetErrorMessage.
        let reason = unsafe {
            let options = LLVMCreatePassBuilderOptions();
            let error = LLVMRunPasses(self.raw(), pipeline.as_ptr(), machine, options);
            LLVMDisposePassBuilderOptions(options);
            if error.is_null() {
                return Ok(());
            }
            let message = LLVMGetErrorMessage(error);
            let reason = CStr::from_ptr(message).to_string_lossy().into_owned();
            LLVMDisposeErrorMessage(message);
            reason
        };
        Err(fail(reason))
    }
}
