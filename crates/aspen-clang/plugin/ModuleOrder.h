//! One order for what clang has generated.

#ifndef ASPEN_CLANG_MODULE_ORDER_H
#define ASPEN_CLANG_MODULE_ORDER_H

#include "llvm/IR/Module.h"

namespace aspen {

/// Orders functions and variables as a walk from those that must stay meets them, and numbers unnamed strings and types by that order.
/// clang generates what it may leave out when something first asks for it, which happens in another order where a header was precompiled.
/// So the object is the same with and without. Source: decision 0037.
void order(llvm::Module &Module);

} // namespace aspen

#endif
