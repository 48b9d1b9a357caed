//! Images for x86-64 that call each other: functions reached through pointers that a loader fills, and one variable that is everybody's.
//!
//! A declaration of an imported function stays a declaration for LLVM, so that calls, addresses and tables of addresses need no care; the
//! module brings the function's body as assembly, a jump through the pointer. So every calling convention works, variadic ones too. What
//! the pointers are called is the caller's business. Source: DESIGN §8.

use std::ffi::{CStr, CString};

use llvm_sys::LLVMLinkage;
use llvm_sys::core::*;
use llvm_sys::prelude::*;

use crate::module::{Error, Module};

/// How an image shares functions and a thread-local variable with others.
#[derive(Clone, Copy, Debug)]
pub struct SharedCalls<'a> {
    /// Functions of other images. Those that the module does not declare are left alone.
    pub imports: &'a [String],
    /// The pointer to a function is exported under this and the function's symbol.
    pub import_slot: &'a str,
    /// A thread-local variable, which the module need not have.
    pub variable: &'a str,
    /// The exported pointer to a function that gives the address of the calling thread's variable.
    pub variable_slot: &'a str,
}

impl Module<'_> {
    /// Rewrites the module, which must be compiled for x86-64 Linux.
    ///
    /// # Errors
    /// If the variable is used in another way than by its thread's address.
    pub fn share_calls(&mut self, calls: &SharedCalls<'_>) -> Result<(), Error> {
        let mut assembly = String::new();
        for symbol in calls.imports.iter().filter(|symbol| self.declares(symbol)) {
            assembly += &jump(symbol, calls.import_slot);
        }
        // SAFETY: valid module and text.
        unsafe { LLVMAppendModuleInlineAsm(self.raw(), assembly.as_ptr().cast(), assembly.len()) };
        self.share_variable(calls.variable, calls.variable_slot)
    }

    fn declares(&self, symbol: &str) -> bool {
        let Ok(name) = CString::new(symbol) else { return false };
        // SAFETY: valid module and string.
        unsafe {
            let function = LLVMGetNamedFunction(self.raw(), name.as_ptr());
            !function.is_null() && LLVMIsDeclaration(function) != 0
        }
    }

    fn share_variable(&mut self, variable: &str, slot: &str) -> Result<(), Error> {
        let (Ok(name), Ok(slot_name)) = (CString::new(variable), CString::new(slot)) else { return Ok(()) };
        // SAFETY: values of this module, which is valid; each use is read before the instruction it belongs to is removed.
        unsafe {
            let global = LLVMGetNamedGlobal(self.raw(), name.as_ptr());
            if global.is_null() || LLVMIsThreadLocal(global) == 0 {
                return Ok(());
            }
            let context = LLVMGetModuleContext(self.raw());
            let pointer = LLVMPointerTypeInContext(context, 0);
            let function = LLVMFunctionType(pointer, std::ptr::null_mut(), 0, 0);
            let shared = LLVMAddGlobal(self.raw(), pointer, slot_name.as_ptr());
            LLVMSetInitializer(shared, LLVMConstNull(pointer));
            LLVMSetExternallyInitialized(shared, 1);
            LLVMSetLinkage(shared, LLVMLinkage::LLVMExternalLinkage);
            let builder = LLVMCreateBuilderInContext(context);
            let mut outcome = Ok(());
            loop {
                let used = LLVMGetFirstUse(global);
                if used.is_null() {
                    LLVMDeleteGlobal(global);
                    break;
                }
                let user = LLVMGetUser(used);
                if !is_address_of_thread(user) {
                    outcome = Err(self.symbol(format!("'{variable}' is used in a way that images cannot share")));
                    break;
                }
                LLVMPositionBuilderBefore(builder, user);
                let getter = LLVMBuildLoad2(builder, pointer, shared, c"".as_ptr());
                let address = LLVMBuildCall2(builder, function, getter, std::ptr::null_mut(), 0, c"".as_ptr());
                LLVMReplaceAllUsesWith(user, address);
                LLVMInstructionEraseFromParent(user);
            }
            LLVMDisposeBuilder(builder);
            outcome
        }
    }
}

/// Whether it is a call of `llvm.threadlocal.address`, the only way in which clang uses thread-local variables.
///
/// # Safety
/// A user of a value in a valid module.
unsafe fn is_address_of_thread(user: LLVMValueRef) -> bool {
    // SAFETY: by this function's contract.
    unsafe {
        if LLVMIsACallInst(user).is_null() {
            return false;
        }
        let callee = LLVMGetCalledValue(user);
        let mut length = 0;
        let name = if callee.is_null() { std::ptr::null() } else { LLVMGetValueName2(callee, &mut length) };
        !name.is_null() && CStr::from_ptr(name).to_bytes().starts_with(b"llvm.threadlocal.address")
    }
}

/// A function that jumps through its slot, and the slot. Both names are quoted, so any symbol will do. The function is local: the image
/// exports what it defines itself.
fn jump(symbol: &str, prefix: &str) -> String {
    let symbol = symbol.replace('\\', "\\\\").replace('"', "\\\"");
    let slot = format!("{prefix}{symbol}");
    format!(
        "\t.text\n\t.p2align 4\n\t.type \"{symbol}\", @function\n\"{symbol}\":\n\tjmpq *\".L{slot}\"(%rip)\n\t.size \"{symbol}\", .-\"{symbol}\"\n\
         \t.data\n\t.p2align 3\n\t.globl \"{slot}\"\n\t.type \"{slot}\", @object\n\".L{slot}\":\n\"{slot}\":\n\t.quad 0\n\t.size \"{slot}\", 8\n\
         \t.text\n"
    )
}
