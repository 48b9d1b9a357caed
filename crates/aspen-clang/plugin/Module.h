//! What the plugin does to clang's module before any pass sees it.

#ifndef ASPEN_CLANG_MODULE_H
#define ASPEN_CLANG_MODULE_H

#include "Kernels.h"

#include "clang/CodeGen/ModuleBuilder.h"
#include "clang/Frontend/CompilerInstance.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"

namespace aspen {

/// The generator of the running action, or null if it emits no code.
clang::CodeGenerator *findGenerator(clang::CompilerInstance &CI);

/// Takes our entries out of `llvm.global.annotations`, where they would keep functions alive; those of others stay.
void stripAnnotations(llvm::Module &Module);

/// Leaves in `llvm.global.annotations` (what is annotated, the text, file, line, arguments) the entries that are to be kept.
void keepAnnotations(llvm::Module &Module, llvm::function_ref<bool(const llvm::ConstantStruct &)> Keeps);

/// Makes functions of aliases, which other modules could not call by name: of constructors and destructors of whole objects, which clang
/// lets stand for those of bases, and of those that the source declares. Each calls the function that it stood for.
void replaceAliases(llvm::Module &Module);

/// Whether the function was an alias.
bool wasAlias(const llvm::Function &Function);

/// Entries of kernels whose name is visible everywhere merge with those of other translation units. Source: DESIGN §7.17.
void setKernelLinkage(llvm::Module &Module, const std::vector<Kernel> &Kernels);

} // namespace aspen

#endif
