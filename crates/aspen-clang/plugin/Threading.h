//! Which functions of the embedded CPU's pass keep the order in which their lanes go through guards.

#ifndef ASPEN_CLANG_THREADING_H
#define ASPEN_CLANG_THREADING_H

#include "llvm/IR/PassInstrumentation.h"

namespace aspen {

/// LLVM threads jumps: of `if (l < 7) A; B; if (l == 1) C;` it makes ways of their own, each with a copy of B, so that lanes that were together in B no
/// longer are. For GPUs it does not, since their lanes diverge. On the embedded CPU lanes are a loop's turns in the end, but what follows them in step
/// is cut where all come (docs/decisions/0066): functions in which items work together, by barriers and operations of sub-groups or by volatile
/// memory, are left as they are written.
void keepLanesTogether(llvm::PassInstrumentationCallbacks &);

} // namespace aspen

#endif
