//! Variables of an image that its loader fills.

use std::ffi::CString;

use llvm_sys::comdat::LLVMSetComdat;
use llvm_sys::core::*;
use llvm_sys::{LLVMLinkage, LLVMVisibility};

use crate::module::Module;

impl Module<'_> {
    /// Makes a variable of this name, if the module has one, visible to whoever loads the image, and its value unknown to optimisation.
    pub fn expose(&mut self, variable: &str) {
        let Ok(name) = CString::new(variable) else { return };
        // SAFETY: a valid module and string; the global is of this module.
        unsafe {
            let global = LLVMGetNamedGlobal(self.raw(), name.as_ptr());
            if global.is_null() || LLVMIsDeclaration(global) != 0 {
                return;
            }
            LLVMSetLinkage(global, LLVMLinkage::LLVMExternalLinkage);
            LLVMSetVisibility(global, LLVMVisibility::LLVMDefaultVisibility);
            LLVMSetExternallyInitialized(global, 1);
            LLVMSetComdat(global, std::ptr::null_mut());
        }
    }
}
