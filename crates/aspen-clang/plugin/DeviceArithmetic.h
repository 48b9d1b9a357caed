//! What code for GPUs need not compute as exactly, or as widely, as clang's frontend says.

#ifndef ASPEN_CLANG_DEVICE_ARITHMETIC_H
#define ASPEN_CLANG_DEVICE_ARITHMETIC_H

#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"

namespace aspen {

/// Before any pass: square roots of `float` that the source asks for may be NVIDIA's approximation, which is within what SYCL allows.
void approximateSquareRoots(llvm::Module &Module);

/// Counters of loops that are 64 bits wide for nobody get 32. To be run behind instcombine, which widens them.
struct NarrowCounters : llvm::PassInfoMixin<NarrowCounters> {
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &);
};

} // namespace aspen

#endif
