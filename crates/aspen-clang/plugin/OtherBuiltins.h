//! Builtins of the processor that a pass does not compile for.

#ifndef ASPEN_CLANG_OTHERBUILTINS_H
#define ASPEN_CLANG_OTHERBUILTINS_H

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclGroup.h"

namespace aspen {

/// clang 22 evaluates calls of the auxiliary target's builtins by their numbers, which are others in its own target's table: `_cvtu32_mask32(x)` of
/// <immintrin.h> as the initialiser of a constant ends the compiler, and `_kand_mask16(3, 5)` is another number. So functions of system headers that
/// call such builtins are not `constexpr` in passes for another target: what needs them while compiling is an error, and all else asks them at run time.
void keepFromEvaluation(const clang::ASTContext &Context, clang::DeclGroupRef Group);

} // namespace aspen

#endif
