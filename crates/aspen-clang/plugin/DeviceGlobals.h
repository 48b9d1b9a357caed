//! Variables of which every device has a value of its own: `sycl::ext::oneapi::experimental::device_global`. Source: docs/decisions/0031.

#ifndef ASPEN_CLANG_DEVICE_GLOBALS_H
#define ASPEN_CLANG_DEVICE_GLOBALS_H

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/CodeGen/ModuleBuilder.h"
#include "llvm/IR/Module.h"

namespace aspen {

/// Whether a type is `device_global<…>`; it need not be complete.
bool isDeviceGlobal(clang::QualType Type);

/// Has clang generate code for every device global that the unit defines, whether the unit uses it or not: the host's variables carry the
/// addresses and initial values, and kernels of other units may use those of external linkage. `Tell`: also errors for those that the
/// extension does not allow. Without a generator it only looks.
void emitDeviceGlobals(clang::ASTContext &Context, clang::CodeGenerator *Generator, bool Tell);

/// In device passes: says in the variables' attributes what they are, and that somebody from outside writes there before they are read.
void markDeviceGlobals(clang::CodeGenerator &Generator);

/// In the host pass: has the object tell the runtime of its variables when it is loaded. `Tag`: the object's.
void registerDeviceGlobals(clang::CodeGenerator &Generator, llvm::StringRef Tag);

/// The attribute of device globals that holds the name by which the host knows them.
inline constexpr llvm::StringLiteral UniqueIdAttribute = "sycl-unique-id";

} // namespace aspen

#endif
