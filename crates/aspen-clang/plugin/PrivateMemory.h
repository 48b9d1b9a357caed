//! Keeps the private memory of work-items apart when item loops are vectorised.

#ifndef ASPEN_CLANG_PRIVATE_MEMORY_H
#define ASPEN_CLANG_PRIVATE_MEMORY_H

namespace llvm {
class PassBuilder;
}

namespace aspen {

/// Adds the pass before the loop vectoriser, wherever a pipeline has one.
void keepPrivateMemoryApart(llvm::PassBuilder &Builder);

} // namespace aspen

#endif
