//! Which functions of the embedded CPU's pass keep the order in which their lanes go through guards.

#ifndef ASPEN_CLANG_LANES_TOGETHER_H
#define ASPEN_CLANG_LANES_TOGETHER_H

#include "llvm/IR/PassInstrumentation.h"
#include "llvm/IR/PassManager.h"

namespace aspen {

/// LLVM threads jumps: of `if (l < 7) A; B; if (l == 1) C;` it makes ways of their own, each with a copy of B, so that lanes that were together in B no
/// longer are. For GPUs it does not, since their lanes diverge. On the embedded CPU lanes are a loop's turns in the end, but what counts on them in step
/// is cut where all come (docs/decisions/0066): functions with volatile memory, which is how programs say it, are left as they are written. Functions
/// without keep threaded jumps: of plain memory, unthreaded, LLVM moves a load into one of two ways, whose lanes then do not wait for those of the other.
void keepLanesTogether(llvm::PassInstrumentationCallbacks &);

/// Passes that cannot be skipped copy blocks, too, between guards that ask the same (`if (c) A; B; if (c) C;` becomes `if (c) { A; B; C; } else B;`). Those with
/// volatile memory get a mark that may not be copied, which the link takes away (aspen-llvm/shim/items/steps.cpp).
struct MarkSteps : llvm::PassInfoMixin<MarkSteps> {
  static llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &);
};

} // namespace aspen

#endif
