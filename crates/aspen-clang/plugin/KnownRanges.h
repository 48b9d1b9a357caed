//! Ranges that a kernel's source says as numbers, and that its code would have to read at run time otherwise.

#ifndef ASPEN_CLANG_KNOWN_RANGES_H
#define ASPEN_CLANG_KNOWN_RANGES_H

#include "Kernels.h"

#include "clang/CodeGen/ModuleBuilder.h"
#include "llvm/IR/PassManager.h"

namespace aspen {

/// Finds what the source says of the ranges of local accessors with two and three dimensions that kernels capture: `Kernel::Known`. The
/// host's pass does it, too, since what device passes count on must be what its program does.
void findKnownRanges(const clang::ASTContext &Context, std::vector<Kernel> &Kernels);

/// Writes to kernels, before any pass, in which work-groups they are launched, and to their lambdas what is known of ranges.
void stateKnownRanges(clang::CodeGenerator &Generator, const clang::ASTContext &Context, const std::vector<Kernel> &Kernels);

/// Puts what is known in the place of what reads it. To be run once functions have been inlined and variables are values.
struct PutKnownRanges : llvm::PassInfoMixin<PutKnownRanges> {
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &);
};

} // namespace aspen

#endif
