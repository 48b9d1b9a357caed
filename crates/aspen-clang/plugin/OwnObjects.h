//! Kernels that write into their own function object.

#ifndef ASPEN_CLANG_OWNOBJECTS_H
#define ASPEN_CLANG_OWNOBJECTS_H

#include "llvm/IR/Module.h"

namespace aspen {

/// In SYCL each work-item has the kernel's function object to itself, and may write into it through `mutable` members or where `const` was cast
/// away. The native CPU's entries get the launch's own, which nobody writes (native_cpu.h), and loops over a range call one object for many items:
/// where the function may write it, each call gets a copy. Before any pass, so that what nobody writes is the launch's again after them.
void giveOwnObjects(llvm::Module &Module);

} // namespace aspen

#endif
