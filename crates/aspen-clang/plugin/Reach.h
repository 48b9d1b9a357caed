//! What device code is: all that kernels and exported functions reach, and nothing that clang only emits.

#ifndef ASPEN_CLANG_REACH_H
#define ASPEN_CLANG_REACH_H

#include "Kernels.h"

#include "clang/CodeGen/ModuleBuilder.h"
#include "llvm/IR/Module.h"

namespace aspen {

/// The definitions in the module that are device code's beginnings: kernels, and functions that are `SYCL_EXTERNAL`. In module order.
std::vector<llvm::Function *> entryPoints(clang::CodeGenerator &Generator, const std::vector<Kernel> &Kernels);

/// Takes out of a device module, before its passes, every definition that none of the entries reaches. Source: DESIGN §7.27.
void keepReachable(llvm::Module &Module, llvm::ArrayRef<llvm::Function *> Entries);

/// Hides every other function from other modules, so that optimisation may change it as its callers here suit. Source: DESIGN §7.12.
void internalise(llvm::Module &Module, llvm::ArrayRef<llvm::Function *> Entries);

} // namespace aspen

#endif
