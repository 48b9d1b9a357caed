//! Which loops of work-items the embedded CPU's pass leaves to the link, whatever the source says of unrolling.

#ifndef ASPEN_CLANG_WHOLE_LOOPS_H
#define ASPEN_CLANG_WHOLE_LOOPS_H

#include "llvm/IR/PassManager.h"

namespace aspen {

/// `#pragma unroll N` of a loop that begins at another place in each work-item, `for (i = it.get_global_id(0); i < n; i += range)`, is for GPUs: there
/// it saves a thread's branches. Here such a loop becomes one over the work-items of a turn (docs/decisions/0069), if it is a loop still. Before
/// loops are unrolled.
struct KeepLoopsWhole : llvm::PassInfoMixin<KeepLoopsWhole> {
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &);
};

} // namespace aspen

#endif
