//! Finds what code does with objects whose types need aspects, and the module may not show. Source: DESIGN §7.2.

#ifndef ASPEN_CLANG_USES_H
#define ASPEN_CLANG_USES_H

#include "TypeAspects.h"

#include "llvm/ADT/STLExtras.h"

namespace aspen {

/// Calls `Found` with the aspects and the place of every use of a marked class, or of one that holds such a class by value: parameters,
/// results (without a place), access to members and captures, copies by assignment, `new`. Variables and temporaries are left to the
/// module, which shows them all.
void findUses(clang::ASTContext &Context, TypeAspects &Aspects, const clang::FunctionDecl *Function, bool HasBody,
              llvm::function_ref<void(const Values &, clang::SourceLocation)> Found);

} // namespace aspen

#endif
