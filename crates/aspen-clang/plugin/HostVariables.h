//! Finds device code that uses the host's mutable variables.

#ifndef ASPEN_CLANG_HOST_VARIABLES_H
#define ASPEN_CLANG_HOST_VARIABLES_H

#include "clang/AST/ASTContext.h"
#include "clang/CodeGen/ModuleBuilder.h"

namespace aspen {

/// Errors for the uses of variables with static storage that are neither const nor constexpr in functions that the device reaches.
void checkHostVariables(clang::ASTContext &Context, clang::CodeGenerator &Generator);

} // namespace aspen

#endif
